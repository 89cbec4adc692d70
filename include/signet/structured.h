// Structures: making them from columns and taking columns out, sharing every buffer.
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

using FieldPath = std::vector<std::string>;  // the names of fields within fields

// A structure of `shape` (rank known; sizes may be unknown) with the given columns, each of which
// starts with the structure's dimensions. The columns say how many rows there are and how they are
// cut, so `nrows` (rank 1 or more) and `partitions` (one for each dimension but the first) are
// needed only when there is no field and `shape` leaves sizes open; where both speak, they agree.
// If one ragged field has int64 row splits, those of the others are converted to int64.
//
// Refuses, in this order: an unknown rank; rows or partitions that do not go with the rank; names
// that are no field names; fields that are no tensor, ragged value or structure, or of lesser rank;
// columns that disagree about rows or row partitions, naming both fields; a shape that contradicts
// them; partitions that do not follow on each other; nothing to take the rows from.
StatusOr<Value> MakeStructured(const PartialShape& shape, NamedValues fields,
                               std::optional<int64_t> nrows = std::nullopt,
                               std::optional<std::vector<RowPartition>> partitions = std::nullopt);

// The number of rows of a structure of rank 1 or more that is no placeholder. PartitionsOf
// (include/signet/row_partition.h) has the other dimensions.
int64_t NumRowsOf(const Value& structured);

// The names of its columns, in the order of their bytes.
std::span<const std::string> FieldNamesOf(const Value& structured);

// The column called `name`; NOT_FOUND lists the fields.
StatusOr<Value> FieldOf(const Value& structured, std::string_view name);

// The column at `path`, the names of fields within fields; an empty path is the value itself.
// NOT_FOUND says how far the path led: no such field, or one that has no fields.
StatusOr<Value> FieldAt(const Value& structured, std::span<const std::string> path);

}  // namespace signet
