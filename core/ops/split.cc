// split: cuts a value into parts along an axis. The constraints are those of docs/ops.md.

#include "core/base/checked_math.h"
#include "core/ops/all_ops.h"
#include "core/ops/cuts.h"
#include "core/ops/inference.h"
#include "core/ops/leaves.h"

namespace signet {
namespace {

// The sizes of the parts, kUnknownDim where they depend on `size`, the dimension. C3, C4.
StatusOr<std::vector<int64_t>> PartSizes(const OpCall& call, int64_t size) {
  // C3: `num`, at least 1, of equal parts, or `sizes`; beside `num`, so many.
  SIGNET_ASSIGN_OR_RETURN(auto num, Labelled("C3", call.attributes.OptionalInt("num")));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, Labelled("C3", OptionalInts(call.attributes, "sizes")));
  if (!num && !sizes) return InvalidArgument("C3 neither of `num` and `sizes`; takes one");
  int64_t count = sizes ? static_cast<int64_t>(sizes->size()) : *num;
  if (num && *num != count) {
    return InvalidArgument("C3 ", count, " sizes for ", *num, " parts; takes as many");
  }
  if (count < 1 || count > kMaxParts) {
    return InvalidArgument("C3 ", count, " parts; takes 1 to ", kMaxParts);
  }
  // C4: the parts make up the dimension.
  if (sizes) {
    int64_t total = 0;
    for (int64_t part : *sizes) {
      auto sum = part < 0 ? std::nullopt : CheckedAdd(total, part);
      if (!sum) return InvalidArgument("C4 a part of size ", part, "; takes at least 0");
      total = *sum;
    }
    if (size == kUnknownDim || total == size) return *sizes;
    return InvalidArgument("C4 parts of ", total, " in all; the dimension is ", size);
  }
  if (size != kUnknownDim && size % count != 0) {
    return InvalidArgument("C4 ", count, " equal parts of a dimension of ", size);
  }
  return std::vector<int64_t>(static_cast<size_t>(count),
                              size == kUnknownDim ? kUnknownDim : size / count);
}

StatusOr<std::vector<TypeSpec>> InferSplit(const OpCall& call) {
  // C1: the input is a tensor of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) {
    SIGNET_ASSIGN_OR_RETURN(auto parts, PartSizes(call, kUnknownDim));
    return std::vector<TypeSpec>(parts.size(), TensorType(x->dtype(), {}));
  }
  if (shape.rank() == 0) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0], "`; takes a rank of at least 1");
  }
  // C2: `axis` is a dimension.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(auto parts, PartSizes(call, shape.dim(axis)));
  std::vector<TypeSpec> out;
  for (int64_t part : parts) out.push_back(TensorType(x->dtype(), shape.WithDim(axis, part)));
  return out;
}

StatusOr<std::vector<GraphValue>> ExpandSplit(Expander& expander, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  const GraphValue& x = inputs[0];
  if (x.spec && IsNest(x.spec)) return CallOnLeaves(expander, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(int axis, CuttableAxis(call, x.spec));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, PartSizes(call, x.spec.shape()->dim(axis)));
  // A ragged value as a whole is one part along any axis.
  bool whole = x.spec.is(TypeKind::kRagged) && sizes.size() == 1 && sizes[0] == kUnknownDim;
  if (whole) return std::vector<GraphValue>{x};
  return CutAlong(expander, x, axis, sizes, /*drop=*/false);
}

}  // namespace

OpDef Split() {
  return {
      .name = "split",
      .summary = "Cuts a value into parts along an axis",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(0)},
                     {"num", NoneAttribute()},
                     {"sizes", NoneAttribute()}},
      .infer = InferSplit,
      .expand = ExpandSplit,
  };
}

}  // namespace signet
