// Structures: making them from columns and taking columns out, sharing every buffer.
// Rules: docs/types.md, structured; RFC StructuredTensor. Stateless; thread-safe.

#pragma once

#include <optional>
#include <string_view>

#include "core/values/value.h"

namespace signet {

// A structure of `shape` (rank known; sizes may be unknown) with the given columns, each of which
// starts with the structure's dimensions. `nrows` is needed only when there is no field and
// shape[0] is unknown. Refuses columns that disagree about rows or row partitions, naming both
// fields.
StatusOr<Value> MakeStructured(const PartialShape& shape, NamedValues fields,
                               std::optional<int64_t> nrows = std::nullopt);

// The column called `name`; NOT_FOUND lists the fields.
StatusOr<Value> FieldOf(const Value& structured, std::string_view name);

}  // namespace signet
