// Operators that make tensors: Range, ConstantOfShape, EyeLike, OneHot, Trilu.

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Values> ExpandRange(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* start, TensorAt(inputs, 0));
  // `range` does not support int16 or half-width floats, which are rounded from float32.
  DType dtype = start->dtype();
  if (dtype == DType::kInt16) dtype = DType::kInt32;
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) dtype = DType::kFloat32;
  std::vector<Operand> bounds;
  for (size_t i = 0; i < 3; ++i) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
    bounds.push_back(CastTo(build, build.Reshape(inputs[i], {.shape = {}}), dtype));
  }
  return CastTo(build, build.Range({bounds[0], bounds[1], bounds[2]}), start->dtype());
}

StatusOr<Values> ExpandConstantOfShape(OpBuilder& build, const OpCall&,
                                       std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Operand value = build.Constant(Tensor::Scalar(0.0f));
  if (IsGiven(inputs, 1)) value = build.Reshape(inputs[1], {.shape = {}});
  if (auto dims = KnownInts(build, inputs, 0)) {
    return build.BroadcastTo(value, {.shape = *dims});
  }
  return build.BroadcastTo(value, inputs[0]);
}

// Returns bool[rows, columns]: the comparison of the column with the row plus `k`.
StatusOr<GraphValue> CompareColumns(OpBuilder& build, std::string_view how, const Operand& rows,
                                    const Operand& columns, const Operand& k) {
  Expr diagonal = build.Reshape(build.Range({rows}), {.shape = {-1, 1}}) + k;
  return build.CallOne(how, {build.Reshape(build.Range({columns}), {.shape = {1, -1}}), diagonal});
}

StatusOr<Values> ExpandEyeLike(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  if (rank != 2) return InvalidArgument("input 0: expected rank 2, found `", inputs[0].spec, "`");
  SIGNET_ASSIGN_OR_RETURN(int64_t k, call.attributes.Int("k"));
  SIGNET_ASSIGN_OR_RETURN(auto number, call.attributes.OptionalInt("dtype"));
  DType dtype = inputs[0].spec.As<TensorSpec>()->dtype();
  if (number) {
    SIGNET_ASSIGN_OR_RETURN(dtype, OnnxDTypeAttribute(*number, "dtype"));
  }
  Operand ones = CompareColumns(build, "equal", DimSize(build, inputs[0], 0),
                                DimSize(build, inputs[0], 1), Int64Constant(build, k));
  return CastTo(build, ones, dtype);
}

StatusOr<Values> ExpandTrilu(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  if (rank < 2) {
    return InvalidArgument("input 0: expected a rank of at least 2, found `", inputs[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t upper, call.attributes.Int("upper"));
  Operand k = Int64Constant(build, 0);
  if (IsGiven(inputs, 1)) k = CastTo(build, build.Reshape(inputs[1], {.shape = {}}), DType::kInt64);
  Operand stays =
      CompareColumns(build, upper != 0 ? "greater_equal" : "less_equal",
                     DimSize(build, inputs[0], rank - 2), DimSize(build, inputs[0], rank - 1), k);
  Expr zero = Zero(build, inputs[0].spec.As<TensorSpec>()->dtype());
  return build.Select(stays, inputs[0], zero);
}

// Indices and depth may have any numeric dtype. `values` contains the off value and the on value.
StatusOr<Values> ExpandOneHot(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank + 1));
  Expr depth = CastTo(build, build.Reshape(inputs[1], {.shape = {}}), DType::kInt64);
  Expr indices = FromStart(build, CastTo(build, inputs[0], DType::kInt64), depth);
  Operand is_on;
  if (auto known = KnownInt(build, depth)) {
    is_on = build.OneHot(indices, {.depth = *known, .axis = axis, .dtype = DType::kBool});
  } else {
    std::vector<int64_t> behind(static_cast<size_t>(rank - axis + 1), 1);
    behind[0] = -1;
    Expr places = build.Reshape(build.Range({depth}), {.shape = behind});
    is_on = build.Equal(build.ExpandDims(indices, {.axis = axis}), places);
  }
  Expr values = build.Reshape(inputs[2], {.shape = {2}});
  Expr off = build.Gather(values, Int64Constant(build, 0), {.axis = 0});
  Expr on = build.Gather(values, Int64Constant(build, 1), {.axis = 0});
  return build.Select(is_on, on, off);
}

}  // namespace

std::vector<OpDef> OnnxMakingOps() {
  return {
      OnnxOp("onnx.Range", "Counts from a start to a limit", {"start", "limit", "delta"},
             {{"stash_type", AttributeOf(1)}}, ExpandRange),
      OnnxOp("onnx.ConstantOfShape", "Makes a tensor of one value", {"input", "value?"}, {},
             ExpandConstantOfShape),
      OnnxOp("onnx.EyeLike", "Makes a diagonal of ones", {"input"},
             {{"dtype", NoneAttribute()}, {"k", AttributeOf(0)}}, ExpandEyeLike),
      OnnxOp("onnx.Trilu", "Keeps what is above or below a diagonal", {"input", "k?"},
             {{"upper", AttributeOf(1)}}, ExpandTrilu),
      OnnxOp("onnx.OneHot", "Adds a dimension that is on where the index says",
             {"indices", "depth", "values"}, {{"axis", AttributeOf(-1)}}, ExpandOneHot),
  };
}

}  // namespace signet
