// Plain data: values written without their type, as default values of parameters are.
//
//   3      [1.0, 2.0]      (1, "a")      {a: 1}      float32[2] [1.0, 2.0]
//
// A list, tuple or dict of plain data becomes a container of literals, which a constraint then
// makes a tensor of; under a ragged, sparse or structured constraint the data are read as that
// type's. A value with its type is read as itself. Stateless; thread-safe.

#pragma once

#include <string>

#include "core/types/notation/notation.h"
#include "signet/value.h"

namespace signet {

// One value from a text that goes on behind it, cast to `constraint` (null: none); `path` as in
// CastTo.
StatusOr<Value> ReadPlainData(NotationReader& in, const TypeSpec& constraint,
                              std::string_view path = {});

// The shortest text that ReadPlainData makes `value` of, to the bit; empty when there is none, or
// when `value` has more than `max_elements` elements.
std::string FormatPlainData(const Value& value, const TypeSpec& constraint, int64_t max_elements);

}  // namespace signet
