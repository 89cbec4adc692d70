// AnySpec: the family of `any` and `any(T)`: plain `any` is the top of the family, `any(T)` is
// below `any(U)` when T is below U, and none of them is related to a bare type.
//
// No value has it; it stands in types that come from other systems.

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
