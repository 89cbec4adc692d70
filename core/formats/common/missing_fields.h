// Missing fields: values of a declared type from columns that lack some fields or have nulls.
//
//   {a?: int64[], b: float32[] = nan}     a: absent     b: [[1.5], []]   =>   a: [[]]   b: [1.5,
//   nan]
//
// Arrow and protobuf read what is there under a type of its own, in which a null is a row of length
// 0, and a value one of length 1. What the declared type says of missing values is then applied by
// the same code that reads JSON (core/values/builders/value_builder.h), so that all formats have
// one rule. Only data with missing values takes this path. Stateless; thread-safe.

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

// The value of `declared` that `found` stands for.
StatusOr<Value> FillMissing(const Value& found, const TypeSpec& declared, const Limits& limits);

}  // namespace signet
