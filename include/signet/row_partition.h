// RowPartition: how values are cut into rows: in order, without gaps.
//
//   RowPartition::FromRowLengths({4, 0, 3, 1})  =>  row splits 0 4 4 7 8
//
// A partition is held as row splits; core/values/row_algebra.h has the other views of it. One made
// from a row length is *uniform* and says so, also in types; rows that only happen to be of one
// length are not. Rules: docs/reference/types.md, row partitions. Immutable, copying shares
// tensors; thread-safe.

#pragma once

#include <optional>
#include <vector>

#include "signet/row_partition_spec.h"
#include "signet/value.h"

namespace signet {

// The rows that a partition may make up, and the values that a view of one may list, without a
// tensor of them at hand: more are RESOURCE_EXHAUSTED.
inline constexpr int64_t kMaxMadeUpRows = int64_t{1} << 28;

class RowPartition {
 public:
  // The makers take vectors of int32 or int64, the dtype of the row splits, and check all of them;
  // refusals have the reason ROW_SPLITS, DTYPE_MISMATCH or OUT_OF_RANGE: numbers that add up to
  // more than the dtype holds.
  static StatusOr<RowPartition> FromRowSplits(Tensor row_splits);
  static StatusOr<RowPartition> FromRowLengths(const Tensor& lengths);
  // Without `nrows` the last id says how many rows there are.
  static StatusOr<RowPartition> FromValueRowIds(const Tensor& ids,
                                                std::optional<int64_t> nrows = std::nullopt);
  static StatusOr<RowPartition> FromRowStarts(const Tensor& starts, int64_t nvals);
  static StatusOr<RowPartition> FromRowLimits(const Tensor& limits);
  // At least one of `nvals` and `nrows`; rows of length 0 are counted by `nrows` alone.
  static StatusOr<RowPartition> FromUniformRowLength(DType dtype, int64_t length,
                                                     std::optional<int64_t> nvals,
                                                     std::optional<int64_t> nrows = std::nullopt);
  // Row splits of a value, which has checked them; `uniform_row_length` when its type has one.
  static RowPartition Trusted(Tensor row_splits,
                              std::optional<int64_t> uniform_row_length = std::nullopt);

  DType dtype() const { return row_splits_.dtype(); }
  int64_t nrows() const { return row_splits_.num_elements() - 1; }
  int64_t nvals() const;
  std::optional<int64_t> uniform_row_length() const { return uniform_row_length_; }
  RowPartitionSpec spec() const;

  // The views, in the dtype of the row splits; those that may be refused take memory.
  const Tensor& row_splits() const { return row_splits_; }
  Tensor RowStarts() const;
  Tensor RowLimits() const;
  StatusOr<Tensor> RowLengths() const;
  StatusOr<Tensor> ValueRowIds() const;
  StatusOr<Tensor> OffsetsInRows() const;  // of each value

  // The one partition that both are: uniform if either is, int64 if either is. Refused with the
  // first row that differs.
  StatusOr<RowPartition> MergeWith(const RowPartition& other) const;
  // The same with row splits of `dtype`.
  StatusOr<RowPartition> WithDType(DType dtype) const;

 private:
  RowPartition(Tensor row_splits, std::optional<int64_t> uniform_row_length)
      : row_splits_(std::move(row_splits)), uniform_row_length_(uniform_row_length) {}

  Tensor row_splits_;  // a vector that passed CheckRowSplits
  std::optional<int64_t> uniform_row_length_;
};

// The partitions of dimensions 1 to rank - 1 of a tensor, ragged or structured value of at least
// that rank, outermost first. Those of dense dimensions are uniform, of int64, and made here.
StatusOr<std::vector<RowPartition>> PartitionsOf(const Value& value, int rank);
// The same for a dense shape: [5, 8, 3], 3  =>  5 rows of 8, 40 rows of 3.
StatusOr<std::vector<RowPartition>> PartitionsOfShape(const Shape& shape, int rank);

}  // namespace signet
