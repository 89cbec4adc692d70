// Row groups: ops on groups of rows (row_groups.h), and reductions of groups by number.

#include "core/ops/build/rows/row_groups.h"

#include "core/ops/build/default_for_empty.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferOverlayRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  // C2: the groups are a vector of int64, one per row.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* groups, TensorInput(call, 1));
  if (groups->dtype() != DType::kInt64 || !groups->shape().IsCompatibleWith({KnownRows(*splits)})) {
    return WithConstraint("C2",
                          InvalidArgument("input 1: expected a vector of int64, one per row of `",
                                          call.inputs[0], "`, found `", call.inputs[1], "`"));
  }
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 2).status());
  return std::vector<TypeSpec>{TensorType(DType::kInt64, {kUnknownDim}),
                               TensorType(DType::kInt64, {KnownValues(call, 0)})};
}

StatusOr<std::vector<TypeSpec>> InferGroupOrder(const OpCall& call) {
  // C1: the groups are a vector of int64, and their number is `int64[]`.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* groups, TensorInput(call, 0));
  if (groups->dtype() != DType::kInt64 || !groups->shape().IsCompatibleWith({kUnknownDim})) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a vector of int64, found `", call.inputs[0], "`"));
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

// Expands a group reduction: group_sum(values, groups, count) is segment_sum of the values in the
// order of their groups.
StatusOr<std::vector<GraphValue>> ExpandGroupReduction(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  constexpr std::string_view kPrefix = "group_";
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  SIGNET_ASSIGN_OR_RETURN(GraphValue groups, TensorFor(build, inputs[1], DType::kInt64));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, TensorFor(build, inputs[2], DType::kInt64));
  SIGNET_ASSIGN_OR_RETURN(GroupOrder order, OrderGroups(build, groups, count));
  SIGNET_ASSIGN_OR_RETURN(GraphValue values, TakeRows(build, inputs[0], order.positions));
  return build.CallAll(Cat("segment_", call.op.name.substr(kPrefix.size())), {values, order.splits},
                       call.attributes);
}

struct Reduction {
  const char* name;
  const char* summary;
  const char* description;  // follows "Returns, for each group, "
};

constexpr Reduction kReductions[] = {
    {"group_sum", "Adds the values of each group", "the sum. The result for an empty group is 0."},
    {"group_mean", "Computes the mean of each group",
     "the mean, in float64 for integers. The result for an empty group is `default`, or else NaN."},
    {"group_prod", "Multiplies the values of each group",
     "the product. The result for an empty group is 1."},
    {"group_max", "Finds the largest value of each group",
     "the largest value. The result for an empty group is `default`, or else the smallest finite "
     "number of the dtype."},
    {"group_min", "Finds the smallest value of each group",
     "the smallest value. The result for an empty group is `default`, or else the largest finite "
     "number of the dtype."},
    {"group_any", "Checks whether any value of each group is true",
     "True if at least one value is True. The result for an empty group is False."},
    {"group_all", "Checks whether all values of each group are true",
     "True if all values are True. The result for an empty group is True."},
};

}  // namespace

std::vector<OpDef> RowGroupOps() {
  std::vector<OpDef> ops = {
      {
          .name = "overlay_rows",
          .summary = "Returns the row splits of overlaid rows, and the new position of each value",
          .inputs = {"row_splits", "groups", "count"},
          .outputs = {"row_splits", "positions"},
          .constraints = {"Input 0 is row splits.", "There is one group per row.",
                          "There are `count` groups, at most 2^31.",
                          "Each group is less than `count`.", "There are at most 2^31 values."},
          .infer = InferOverlayRows,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .internal = true,
      },
      {
          .name = "group_order",
          .summary = "Returns the row splits of groups, and positions in the order of the groups",
          .inputs = {"groups", "count"},
          .outputs = {"row_splits", "positions"},
          .constraints = {"The groups are a vector.", "", "There are `count` groups, at most 2^31.",
                          "Each group is at least 0 and less than `count`."},
          .infer = InferGroupOrder,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .internal = true,
      },
      {
          .name = "check_num_values",
          .summary = "Checks that row splits end at the number of values",
          .inputs = {"values", "row_splits"},
          .constraints = {"Input 1 is row splits.", "The row splits end at the number of values."},
          .infer = InferCheckNumValues,
          .aliasing = Aliasing::kView,
          .internal = true,
      },
  };
  for (const Reduction& row : kReductions) {
    OpDef op = {
        .name = row.name,
        .summary = row.summary,
        .description = Cat("Returns, for each group, ", row.description,
                           " `groups` has the number of the group of each value, from 0 to "
                           "before `count`. The values may be in any order."),
        .inputs = {"values", "groups", "count"},
        .result = "A tensor with one element per group.",
        .constraints = {"The values are a tensor of rank at least 1, the groups are a vector with "
                        "one element per value, and the count is `int64[]`.",
                        "The values have a dtype that the corresponding segment op accepts.",
                        "There are at most 2^31 groups.",
                        "Each group is at least 0 and less than `count`. `default` is None or a "
                        "number that the dtype of the result can hold."},
        .composites = "The groups and the count may be literals.",
        .expand = ExpandGroupReduction,
        .literals_as_tensors = false,
        .own_dtypes = {"groups", "count"}};
    if (HasDefaultForEmpty(op.name)) op.attributes = {{"default", NoneAttribute()}};
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace signet
