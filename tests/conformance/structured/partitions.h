// MakePartition, ViewsOf: convert the encodings of row partitions, and return their views.

#pragma once

#include "signet/row_partition.h"
#include "tests/conformance/structured/reader.h"

namespace signet::structured_vectors {

// `{"row_splits": [..]}`, `{"value_rowids": [..], "nrows": 3}` and so on, with row splits of
// `dtype`.
StatusOr<RowPartition> MakePartition(const Json& json, DType dtype = DType::kInt64);

// Returns the integer `json`, or INVALID_ARGUMENT for anything else, such as a list of one integer.
// The message contains `name`.
StatusOr<int64_t> ScalarOf(const Json& json, std::string_view name);

// Returns every view, with the names that cases use.
Json ViewsOf(const RowPartition& partition);

}  // namespace signet::structured_vectors
