// shape, size, rank, dim_size, dim_sizes: return the sizes of a value.
// A size that the type states is a constant without a cost at run time. The internal ops
// dynamic_shape and dynamic_size read the other sizes at run time.

#include <limits>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;

// Returns `count` in the dtype that the call requests. C3: the dtype is int32 or int64 and can hold
// the numbers.
StatusOr<GraphValue> CastCount(OpBuilder& build, const OpCall& call, StatusOr<GraphValue> count) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C3", call.attributes.DTypeNamed("dtype")));
  if (!IsIndexDType(dtype)) {
    return WithConstraint("C3",
                          InvalidArgument("dtype: expected int32 or int64, found ", NameOf(dtype)));
  }
  if (!count.ok() || dtype == DType::kInt64) return count;
  if (const Tensor* known = build.LookupConstant(count->components[0])) {
    for (int64_t number : IntsOf(*known)) {
      if (number <= std::numeric_limits<int32_t>::max()) continue;
      return WithConstraint("C3",
                            OutOfRange(number, " exceeds the range of int32; use dtype int64"));
    }
  }
  return build.Cast(*count, {.dtype = dtype});
}
Outputs OneCount(OpBuilder& build, const OpCall& call, StatusOr<GraphValue> count) {
  return OneOutput(CastCount(build, call, std::move(count)));
}

// Returns the shape of the input. C1: the input is a value with a shape.
StatusOr<PartialShape> ShapeOf(const OpCall& call) {
  const PartialShape* shape = call.inputs[0] ? call.inputs[0].shape() : nullptr;
  if (shape != nullptr) return *shape;
  return WithConstraint(
      "C1",
      InvalidArgument(
          "input 0: expected a tensor, a ragged value, a sparse value, or a structure, found `",
          call.inputs[0] ? call.inputs[0].ToString() : "None", "`"));
}

// Returns the dense shape of a sparse value, which is one of its components.
GraphValue DenseShapeOf(const GraphValue& sparse) { return ComponentOf(sparse, 2); }

Outputs ExpandRank(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  if (shape.has_rank()) return OneCount(build, call, Int64Constant(build, shape.rank()));
  return OneCount(build, call, build.DynamicSize(build.DynamicShape(inputs[0])));
}

Outputs ExpandShape(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  if (shape.IsFullyDefined()) {
    return OneCount(build, call, build.Constant(Tensor::Of<int64_t>({shape.rank()}, shape.dims())));
  }
  if (inputs[0].spec.is(TypeKind::kSparse)) {
    return OneCount(build, call, DenseShapeOf(inputs[0]));
  }
  // C2: there is no ragged dimension, because its size is not one number.
  if (!inputs[0].spec.is(TypeKind::kTensor)) {
    return WithConstraint("C2",
                          InvalidArgument("input 0: expected a tensor, found `", call.inputs[0],
                                          "`; use `dim_sizes` for values with ragged dimensions"));
  }
  return OneCount(build, call, build.DynamicShape(inputs[0]));
}

Outputs ExpandDimSize(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, WithConstraint("C2", call.attributes.Int("axis")));
  bool tensor = inputs[0].spec.is(TypeKind::kTensor);
  if (!shape.has_rank() && tensor) {
    return OneOutput(build.CallOne("dynamic_size", {inputs[0]}, call.attributes));
  }
  // C2: `axis` is a dimension that is not ragged.
  SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, shape.rank())));
  if (shape.dim(axis) != kUnknownDim) return OneOutput(Int64Constant(build, shape.dim(axis)));
  if (tensor) {
    return OneOutput(build.DynamicSize(inputs[0], {.axis = axis}));
  }
  if (inputs[0].spec.is(TypeKind::kSparse)) {
    return OneOutput(build.Gather(DenseShapeOf(inputs[0]), Int64Constant(build, axis)));
  }
  if (axis == 0) return build.Call("struct_nrows", inputs, {});
  const auto* ragged = inputs[0].spec.As<RaggedSpec>();
  if (ragged == nullptr || axis <= ragged->ragged_rank()) {
    return WithConstraint(
        "C2", InvalidArgument("axis ", axis, ": expected a dimension that is not ragged, found `",
                              call.inputs[0], "`; use `row_lengths`"));
  }
  return OneOutput(DimSize(build, ComponentOf(inputs[0], 0), axis - ragged->ragged_rank()));
}

Outputs ExpandSize(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  if (auto count = shape.num_elements()) {
    return OneCount(build, call, Int64Constant(build, *count));
  }
  if (inputs[0].spec.is(TypeKind::kSparse)) {
    return OneCount(build, call, build.ReduceProd(DenseShapeOf(inputs[0])));
  }
  const auto* structured = inputs[0].spec.As<StructuredSpec>();
  if (structured == nullptr) {
    return OneCount(build, call, build.DynamicSize(ComponentOf(inputs[0], 0)));
  }
  if (structured->rank() == 1) return OneCount(build, call, ComponentOf(inputs[0], 0));
  GraphValue inner = ComponentOf(inputs[0], static_cast<size_t>(structured->rank() - 1));
  return OneCount(build, call, build.NumValues(inner));
}

