// PrepareWithNeededColumns: prepares a call and decodes only the columns that its result needs.
//
//   ids(rows: [{id: int64[], text: string[]}]) returns rows.id   =>   `text` is not decoded
//
// This is possible if the types of the parameters alone select the concrete function. The values of
// the other columns have empty rows and zeros. Not thread-safe for one call.

#pragma once

#include <optional>

#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"

namespace signet {

// Returns an empty optional if all columns are needed, or if the types alone do not show which
// ones. In that case, arguments that must be decoded completely are decoded.
StatusOr<std::optional<PolymorphicFunction::Prepared>> PrepareWithNeededColumns(
    BoundCall& call, const Limits& limits, const RunControl& control);

}  // namespace signet
