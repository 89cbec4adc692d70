// Indexing: parts of values, as Python's brackets give them. The rules are those of the op get_item
// (docs/reference/ops/indexing.md).
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

// Tensors that are taken whole, or rows of which are, share their memory with `x`. OUT_OF_RANGE for
// an element that is not there, NOT_FOUND for a name, INVALID_ARGUMENT for keys that do not fit.
StatusOr<Value> GetItem(const Value& x, std::span<const IndexKey> keys);
StatusOr<Value> GetItem(const Value& x, std::initializer_list<IndexKey> keys);

}  // namespace signet
