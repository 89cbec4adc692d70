// ExampleRows: reads serialized tensorflow.Example messages directly into the columns of a
// structure, one message per row.
//
//   {features {feature {key: "stars" value {int64_list {value: [4, 5]}}}}}
//     as [{stars: int64[(?)], name?: string[]}]   =>   [{stars: [4, 5]}]
//
// The rules:
//   1. The feature with the name of a field is its value. Other features are skipped.
//   2. A field of the type `d[2, 3]` requires exactly 6 values, and a scalar exactly one. A field
//      whose first dimension is ragged or unknown accepts any number of such values, in rows of the
//      other dimensions.
//   3. bytes_list is for strings, float_list for floats, and int64_list for integers and bools. An
//      integer must fit in the dtype of the field.
//   4. A feature that is absent, or has no list, is a missing value: the default of the field, or
//      an absent optional field; otherwise, an error.
//   5. Of equal names, the last feature is used, also if messages are concatenated. Packed and
//      unpacked numbers are equivalent.
// A vector of strings receives the messages themselves, for functions that parse them.
// Errors name the row and the feature. Messages are untrusted: sizes are checked before memory is
// allocated. Stateless; thread-safe.

#pragma once

#include <span>

#include "core/formats/common/limits.h"
#include "signet/buffer.h"
#include "signet/value.h"

namespace signet::tf {

// `type` is a structure of rank 1, or of rank 0 for exactly one example, or `string[?]`. The
// features of `context`, another Example, precede the features of each example.
StatusOr<Value> ValueFromExamples(std::span<const Buffer> examples, const Buffer& context,
                                  const TypeSpec& type, const Limits& limits);

}  // namespace signet::tf
