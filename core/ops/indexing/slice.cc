// slice: selects a range of each dimension.
//
//   slice(x, starts=[1], limits=[-1], axes=[0])   as x[1:-1] in Python

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/index_rows.h"
#include "core/ops/build/slice_ranges.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSlice(const OpCall& call) {
  // C1: input 0 is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(SliceRequest request, ReadSlice(call));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  bool known = request.starts.known && (!request.limits.given || request.limits.known) &&
               !request.computes_axes && !request.computes_steps;
  if (request.computes_axes) {
    return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(shape.rank())));
  }
  if (!known) {
    // The other axes keep their sizes, if it is known which axes these are.
    PartialShape out = PartialShape::OfRank(shape.rank());
    std::vector<bool> touched(static_cast<size_t>(shape.rank()),
                              !request.axes && request.starts.length < 0);
    for (int64_t i = 0; !request.axes && i < std::min<int64_t>(request.starts.length, shape.rank());
         ++i) {
      touched[static_cast<size_t>(i)] = true;
    }
    for (size_t i = 0; request.axes && i < request.axes->size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(
          int axis, WithConstraint("C3", NormalizeAxis((*request.axes)[i], shape.rank())));
      touched[static_cast<size_t>(axis)] = true;
      if (request.sizes && (*request.sizes)[i] >= 0) out = out.WithDim(axis, (*request.sizes)[i]);
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (!touched[static_cast<size_t>(axis)]) out = out.WithDim(axis, shape.dim(axis));
    }
    return OneOutput(TensorType(x->dtype(), std::move(out)));
  }
  std::vector<int64_t> limits =
      request.limits.given ? *request.limits.known : std::vector<int64_t>();
  SIGNET_ASSIGN_OR_RETURN(auto ranges,
                          SliceRanges(request, shape.dims(), *request.starts.known, limits));
  std::vector<int64_t> dims;
  for (const SliceRange& range : ranges) dims.push_back(range.count);
  return OneOutput(TensorType(x->dtype(), PartialShape(std::span<const int64_t>(dims))));
}

// Returns a list as numbers, or its elements as scalars if it is computed.
struct Bounds {
  std::optional<std::vector<int64_t>> known;
  std::vector<GraphValue> computed;
};

StatusOr<Bounds> BoundsOf(OpBuilder& build, const IntList& list, std::string_view name,
                          const GraphValue& input, size_t count) {
  if (!list.given) return Bounds{};
  if (list.known) return Bounds{list.known, {}};
  if (list.length >= 0 && static_cast<size_t>(list.length) != count) {
    return WithConstraint("C2", InvalidArgument("`", name, "`: expected ", count,
                                                " elements, one per start, found ", list.length));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue vector, build.Cast(input, {.dtype = DType::kInt64}));
  if (input.spec.shape()->IsCompatibleWith(Shape{}) && input.spec.shape()->has_rank()) {
    return Bounds{std::nullopt, {std::move(vector)}};
  }
  Bounds bounds;
  for (size_t i = 0; i < count; ++i) {
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue bound,
        build.Gather(vector, Int64Constant(build, static_cast<int64_t>(i)), {.axis = 0}));
    bounds.computed.push_back(std::move(bound));
  }
  return bounds;
}

