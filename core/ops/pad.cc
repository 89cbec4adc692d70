// pad: puts a constant around a tensor. The constraints are those of docs/ops.md.

#include "core/base/checked_math.h"
#include "core/ops/all_ops.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferPad(const OpCall& call) {
  // C1: the inputs are tensors of one dtype; the value is a scalar.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (HasInput(call, 1)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* value, TensorInput(call, 1));
    if (value->dtype() != x->dtype() || !value->shape().IsCompatibleWith(Shape{})) {
      return InvalidArgument("C1 input 1 is `", call.inputs[1], "`; takes `",
                             TensorType(x->dtype(), Shape{}), "`");
    }
  }
  // C2: `before` and `after` have a size, at least 0, for each dimension.
  SIGNET_ASSIGN_OR_RETURN(auto before, Labelled("C2", call.attributes.Ints("before")));
  SIGNET_ASSIGN_OR_RETURN(auto after, Labelled("C2", call.attributes.Ints("after")));
  const PartialShape& shape = x->shape();
  size_t rank = shape.has_rank() ? static_cast<size_t>(shape.rank()) : before.size();
  if (before.size() != rank || after.size() != rank) {
    return InvalidArgument("C2 ", before.size(), " sizes before and ", after.size(),
                           " after; takes ", rank, " of both");
  }
  PartialShape out = PartialShape::OfRank(static_cast<int>(rank));
  for (size_t i = 0; i < rank; ++i) {
    if (before[i] < 0 || after[i] < 0) {
      return InvalidArgument("C2 padding of dimension ", i, " is ", before[i], " and ", after[i],
                             "; takes at least 0");
    }
    int64_t size = shape.has_rank() ? shape.dim(static_cast<int>(i)) : kUnknownDim;
    if (size == kUnknownDim) continue;
    // C3: the result has at most 2^31 elements.
    auto more = CheckedAdd(before[i], after[i]);
    auto total = more ? CheckedAdd(size, *more) : std::nullopt;
    if (!total) return ResourceExhausted("C3 dimension ", i, " grows beyond an int64");
    out = out.WithDim(static_cast<int>(i), *total);
  }
  SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

}  // namespace

OpDef Pad() {
  return {
      .name = "pad",
      .summary = "Puts a constant around a tensor",
      .inputs = {"x", "value?"},
      .attributes = {{"before"}, {"after"}},
      .infer = InferPad,
  };
}

}  // namespace signet
