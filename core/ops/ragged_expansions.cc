#include "core/ops/ragged_expansions.h"

#include <algorithm>

#include "core/ops/inference.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

// Which dimensions of a value of `rank` are reduced. C3.
StatusOr<std::vector<bool>> ReducedDims(const OpCall& call, int rank) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, Labelled("C3", OptionalInts(call.attributes, "axes")));
  std::vector<bool> reduced(static_cast<size_t>(rank), !axes.has_value());
  for (size_t i = 0; axes && i < axes->size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C3", NormalizeAxis((*axes)[i], rank)));
    reduced[static_cast<size_t>(axis)] = true;
  }
  return reduced;
}

bool AnyIn(const std::vector<bool>& reduced, int first, int last) {
  return std::find(reduced.begin() + first, reduced.begin() + last, true) != reduced.begin() + last;
}

// Reduces the ragged dimensions from `first` on: neighbours are merged into one, whose rows are
// those of the outer with all values of their rows of the inner.
Status ReduceInnerRows(Expander& expander, std::string_view segment_op, int first,
                       RaggedParts& parts) {
  GraphValue splits = parts.splits.back();
  parts.splits.pop_back();
  while (static_cast<int>(parts.splits.size()) >= first) {
    SIGNET_ASSIGN_OR_RETURN(splits, expander.Call1("gather", {splits, parts.splits.back()}));
    parts.splits.pop_back();
  }
  SIGNET_ASSIGN_OR_RETURN(parts.values, expander.Call1(segment_op, {parts.values, splits}));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(Expander& expander, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  constexpr std::string_view kPrefix = "reduce_";
  SIGNET_CHECK(call.op.name.starts_with(kPrefix));
  const auto* ragged = inputs[0].spec ? inputs[0].spec.As<RaggedSpec>() : nullptr;
  if (ragged == nullptr || !ragged->shape().has_rank()) {
    return Unimplemented("`", call.op.name, "` of `",
                         inputs[0].spec ? inputs[0].spec.ToString() : "None",
                         "`; takes a tensor or a ragged value of known rank");
  }
  int rank = ragged->shape().rank();
  int ragged_rank = ragged->ragged_rank();
  SIGNET_ASSIGN_OR_RETURN(auto reduced, ReducedDims(call, rank));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  if (keepdims && AnyIn(reduced, 0, ragged_rank + 1)) {
    return Unimplemented("`", call.op.name, "` of `", inputs[0].spec,
                         "` over ragged rows with keepdims; takes keepdims=False");
  }
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  if (std::find(reduced.begin(), reduced.end(), false) == reduced.end()) {
    Attributes all = call.attributes.With("axes", NoneAttribute());
    return expander.Call(call.op.name, std::span(&parts.values, 1), all);
  }
  // The innermost dimensions that are kept outside: [0, first).
  int first = ragged_rank + 1;
  while (first > 0 && reduced[static_cast<size_t>(first - 1)]) --first;
  if (first == 0 || AnyIn(reduced, 0, first)) {
    return Unimplemented(
        "`", call.op.name, "` of `", inputs[0].spec,
        "` position by position across rows; takes ragged axes from the innermost on");
  }
  // Dense dimensions first: all values have as many, so a mean of means is the mean.
  std::vector<int64_t> dense;
  for (int axis = ragged_rank + 1; axis < rank; ++axis) {
    if (reduced[static_cast<size_t>(axis)]) dense.push_back(axis - ragged_rank);
  }
  if (!dense.empty()) {
    Attributes inner = call.attributes.With("axes", AttributeOf(std::span<const int64_t>(dense)));
    SIGNET_ASSIGN_OR_RETURN(parts.values, expander.Call1(call.op.name, {parts.values}, inner));
  }
  if (first <= ragged_rank) {
    std::string segment_op = Cat("segment_", call.op.name.substr(kPrefix.size()));
    SIGNET_RETURN_IF_ERROR(ReduceInnerRows(expander, segment_op, first, parts));
  }
  PartialShape like;
  if (const PartialShape& made = *parts.values.spec.shape(); made.has_rank()) {
    like = ragged->shape()
               .Slice(0, std::min(first, ragged_rank + 1))
               .Concatenate(made.Slice(1, made.rank()));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, MakeRaggedValue(parts, like));
  return std::vector<GraphValue>{out};
}

}  // namespace signet
