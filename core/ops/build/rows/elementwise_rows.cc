#include "core/ops/build/rows/elementwise_rows.h"

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/broadcast_rows.h"
#include "core/ops/def/inference.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

// Returns true if all ragged inputs have the same partition edges, and dense inputs only broadcast
// in the dimensions after the partitions. Then the op can use the flat values unchanged.
bool ShareRows(std::span<const GraphValue> inputs, const GraphValue& ragged) {
  const auto& spec = *ragged.spec.As<RaggedSpec>();
  const PartialShape& shape = spec.shape();
  for (const GraphValue& input : inputs) {
    if (!input.spec || &input == &ragged) continue;
    const PartialShape& own = *input.spec.shape();
    if (input.spec.is(TypeKind::kRagged)) {
      bool same = own.has_rank() && shape.has_rank() && own.rank() == shape.rank() &&
                  std::equal(input.components.begin() + 1, input.components.end(),
                             ragged.components.begin() + 1, ragged.components.end());
      if (!same) return false;
    } else {
      int trailing = shape.has_rank() ? shape.rank() - spec.ragged_rank() - 1 : 0;
      if (!own.has_rank() || own.rank() > trailing) return false;
    }
  }
  return true;
}

// Calls the op on the flat values of inputs that share the rows of `ragged`.
StatusOr<std::vector<GraphValue>> CallOnFlatValues(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs,
                                                   const GraphValue& ragged) {
  std::vector<GraphValue> flat(inputs.begin(), inputs.end());
  for (GraphValue& input : flat) {
    if (input.spec && input.spec.is(TypeKind::kRagged)) input = ComponentOf(input, 0);
  }
  SIGNET_ASSIGN_OR_RETURN(auto values, build.Call(call.op.name, flat, call.attributes));
  SIGNET_CHECK(values.size() == 1);
  // The outer dimensions are those of the operand. The inner dimensions are those of the flat
  // result.
  const auto& spec = *ragged.spec.As<RaggedSpec>();
  const auto& result = *values[0].spec.As<TensorSpec>();
  PartialShape shape = spec.shape();
  if (spec.ragged_rank() == 0) {  // there are no partitions, so all dimensions broadcast
    shape = result.shape();
  } else if (shape.has_rank() && result.shape().has_rank()) {
    shape = shape.Slice(0, spec.ragged_rank() + 1)
                .Concatenate(result.shape().Slice(1, result.shape().rank()));
  }
  GraphValue out = ragged;
  out.components[0] = values[0].components[0];
  SIGNET_ASSIGN_OR_RETURN(out.spec, MakeRaggedType(result.dtype(), std::move(shape),
                                                   spec.ragged_rank(), spec.splits_dtype()));
  return std::vector<GraphValue>{std::move(out)};
}

// `fixed` is the index of an input that is not repeated, or -1.
StatusOr<std::vector<GraphValue>> ExpandWithFixedInput(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs,
                                                       int fixed) {
  const GraphValue* ragged = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].spec || inputs[i].spec.is(TypeKind::kTensor)) continue;
    if (inputs[i].spec.is(TypeKind::kStructured)) {
      return WithConstraint(
          "C1",
          Unimplemented("input ", i, ": expected a tensor or a ragged value, found the structure `",
                        inputs[i].spec, "`; pass its fields instead"));
    }
    if (!inputs[i].spec.is(TypeKind::kRagged)) {
      return WithConstraint(
          "C1", InvalidArgument("input ", i, ": expected a tensor or a ragged value, found `",
                                inputs[i].spec, "`"));
    }
    if (ragged == nullptr) ragged = &inputs[i];
  }
  if (ragged == nullptr) return TensorInput(call, 0).status();
  if (ShareRows(inputs, *ragged)) return CallOnFlatValues(build, call, inputs, *ragged);
  SIGNET_ASSIGN_OR_RETURN(CommonValues common, BroadcastValues(build, inputs, "C4", fixed));
  SIGNET_ASSIGN_OR_RETURN(auto out, build.Call(call.op.name, common.elements, call.attributes));
  if (common.rows.depth() == 0) return out;
  SIGNET_CHECK(out.size() == 1);
  SIGNET_ASSIGN_OR_RETURN(out[0], CloseRows(build, common.rows, out[0]));
  return out;
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandElementwise(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  return ExpandWithFixedInput(build, call, inputs, -1);
}

StatusOr<std::vector<GraphValue>> ExpandBesideFirst(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  return ExpandWithFixedInput(build, call, inputs, 0);
}

}  // namespace signet
