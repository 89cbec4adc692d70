// PlainNumbers: converts numbers that came as text, without a dtype, to a given dtype.
//
//   3 for float32 => 3.0      300 for uint8 => OUT_OF_RANGE      2.0 for int32 => DTYPE_MISMATCH
//
// Integers convert to integer and float dtypes, floats only to float dtypes, and bools only to
// bool. A conversion may round, but it does not wrap around or convert a finite number to infinity.
// Rules: docs/reference/function-types.md, casting. For a complex dtype, these functions append one
// part, real or imaginary. Stateless; thread-safe.

#pragma once

#include <absl/numeric/int128.h>

#include "core/values/growing_buffer.h"
#include "signet/dtype.h"

namespace signet {

Status AppendInt(DType dtype, absl::int128 value, GrowingBuffer& out);
Status AppendFloat(DType dtype, double value, GrowingBuffer& out);
Status AppendBool(DType dtype, bool value, GrowingBuffer& out);

// Returns what `dtype` accepts, for an error: "an integer", "a number", "true or false", "text".
std::string_view PlainFormOf(DType dtype);

}  // namespace signet
