#include "core/ops/ragged_expansions.h"

#include <algorithm>

#include "core/ops/inference.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

// Two neighbouring ragged dimensions as one: rows of `outer` with all values of their rows of
// `inner`.
StatusOr<GraphValue> MergedSplits(Expander& expander, const GraphValue& outer,
                                  const GraphValue& inner) {
  return expander.Call1("gather", {inner, outer});
}

StatusOr<std::vector<GraphValue>> ReduceAll(Expander& expander, const OpCall& call,
                                            const GraphValue& values) {
  return expander.Call(call.op.name, std::span(&values, 1),
                       call.attributes.With("axis", NoneAttribute()));
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(Expander& expander, const OpCall& call,
                                                        std::span<const GraphValue> inputs,
                                                        const RaggedReduction& reduction) {
  const auto* ragged = inputs[0].spec ? inputs[0].spec.As<RaggedSpec>() : nullptr;
  if (ragged == nullptr || !ragged->shape().has_rank()) {
    return Unimplemented("`", call.op.name, "` of `",
                         inputs[0].spec ? inputs[0].spec.ToString() : "None",
                         "`; takes a tensor or a ragged value of known rank");
  }
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  int rank = ragged->shape().rank();
  int ragged_rank = ragged->ragged_rank();
  std::vector<bool> reduced(static_cast<size_t>(rank), !reduction.axes.has_value());
  for (size_t i = 0; reduction.axes && i < reduction.axes->size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis((*reduction.axes)[i], rank));
    reduced[static_cast<size_t>(axis)] = true;
  }
  bool all = std::find(reduced.begin(), reduced.end(), false) == reduced.end();
  if (reduction.keepdims && std::find(reduced.begin(), reduced.begin() + ragged_rank + 1, true) !=
                                reduced.begin() + ragged_rank + 1) {
    return Unimplemented("`", call.op.name, "` of `", inputs[0].spec,
                         "` over ragged rows with keepdims; takes keepdims=False");
  }
  if (all) return ReduceAll(expander, call, parts.values);
  // The dense dimensions first: all rows have as many, so a mean of means is the mean.
  std::vector<int64_t> dense;
  for (int axis = ragged_rank + 1; axis < rank; ++axis) {
    if (reduced[static_cast<size_t>(axis)]) dense.push_back(axis - ragged_rank);
  }
  if (!dense.empty()) {
    Attributes inner = call.attributes.With("axis", AttributeOf(std::span<const int64_t>(dense)));
    SIGNET_ASSIGN_OR_RETURN(parts.values, expander.Call1(call.op.name, {parts.values}, inner));
  }
  // Then the ragged ones, which must be the innermost: neighbours are merged into one.
  int first = ragged_rank + 1;
  while (first > 0 && reduced[static_cast<size_t>(first - 1)]) --first;
  bool gap = std::find(reduced.begin(), reduced.begin() + first, true) != reduced.begin() + first;
  if (gap || first == 0) {
    return Unimplemented(
        "`", call.op.name, "` of `", inputs[0].spec,
        "` position by position across rows; takes ragged axes from the innermost on");
  }
  if (first <= ragged_rank) {
    GraphValue splits = parts.splits.back();
    parts.splits.pop_back();
    for (int axis = ragged_rank - 1; axis >= first; --axis) {
      SIGNET_ASSIGN_OR_RETURN(splits, MergedSplits(expander, parts.splits.back(), splits));
      parts.splits.pop_back();
    }
    SIGNET_ASSIGN_OR_RETURN(parts.values,
                            expander.Call1(reduction.segment_op, {parts.values, splits}));
  }
  PartialShape like = ragged->shape().Slice(0, first);
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, MakeRaggedValue(parts, like));
  return std::vector<GraphValue>{out};
}

}  // namespace signet
