// Arrow: converts between values and Arrow IPC streams (and files) of record batches.
//
//   auto value = ValueFromArrow(stream, spec, limits);   // [{title: string[], ids: int64[(?)]}]
//   auto pieces = ArrowFromValue(*value);
//
// A row is a structure of the columns, which are found by name. Columns that the type does not have
// are skipped.
//
// - A list is a ragged dimension, or a dense one if all its rows have the same length.
// - If the type has one more dimension than the column, a null is a row of length 0, and any other
//   value is a row of length 1. Otherwise, nulls are errors.
// - Numbers are not converted. A column of indices is replaced by the values in its dictionary.
// - Elements, text, and row splits of int32 and int64 keep their bytes: a single batch with aligned
//   buffers is borrowed, not copied, in both directions.
//
// Rules: docs/reference/arrow.md. Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/formats/common/limits.h"
#include "signet/value.h"

namespace signet {

// Parses a stream. The value borrows from `stream`. If `spec` is null, the type is that of the
// columns, `[{..}]`. A structure of rank 0 requires exactly one row. A dict, named tuple, or
// extension value has the columns as its parts. Any other type that is not a structure of rank 0 or
// 1 is the only column.
//
// `needs` states for each component of `spec` (in the order of ComponentsOf) whether it is needed.
// The other components are not read: they are borrowed if that is free, and otherwise consist of
// empty rows and zeros. If `needs` is empty, all components are needed.
StatusOr<Value> ValueFromArrow(const Buffer& stream, const TypeSpec& spec, const Limits& limits,
                               const std::vector<bool>& needs = {});

// Writes a value, the inverse of ValueFromArrow: a structure is rows of its fields, a dict or
// similar has its parts as columns, and anything else is one column, `value`. The stream is the
// concatenation of the pieces, which share the buffers of the value. Returns INVALID_ARGUMENT for
// values that no column can hold: plain values, lists, sparse values, bfloat16, complex.
StatusOr<std::vector<Buffer>> ArrowFromValue(const Value& value);

// The parts of such a stream, from which several batches can be joined: schema, batch, and end.
struct ArrowParts {
  std::string schema;
  std::vector<Buffer> batch;
};
StatusOr<ArrowParts> ArrowPartsFromValue(const Value& value);
std::string_view ArrowEnd();

}  // namespace signet
