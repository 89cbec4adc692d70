// Arrow: IPC streams (and files) of record batches, to and from values.
//
//   auto value = ValueFromArrow(stream, spec, limits);   // [{title: string[], ids: int64[(?)]}]
//   auto pieces = ArrowFromValue(*value);
//
// A row is a structure of the columns, found by name; columns that the type does not have are
// passed over. A list is a ragged or, where its rows are of one length, a dense dimension; a null
// is a row of length 0, a value one of length 1, where the type has a dimension more than the
// column; else nulls are refused. Numbers are not converted; a column of indices becomes the values
// in their dictionary. Elements, text, row splits of int32 and int64 keep their bytes: one batch
// whose buffers are aligned is borrowed, not copied; so is what is written. Rules:
// docs/reference/arrow.md. Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/formats/common/limits.h"
#include "signet/value.h"

namespace signet {

// `spec` null: what the columns hold, as `[{..}]`. A structure of rank 0 takes one row; a dict,
// named tuple or extension value has the columns as its parts; what else is no structure of rank 0
// or 1 is the only column. The value borrows from `stream`. `needs` says of each component of
// `spec` (in the order of ComponentsOf) whether somebody reads it; the others are left unread, and
// are what is borrowed for nothing, or empty rows and zeros. Empty: all are.
StatusOr<Value> ValueFromArrow(const Buffer& stream, const TypeSpec& spec, const Limits& limits,
                               const std::vector<bool>& needs = {});

// The mirror: a structure is rows of its fields, a dict or such its parts as columns, anything else
// one column, `value`. The pieces, in order, are the stream; they share the value's buffers.
// INVALID_ARGUMENT for what no column holds: plain values, lists, sparse values, bfloat16, complex.
StatusOr<std::vector<Buffer>> ArrowFromValue(const Value& value);

// The parts of such a stream, for one of several batches: its schema, a batch, and the end.
struct ArrowParts {
  std::string schema;
  std::vector<Buffer> batch;
};
StatusOr<ArrowParts> ArrowPartsFromValue(const Value& value);
std::string_view ArrowEnd();

}  // namespace signet
