#include "core/types/literal_spec.h"

namespace signet {

TypeSpec LiteralType(Literal literal) { return Intern(LiteralSpec(std::move(literal))); }

StatusOr<TypeSpec> LiteralSpec::Rebuild(PartialShape, std::vector<TypeSpec>) const {
  return LiteralType(literal_);
}

}  // namespace signet
