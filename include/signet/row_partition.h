// RowPartition: divides values into rows, in order and without gaps.
//
//   auto lengths = signet::Tensor::Of<int64_t>({4}, {4, 0, 3, 1});
//   auto partition = signet::RowPartition::FromRowLengths(lengths);  // row splits 0, 4, 4, 7, 8
//
//   RowPartition::FromRowLengths({4, 0, 3, 1})  =>  row splits 0 4 4 7 8
//
// A partition is stored as row splits. A partition that was built from a row length is *uniform*,
// and its type states that. Other partitions are not uniform, even if their rows happen to have the
// same length. Rules: docs/reference/types.md, row partitions. Immutable; copies share tensors;
// thread-safe.

#pragma once

#include <optional>
#include <vector>

#include "signet/row_partition_spec.h"
#include "signet/value.h"

namespace signet {

// The maximum number of rows, or of values in a view, of a partition that is not built from a
// tensor with one element for each. A larger number is an error (RESOURCE_EXHAUSTED).
inline constexpr int64_t kMaxMadeUpRows = int64_t{1} << 28;

class RowPartition {
 public:
  // The factories accept vectors of int32 or int64, which is the dtype of the row splits, and check
  // all elements. Errors have the reason ROW_SPLITS, DTYPE_MISMATCH, or OUT_OF_RANGE; the last one
  // means that the sum does not fit in the dtype.
  static StatusOr<RowPartition> FromRowSplits(Tensor row_splits);
  static StatusOr<RowPartition> FromRowLengths(const Tensor& lengths);
  // Without `nrows`, the last id determines the number of rows.
  static StatusOr<RowPartition> FromValueRowIds(const Tensor& ids,
                                                std::optional<int64_t> nrows = std::nullopt);
  static StatusOr<RowPartition> FromRowStarts(const Tensor& starts, int64_t nvals);
  static StatusOr<RowPartition> FromRowLimits(const Tensor& limits);
  // Requires `nvals` or `nrows`, or both. If the length is 0, only `nrows` determines the number of
  // rows.
  static StatusOr<RowPartition> FromUniformRowLength(DType dtype, int64_t length,
                                                     std::optional<int64_t> nvals,
                                                     std::optional<int64_t> nrows = std::nullopt);
  // Uses the row splits of a value, which were checked; `uniform_row_length` if its type has one.
  static RowPartition Trusted(Tensor row_splits,
                              std::optional<int64_t> uniform_row_length = std::nullopt);

  DType dtype() const { return row_splits_.dtype(); }
  int64_t nrows() const { return row_splits_.num_elements() - 1; }
  int64_t nvals() const;
  std::optional<int64_t> uniform_row_length() const { return uniform_row_length_; }
  RowPartitionSpec spec() const;

  // The views, in the dtype of the row splits. Those that return StatusOr allocate memory.
  const Tensor& row_splits() const { return row_splits_; }
  Tensor RowStarts() const;
  Tensor RowLimits() const;
  StatusOr<Tensor> RowLengths() const;
  StatusOr<Tensor> ValueRowIds() const;
  StatusOr<Tensor> OffsetsInRows() const;  // one per value

  // Returns the common partition of two equal partitions: uniform if either is uniform, and int64
  // if either is int64. The error states the first row that differs.
  StatusOr<RowPartition> MergeWith(const RowPartition& other) const;
  // Returns the same partition with row splits of `dtype`.
  StatusOr<RowPartition> WithDType(DType dtype) const;

 private:
  RowPartition(Tensor row_splits, std::optional<int64_t> uniform_row_length)
      : row_splits_(std::move(row_splits)), uniform_row_length_(uniform_row_length) {}

  Tensor row_splits_;  // a vector that passed CheckRowSplits
  std::optional<int64_t> uniform_row_length_;
};

// Returns the partitions of dimensions 1 to rank - 1 of a tensor, ragged value, or structure of at
// least that rank, the outermost first. The partitions of dense dimensions are created here; they
// are uniform and have dtype int64.
StatusOr<std::vector<RowPartition>> PartitionsOf(const Value& value, int rank);
// Does the same for a dense shape: [5, 8, 3], 3  =>  5 rows of 8, 40 rows of 3.
StatusOr<std::vector<RowPartition>> PartitionsOfShape(const Shape& shape, int rank);

}  // namespace signet
