// IntList: a list of integers that an op takes as an attribute or, when it is computed, as a
// tensor.
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
  std::optional<std::vector<int64_t>> known;  // when it is an attribute or a constant
  int64_t length = -1;                        // -1: unknown
};

// From attribute `name` or input `input`. Refuses both at once, and an input that is no vector (or
// scalar: a list of one) of int32 or int64.
StatusOr<IntList> FindIntList(const OpCall& call, std::string_view name, size_t input);

}  // namespace signet
