#include "core/ops/build/rows/ragged_expansions.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/row_groups.h"
#include "core/ops/def/inference.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

class RaggedReduction {
 public:
  RaggedReduction(OpBuilder& build, const OpCall& call, AxisSet axes, bool keepdims)
      : build_(build), call_(call), axes_(axes), keepdims_(keepdims) {}

  StatusOr<GraphValue> Run(const GraphValue& x) {
    const auto& ragged = *x.spec.As<RaggedSpec>();
    const PartialShape& shape = ragged.shape();
    // The extreme of no elements is a finite number for ragged values, but an infinity for dense
    // values.
    bool is_extreme = call_.op.name == "reduce_max" || call_.op.name == "reduce_min";
    const bool is_finite = is_extreme && IsFloat(ragged.dtype());
    int depth = ragged.ragged_rank() + 1;
    if (is_finite && !IsNeverOfNothing(shape, depth)) depth = shape.rank();
    SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenToTensor(build_, x, depth));
    auto& [rows, elements] = opened;

    // The dense dimensions are reduced first. They have the same sizes in all elements, so the mean
    // of means is the mean.
    std::vector<int64_t> dense_axes;
    for (int axis = depth; axis < shape.rank(); ++axis) {
      if (HasAxis(axes_, axis)) dense_axes.push_back(axis - depth + 1);
    }
    if (!dense_axes.empty() || axes_ == 0) {
      SIGNET_ASSIGN_OR_RETURN(elements, ReduceDense(elements, dense_axes, keepdims_));
    }
    int first = 0;  // the first reduced dimension
    while (first < depth && !HasAxis(axes_, first)) ++first;
    if (first == depth) return CloseRows(build_, rows, elements, x.spec);
    int kept = depth;  // the dimensions from here on are reduced
    while (kept > 0 && HasAxis(axes_, kept - 1)) --kept;

    Rows reduced = rows;
    if (kept > first) {
      SIGNET_ASSIGN_OR_RETURN(RowGroups groups, GroupRows(build_, rows, axes_));
      reduced = std::move(groups.rows);
      SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build_, reduced, depth - 1));
      SIGNET_ASSIGN_OR_RETURN(GroupOrder order, OrderGroups(build_, groups.groups, count));
      SIGNET_ASSIGN_OR_RETURN(elements, TakeRows(build_, elements, order.positions));
      SIGNET_ASSIGN_OR_RETURN(elements, ReduceSegments(elements, order.splits));
    } else if (first == 0) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build_, rows, depth - 1));
      SIGNET_ASSIGN_OR_RETURN(elements, ReduceDense(elements, {0}, true));
      if (is_finite) {
        SIGNET_ASSIGN_OR_RETURN(elements, FiniteOfNothing(elements, count));
      }
    } else {
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Compose(build_, rows, first - 1, depth - 1));
      SIGNET_ASSIGN_OR_RETURN(elements, ReduceSegments(elements, splits));
    }
    SIGNET_ASSIGN_OR_RETURN(Rows left, RowsLeft(build_, reduced, axes_, keepdims_));
    return CloseRows(build_, left, elements, x.spec);
  }

 private:
  // Returns true if the type shows that the reduced dimensions from `depth` on have elements.
  bool IsNeverOfNothing(const PartialShape& shape, int depth) const {
    for (int axis = depth; axis < shape.rank(); ++axis) {
      if (HasAxis(axes_, axis) && shape.dim(axis) < 1) return false;
    }
    return true;
  }

  StatusOr<GraphValue> ReduceDense(GraphValue x, const std::vector<int64_t>& axes, bool keepdims) {
    if (call_.op.name == "reduce_mean" && IsInteger(x.spec.As<TensorSpec>()->dtype())) {
      SIGNET_ASSIGN_OR_RETURN(x, build_.Cast(x, {.dtype = DType::kFloat64}));
    }
    Attributes dense = call_.attributes.With("axes", AttributeOf(std::span<const int64_t>(axes)))
                           .With("keepdims", AttributeOf(keepdims))
                           .With("empty_is_all", AttributeOf(false));
    return build_.CallOne(call_.op.name, {x}, dense);
  }

  // `x` is the result of reducing `count` elements to one row. If there are no elements, replaces
  // `x` by the result of the segment op for no elements.
  StatusOr<GraphValue> FiniteOfNothing(const GraphValue& x, const GraphValue& count) {
    GraphValue one = Int64Constant(build_, 1);
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, build_.Minimum(count, one));
    SIGNET_ASSIGN_OR_RETURN(GraphValue kept, CutRows(build_, x, Int64Constant(build_, 0), rows));
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build_.UniformRowSplits(one, rows));
    return ReduceSegments(kept, splits);
  }

  StatusOr<GraphValue> ReduceSegments(const GraphValue& x, const GraphValue& splits) {
    constexpr std::string_view kPrefix = "reduce_";
    SIGNET_CHECK(call_.op.name.starts_with(kPrefix));
    Attributes attributes;
    TypeSpec of_nothing = call_.attributes.Lookup("default");
    if (of_nothing) attributes = attributes.With("default", std::move(of_nothing));
    return build_.CallOne(Cat("segment_", call_.op.name.substr(kPrefix.size())), {x, splits},
                          attributes);
  }

  OpBuilder& build_;
  const OpCall& call_;
  const AxisSet axes_;
  const bool keepdims_;
};

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(OpBuilder& build, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  const TypeSpec& spec = inputs[0].spec;
  if (!spec) return TensorInput(call, 0).status();
  if (!spec.is(TypeKind::kRagged) || !spec.shape()->has_rank()) {
    return WithConstraint(
        "C1",
        Unimplemented("expected a tensor or a ragged value of known rank, found `", spec, "`"));
  }
  if (inputs.size() > 1 && inputs[1].spec) {
    return WithConstraint(
        "C3", Unimplemented("`axes`: expected an attribute for `", spec, "`, found an input"));
  }
  // C3: `axes` is None, an axis or a list of different axes.
  SIGNET_ASSIGN_OR_RETURN(auto named, WithConstraint("C3", OptionalInts(call.attributes, "axes")));
  SIGNET_ASSIGN_OR_RETURN(bool empty_is_all, call.attributes.Bool("empty_is_all"));
  if (named && named->empty() && empty_is_all) named.reset();
  SIGNET_ASSIGN_OR_RETURN(AxisSet axes, WithConstraint("C3", AxesOf(named, spec.shape()->rank())));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          RaggedReduction(build, call, axes, keepdims).Run(inputs[0]));
  return std::vector<GraphValue>{std::move(out)};
}

}  // namespace signet
