// max_pool, average_pool, lp_pool, max_unpool: compute one element per window.

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
  // C1: x is a tensor of rank 3 to 5 with a float dtype; max_pool also accepts integers.
  SIGNET_ASSIGN_OR_RETURN(
      const TensorSpec* x,
      ImageInput(
          call, 0, is_max ? IsOrdered : [](DType dtype) { return IsFloat(dtype); },
          is_max ? "a float or integer dtype" : "a float dtype"));
  const PartialShape& shape = x->shape();
  // C2: the window fits.
  SIGNET_ASSIGN_OR_RETURN(auto kernel, WithConstraint("C2", call.attributes.Ints("kernel")));
  if (static_cast<int>(kernel.size()) != shape.rank() - 2) {
    return WithConstraint("C2", InvalidArgument("kernel: expected ", shape.rank() - 2,
                                                " integers, found ", kernel.size()));
  }
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, std::move(kernel), "C2"));
  SIGNET_ASSIGN_OR_RETURN(PartialShape spatial,
                          WithConstraint("C2", window.Over(shape.Slice(2, shape.rank()))));
  PartialShape out = shape.Slice(0, 2).Concatenate(spatial);
  // C3: the result has at most 2^31 elements.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out)));
  std::vector<TypeSpec> outputs = OneOutput(TensorType(x->dtype(), out));
  if (is_max) {
    SIGNET_ASSIGN_OR_RETURN(bool indices, WithConstraint("C4", call.attributes.Bool("indices")));
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", call.attributes.Bool("column_major").status()));
    if (indices) outputs.push_back(TensorType(DType::kInt64, out));
  } else if (call.op.name == "lp_pool") {
    // C4: `p` is at least 1.
    SIGNET_ASSIGN_OR_RETURN(int64_t p, WithConstraint("C4", call.attributes.Int("p")));
    if (p < 1) return WithConstraint("C4", InvalidArgument("p: expected at least 1, found ", p));
  } else {
    SIGNET_RETURN_IF_ERROR(
        WithConstraint("C4", call.attributes.Bool("count_include_pad").status()));
  }
  return outputs;
}

// Adds the inputs and attributes that all pooling ops share, before the attributes of `op`.
OpDef Pool(OpDef op) {
  op.inputs = {"x"};
  std::vector<AttributeDef> attributes = {{"kernel"}, {"ceil_mode", AttributeOf(false)}};
  for (AttributeDef& attribute : WindowAttributes()) attributes.push_back(attribute);
  op.attributes.insert(op.attributes.begin(), attributes.begin(), attributes.end());
  op.infer = InferPool;
  return op;
}

StatusOr<std::vector<TypeSpec>> InferMaxUnpool(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  // C1: x is a tensor of rank 3 to 5 with a float or integer dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x,
                          ImageInput(call, 0, IsOrdered, "a float or integer dtype"));
  // C2: the indices are int64 and have the shape of x.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  const PartialShape& shape = x->shape();
  if (indices->dtype() != DType::kInt64 || !indices->shape().IsCompatibleWith(shape)) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected `", TensorType(DType::kInt64, shape), "`, found `",
                              call.inputs[1], "`"));
  }
  // C3: the shape of the result is a vector of int64 with one element per dimension of x.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* sizes, TensorInput(call, 2));
  if (sizes->dtype() != DType::kInt64 ||
      !sizes->shape().IsCompatibleWith(PartialShape{shape.rank()})) {
    return WithConstraint("C3", InvalidArgument("input 2: expected `int64[", shape.rank(),
                                                "]`, found `", call.inputs[2], "`"));
  }
  PartialShape out = PartialShape::OfRank(shape.rank());
  if (const Tensor* known = call.constant(2)) {
    out = PartialShape(known->elements<int64_t>());
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out.dims())));
  }
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

}  // namespace

OpDef MaxPool() {
  return Pool({
      .name = "max_pool",
      .summary = "Finds the largest element of each window",
      .description = Cat("Returns the largest element of each window. ", kWindowDescription,
                         " With `ceil_mode`, the last window may extend beyond the end if it "
                         "starts within the input or the padding before it. With `indices`, the op "
                         "also returns the position of the element in all of x, which is counted "
                         "column by column within a plane if `column_major` is set."),
      .attributes = {{"indices", AttributeOf(false)}, {"column_major", AttributeOf(false)}},
      .outputs = {"values", "indices?"},
      .result = "A tensor `[batch, channels, positions...]` of the dtype of x, and the int64 "
                "positions with `indices`.",
      .constraints = {"x has a float or integer dtype and a rank of 3 to 5.",
                      "`kernel` has one size per spatial dimension, and the window fits.",
                      "The result has at most 2^31 elements.",
                      "`indices` and `column_major` are bools."},
  });
}

OpDef AveragePool() {
  return Pool({
      .name = "average_pool",
      .summary = "Computes the mean of each window",
      .description = Cat("Returns the mean of the elements of each window that are within the "
                         "input, or within the input and its padding with `count_include_pad`. ",
                         kWindowDescription, " `ceil_mode` is as in `max_pool`."),
      .attributes = {{"count_include_pad", AttributeOf(false)}},
      .result = "A tensor `[batch, channels, positions...]` of the dtype of x.",
      .constraints = {"x has a float dtype and a rank of 3 to 5.",
                      "`kernel` has one size per spatial dimension, and the window fits.",
                      "The result has at most 2^31 elements.", "`count_include_pad` is a bool."},
  });
}

OpDef LpPool() {
  return Pool({
      .name = "lp_pool",
      .summary = "Computes the p-norm of each window",
      .description = Cat("Returns the p-norm of the elements of each window. ", kWindowDescription,
                         " `ceil_mode` is as in `max_pool`."),
      .attributes = {{"p", AttributeOf(2)}},
      .result = "A tensor `[batch, channels, positions...]` of the dtype of x.",
      .constraints = {"x has a float dtype and a rank of 3 to 5.",
                      "`kernel` has one size per spatial dimension, and the window fits.",
                      "The result has at most 2^31 elements.", "`p` is an integer of at least 1."},
  });
}

OpDef MaxUnpool() {
  return {
      .name = "max_unpool",
      .summary = "Writes elements to given positions of a tensor of zeros",
      .description =
          "Creates a tensor of the given shape. Its elements are 0, except for the elements of x, "
          "which are written to the positions in `indices`. It reverses `max_pool` with `indices`.",
      .inputs = {"x", "indices", "shape"},
      .result = "A tensor of the dtype of x with the given shape.",
      .constraints =
          {"x has a float or integer dtype and a rank of 3 to 5.",
           "The indices are int64 and have the shape of x.",
           "The shape is int64, with one size per dimension, and has at most 2^31 elements.",
           "The indices are within the result (OUT_OF_RANGE)."},
      .infer = InferMaxUnpool,
  };
}

}  // namespace signet
