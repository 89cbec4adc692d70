// Index keys: the contents of the brackets of `x[0, 1:, "name"]`, as in Python.
//
//   const signet::IndexKey keys[] = {0, signet::SliceKey{.start = 1}, "name"};  // x[0, 1:, "name"]
//
// An index key is also an attribute value, such as the attribute `key` of get_item: an integer, a
// name, `tuple(start, stop, step)`, `"..."`, None for a new axis, `dict(input: 0)` for an input of
// the call, or a list of these. The start and the stop of a slice may be inputs, too. Immutable
// values.

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

// start:stop:step. By default, the slice covers the whole dimension, with step 1.
struct SliceKey {
  std::optional<int64_t> start = {};
  std::optional<int64_t> stop = {};
  std::optional<int64_t> step = {};
  // A bound that is computed: an input of the call, counted after the value to index. The bound
  // above is not set then.
  std::optional<size_t> start_input = {};
  std::optional<size_t> stop_input = {};

  bool is_computed() const { return start_input || stop_input; }
  bool is_whole() const {
    return start.value_or(0) == 0 && !stop && step.value_or(1) == 1 && !is_computed();
  }
};
struct EllipsisKey {};  // whole slices for all remaining dimensions
struct NewAxisKey {};   // a dimension of size 1
// An index that is computed: input `input` of the call, counted after the value to index.
struct InputKey {
  size_t input = 0;
};

using IndexKey = std::variant<int64_t, SliceKey, std::string, EllipsisKey, NewAxisKey, InputKey>;

inline constexpr size_t kMaxIndexKeys = 128;

// Returns the keys that an attribute represents. Returns INVALID_ARGUMENT for another attribute,
// for a step of 0, and for more than kMaxIndexKeys keys.
StatusOr<std::vector<IndexKey>> ReadIndexKeys(const TypeSpec& attribute);
TypeSpec AttributeOf(std::span<const IndexKey> keys);

}  // namespace signet
