#include "signet/sequence_spec.h"

namespace signet {

TypeSpec ListType(std::vector<TypeSpec> elements) {
  return Intern(SequenceSpec(TypeKind::kList, std::move(elements)));
}

TypeSpec TupleType(std::vector<TypeSpec> elements) {
  return Intern(SequenceSpec(TypeKind::kTuple, std::move(elements)));
}

StatusOr<TypeSpec> SequenceSpec::Rebuild(PartialShape, std::vector<TypeSpec> children) const {
  return kind() == TypeKind::kList ? ListType(std::move(children)) : TupleType(std::move(children));
}

void SequenceSpec::AppendComponents(std::string_view path, int,
                                    std::vector<ComponentSpec>& out) const {
  for (size_t i = 0; i < children().size(); ++i) {
    children()[i].rep().AppendComponents(Cat(path, "[", i, "]"), 0, out);
  }
}

void SequenceSpec::AppendTo(std::string& out) const {
  out.append(NameOf(kind())).append("(").append(Join(children(), ", ")).append(")");
}

}  // namespace signet
