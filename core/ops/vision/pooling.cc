// max_pool, average_pool, lp_pool, max_unpool: one element for each window. The constraints are
// those of docs/reference/ops/vision.md.

#include "core/ops/def/inference.h"
#include "core/ops/def/late_inference.h"
#include "core/ops/vision/vision_ops.h"
#include "core/ops/vision/window.h"

namespace signet {
namespace {

bool IsOrdered(DType dtype) { return IsFloat(dtype) || IsInteger(dtype); }

StatusOr<std::vector<TypeSpec>> InferPool(const OpCall& call) {
  bool is_max = call.op.name == "max_pool";
  if (!KnowsRanks(call)) {
    SIGNET_ASSIGN_OR_RETURN(auto outputs, LateOutput(call));
    bool indices = is_max && call.attributes.Bool("indices").value_or(false);
    if (indices) outputs.push_back(TensorType(DType::kInt64, PartialShape()));
    return outputs;
  }
  // C1: x is a tensor of rank 3 to 5, of a float dtype; of max_pool also integers.
  SIGNET_ASSIGN_OR_RETURN(
      const TensorSpec* x,
      ImageInput(
          call, 0, is_max ? IsOrdered : [](DType dtype) { return IsFloat(dtype); },
          is_max ? "a float or integer dtype" : "a float dtype"));
  const PartialShape& shape = x->shape();
  // C2: the window fits.
  SIGNET_ASSIGN_OR_RETURN(auto kernel, Labelled("C2", call.attributes.Ints("kernel")));
  if (static_cast<int>(kernel.size()) != shape.rank() - 2) {
    return InvalidArgument("C2 `kernel` has ", kernel.size(), " integers; takes ",
                           shape.rank() - 2);
  }
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, std::move(kernel), "C2"));
  SIGNET_ASSIGN_OR_RETURN(PartialShape spatial,
                          Labelled("C2", window.Over(shape.Slice(2, shape.rank()))));
  PartialShape out = shape.Slice(0, 2).Concatenate(spatial);
  // C3: the result has at most 2^31 elements.
  SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckOutputSize(out)));
  std::vector<TypeSpec> outputs = OneOutput(TensorType(x->dtype(), out));
  if (is_max) {
    SIGNET_ASSIGN_OR_RETURN(bool indices, Labelled("C4", call.attributes.Bool("indices")));
    SIGNET_RETURN_IF_ERROR(Labelled("C4", call.attributes.Bool("column_major").status()));
    if (indices) outputs.push_back(TensorType(DType::kInt64, out));
  } else if (call.op.name == "lp_pool") {
    // C4: `p` is at least 1.
    SIGNET_ASSIGN_OR_RETURN(int64_t p, Labelled("C4", call.attributes.Int("p")));
    if (p < 1) return InvalidArgument("C4 p is ", p, "; takes at least 1");
  } else {
    SIGNET_RETURN_IF_ERROR(Labelled("C4", call.attributes.Bool("count_include_pad").status()));
  }
  return outputs;
}

OpDef Pool(std::string name, std::string summary, std::vector<AttributeDef> more) {
  OpDef op{.name = std::move(name),
           .summary = std::move(summary),
           .inputs = {"x"},
           .attributes = {{"kernel"}, {"ceil_mode", AttributeOf(false)}},
           .infer = InferPool};
  for (AttributeDef& attribute : WindowAttributes()) op.attributes.push_back(attribute);
  for (AttributeDef& attribute : more) op.attributes.push_back(attribute);
  return op;
}

StatusOr<std::vector<TypeSpec>> InferMaxUnpool(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  // C1: x is a tensor of rank 3 to 5, of a float or integer dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x,
                          ImageInput(call, 0, IsOrdered, "a float or integer dtype"));
  // C2: the indices are int64, of x's shape.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  const PartialShape& shape = x->shape();
  if (indices->dtype() != DType::kInt64 || !indices->shape().IsCompatibleWith(shape)) {
    return InvalidArgument("C2 input 1 is `", call.inputs[1], "`; takes `",
                           TensorType(DType::kInt64, shape), "`");
  }
  // C3: the result's shape is a vector of int64, as long as x has dimensions.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* sizes, TensorInput(call, 2));
  if (sizes->dtype() != DType::kInt64 ||
      !sizes->shape().IsCompatibleWith(PartialShape{shape.rank()})) {
    return InvalidArgument("C3 input 2 is `", call.inputs[2], "`; takes `int64[", shape.rank(),
                           "]`");
  }
  PartialShape out = PartialShape::OfRank(shape.rank());
  if (const Tensor* known = call.constant(2)) {
    out = PartialShape(known->elements<int64_t>());
    SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckOutputSize(out.dims())));
  }
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

}  // namespace

OpDef MaxPool() {
  return Pool("max_pool", "Takes the largest element of each window",
              {{"indices", AttributeOf(false)}, {"column_major", AttributeOf(false)}});
}

OpDef AveragePool() {
  return Pool("average_pool", "Takes the mean of each window",
              {{"count_include_pad", AttributeOf(false)}});
}

OpDef LpPool() {
  return Pool("lp_pool", "Takes the p-norm of each window", {{"p", AttributeOf(2)}});
}

OpDef MaxUnpool() {
  return {
      .name = "max_unpool",
      .summary = "Puts elements where max_pool found them, and zeros elsewhere",
      .inputs = {"x", "indices", "shape"},
      .infer = InferMaxUnpool,
  };
}

}  // namespace signet
