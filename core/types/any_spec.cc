#include "signet/any_spec.h"

namespace signet {

TypeSpec AnyType(TypeSpec base) {
  std::vector<TypeSpec> children;
  if (base) children.push_back(std::move(base));
  return Intern(AnySpec(std::move(children)));
}

StatusOr<TypeSpec> AnySpec::Rebuild(PartialShape, std::vector<TypeSpec> children) const {
  return AnyType(children.empty() ? TypeSpec() : children[0]);
}

void AnySpec::AppendTo(std::string& out) const {
  out.append("any");
  if (!children().empty()) out.append(Cat("(", children()[0], ")"));
}

}  // namespace signet
