#include "signet/ops/arrays.h"

#include "signet/ops/run_op.h"

namespace signet {
namespace {

StatusOr<Value> Join(std::string_view op, std::span<const Value> values, JoinOptions options) {
  Attributes attributes(
      {{"axis", AttributeOf(options.axis)}, {"ragged", AttributeOf(options.ragged)}});
  SIGNET_ASSIGN_OR_RETURN(auto joined, RunOp(op, values, attributes));
  return std::move(joined[0]);
}

StatusOr<Value> Count(std::string_view op, const Value& value, DType dtype) {
  return RunOp1(op, {value}, Attributes({{"dtype", AttributeOf(dtype)}}));
}

StatusOr<Value> Like(std::string_view op, const Value& value, std::optional<DType> dtype) {
  if (!dtype) return RunOp1(op, {value});
  return RunOp1(op, {value}, Attributes({{"dtype", AttributeOf(*dtype)}}));
}

}  // namespace

StatusOr<Value> Concat(std::span<const Value> values, JoinOptions options) {
  return Join("concat", values, options);
}

StatusOr<Value> Stack(std::span<const Value> values, JoinOptions options) {
  return Join("stack", values, options);
}

StatusOr<std::vector<Value>> Split(const Value& value, const SplitOptions& options) {
  NamedTypes attributes = {{"axis", AttributeOf(options.axis)}};
  if (options.num) attributes.emplace_back("num", AttributeOf(*options.num));
  if (options.sizes) {
    attributes.emplace_back("sizes", AttributeOf(std::span<const int64_t>(*options.sizes)));
  }
  return RunOp("split", std::span(&value, 1), Attributes(std::move(attributes)));
}

StatusOr<std::vector<Value>> Unstack(const Value& value, int64_t axis) {
  return RunOp("unstack", std::span(&value, 1), Attributes({{"axis", AttributeOf(axis)}}));
}

StatusOr<Value> Tile(const Value& value, std::span<const int64_t> multiples) {
  return RunOp1("tile", {value}, Attributes({{"multiples", AttributeOf(multiples)}}));
}

StatusOr<Value> Rank(const Value& value, DType dtype) { return Count("rank", value, dtype); }
StatusOr<Value> Size(const Value& value, DType dtype) { return Count("size", value, dtype); }
StatusOr<Value> DimSizes(const Value& value, DType dtype) {
  return Count("dim_sizes", value, dtype);
}

StatusOr<Value> ZerosLike(const Value& value, std::optional<DType> dtype) {
  return Like("zeros_like", value, dtype);
}
StatusOr<Value> OnesLike(const Value& value, std::optional<DType> dtype) {
  return Like("ones_like", value, dtype);
}

}  // namespace signet
