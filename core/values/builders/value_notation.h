// ValueNotation: writes and parses values in the notation: the type, then the data
// (docs/reference/notation.md).
//
//   float32[2] [1.0, 2.0]                  {title: string[]} {title: "x"}
//   ragged int64[2, (?)] [[1, 2], []]      list(3, string[]) [3, "a"]
//   sparse int64[3] {indices: [[1]], values: [7], dense_shape: [3]}
//
// A plain value is its own type, so a literal is written once: `3`, `None`, `"text"`. ParseValue
// reads back what ToString writes, to the same type and the same bits (except for the payload of a
// NaN). Errors state a column. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_builder.h"
#include "signet/notation.h"
#include "signet/value.h"

namespace signet {

// Does the same as ParseValue(text), with these limits.
StatusOr<Value> ParseValue(std::string_view text, BuilderLimits limits);

// Reads one value; the text may continue after it.
StatusOr<Value> ReadValue(NotationReader& in, BuilderLimits limits = {});
// Reads data of a known type: `[1.0, 2.0]`. The value has exactly that type.
StatusOr<Value> ReadData(NotationReader& in, const TypeSpec& spec, BuilderLimits limits = {});

}  // namespace signet