// Expands a slice of a ragged value or a structure: indexes its rows.
StatusOr<std::vector<GraphValue>> SliceOfRows(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(SliceRequest request, ReadSlice(call));
  const TypeSpec& spec = inputs[0].spec;
  if (request.computes_axes || request.computes_steps || request.sizes ||
      !spec.shape()->has_rank()) {
    return Unimplemented("`slice`: expected `starts`, `limits`, and known `axes` and `steps` for `",
                         spec, "` of known rank");
  }
  int64_t count = request.axes ? static_cast<int64_t>(request.axes->size()) : request.starts.length;
  if (count < 0) {
    return Unimplemented("`slice`: expected a known number of `starts` for `", spec, "`");
  }
  auto input = [&](size_t i) { return i < inputs.size() ? inputs[i] : GraphValue{}; };
  const auto size = static_cast<size_t>(count);
  SIGNET_ASSIGN_OR_RETURN(Bounds starts, BoundsOf(build, request.starts, "starts", input(1), size));
  SIGNET_ASSIGN_OR_RETURN(Bounds limits, BoundsOf(build, request.limits, "limits", input(2), size));
  // With unknown sizes, this checks the axes, the steps, and the lengths of known lists.
  const std::vector<int64_t> dims(static_cast<size_t>(spec.shape()->rank()), kUnknownDim);
  SliceRequest checked = request;
  checked.limits.given = limits.known.has_value();
  const std::vector<int64_t> some(size, 0);
  SIGNET_RETURN_IF_ERROR(SliceRanges(checked, dims, starts.known ? *starts.known : some,
                                     limits.known ? *limits.known : std::vector<int64_t>())
                             .status());
  std::vector<Selector> selectors(dims.size());
  for (size_t i = 0; i < size; ++i) {
    const int64_t named = request.axes ? (*request.axes)[i] : static_cast<int64_t>(i);
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(named, static_cast<int>(dims.size())));
    Selector& selector = selectors[static_cast<size_t>(axis)];
    selector.kind = Selector::Kind::kSlice;
    selector.slice.step = request.steps ? (*request.steps)[i] : 1;
    if (starts.known) {
      selector.slice.start = (*starts.known)[i];
    } else {
      selector.start = starts.computed[i];
    }
    if (limits.known) {
      selector.slice.stop = (*limits.known)[i];
    } else if (request.limits.given) {
      selector.stop = limits.computed[i];
    }
  }
  return OneOutput(IndexRows(build, inputs[0], selectors));
}

StatusOr<std::vector<GraphValue>> ExpandSlice(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  const TypeSpec& spec = inputs[0].spec;
  const bool has_rows =
      spec &&
      (spec.is(TypeKind::kRagged) ||
       (spec.is(TypeKind::kStructured) && spec.shape()->has_rank() && spec.shape()->rank() > 0));
  return has_rows ? SliceOfRows(build, call, inputs) : ExpandWithInt64Lists(build, call, inputs);
}

}  // namespace

OpDef Slice() {
  return {
      .name = "slice",
      .summary = "Selects a range of each dimension",
      .description =
          "Selects a range of each axis, or of those that `axes` lists. `starts`, `limits`, "
          "`steps`, and `axes` are lists, or vectors of integers if they are computed; `sizes` is "
          "a list. With `limits`, the op selects x[start:limit:step] as Python does: a number "
          "below 0 counts from the end, and numbers beyond an end are cut to it. A limit that is "
          "missing, or the smallest or largest int64, is the end. With `sizes`, nothing is cut, "
          "and -1 is the rest of the dimension.",
      .inputs = {"x", "starts?", "limits?", "axes?", "steps?"},
      .attributes = {{"starts", NoneAttribute()},
                     {"limits", NoneAttribute()},
                     {"sizes", NoneAttribute()},
                     {"steps", NoneAttribute()},
                     {"axes", NoneAttribute()}},
      .result = "A value of the dtype and rank of x.",
      .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.",
                      "`starts` is given with `limits`, with `sizes`, or with neither, and all "
                      "lists have the same length.",
                      "Each axis is a dimension, and no axis occurs twice.",
                      "No step is 0, and with `sizes` all steps are 1.",
                      "The elements that `sizes` selects exist (OUT_OF_RANGE)."},
      .composites =
          "On a ragged value or a structure, `starts` and `limits` may be computed, and `axes` and "
          "`steps` are known; along a ragged dimension, each row is sliced, and a limit below 0 "
          "counts from the end of the row. On a sparse value, the starts and limits are known, all "
          "steps are 1, and the range is cut to the dense shape even with `sizes`.",
      .infer = InferSlice,
      .expand = ExpandSlice,
      .expand_sparse = ExpandSparseSlice,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
