// Reductions: ops that combine all elements along some axes into one element. Each op is one row of
// a table.

#include <algorithm>

#include "core/ops/build/default_for_empty.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/ragged_expansions.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/reduction/reduction_ops.h"

namespace signet {
namespace {

struct Row {
  std::string_view name;
  std::string_view summary;
  std::string_view description;  // follows "Returns "
  DTypeGroup dtypes;
  bool expands_sparse;
};

constexpr Row kRows[] = {
    {"reduce_all", "Checks whether all elements are true",
     "True if all elements are True. The result for no elements is True.", DTypeGroup::kBool,
     false},
    {"reduce_any", "Checks whether any element is true",
     "True if at least one element is True. The result for no elements is False.",
     DTypeGroup::kBool, true},
    {"reduce_max", "Finds the largest element",
     "the largest element, or NaN if there is a NaN. The result for no elements is `default`, or "
     "else -inf or the smallest integer.",
     DTypeGroup::kReal, true},
    {"reduce_mean", "Computes the mean",
     "the mean. The result for no elements is `default`, or else NaN.", DTypeGroup::kFloatOrComplex,
     false},
    {"reduce_min", "Finds the smallest element",
     "the smallest element, or NaN if there is a NaN. The result for no elements is `default`, or "
     "else inf or the largest integer.",
     DTypeGroup::kReal, true},
    {"reduce_prod", "Computes the product",
     "the product. Integers wrap around. The result for no elements is 1.", DTypeGroup::kNumeric,
     false},
    {"reduce_sum", "Computes the sum",
     "the sum. Integers wrap around. The result for no elements is 0. Sums of float32 are computed "
     "in float64, except for the sums of ragged rows.",
     DTypeGroup::kNumeric, true},
};

StatusOr<std::vector<TypeSpec>> InferReduction(const OpCall& call) {
  const Row& row = *std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return r.name == call.op.name; });
  // C1: the input is a tensor. C2: it has a dtype that the op accepts.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, row.dtypes));
  // C3: `axes` is None, an axis, or a list of different axes. The axes may be computed.
  SIGNET_ASSIGN_OR_RETURN(ReducedAxes axes, WithConstraint("C3", ReadReducedAxes(call)));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  // C4: `default` is None or a number.
  SIGNET_RETURN_IF_ERROR(
      WithConstraint("C4", DefaultForEmpty(call.attributes, x->dtype())).status());
  if (!x->shape().has_rank() || axes.computed) {
    bool scalar = !axes.computed && !axes.known && !keepdims;
    if (scalar) return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(0)));
    if (!x->shape().has_rank()) return OneOutput(TensorType(x->dtype(), {}));
    int rank = x->shape().rank();
    bool all = axes.length == 0 && axes.empty_is_all;
    auto length = all ? rank : axes.length;
    if (keepdims) return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(rank)));
    if (length < 0 || (length == 0 && axes.empty_is_all)) {
      return OneOutput(TensorType(x->dtype(), {}));
    }
    if (length > rank) {
      return WithConstraint(
          "C3", InvalidArgument("axes: expected at most ", rank, " axes for a value of rank ", rank,
                                ", found ", length));
    }
    return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(rank - static_cast<int>(length))));
  }
  auto set = AxesOf(axes.known, x->shape().rank());
  if (!set.ok()) return WithConstraint("C3", set.status());
  return OneOutput(TensorType(x->dtype(), ReducedShape(x->shape(), *set, keepdims)));
}

