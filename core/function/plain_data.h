// PlainData: reads and writes values without a type, such as default values of parameters.
//
//   3      [1.0, 2.0]      (1, "a")      {a: 1}      float32[2] [1.0, 2.0]
//
// A list, tuple, or dict of plain data is read as a container of literals; casting to a constraint
// converts it to a tensor. Under a ragged, sparse, or structured constraint, the data are read as
// data of that type. A value that is written with its type is read as it is. Stateless;
// thread-safe.

#pragma once

#include <string>

#include "core/types/notation/notation.h"
#include "signet/value.h"

namespace signet {

// Reads one value and casts it to `constraint` (null: no constraint). The text may continue after
// the value. `path` is as in CastTo.
StatusOr<Value> ReadPlainData(NotationReader& in, const TypeSpec& constraint,
                              std::string_view path = {});

// Returns the shortest text that ReadPlainData converts to `value`, bit by bit. Empty if there is
// none, or if `value` has more than `max_elements` elements.
std::string FormatPlainData(const Value& value, const TypeSpec& constraint, int64_t max_elements);

}  // namespace signet
