// Plain numbers: what a number that came as text, without a dtype, becomes under one.
//
//   3 for float32 => 3.0      300 for uint8 => OUT_OF_RANGE      2.0 for int32 => DTYPE_MISMATCH
//
// Integers fit integer and float dtypes, floats float dtypes only, bools bool only; rounding is
// allowed, wrapping and finite to infinity are not. Rules: docs/reference/function-types.md,
// casting. For a complex dtype these append one part, real or imaginary. Stateless; thread-safe.

#pragma once

#include <absl/numeric/int128.h>

#include "core/values/growing_buffer.h"
#include "signet/dtype.h"

namespace signet {

Status AppendInt(DType dtype, absl::int128 value, GrowingBuffer& out);
Status AppendFloat(DType dtype, double value, GrowingBuffer& out);
Status AppendBool(DType dtype, bool value, GrowingBuffer& out);

// What `dtype` takes, for a refusal: "an integer", "a number", "true or false", "text".
std::string_view PlainFormOf(DType dtype);

}  // namespace signet