// Expands a reduction of a sparse value. The result is a tensor. For max and min, elements that are
// not stored take no part. If no element is stored, the result is the attribute `default`, or else
// 0 or False.
StatusOr<std::vector<GraphValue>> ExpandSparseReduce(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(auto axes, WithConstraint("C3", OptionalInts(call.attributes, "axes")));
  SIGNET_ASSIGN_OR_RETURN(AxisSet set, WithConstraint("C3", AxesOf(axes, x.rank())));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  std::vector<int64_t> kept;
  std::vector<int64_t>
      sizes;  // dimensions of the result, as indices into the dense shape of x followed by a 1
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!HasAxis(set, axis)) kept.push_back(axis);
    if (!HasAxis(set, axis) || keepdims) sizes.push_back(HasAxis(set, axis) ? x.rank() : axis);
  }
  GraphValue kept_axes = Int64Vector(build, kept);
  SIGNET_ASSIGN_OR_RETURN(GraphValue outer, build.Gather(x.dense_shape, kept_axes));
  const int64_t one[] = {1};
  SIGNET_ASSIGN_OR_RETURN(GraphValue with_one,
                          build.Concat({x.dense_shape, Int64Vector(build, one)}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue made_shape, build.Gather(with_one, Int64Vector(build, sizes)));
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.Gather(x.indices, kept_axes, {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.RavelIndices(x.indices, outer));
  // The entries stay in order if the kept dimensions are the outermost ones.
  bool in_order = kept.empty() || kept.back() + 1 == static_cast<int64_t>(kept.size());
  std::string segment_op = Cat("segment_", call.op.name.substr(std::string("reduce_").size()));
  SIGNET_ASSIGN_OR_RETURN(Positioned merged,
                          MergedEntries(build, {positions, x.values}, in_order, segment_op));
  const DType dtype = merged.values.spec.As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(Tensor empty,
                          WithConstraint("C4", DefaultForEmpty(call.attributes, dtype)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue blank, ZeroScalar(build, dtype));
  if (empty.has_value()) blank = build.Constant(empty);
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          build.ScatterDense(merged.positions, merged.values, made_shape, blank));
  return std::vector<GraphValue>{out};
}

constexpr char kAxesDescription[] =
    "`axes` is None (all axes), one axis, or a list; axes below 0 count from the end. On tensors, "
    "`axes` may be an input. An empty list reduces nothing, or all axes with `empty_is_all`. With "
    "`keepdims`, the reduced dimensions stay with size 1.";
constexpr char kDefaultDescription[] =
    "`default` is None, or a number that replaces the result for no elements. Set it if the "
    "results are ranked, because `top_k`, `sort`, and `argmax` count NaN as the greatest number. A "
    "NaN among the elements stays NaN.";

std::string Description(const Row& row) {
  std::string text = Cat("Returns ", row.description, " ", kAxesDescription);
  if (HasDefaultForEmpty(row.name)) text += Cat(" ", kDefaultDescription);
  return text;
}

std::string Composites(const Row& row) {
  std::string text =
      "On a ragged value, any axes can be reduced. Over ragged rows, there is one result per row. "
      "Over an outer axis, there is one result for each position in the rows: rows that are too "
      "short take no part, and the result is as long as the longest row. Several axes are reduced "
      "together, so that a mean is the total divided by the count.";
  if (row.name == "reduce_max" || row.name == "reduce_min") {
    text +=
        " Without `default`, the result for no ragged floats is the extreme finite number of the "
        "dtype.";
  }
  if (row.name == "reduce_mean") text += " The mean of ragged integers is computed in float64.";
  if (row.expands_sparse) text += " The result of a sparse value is a tensor.";
  if (row.name == "reduce_max" || row.name == "reduce_min") {
    text +=
        " Elements that are not stored take no part, and the result for no stored elements is "
        "`default`, or else 0.";
  }
  return text;
}

std::vector<std::string> Constraints(const Row& row) {
  std::vector<std::string> constraints = {
      row.expands_sparse ? "The input is a tensor, a ragged value, or a sparse value."
                         : "The input is a tensor or a ragged value.",
      Cat("The dtype is ", NameOf(row.dtypes), ".",
          row.name == "reduce_mean" ? " Ragged values may also have an integer dtype." : ""),
      "`axes` is None, an axis, or a list of different axes; on tensors, it may be an input, which "
      "is a vector of integers."};
  if (HasDefaultForEmpty(row.name)) {
    constraints.push_back("`default` is None or a number that the dtype of the result can hold.");
  }
  return constraints;
}

}  // namespace

std::vector<OpDef> ReductionOps() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    OpDef op = {.name = std::string(row.name),
                .summary = std::string(row.summary),
                .description = Description(row),
                .inputs = {"x", "axes?"},
                .attributes = {{"axes", NoneAttribute()},
                               {"keepdims", AttributeOf(false)},
                               {"empty_is_all", AttributeOf(false)}},
                .result = "A value without the reduced dimensions.",
                .constraints = Constraints(row),
                .composites = Composites(row),
                .infer = InferReduction,
                .expand = ExpandRaggedReduction,
                .expand_sparse = row.expands_sparse ? ExpandSparseReduce : nullptr,
                .own_dtypes = {"axes"},
                .family = OpFamily::kReduction};
    if (HasDefaultForEmpty(row.name)) op.attributes.push_back({"default", NoneAttribute()});
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace signet
