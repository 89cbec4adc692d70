// RaggedSpec: the type of tensors with rows of varying length: `ragged int64[?, (?)]`.
//
//   auto type = signet::MakeRaggedType(signet::DType::kInt64, {2, signet::kUnknownDim}, 1);
//   std::string text = type->ToString();  // ragged int64[2, (?)]
//
// A dimension in parentheses is ragged: it has a row partition. A value consists of its flat
// values, whose rank is rank - ragged_rank, and one vector of row splits per partition, the
// outermost first.
//
// Usually, the ragged dimensions begin at axis 1. The notation writes out all other ragged ranks:
// `ragged<rank=0> float32[3]`, `ragged<rank=2> float32[...]`. It also writes out int32 row splits:
// `ragged<splits=int32> float32[2, (?)]`. Source: RFC StructuredTensor, docs/reference/types.md.

#pragma once

#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

class RaggedSpec : public TypeSpecRep {
 public:
  static constexpr TypeKind kKind = TypeKind::kRagged;

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return *TypeSpecRep::shape(); }
  int ragged_rank() const { return ragged_rank_; }      // number of row partitions
  DType splits_dtype() const { return splits_dtype_; }  // int32 or int64
  // Returns the tensor type of the flat values.
  TypeSpec FlatValuesSpec() const;

  uint64_t HashFixed() const override;
  bool EqualFixed(const TypeSpecRep& other) const override;
  StatusOr<TypeSpec> Rebuild(PartialShape shape, std::vector<TypeSpec> children) const override;
  void AppendComponents(std::string_view path, int shared_rank,
                        std::vector<ComponentSpec>& out) const override;
  TypeSpec WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const override;
  void AppendTo(std::string& out) const override;

 private:
  friend StatusOr<TypeSpec> MakeRaggedType(DType, PartialShape, int, DType);
  RaggedSpec(DType dtype, PartialShape shape, int ragged_rank, DType splits_dtype,
             TypeSpec default_value = {})
      : TypeSpecRep(kKind, std::move(shape)),
        dtype_(dtype),
        ragged_rank_(ragged_rank),
        splits_dtype_(splits_dtype) {
    if (default_value) SetNotes({{}, {}, std::move(default_value)});
  }

  const DType dtype_;
  const int ragged_rank_;
  const DType splits_dtype_;
};

// Returns an error if the ragged rank is negative, or not less than a known rank, or if the splits
// are not int32 or int64.
StatusOr<TypeSpec> MakeRaggedType(DType dtype, PartialShape shape, int ragged_rank,
                                  DType splits_dtype = DType::kInt64);

// Appends components named `row_splits_<i>` for the dimensions [first, last) of `shape`.
void AppendSplitsComponents(std::string_view path, const PartialShape& shape, int first, int last,
                            DType splits_dtype, std::vector<ComponentSpec>& out);

}  // namespace signet
