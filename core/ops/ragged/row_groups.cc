// Ops on groups of rows (row_groups.h), and reductions by number. The constraints are those of
// docs/reference/ops/ragged.md.

#include "core/ops/build/rows/row_groups.h"

#include "core/ops/build/default_for_empty.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferOverlayRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  // C2: groups are a vector of int64, one for each row.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* groups, TensorInput(call, 1));
  if (groups->dtype() != DType::kInt64 || !groups->shape().IsCompatibleWith({KnownRows(*splits)})) {
    return InvalidArgument("C2 input 1 is `", call.inputs[1],
                           "`; takes a vector of int64, one for each row of `", call.inputs[0],
                           "`");
  }
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 2).status());
  return std::vector<TypeSpec>{TensorType(DType::kInt64, {kUnknownDim}),
                               TensorType(DType::kInt64, {KnownValues(call, 0)})};
}

StatusOr<std::vector<TypeSpec>> InferGroupOrder(const OpCall& call) {
  // C1: groups are a vector of int64, their number is `int64[]`.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* groups, TensorInput(call, 0));
  if (groups->dtype() != DType::kInt64 || !groups->shape().IsCompatibleWith({kUnknownDim})) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0], "`; takes a vector of int64");
  }
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  const Tensor* count = call.constant(1);
  int64_t known = count == nullptr ? kUnknownDim : count->scalar<int64_t>();
  bool fits = known >= 0 && known < kMaxOutputElements;
  int64_t elements = groups->shape().has_rank() ? groups->shape().dim(0) : kUnknownDim;
  return std::vector<TypeSpec>{TensorType(DType::kInt64, {SplitsFor(fits ? known : kUnknownDim)}),
                               TensorType(DType::kInt64, {elements})};
}

StatusOr<std::vector<TypeSpec>> InferCheckNumValues(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 1).status());
  return OneOutput(call.inputs[0]);
}

// group_sum(values, groups, count): segment_sum of the values in the order of their groups.
StatusOr<std::vector<GraphValue>> ExpandGroupReduction(Expander& expander, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  constexpr std::string_view kPrefix = "group_";
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  SIGNET_ASSIGN_OR_RETURN(GraphValue groups, TensorFor(expander, inputs[1], DType::kInt64));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, TensorFor(expander, inputs[2], DType::kInt64));
  SIGNET_ASSIGN_OR_RETURN(GroupOrder order, OrderGroups(expander, groups, count));
  SIGNET_ASSIGN_OR_RETURN(GraphValue values, TakeRows(expander, inputs[0], order.positions));
  const GraphValue rows[] = {values, order.splits};
  return expander.Call(Cat("segment_", call.op.name.substr(kPrefix.size())), rows, call.attributes);
}

constexpr std::pair<const char*, const char*> kReductions[] = {
    {"group_sum", "Adds up the values of each group"},
    {"group_mean", "Takes the mean of the values of each group"},
    {"group_prod", "Multiplies the values of each group"},
    {"group_max", "Takes the largest value of each group"},
    {"group_min", "Takes the smallest value of each group"},
    {"group_any", "Tells whether any value of each group holds"},
    {"group_all", "Tells whether all values of each group hold"},
};

}  // namespace

std::vector<OpDef> RowGroupOps() {
  std::vector<OpDef> ops = {
      {.name = "overlay_rows",
       .summary =
           "Lays the rows of each group over one another: their splits, and each value's place",
       .inputs = {"row_splits", "groups", "count"},
       .infer = InferOverlayRows,
       .expand = ExpandWithInt64s,
       .literals_as_tensors = false},
      {.name = "group_order",
       .summary = "Puts elements in the order of their groups: row splits, and positions",
       .inputs = {"groups", "count"},
       .infer = InferGroupOrder,
       .expand = ExpandWithInt64s,
       .literals_as_tensors = false},
      {.name = "check_num_values",
       .summary = "Refuses values that row splits do not end at",
       .inputs = {"values", "row_splits"},
       .infer = InferCheckNumValues,
       .aliasing = Aliasing::kView},
  };
  for (auto [name, summary] : kReductions) {
    OpDef op = {.name = name,
                .summary = summary,
                .inputs = {"values", "groups", "count"},
                .expand = ExpandGroupReduction,
                .literals_as_tensors = false,
                .own_dtypes = {"groups", "count"}};
    if (HasDefaultForEmpty(op.name)) op.attributes = {{"default", NoneAttribute()}};
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace signet
