// AnySpec: the types `any` and `any(T)`, which represent values of several types.
//
//   signet::TypeSpec any = signet::AnyType();  // any
//
// Plain `any` is a supertype of every `any(T)`. `any(T)` is a subtype of `any(U)` if T is a subtype
// of U. Other types are not related to them. No value has such a type; it occurs in types from
// other systems.

#pragma once

#include "signet/type_spec.h"

namespace signet {

class AnySpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kAny;

  uint64_t HashFixed() const override { return 0; }
  bool EqualFixed(const TypeSpecRep&) const override { return true; }
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view, int, std::vector<ComponentSpec>&) const override {}
  void AppendTo(std::string& out) const override;

 private:
  friend TypeSpec AnyType(TypeSpec base);
  explicit AnySpec(std::vector<TypeSpec> base) : TypeSpecRep(kKind, std::move(base)) {}
};

TypeSpec AnyType(TypeSpec base = {});

}  // namespace signet
