#include "signet/literal_spec.h"

namespace signet {

TypeSpec LiteralType(Literal literal) { return Intern(LiteralSpec(std::move(literal))); }

const Literal* LookupLiteral(const TypeSpec& spec) {
  const auto* literal = spec ? spec.As<LiteralSpec>() : nullptr;
  return literal == nullptr ? nullptr : &literal->literal();
}

StatusOr<TypeSpec> LiteralSpec::Rebuild(PartialShape, std::vector<TypeSpec>) const {
  return LiteralType(literal_);
}

}  // namespace signet
