// zeros_like, ones_like: create zeros or ones in the shape of another value.

#include "core/ops/build/flat_values.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

// Returns `dtype`, or the dtype of the input if `dtype` is not given. C2: it is a numeric dtype or
// bool.
StatusOr<DType> FilledDType(const OpCall& call, DType own) {
  DType dtype = own;
  if (!IsNone(call.attributes, "dtype")) {
    SIGNET_ASSIGN_OR_RETURN(dtype, WithConstraint("C2", call.attributes.DTypeNamed("dtype")));
  }
  if (dtype != DType::kString) return dtype;
  return WithConstraint(
      "C2", InvalidArgument(call.op.name, ": expected a numeric dtype or bool, found string"));
}

StatusOr<std::vector<TypeSpec>> InferFilledLike(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, FilledDType(call, x->dtype()));
  return OneOutput(TensorType(dtype, x->shape()));
}

// Returns a tensor of the dense shape.
StatusOr<std::vector<GraphValue>> FillDenseShape(OpBuilder& build, const OpCall& call,
                                                 const GraphValue& x) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, FilledDType(call, x.spec.As<SparseSpec>()->dtype()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape, build.Shape(x));
  GraphValue one = build.Constant(Tensor::Scalar(false));
  SIGNET_ASSIGN_OR_RETURN(GraphValue each, build.Fill(one, shape));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue made,
      build.CallOne(call.op.name, {each}, Attributes({{"dtype", AttributeOf(dtype)}})));
  return std::vector<GraphValue>{std::move(made)};
}

// Returns one number per structure, independent of its fields.
StatusOr<std::vector<GraphValue>> ExpandFilledLike(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  const GraphValue& x = inputs[0];
  if (x.spec && x.spec.is(TypeKind::kSparse)) return FillDenseShape(build, call, x);
  if (!x.spec || !x.spec.is(TypeKind::kStructured)) {
    return ExpandOnFlatValues(build, call, inputs);
  }
  SIGNET_ASSIGN_OR_RETURN(DType dtype, FilledDType(call, DType::kFloat32));
  Attributes of_dtype({{"dtype", AttributeOf(dtype)}});
  GraphValue one = build.Constant(Tensor::Scalar(false));
  const int rank = x.spec.shape()->rank();
  GraphValue made;
  if (rank == 0) {
    SIGNET_ASSIGN_OR_RETURN(made, build.CallOne(call.op.name, {one}, of_dtype));
    return std::vector<GraphValue>{std::move(made)};
  }
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, x, rank));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue each,
      build.Fill(one, build.ExpandDims(CountAt(build, opened.rows, rank - 1), {.axis = 0})));
  SIGNET_ASSIGN_OR_RETURN(each, build.CallOne(call.op.name, {each}, of_dtype));
  SIGNET_ASSIGN_OR_RETURN(made, CloseRows(build, opened.rows, each));
  return std::vector<GraphValue>{std::move(made)};
}

// Adds the parts of the definition that both ops share.
OpDef FilledLike(OpDef op) {
  op.inputs = {"x"};
  op.attributes = {{"dtype", NoneAttribute()}};
  op.infer = InferFilledLike;
  op.expand = ExpandFilledLike;
  return op;
}

}  // namespace

OpDef ZerosLike() {
  return FilledLike({
      .name = "zeros_like",
      .summary = "Creates zeros in the shape of a value",
      .description =
          "Creates zeros, or False, in the shape of x. The dtype is that of x, or `dtype`.",
      .result = "A tensor of the shape of x; a ragged value if x is ragged.",
      .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.",
                      "The dtype is a numeric dtype or bool."},
      .composites =
          "For a structure, the result has one element per structure, independent of its fields: "
          "float32 if `dtype` is not given, and ragged if the structure has more than one "
          "dimension. For a sparse value, the result is a tensor of the dense shape.",
  });
}

OpDef OnesLike() {
  return FilledLike({
      .name = "ones_like",
      .summary = "Creates ones in the shape of a value",
      .description =
          "Creates ones, or True, in the shape of x. The dtype is that of x, or `dtype`.",
      .result = "A tensor of the shape of x; a ragged value if x is ragged.",
      .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.",
                      "The dtype is a numeric dtype or bool."},
      .composites =
          "For a structure, the result has one element per structure, independent of its fields: "
          "float32 if `dtype` is not given, and ragged if the structure has more than one "
          "dimension. For a sparse value, the result is a tensor of the dense shape.",
  });
}

}  // namespace signet
