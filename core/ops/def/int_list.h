// IntList: a list of integers that an op accepts as an attribute or as a tensor input.
//
//   reshape(x, shape=[2, -1])        reshape(x, dims)    dims: int64[2]

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

struct IntList {
  bool given = false;
  std::optional<std::vector<int64_t>> known;  // set if the list is an attribute or a constant
  int64_t length = -1;                        // -1: unknown
};

// Reads the list from attribute `name` or from input `input`. Returns an error if both are present,
// or if the input is not a vector of int32 or int64. A scalar is accepted as a list with one
// element.
StatusOr<IntList> FindIntList(const OpCall& call, std::string_view name, size_t input);
// Returns an error, too, if both are missing.
StatusOr<IntList> RequiredIntList(const OpCall& call, std::string_view name, size_t input);

// Reads a count, one integer of at least 0, from attribute `name` or from input `input`. Returns
// kUnknownDim if the input is not known yet, and nothing if both are missing.
StatusOr<std::optional<int64_t>> FindCount(const OpCall& call, std::string_view name, size_t input);
// Returns an error, too, if both are missing.
StatusOr<int64_t> RequiredCount(const OpCall& call, std::string_view name, size_t input);

// Returns the shape whose sizes a tensor of `length` elements contains: only its rank is known.
PartialShape ShapeOfLength(int64_t length);

}  // namespace signet
