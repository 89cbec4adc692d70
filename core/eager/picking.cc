#include "signet/ops/picking.h"

#include "signet/ops/run_op.h"

namespace signet {

StatusOr<Value> Gather(const Value& x, const Value& indices, GatherOptions options) {
  NamedTypes attributes = {{"batch_dims", AttributeOf(options.batch_dims)}};
  if (options.axis) attributes.emplace_back("axis", AttributeOf(*options.axis));
  return RunOp1("gather", {x, indices}, Attributes(std::move(attributes)));
}

StatusOr<Value> BatchGather(const Value& x, const Value& indices) {
  return RunOp1("batch_gather", {x, indices});
}

StatusOr<Value> GatherNd(const Value& x, const Value& indices) {
  return RunOp1("gather_nd", {x, indices});
}

StatusOr<Value> BooleanMask(const Value& x, const Value& mask) {
  return RunOp1("boolean_mask", {x, mask});
}

StatusOr<Value> Where(const Value& condition) { return RunOp1("where", {condition}); }

StatusOr<Value> Where(const Value& condition, const Value& x, const Value& y) {
  return RunOp1("where", {condition, x, y});
}

StatusOr<Value> RandomShuffle(const Value& x, int64_t seed) {
  return RunOp1("random_shuffle", {x, Tensor::Scalar(seed)});
}

StatusOr<Value> EmbeddingLookup(const Value& table, const Value& ids,
                                const LookupOptions& options) {
  NamedTypes attributes = {{"combiner", AttributeOf(options.combiner)}};
  if (options.max_norm) attributes.emplace_back("max_norm", AttributeOf(*options.max_norm));
  std::vector<Value> inputs = {table, ids};
  if (options.weights) inputs.push_back(*options.weights);
  SIGNET_ASSIGN_OR_RETURN(auto rows,
                          RunOp("embedding_lookup", inputs, Attributes(std::move(attributes))));
  return std::move(rows[0]);
}

}  // namespace signet
