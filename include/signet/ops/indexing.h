// GetItem: returns parts of values, like Python's brackets. The rules are those of the op get_item
// (docs/reference/ops/indexing.md).
//
//   signet::Value x = signet::Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
//   auto last = signet::GetItem(x, {signet::EllipsisKey{}, -1});  // x[..., -1]
//
//   GetItem(recipes, {0, SliceKey{.start = 1}, "steps"})                 recipes[0, 1:, "steps"]
//   GetItem(image, {EllipsisKey{}, SliceKey{.step = -1}, NewAxisKey{}})  image[..., ::-1, None]
//
// Stateless; thread-safe.

#pragma once

#include <initializer_list>
#include <span>

#include "signet/index_key.h"
#include "signet/value.h"

namespace signet {

// The result shares memory with `x` where possible: whole tensors and their rows are not copied.
// Returns OUT_OF_RANGE for an element that does not exist, NOT_FOUND for an unknown name, and
// INVALID_ARGUMENT for keys that do not fit.
StatusOr<Value> GetItem(const Value& x, std::span<const IndexKey> keys);
StatusOr<Value> GetItem(const Value& x, std::initializer_list<IndexKey> keys);

}  // namespace signet
