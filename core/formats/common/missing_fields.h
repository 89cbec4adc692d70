// MissingFields: builds values of a declared type from columns that lack some fields or have nulls.
//
//   {a?: int64[], b: float32[] = nan}
//   a: missing   b: [[1.5], []]   =>   a: [[]]   b: [1.5, nan]
//
// The readers of Arrow and protobuf first read the data with another type, in which a null is a row
// of length 0, and any other value is a row of length 1. The code that reads JSON
// (core/values/builders/value_builder.h) then applies the declared type, so that missing values
// mean the same in all formats. Only data with missing values is processed in this way. Stateless;
// thread-safe.

#pragma once

#include "core/formats/common/limits.h"
#include "signet/value.h"

namespace signet {

// Returns `type` with one more dimension, of rows of length 0 or 1, in which a null has no element.
// `type` is a tensor or ragged type, and its first `outer_rank` dimensions are the dimensions of
// the structure that contains it. If the declared default is a scalar, the new dimension is the
// last one; if it is a list, the new dimension follows the dimensions of the structure. A type
// without a default is returned unchanged.
StatusOr<TypeSpec> WithRowsForNulls(const TypeSpec& type, int outer_rank);

// Converts `found` to a value of the type `declared`.
StatusOr<Value> FillMissing(const Value& found, const TypeSpec& declared, const Limits& limits);

}  // namespace signet
