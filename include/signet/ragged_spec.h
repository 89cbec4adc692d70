// RaggedSpec: rows of varying length: `ragged int64[?, (?)]`.
//
// A dimension in parentheses is ragged: it has a row partition. A value is its flat values, whose
// rank is rank - ragged_rank, and one vector of row splits a partition, the outermost first. Other
// than 1 or more leading ragged dimensions from axis 1 on is written out:
// `ragged<rank=0> float32[3]`, `ragged<rank=2> float32[...]`; so are int32 row splits:
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
  // The tensor type of the flat values.
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

// Refuses a ragged rank below 0 or not below a known rank, and splits other than int32 or int64.
StatusOr<TypeSpec> MakeRaggedType(DType dtype, PartialShape shape, int ragged_rank,
                                  DType splits_dtype = DType::kInt64);

// Appends the row splits of dimensions [first, last) of `shape`, as components `row_splits_<i>`.
void AppendSplitsComponents(std::string_view path, const PartialShape& shape, int first, int last,
                            DType splits_dtype, std::vector<ComponentSpec>& out);

}  // namespace signet
