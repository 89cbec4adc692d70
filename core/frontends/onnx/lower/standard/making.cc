// Operators that make tensors of little: Range, ConstantOfShape, EyeLike, OneHot, Trilu.

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/formula.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Values> ExpandRange(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* start, TensorAt(inputs, 0));
  Formula f(build);
  // There is no range of int16, nor of halves, which are those of float32 rounded.
  DType dtype = start->dtype();
  if (dtype == DType::kInt16) dtype = DType::kInt32;
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) dtype = DType::kFloat32;
  Values bounds;
  for (size_t i = 0; i < 3; ++i) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
    bounds.push_back(f.Cast(f.Reshape(inputs[i], {}), dtype));
  }
  return f.Give(f.Cast(f("range", {bounds[0], bounds[1], bounds[2]}), start->dtype()));
}

StatusOr<Values> ExpandConstantOfShape(OpBuilder& build, const OpCall&,
                                       std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Formula f(build);
  GraphValue value =
      IsGiven(inputs, 1) ? f.Reshape(inputs[1], {}) : build.Constant(Tensor::Scalar(0.0f));
  if (auto dims = KnownInts(build, inputs, 0)) {
    return f.Give(f("broadcast_to", {value}, ListOf("shape", *dims)));
  }
  return f.Give(f("broadcast_to", {value, inputs[0]}));
}

// bool[rows, columns]: how the column compares with the row and `k` together.
GraphValue CompareColumns(Formula& f, std::string_view how, const GraphValue& rows,
                          const GraphValue& columns, const GraphValue& k) {
  GraphValue diagonal = f("add", {f.Reshape(f.Range(rows), {-1, 1}), k});
  return f(how, {f.Reshape(f.Range(columns), {1, -1}), diagonal});
}

StatusOr<Values> ExpandEyeLike(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  if (rank != 2) return InvalidArgument("input 0 is `", inputs[0].spec, "`; takes rank 2");
  SIGNET_ASSIGN_OR_RETURN(int64_t k, call.attributes.Int("k"));
  SIGNET_ASSIGN_OR_RETURN(auto number, call.attributes.OptionalInt("dtype"));
  DType dtype = inputs[0].spec.As<TensorSpec>()->dtype();
  if (number) {
    SIGNET_ASSIGN_OR_RETURN(dtype, OnnxDTypeAttribute(*number, "dtype"));
  }
  Formula f(build);
  GraphValue ones =
      CompareColumns(f, "equal", f.Size(inputs[0], 0), f.Size(inputs[0], 1), f.Int(k));
  return f.Give(f.Cast(ones, dtype));
}

StatusOr<Values> ExpandTrilu(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  if (rank < 2) {
    return InvalidArgument("input 0 is `", inputs[0].spec, "`; takes a rank of at least 2");
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t upper, call.attributes.Int("upper"));
  Formula f(build);
  GraphValue k = f.Int(0);
  if (IsGiven(inputs, 1)) k = f.Cast(f.Reshape(inputs[1], {}), DType::kInt64);
  GraphValue stays = CompareColumns(f, upper != 0 ? "greater_equal" : "less_equal",
                                    f.Size(inputs[0], rank - 2), f.Size(inputs[0], rank - 1), k);
  GraphValue zero = f.Zero(inputs[0].spec.As<TensorSpec>()->dtype());
  return f.Give(f("select", {stays, inputs[0], zero}));
}

// Indices and depth may be of any dtype of numbers; values are those that are off and on.
StatusOr<Values> ExpandOneHot(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank + 1));
  Formula f(build);
  GraphValue depth = f.Cast(f.Reshape(inputs[1], {}), DType::kInt64);
  GraphValue indices = f.FromStart(f.Cast(inputs[0], DType::kInt64), depth);
  GraphValue is_on;
  if (auto known = f.KnownInt(depth)) {
    is_on = f("one_hot", {indices},
              Attributes({{"depth", AttributeOf(*known)},
                          {"axis", AttributeOf(axis)},
                          {"dtype", AttributeOf(DType::kBool)}}));
  } else {
    std::vector<int64_t> behind(static_cast<size_t>(rank - axis + 1), 1);
    behind[0] = -1;
    GraphValue places = f.Reshape(f.Range(depth), behind);
    is_on = f("equal",
              {f("expand_dims", {indices}, Attributes({{"axis", AttributeOf(axis)}})), places});
  }
  GraphValue values = f.Reshape(inputs[2], {2});
  GraphValue off = f.Gather(values, f.Int(0), 0);
  GraphValue on = f.Gather(values, f.Int(1), 0);
  return f.Give(f("select", {is_on, on, off}));
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
