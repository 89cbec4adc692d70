// RowPartitionSpec: what is static about a row partition: how many rows and values there are, how
// long each row is, and the dtype of the row splits; any size may be unknown.
//
//   {nrows 5, uniform_row_length 8}  =>  nvals 40 as well
//
// A uniform row length says how the partition was made: every row of a partition without one may
// be as long as the others, too. Rules: docs/reference/types.md, row partitions. Immutable value.

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

  // `parts` with the sizes that follow from others: no rows have no values, nor have rows of length
  // 0; and of rows, length and values two give the third. Refuses sizes below 0, sizes that
  // contradict each other, and a dtype that is not int32 or int64.
  static StatusOr<RowPartitionSpec> Make(RowPartitionSpec parts);

  bool operator==(const RowPartitionSpec&) const = default;
  std::string ToString() const;  // `int64 [nrows 5, nvals ?, uniform_row_length 8]`
};

// Some partition is of both types.
bool IsCompatible(const RowPartitionSpec& a, const RowPartitionSpec& b);

// The narrowest type above both: sizes that differ become unknown; refused when the dtypes do.
StatusOr<RowPartitionSpec> CommonSupertype(const RowPartitionSpec& a, const RowPartitionSpec& b);

}  // namespace signet
