// slice: selects a range of each dimension.
//
//   slice(x, starts=[1], limits=[-1], axes=[0])   as x[1:-1] in Python

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
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
      .constraints = {"The input is a tensor or a sparse value.",
                      "`starts` is given with `limits`, with `sizes`, or with neither, and all "
                      "lists have the same length.",
                      "Each axis is a dimension, and no axis occurs twice.",
                      "No step is 0, and with `sizes` all steps are 1.",
                      "The elements that `sizes` selects exist (OUT_OF_RANGE)."},
      .composites =
          "On a sparse value, the starts and limits are known, all steps are 1, and the range is "
          "cut to the dense shape even with `sizes`.",
      .infer = InferSlice,
      .expand = ExpandWithInt64Lists,
      .expand_sparse = ExpandSparseSlice,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
