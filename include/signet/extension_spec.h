// ExtensionSpec: a type that a model, or a program that embeds Signet, defines.
//
//   auto amount = signet::TensorType(signet::DType::kInt64, {});
//   auto money = signet::MakeExtensionType("shop.Money", {}, {{"amount", amount}});
//   auto name = money->As<signet::ExtensionSpec>()->name();  // shop.Money
//
//   app.Masked<axes=list("batch", "time")>(values: float32[?], mask: bool[?])
//
// Static attributes are part of the type and are compared by equality. Components are in declared
// order. The declaration of the name states its checks, its parent, and its conversions. Source:
// RFC extension types.

#pragma once

#include <string>

#include "signet/record_spec.h"
#include "signet/type_spec.h"

namespace signet {

class ExtensionSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kExtension;

  const std::string& name() const { return name_; }
  // Static attributes, sorted by name; each is a literal or a nest of literals.
  const NamedTypes& statics() const { return statics_; }
  TypeSpec LookupStatic(std::string_view name) const;  // null if there is none
  std::span<const std::string> component_names() const { return component_names_; }

  uint64_t HashFixed() const override;
  bool EqualFixed(const TypeSpecRep& other) const override;
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend StatusOr<TypeSpec> MakeExtensionType(std::string, NamedTypes, NamedTypes);
  ExtensionSpec(std::string name, NamedTypes statics, std::vector<std::string> component_names,
                std::vector<TypeSpec> components)
      : TypeSpecRep(kKind, std::move(components)),
        name_(std::move(name)),
        statics_(std::move(statics)),
        component_names_(std::move(component_names)) {}

  const std::string name_;
  const NamedTypes statics_;
  const std::vector<std::string> component_names_;
};

// Returns an error if the name is not `project.Type`, if another name is not an identifier or
// appears twice, or if a static attribute is not a nest of literals.
StatusOr<TypeSpec> MakeExtensionType(std::string name, NamedTypes statics, NamedTypes components);

// Returns true if `spec` is a literal, or a list, tuple, dict, or named tuple of such types.
bool IsStatic(const TypeSpec& spec);

}  // namespace signet
