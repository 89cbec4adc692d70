// Index keys: what stands between the brackets of `x[0, 1:, "name"]`, as Python has it.
//
//   const signet::IndexKey keys[] = {0, signet::SliceKey{.start = 1}, "name"};  // x[0, 1:, "name"]
//
//   const IndexKey keys[] = {0, SliceKey{.start = 1}, "name"};
//
// As the attribute `key` of get_item: an integer, a name, `tuple(start, stop, step)`, `"..."`, None
// for a new axis, `dict(input: 0)` for an input of the call; or a list of such. Immutable values.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

// start:stop:step. What is left out is the one end or the other, and 1.
struct SliceKey {
  std::optional<int64_t> start = {};
  std::optional<int64_t> stop = {};
  std::optional<int64_t> step = {};

  bool is_whole() const { return start.value_or(0) == 0 && !stop && step.value_or(1) == 1; }
};
struct EllipsisKey {};  // as many whole slices as there are dimensions left
struct NewAxisKey {};   // a dimension of size 1
// Behind the value indexed, input `input` of the call: an index that is computed.
struct InputKey {
  size_t input = 0;
};

using IndexKey = std::variant<int64_t, SliceKey, std::string, EllipsisKey, NewAxisKey, InputKey>;

inline constexpr size_t kMaxIndexKeys = 128;

// The keys that an attribute stands for. INVALID_ARGUMENT for any other, a step of 0, and more than
// kMaxIndexKeys.
StatusOr<std::vector<IndexKey>> ReadIndexKeys(const TypeSpec& attribute);
TypeSpec AttributeOf(std::span<const IndexKey> keys);

}  // namespace signet
