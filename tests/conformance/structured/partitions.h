// Structured vectors, partitions: the encodings of a row partition, and its views.

#pragma once

#include "signet/row_partition.h"
#include "tests/conformance/structured/reader.h"

namespace signet::structured_vectors {

// `{"row_splits": [..]}`, `{"value_rowids": [..], "nrows": 3}` and so on, with row splits of
// `dtype`.
StatusOr<RowPartition> MakePartition(const Json& json, DType dtype = DType::kInt64);

// The integer `json`. INVALID_ARGUMENT for anything else, such as a list of one; `name` is what the
// message calls it.
StatusOr<int64_t> ScalarOf(const Json& json, std::string_view name);

// Every view, under the names that cases give them.
Json ViewsOf(const RowPartition& partition);

}  // namespace signet::structured_vectors
