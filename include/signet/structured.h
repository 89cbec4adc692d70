// Structured: builds structures from columns and returns their columns, sharing all buffers.
//
//   auto table = signet::MakeStructured({signet::kUnknownDim}, {{"id", ids}});
//   auto column = signet::FieldOf(*table, "id");  // int32[2] [1, 2]
//
// Rules: docs/reference/types.md, structured; RFC StructuredTensor. Stateless; thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signet/row_partition.h"
#include "signet/value.h"

namespace signet {

using FieldPath = std::vector<std::string>;  // names of nested fields

// Returns a structure of `shape` (of known rank; sizes may be unknown) with the given columns, each
// of which starts with the dimensions of the structure. The columns determine the number of rows
// and the row partitions. Therefore `nrows` (for rank 1 or more) and `partitions` (one per
// dimension except the first) are needed only if there is no field and `shape` has unknown sizes.
// If both are given, they must agree. If one ragged field has int64 row splits, the splits of the
// others are converted to int64.
//
// Returns an error for each of these faults, in this order:
//
// 1. The rank is unknown.
// 2. `nrows` or `partitions` do not fit the rank.
// 3. A name is not a valid field name.
// 4. A field is not a tensor, ragged value, or structure, or has a lesser rank than the structure.
// 5. Two columns have different rows or row partitions. The error names both fields.
// 6. `shape` contradicts the columns.
// 7. The given partitions do not fit one another.
// 8. The number of rows is unknown.
StatusOr<Value> MakeStructured(const PartialShape& shape, NamedValues fields,
                               std::optional<int64_t> nrows = std::nullopt,
                               std::optional<std::vector<RowPartition>> partitions = std::nullopt);

// Returns the number of rows of a structure of rank 1 or more that is not a placeholder.
// PartitionsOf (include/signet/row_partition.h) returns the other dimensions.
int64_t NumRowsOf(const Value& structured);

// Returns the names of the columns, in byte order.
std::span<const std::string> FieldNamesOf(const Value& structured);

// Returns the column called `name`. The NOT_FOUND error lists the fields.
StatusOr<Value> FieldOf(const Value& structured, std::string_view name);

// Returns the column at `path`, the names of nested fields; for an empty path, the value itself.
// The NOT_FOUND error states which part of the path exists.
StatusOr<Value> FieldAt(const Value& structured, std::span<const std::string> path);

}  // namespace signet
