#include "signet/ops/indexing.h"

#include "signet/ops/run_op.h"

namespace signet {

StatusOr<Value> GetItem(const Value& x, std::span<const IndexKey> keys) {
  return RunOp1("get_item", {x}, Attributes({{"key", AttributeOf(keys)}}));
}

StatusOr<Value> GetItem(const Value& x, std::initializer_list<IndexKey> keys) {
  return GetItem(x, std::span<const IndexKey>(keys.begin(), keys.size()));
}

}  // namespace signet
