#include "core/ops/build/rows/index_rows.h"

#include <algorithm>
#include <limits>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/outer_dimension.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/slice_ranges.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Kind = Selector::Kind;
using Limits = std::numeric_limits<int64_t>;

int64_t StepOf(const SliceKey& slice) { return slice.step.value_or(1); }
// The start and the end of a slice before it is clipped.
int64_t StartOf(const SliceKey& slice) {
  return slice.start.value_or(StepOf(slice) > 0 ? 0 : Limits::max());
}
int64_t StopOf(const SliceKey& slice) {
  return slice.stop.value_or(StepOf(slice) > 0 ? Limits::max() : Limits::min());
}

TypeSpec BoundOf(const std::optional<int64_t>& bound) {
  return bound ? AttributeOf(*bound) : NoneAttribute();
}

Attributes AttributesOf(const SliceKey& slice) {
  return Attributes({{"start", BoundOf(slice.start)},
                     {"limit", BoundOf(slice.stop)},
                     {"step", AttributeOf(StepOf(slice))}});
}

// Calls `op` on `inputs`, followed by the bounds of a slice.
StatusOr<std::vector<GraphValue>> CallWithBounds(OpBuilder& build, std::string_view op,
                                                 std::vector<GraphValue> inputs,
                                                 const Selector& selector) {
  if (selector.is_computed()) {
    inputs.push_back(selector.start);
    inputs.push_back(selector.stop);
  }
  return build.Call(op, inputs, AttributesOf(selector.slice));
}

// Checks that depend only on types.

// Checks that the computed bounds of a slice of a dimension that is not ragged are numbers.
Status CheckBounds(const Selector& selector, std::string_view where) {
  for (const GraphValue* bound : {&selector.start, &selector.stop}) {
    if (!bound->spec || bound->spec.shape()->IsCompatibleWith(Shape{})) continue;
    return WithConstraint(
        "C3", InvalidArgument("slice: expected `int64[]` as a bound of ", where, ", found `",
                              bound->spec, "`; only ragged rows accept a bound per row"));
  }
  return absl::OkStatus();
}

// Returns true if all rows of dimension `dim` have the same length.
bool IsUniform(const TypeSpec& spec, int dim) {
  if (dim == 0 || spec.shape()->dim(dim) != kUnknownDim) return true;
  if (const auto* ragged = spec.As<RaggedSpec>()) return dim > ragged->ragged_rank();
  if (!spec.is(TypeKind::kStructured)) return true;
  return std::any_of(spec.children().begin(), spec.children().end(),
                     [dim](const TypeSpec& field) { return IsUniform(field, dim); });
}

Status CheckSelectors(const TypeSpec& spec, std::span<const Selector> selectors) {
  const PartialShape& shape = *spec.shape();
  if (!shape.has_rank()) {
    return Unimplemented("expected a value of known rank, found `", spec, "`");
  }
  auto dims = std::count_if(selectors.begin(), selectors.end(),
                            [](const Selector& s) { return s.kind != Kind::kNewAxis; });
  if (dims > shape.rank()) {
    return WithConstraint(
        "C3", InvalidArgument("expected at most ", shape.rank(), " indices, one per dimension of `",
                              spec, "`, found ", dims));
  }
  int dim = 0;
  bool several = false;  // whether several elements of the dimensions before are selected
  for (const Selector& selector : selectors) {
    if (selector.kind == Kind::kNewAxis) continue;
    if (selector.kind != Kind::kElement) {
      several = true;
    } else if (several && !IsUniform(spec, dim)) {
      return WithConstraint(
          "C4",
          InvalidArgument(
              "dimension ", dim, " of `", spec,
              "`: expected a slice, or one index for each earlier dimension, found an index into ",
              "several rows, some of which may be too short"));
    }
    ++dim;
  }
  return absl::OkStatus();
}

// Functions that add ops.

// Positions of dimension 0 or of one row: `start` and `count`, int64[].
struct Range {
  GraphValue start;
  GraphValue count;
  int64_t known_count = kUnknownDim;
};

StatusOr<Range> RangeOf(OpBuilder& build, const Selector& selector, const GraphValue& size,
                        int64_t known_size) {
  const SliceKey& slice = selector.slice;
  SIGNET_RETURN_IF_ERROR(CheckBounds(selector, "a dimension of one size"));
  if (known_size != kUnknownDim && !selector.is_computed()) {
    SliceRange range = ClippedSlice(StartOf(slice), StopOf(slice), StepOf(slice), known_size);
    return Range{Int64Constant(build, range.start), Int64Constant(build, range.count), range.count};
  }
  SIGNET_ASSIGN_OR_RETURN(auto clipped, CallWithBounds(build, "clip_slice", {size}, selector));
  return Range{clipped[0], clipped[1]};
}

