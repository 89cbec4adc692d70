// ClassReader: reads the classes of a source file as extension types.
//
//   class shop.Money:            =>  the extension type `shop.Money` with the component `amount`
//       amount: float32[...]
//
// The name of a type that has no static attributes is accepted as a type in everything that follows
// it. Not thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/model/language/function_names.h"
#include "core/model/language/syntax/source_file.h"
#include "core/model/model_def.h"
#include "core/types/notation/notation.h"

namespace signet {

class ClassReader {
 public:
  // `functions` are the functions that classes may name. All arguments outlive the reader.
  ClassReader(const SourceFile& file, const FunctionNames& functions)
      : file_(file), functions_(functions) {}

  // Lets the name of the type alone stand for it, in the signatures and the classes that follow.
  void AddNamedType(const ExtensionDeclaration& declaration);

  // Reads the classes and registers their types. Returns them in the order of RegisterTypes
  // (core/model/extension_type_def.h), or none if there are errors.
  std::vector<ExtensionTypeDef> Read(const std::vector<ClassSyntax>& classes,
                                     TypeRegistry& registry);

  const TypesByName& named_types() const { return named_types_; }

 private:
  ExtensionTypeDef ReadClass(const ClassSyntax& type);
  void ReadComponent(const ComponentSyntax& component, ExtensionDeclaration& declaration);
  void ReadMember(const Declaration& member, ExtensionTypeDef& out);
  void ReadOverride(const Declaration& member, ExtensionTypeDef& out);
  bool CheckArguments(const Declaration& member, size_t count, std::string_view form);
  // Returns the function that the last argument of a declaration names.
  std::string FunctionOf(const Declaration& member);

  const SourceFile& file_;
  const FunctionNames& functions_;
  TypesByName named_types_;
};

}  // namespace signet
