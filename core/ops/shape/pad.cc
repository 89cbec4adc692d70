// pad: adds elements before and after each dimension of a tensor, or removes them.

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

constexpr std::string_view kModes[] = {"constant", "edge", "reflect", "wrap"};

StatusOr<std::vector<TypeSpec>> InferPad(const OpCall& call) {
  // C1: the inputs are tensors, the value is a scalar of the dtype of x, and `mode` is one of the
  // four modes.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (HasInput(call, 1)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* value, TensorInput(call, 1));
    if (value->dtype() != x->dtype() || !value->shape().IsCompatibleWith(Shape{})) {
      return WithConstraint("C1",
                            InvalidArgument("input 1: expected `", TensorType(x->dtype(), Shape{}),
                                            "`, found `", call.inputs[1], "`"));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(std::string mode, WithConstraint("C1", call.attributes.String("mode")));
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
    return WithConstraint("C1",
                          InvalidArgument("unsupported mode `", Printable(mode),
                                          "`; supported modes: constant, edge, reflect, wrap"));
  }
  // C2: `before` and `after` have one number per dimension. A number below 0 removes elements.
  SIGNET_ASSIGN_OR_RETURN(IntList before, WithConstraint("C2", FindIntList(call, "before", 2)));
  SIGNET_ASSIGN_OR_RETURN(IntList after, WithConstraint("C2", FindIntList(call, "after", 3)));
  if (!before.given || !after.given) {
    return WithConstraint("C2", InvalidArgument("missing `", before.given ? "after" : "before",
                                                "`; pass it as an attribute or as an input"));
  }
  const PartialShape& shape = x->shape();
  int64_t rank = shape.has_rank() ? shape.rank() : std::max(before.length, after.length);
  if (rank < 0) return OneOutput(TensorType(x->dtype(), {}));
  for (const IntList* list : {&before, &after}) {
    if (list->length < 0 || list->length == rank) continue;
    return WithConstraint(
        "C2", InvalidArgument("`", list == &before ? "before" : "after", "`: expected ", rank,
                              " elements, one per dimension, found ", list->length));
  }
  PartialShape out = PartialShape::OfRank(static_cast<int>(rank));
  if (!before.known || !after.known) return OneOutput(TensorType(x->dtype(), std::move(out)));
  for (size_t i = 0; i < static_cast<size_t>(rank); ++i) {
    int64_t size = shape.has_rank() ? shape.dim(static_cast<int>(i)) : kUnknownDim;
    if (size == kUnknownDim) continue;
    // C3: the result has at most 2^31 elements, and no more elements are removed than there are.
    bool can_negate = std::min((*before.known)[i], (*after.known)[i]) > INT64_MIN;
    auto more = can_negate ? CheckedAdd((*before.known)[i], (*after.known)[i]) : std::nullopt;
    auto total = more ? CheckedAdd(size, *more) : std::nullopt;
    if (!total)
      return WithConstraint(
          "C3", ResourceExhausted("dimension ", i, ": the size exceeds the range of int64"));
    if (*total < 0) {
      return WithConstraint("C3", InvalidArgument("dimension ", i, ": expected at most ", size,
                                                  " elements to remove, found ", -*more));
    }
    out = out.WithDim(static_cast<int>(i), *total);
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

}  // namespace

OpDef Pad() {
  return {
      .name = "pad",
      .summary = "Adds elements before and after each dimension",
      .description =
          "Adds `before` elements before and `after` elements after each dimension; a number below "
          "0 removes elements. The numbers are lists or vectors of integers. The `mode` determines "
          "the elements: `constant`: the value, or 0, False, or \"\"; `edge`: the first and the "
          "last element; `reflect`: the elements next to the edge in reverse order, back and "
          "forth; `wrap`: the elements of the other end.",
      .inputs = {"x", "value?", "before?", "after?"},
      .attributes = {{"before", NoneAttribute()},
                     {"after", NoneAttribute()},
                     {"mode", AttributeOf("constant")}},
      .result = "A tensor of the dtype and rank of x.",
      .constraints = {"The inputs are tensors, the value is a scalar of the dtype of x, and `mode` "
                      "is one of the four modes.",
                      "`before` and `after` have one number per dimension.",
                      "The result has at most 2^31 elements, no more elements are removed than "
                      "there are, and modes that repeat elements have elements to repeat."},
      .infer = InferPad,
      .own_dtypes = {"before", "after"},
  };
}

}  // namespace signet