Outputs ExpandDimSizes(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  if (!shape.has_rank()) {
    return WithConstraint("C1", Unimplemented("input 0: expected a value of known rank, found `",
                                              call.inputs[0], "`"));
  }
  std::vector<GraphValue> sizes;
  std::vector<TypeSpec> types;
  Opened opened;
  if (shape.rank() > 0) {
    SIGNET_ASSIGN_OR_RETURN(opened, OpenRows(build, inputs[0], shape.rank()));
  }
  for (const RowDim& dim : opened.rows.dims) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size,
                            CastCount(build, call,
                                      dim.is_uniform() ? StatusOr<GraphValue>(dim.length)
                                                       : build.RowLengths(dim.splits)));
    types.push_back(size.spec);
    sizes.push_back(std::move(size));
  }
  return std::vector<GraphValue>{Joined(TupleType(std::move(types)), sizes)};
}

StatusOr<std::vector<TypeSpec>> InferDynamicShape(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  int64_t rank = x->shape().has_rank() ? x->shape().rank() : kUnknownDim;
  return OneOutput(TensorType(DType::kInt64, {rank}));
}

StatusOr<std::vector<TypeSpec>> InferDynamicSize(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(auto axis, WithConstraint("C2", call.attributes.OptionalInt("axis")));
  if (axis && x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", NormalizeAxis(*axis, x->shape().rank()).status()));
  }
  return OneOutput(TensorType(DType::kInt64, Shape{}));
}

}  // namespace

std::vector<OpDef> SizeOps() {
  return {
      {.name = "rank",
       .summary = "Returns the number of dimensions",
       .description =
           "Returns the number of dimensions of x. It is a constant if the type of x states it.",
       .inputs = {"x"},
       .attributes = {{"dtype", AttributeOf(DType::kInt64)}},
       .result = "A scalar of `dtype`.",
       .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.", "",
                       "`dtype` is int64 or int32, and can hold the number (OUT_OF_RANGE)."},
       .composites = "A structure has its own dimensions, without those of its fields. A sparse "
                     "value has those of its dense shape.",
       .expand = ExpandRank},
      {.name = "shape",
       .summary = "Returns the sizes of the dimensions",
       .description = "Returns the size of each dimension. It is a constant if the type of x "
                      "states the sizes.",
       .inputs = {"x"},
       .attributes = {{"dtype", AttributeOf(DType::kInt64)}},
       .result = "A vector of `dtype`.",
       .constraints = {"The input is a tensor or a sparse value.",
                       "The input has no ragged dimensions.",
                       "`dtype` is int64 or int32, and can hold the sizes (OUT_OF_RANGE)."},
       .composites = "On a sparse value, the op returns the dense shape.",
       .expand = ExpandShape},
      {.name = "dim_sizes",
       .summary = "Returns the size or the row lengths of each dimension",
       .description = "Returns a tuple with one entry per dimension: its size, or the vector of "
                      "its row lengths if the dimension is ragged.",
       .inputs = {"x"},
       .attributes = {{"dtype", AttributeOf(DType::kInt64)}},
       .result = "A tuple of integers of `dtype`.",
       .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.", "",
                       "`dtype` is int64 or int32, and can hold the sizes (OUT_OF_RANGE)."},
       .composites = "A structure has its own dimensions, without those of its fields.",
       .expand = ExpandDimSizes},
      {.name = "dim_size",
       .summary = "Returns the size of a dimension",
       .description =
           "Returns the size of dimension `axis`. It is a constant if the type of x states it.",
       .inputs = {"x"},
       .attributes = {{"axis"}},
       .result = "`int64[]`.",
       .constraints =
           {"The input is a tensor, a ragged value, a sparse value, or a structure.",
            "`axis` is a dimension that is not ragged. For a ragged dimension, use `row_lengths`."},
       .composites =
           "A structure has its own dimensions. A sparse value has those of its dense shape.",
       .expand = ExpandDimSize},
      {.name = "size",
       .summary = "Returns the number of elements",
       .description = "Returns the number of elements of x, or the number of structures. It is a "
                      "constant if the type of x states it.",
       .inputs = {"x"},
       .attributes = {{"dtype", AttributeOf(DType::kInt64)}},
       .result = "A scalar of `dtype`.",
       .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.", "",
                       "`dtype` is int64 or int32, and can hold the number (OUT_OF_RANGE)."},
       .composites = "A sparse value has the elements of its dense shape.",
       .expand = ExpandSize},
      {
          .name = "dynamic_shape",
          .summary = "Returns the sizes of the dimensions at run time",
          .inputs = {"x"},

          .infer = InferDynamicShape,
          .internal = true,
      },
      {
          .name = "dynamic_size",
          .summary = "Returns the number of elements of some dimensions at run time",
          .inputs = {"x"},
          .attributes = {{"axis", NoneAttribute()}},

          .infer = InferDynamicSize,
          .internal = true,
      },
  };
}

}  // namespace signet
