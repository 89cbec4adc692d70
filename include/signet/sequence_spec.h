// ListSpec and TupleSpec: containers of fixed length: `list(int64[], 3)`, `tuple(float32[?], "a")`.
//
//   auto scalar = signet::TensorType(signet::DType::kFloat32, {});
//   std::string text = signet::TupleType({scalar}).ToString();  // tuple(float32[])
//
// List types and tuple types are never related.

#pragma once

#include "signet/type_spec.h"

namespace signet {

class SequenceSpec : public TypeSpecRep {
 public:
  uint64_t HashFixed() const override { return children().size(); }
  bool EqualFixed(const TypeSpecRep&) const override { return true; }
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend TypeSpec ListType(std::vector<TypeSpec> elements);
  friend TypeSpec TupleType(std::vector<TypeSpec> elements);
  SequenceSpec(TypeKind kind, std::vector<TypeSpec> elements)
      : TypeSpecRep(kind, std::move(elements)) {}
};

TypeSpec ListType(std::vector<TypeSpec> elements);
TypeSpec TupleType(std::vector<TypeSpec> elements);
inline bool IsSequence(const TypeSpec& spec) {
  return spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple);
}

}  // namespace signet