StatusOr<GraphValue> PositionOf(OpBuilder& build, const GraphValue& index, const GraphValue& size) {
  return build.CheckIndex(index, size);
}

StatusOr<GraphValue> ElementOf(OpBuilder& build, const GraphValue& x, const GraphValue& index) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue size, CountRows(build, x));
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionOf(build, index, size));
  SIGNET_ASSIGN_OR_RETURN(GraphValue row, CutRows(build, x, at, Int64Constant(build, 1)));
  return WithoutOuter(build, row);
}

StatusOr<GraphValue> IndexTensor(OpBuilder& build, GraphValue x, std::vector<Selector> dims) {
  for (auto axis = static_cast<int>(dims.size()) - 1; axis >= 0; --axis) {
    const Selector& selector = dims[static_cast<size_t>(axis)];
    if (selector.kind != Kind::kElement) continue;
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build, x, axis));
    SIGNET_ASSIGN_OR_RETURN(
        x, build.Gather(x, PositionOf(build, selector.index, size), {.axis = axis}));
    dims.erase(dims.begin() + axis);
  }
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<GraphValue> computed_starts;
  std::vector<GraphValue> computed_limits;
  bool is_computed = false;
  std::vector<int64_t> steps;
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis].kind != Kind::kSlice) continue;
    const SliceKey& slice = dims[axis].slice;
    SIGNET_RETURN_IF_ERROR(CheckBounds(dims[axis], "a dimension of one size"));
    starts.push_back(StartOf(slice));
    limits.push_back(StopOf(slice));
    const GraphValue& start = dims[axis].start;
    const GraphValue& stop = dims[axis].stop;
    computed_starts.push_back(start.spec ? start : Int64Constant(build, starts.back()));
    computed_limits.push_back(stop.spec ? stop : Int64Constant(build, limits.back()));
    is_computed |= dims[axis].is_computed();
    steps.push_back(StepOf(slice));
    axes.push_back(static_cast<int64_t>(axis));
  }
  if (axes.empty()) return x;
  auto list = [](const std::vector<int64_t>& ints) {
    return AttributeOf(std::span<const int64_t>(ints));
  };
  if (is_computed) {
    return build.Slice(x, build.Stack(computed_starts), build.Stack(computed_limits), {}, {},
                       {.steps = list(steps), .axes = list(axes)});
  }
  return build.Slice(
      x,
      {.starts = list(starts), .limits = list(limits), .steps = list(steps), .axes = list(axes)});
}

// Applies selectors to opened rows, from the outermost dimension on. Determines which dimensions
// are left and which elements are selected.
class RowIndexer {
 public:
  RowIndexer(OpBuilder& build, Opened opened)
      : build_(build), from_(std::move(opened.rows)), elements_(std::move(opened.elements)) {}

  Status Take(const Selector& selector) {
    const int dim = next_++;
    return selector.kind == Kind::kElement ? TakeElement(dim, selector.index)
                                           : TakeSlice(dim, selector);
  }

  // These return the result after all dimensions are processed.
  const Rows& rows() const { return to_; }
  StatusOr<GraphValue> Elements() {
    return positions_.spec ? TakeRows(build_, elements_, positions_) : elements_;
  }

 private:
  // Selects an element of each row of the dimension. The rows have the same length and are stored
  // one after the other.
  Status TakeElement(int dim, const GraphValue& index) {
    const GraphValue& length = from_.dims[static_cast<size_t>(dim)].length;
    SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionOf(build_, index, length));
    if (positions_.spec) {
      SIGNET_ASSIGN_OR_RETURN(positions_, build_.Mul(positions_, length) + at);
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(positions_, build_.Range({at, CountAt(build_, from_, dim), length}));
    return absl::OkStatus();
  }

