// LiteralSpec: a type with exactly one value, which is part of the type: `3`, `1.5`, `True`,
// `"text"`, `None`.
//
//   signet::TypeSpec spec = signet::LiteralType(signet::Literal::String("mean"));
//   std::string text = signet::LookupLiteral(spec)->string_value();  // mean
//
// A value of this type has no components. Literals with different bits are different types.

#pragma once

#include "signet/literal.h"
#include "signet/type_spec.h"

namespace signet {

class LiteralSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kLiteral;

  const Literal& literal() const { return literal_; }

  uint64_t HashFixed() const override { return literal_.Hash(); }
  bool EqualFixed(const TypeSpecRep& other) const override {
    return literal_ == static_cast<const LiteralSpec&>(other).literal_;
  }
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view, int, std::vector<ComponentSpec>&) const override {}
  void AppendTo(std::string& out) const override { out.append(literal_.ToString()); }

 private:
  friend TypeSpec LiteralType(Literal literal);
  explicit LiteralSpec(Literal literal)
      : TypeSpecRep(kKind, std::vector<TypeSpec>()), literal_(std::move(literal)) {}

  Literal literal_;
};

TypeSpec LiteralType(Literal literal);
// Returns the value of a literal type, or null if `spec` is null or another type.
const Literal* LookupLiteral(const TypeSpec& spec);

}  // namespace signet
