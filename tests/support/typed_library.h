// TypedLibrary: the functions of one pretended model, with extension types of one component, `x`.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/graph/lower/declared_extension.h"
#include "tests/support/body_maker.h"

namespace signet {

class TypedLibrary final : public TestLibrary {
 public:
  const ExtensionTypes* types() const override { return &extension_types; }
  void Declare(std::string name, std::string parent, ExtensionFunctions made = {},
               std::vector<std::string> attributes = {}, std::vector<TypeSpec> older = {},
               bool batches = true) {
    ExtensionDeclaration declaration{.name = std::move(name),
                                     .class_name = "",
                                     .attributes = std::move(attributes),
                                     .components = {{"x", TypeSpec()}},
                                     .parent = std::move(parent),
                                     .batches = batches,
                                     .older = std::move(older)};
    ASSERT_TRUE(
        extension_types
            .Add(std::make_shared<DeclaredExtension>(std::move(declaration), std::move(made)))
            .ok());
  }
  void Define(FunctionDef def) {
    std::string name = def.name;
    functions.emplace(std::move(name), std::move(def));
  }

  ExtensionTypes extension_types;
};

}  // namespace signet
