// onnx.SameSize: dimensions that go by one name in a model's signature are of one size.

#include "core/ops/inference.h"
#include "core/ops/onnx/inputs.h"
#include "core/ops/onnx/onnx_ops.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandSameSize(Expander& expander, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, call.attributes.Ints("axes"));
  SIGNET_ASSIGN_OR_RETURN(auto parameters, call.attributes.Strings("parameters"));
  SIGNET_ASSIGN_OR_RETURN(std::string dimension, call.attributes.String("dimension"));
  if (axes.size() != inputs.size() || parameters.size() != inputs.size()) {
    return InvalidArgument(axes.size(), " axes and ", parameters.size(), " parameters for ",
                           inputs.size(), " inputs");
  }
  GraphValue first;
  size_t first_at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsGiven(inputs, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axes[i], rank));
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(expander, inputs[i], axis));
    if (!first.spec) {
      first = size;
      first_at = i;
      continue;
    }
    std::string place = Cat("dimension ", axis, " of `", parameters[i], "`");
    std::string other = Cat("dimension ", axes[first_at], " of `", parameters[first_at], "`");
    const Tensor* a = expander.LookupConstant(first.components[0]);
    const Tensor* b = expander.LookupConstant(size.components[0]);
    if (a != nullptr && b != nullptr && a->scalar<int64_t>() != b->scalar<int64_t>()) {
      return InvalidArgument(place, " is ", b->scalar<int64_t>(), ", ", other, " is ",
                             a->scalar<int64_t>(), "; both are `", Printable(dimension), "`");
    }
    SIGNET_RETURN_IF_ERROR(CheckSameSize(
        expander, first, size,
        Cat(place, " is not of the size of ", other, "; both are `", Printable(dimension), "`")));
  }
  return std::vector<GraphValue>{first};
}

}  // namespace

std::vector<OpDef> OnnxSizeOps() {
  return {OnnxOp("onnx.SameSize", "Checks that dimensions of one name are of one size",
                 {"inputs..."}, {{"axes"}, {"parameters"}, {"dimension"}}, ExpandSameSize)};
}

}  // namespace signet