  Status TakeSlice(int dim, const Selector& selector) {
    RowDim left = from_.dims[static_cast<size_t>(dim)];
    if (selector.kind == Kind::kAll && !positions_.spec) {
      to_.dims.push_back(std::move(left));
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build_, from_, dim));
    if (positions_.spec) {
      SIGNET_ASSIGN_OR_RETURN(auto outputs, build_.GatherRowSplits(splits, positions_));
      splits = outputs[0];
      positions_ = outputs[1];
    }
    if (selector.kind == Kind::kSlice) {
      SIGNET_ASSIGN_OR_RETURN(splits, Sliced(dim, splits, selector));
      if (left.is_uniform()) {
        SIGNET_ASSIGN_OR_RETURN(Range range,
                                RangeOf(build_, selector, left.length, left.known_length));
        left.length = range.count;
        left.known_length = range.known_count;
      }
    }
    if (left.splits.spec) left.splits = std::move(splits);
    to_.dims.push_back(std::move(left));
    return absl::OkStatus();
  }

  // Returns the row splits after a slice.
  StatusOr<GraphValue> Sliced(int dim, const GraphValue& splits, const Selector& selector) {
    bool last = dim + 1 == from_.depth();
    if (last && !positions_.spec && elements_.spec.is(TypeKind::kTensor)) {
      SIGNET_ASSIGN_OR_RETURN(
          auto outputs, CallWithBounds(build_, "slice_row_values", {elements_, splits}, selector));
      elements_ = outputs[0];
      return outputs[1];
    }
    GraphValue before = positions_;
    SIGNET_ASSIGN_OR_RETURN(auto outputs, CallWithBounds(build_, "slice_rows", {splits}, selector));
    positions_ = outputs[1];
    if (before.spec) {
      SIGNET_ASSIGN_OR_RETURN(positions_, build_.Gather(before, positions_));
    }
    return outputs[0];
  }

  OpBuilder& build_;
  const Rows from_;
  Rows to_;
  GraphValue elements_;
  GraphValue positions_;  // int64[?], the positions of the selected elements of the current level;
                          // no type: all elements in order
  int next_ = 0;
};

// Indexes a ragged value or a structure whose first dimension is selected as a whole or with a
// step.
StatusOr<GraphValue> IndexOpened(OpBuilder& build, const GraphValue& x,
                                 std::span<const Selector> dims) {
  const auto* ragged = x.spec.As<RaggedSpec>();
  size_t depth = dims.size();
  if (ragged != nullptr) depth = std::min(depth, static_cast<size_t>(ragged->ragged_rank()) + 1);
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, x, static_cast<int>(depth)));
  RowIndexer indexer(build, std::move(opened));
  for (const Selector& selector : dims.first(depth)) {
    SIGNET_RETURN_IF_ERROR(indexer.Take(selector));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, indexer.Elements());
  if (depth < dims.size()) {  // the remaining dimensions are dimensions of the flat values
    std::vector<Selector> inner(dims.begin() + static_cast<std::ptrdiff_t>(depth), dims.end());
    inner.insert(inner.begin(), Selector());
    SIGNET_ASSIGN_OR_RETURN(elements, IndexTensor(build, elements, std::move(inner)));
  }
  return CloseRows(build, indexer.rows(), elements, x.spec);
}

StatusOr<GraphValue> IndexDims(OpBuilder& build, GraphValue x, std::vector<Selector> dims) {
  const auto* ragged = x.spec.As<RaggedSpec>();
  if (ragged != nullptr && ragged->ragged_rank() == 0) x = ComponentOf(x, 0);
  while (!dims.empty() && dims.front().kind == Kind::kElement) {
    SIGNET_ASSIGN_OR_RETURN(x, ElementOf(build, x, dims.front().index));
    dims.erase(dims.begin());
  }
  if (!dims.empty() && dims[0].kind == Kind::kSlice && StepOf(dims[0].slice) == 1) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, CountRows(build, x));
    SIGNET_ASSIGN_OR_RETURN(Range range, RangeOf(build, dims[0], size, x.spec.shape()->dim(0)));
    SIGNET_ASSIGN_OR_RETURN(x, CutRows(build, x, range.start, range.count));
    dims[0] = Selector();
  }
  while (!dims.empty() && dims.back().kind == Kind::kAll) dims.pop_back();
  if (dims.empty()) return x;
  if (x.spec.is(TypeKind::kTensor)) return IndexTensor(build, std::move(x), std::move(dims));
  return IndexOpened(build, x, dims);
}

}  // namespace

StatusOr<GraphValue> IndexRows(OpBuilder& build, const GraphValue& x,
                               std::span<const Selector> selectors) {
  SIGNET_RETURN_IF_ERROR(CheckSelectors(x.spec, selectors));
  std::vector<Selector> dims;
  std::vector<int> new_axes;
  int axis = 0;
  for (const Selector& selector : selectors) {
    if (selector.kind == Kind::kNewAxis) {
      new_axes.push_back(axis);
    } else {
      dims.push_back(selector);
    }
    if (selector.kind != Kind::kElement) ++axis;
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, IndexDims(build, x, std::move(dims)));
  for (int at : new_axes) {
    SIGNET_ASSIGN_OR_RETURN(out, build.ExpandDims(out, {.axis = at}));
  }
  return out;
}

}  // namespace signet
