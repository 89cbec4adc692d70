#include "signet/ops/broadcasting.h"

#include "core/ops/def/inference.h"
#include "signet/ops/run_op.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Returns the dimension as a literal, which the op accepts.
TypeSpec LiteralOf(const RowDims::value_type& dim) {
  if (const auto* size = std::get_if<int64_t>(&dim)) return AttributeOf(*size);
  return AttributeOf(std::span<const int64_t>(std::get<RowLengths>(dim)));
}

Value LiteralOf(const RowDims& dims) {
  std::vector<TypeSpec> elements;
  for (const auto& dim : dims) elements.push_back(LiteralOf(dim));
  return Value::Trusted(ListType(std::move(elements)), {});
}

StatusOr<RowDims> DimsOf(const StatusOr<Value>& tuple) {
  if (!tuple.ok()) return tuple.status();
  RowDims dims;
  for (const Value& element : ChildrenOf(*tuple)) {
    const Tensor& tensor = element.tensor();
    if (tensor.rank() == 0) {
      dims.emplace_back(tensor.scalar<int64_t>());
    } else {
      dims.emplace_back(IntsOf(tensor));
    }
  }
  return dims;
}

}  // namespace

StatusOr<RowDims> RowDimsOf(const Value& x) { return DimsOf(RunOp1("dim_sizes", {x})); }

StatusOr<RowDims> BroadcastSizes(const RowDims& a, const RowDims& b) {
  return DimsOf(RunOp1("broadcast_sizes", {LiteralOf(a), LiteralOf(b)}));
}

StatusOr<RowDims> BroadcastDimension(const RowDims& dims, int axis, const RowDims::value_type& to) {
  return DimsOf(RunOp1("broadcast_dimension", {LiteralOf(dims), Value::Trusted(LiteralOf(to), {})},
                       Attributes({{"axis", AttributeOf(axis)}})));
}

StatusOr<Value> BroadcastTo(const Value& x, const RowDims& dims) {
  return RunOp1("broadcast_to", {x, LiteralOf(dims)});
}

}  // namespace signet
