// RowPartitionSpec: the static part of a row partition: the number of rows and of values, the
// length of each row, and the dtype of the row splits. Any size may be unknown.
//
//   auto spec = signet::RowPartitionSpec::Make({.nrows = 5, .uniform_row_length = 8});
//   int64_t nvals = spec->nvals;  // 40
//
//   {nrows 5, uniform_row_length 8}  =>  nvals 40 as well
//
// A uniform row length states how the partition was built. The rows of other partitions may happen
// to have the same length, too. Rules: docs/reference/types.md, row partitions. Immutable value.

#pragma once

#include "signet/dtype.h"
#include "signet/shape.h"
#include "signet/status.h"

namespace signet {

struct RowPartitionSpec {
  int64_t nrows = kUnknownDim;
  int64_t nvals = kUnknownDim;
  int64_t uniform_row_length = kUnknownDim;
  DType dtype = DType::kInt64;

  // Returns `parts` and fills in the sizes that follow from others: if there are no rows, or rows
  // of length 0, there are no values; and of rows, length, and values, any two determine the third.
  // Returns an error for sizes below 0, sizes that contradict each other, and a dtype other than
  // int32 and int64.
  static StatusOr<RowPartitionSpec> Make(RowPartitionSpec parts);

  bool operator==(const RowPartitionSpec&) const = default;
  std::string ToString() const;  // `int64 [nrows 5, nvals ?, uniform_row_length 8]`
};

// Returns true if some partition has both types.
bool IsCompatible(const RowPartitionSpec& a, const RowPartitionSpec& b);

// Returns the most specific supertype of both: sizes that differ become unknown. Returns an error
// if the dtypes differ.
StatusOr<RowPartitionSpec> CommonSupertype(const RowPartitionSpec& a, const RowPartitionSpec& b);

}  // namespace signet
