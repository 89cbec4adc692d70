// Value notation: the written form of values: the type, then the data (docs/reference/notation.md).
//
//   float32[2] [1.0, 2.0]      {title: string[]} {title: "x"}      ragged int64[2, (?)] [[1, 2],
//   []] sparse int64[3] {indices: [[1]], values: [7], dense_shape: [3]}      list(3, string[]) [3,
//   "a"]
//
// A plain value is its own type, so a bare literal is written once: `3`, `None`, `"text"`.
// ParseValue reads back what ToString writes, to the same type and the same bits (but for the
// payload of a NaN). Refusals point at a column. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_builder.h"
#include "signet/value.h"

namespace signet {

// As far as ParseValue reads it.
std::string ToString(const Value& value);
// For messages: stops behind `max_elements` scalars and empty lists: `int32[9] [1, 2, ...]`.
std::string ToString(const Value& value, int64_t max_elements);

StatusOr<Value> ParseValue(std::string_view text, BuilderLimits limits = {});

// One value from a text that goes on behind it.
StatusOr<Value> ReadValue(NotationReader& in, BuilderLimits limits = {});
// The same for data whose type is known: `[1.0, 2.0]`. The value has that very type.
StatusOr<Value> ReadData(NotationReader& in, const TypeSpec& spec, BuilderLimits limits = {});

}  // namespace signet
