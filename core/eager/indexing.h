// GetItem: returns parts of values, like Python's brackets. The rules are those of the op get_item
// (docs/reference/ops/indexing.md).
//
//   GetItem(recipes, {0, SliceKey{.start = 1}, "steps"})                 recipes[0, 1:, "steps"]
//   GetItem(image, {EllipsisKey{}, SliceKey{.step = -1}, NewAxisKey{}})  image[..., ::-1, None]
//
// Stateless; thread-safe.

#pragma once

#include <initializer_list>
#include <span>

#include "core/ops/def/index_key.h"
#include "core/values/value.h"

namespace signet {

// The result shares memory with `x` where possible: whole tensors and their rows are not copied.
// Returns OUT_OF_RANGE for an element that does not exist, NOT_FOUND for an unknown name, and
// INVALID_ARGUMENT for keys that do not fit.
StatusOr<Value> GetItem(const Value& x, std::span<const IndexKey> keys);
StatusOr<Value> GetItem(const Value& x, std::initializer_list<IndexKey> keys);

}  // namespace signet
