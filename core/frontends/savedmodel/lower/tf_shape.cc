// Operators on shapes: changing, joining, splitting, and repeating.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

TfOutputs ExpandShape(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  std::vector<GraphValue> out;
  for (const GraphValue& x : in) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), build.Shape(x, {.dtype = dtype}));
  }
  return out;
}

TfOutputs ExpandSize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  return build.Size(in[0], {.dtype = dtype});
}

TfOutputs ExpandRank(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Rank(in[0], {.dtype = DType::kInt32});
}

TfOutputs ExpandReshape(OpBuilder& build, const OpCall&, TfInputs in) {
  if (auto dims = KnownInts(build, in, 1)) return build.Reshape(in[0], {.shape = *dims});
  return build.Reshape(in[0], AsInt64(build, in[1]));
}

TfOutputs ExpandExpandDims(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, AxisAt(build, call, in, 1));
  return build.ExpandDims(in[0], {.axis = axis});
}

TfOutputs ExpandSqueeze(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, call.attributes.Ints("squeeze_dims"));
  if (axes.empty()) return build.Squeeze(in[0]);
  return build.Squeeze(in[0], {.axes = axes});
}

TfOutputs ExpandTranspose(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto perm, FindInts(build, call, in, 1));
  Expr out = Permute(build, in[0], perm);
  if (call.op.name != "tf.ConjugateTranspose" || !IsComplex(DTypeAt(in, 0))) return out;
  const ComplexParts parts = ComplexPartsOf(build, out);
  return ComplexOf(build, {parts.real, build.Neg(parts.imaginary)});
}

TfOutputs ExpandInvertPermutation(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr positions = CastTo(build, build.Range({DimSize(build, in[0], 0)}), DTypeAt(in, 0));
  return build.ScatterNd(build.ZerosLike(in[0]),
                         build.ExpandDims(AsInt64(build, in[0]), {.axis = 1}), positions);
}

TfOutputs ExpandBroadcastTo(OpBuilder& build, const OpCall&, TfInputs in) {
  if (auto dims = KnownInts(build, in, 1)) return build.BroadcastTo(in[0], {.shape = *dims});
  return build.BroadcastTo(in[0], AsInt64(build, in[1]));
}

TfOutputs ExpandBroadcastArgs(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr length = build.Maximum(DimSize(build, in[0], 0), DimSize(build, in[1], 0));
  // The shorter shape has leading dimensions of size 1.
  auto whole = [&](const GraphValue& shape) {
    Expr missing = build.Reshape(build.Sub(length, DimSize(build, shape, 0)), {.shape = {1}});
    Expr ones = build.BroadcastTo(Int64Constant(build, 1), missing);
    return build.Concat({ones, AsInt64(build, shape)}, {.axis = 0});
  };
  Expr x = whole(in[0]);
  Expr y = whole(in[1]);
  Expr fits =
      build.LogicalOr(build.Equal(x, y), build.LogicalOr(build.Equal(x, 1), build.Equal(y, 1)));
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(fits),
                                        InvalidArgument("expected shapes that broadcast")));
  return CastTo(build, build.Select(build.Equal(x, 1), y, x), DTypeAt(in, 0));
}

TfOutputs ExpandTile(OpBuilder& build, const OpCall&, TfInputs in) {
  if (auto multiples = KnownInts(build, in, 1)) {
    return build.Tile(in[0], {.multiples = *multiples});
  }
  return build.Tile(in[0], AsInt64(build, in[1]));
}

TfOutputs ExpandFill(OpBuilder& build, const OpCall&, TfInputs in) {
  if (auto dims = KnownInts(build, in, 0)) return build.Fill(in[1], {.shape = *dims});
  return build.Fill(in[1], AsInt64(build, in[0]));
}

TfOutputs ExpandConcat(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool axis_is_first = call.op.name == "tf.Concat";
  if (in.size() < 2) return InvalidArgument("expected at least 2 inputs, found ", in.size());
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, AxisAt(build, call, in, axis_is_first ? 0 : in.size() - 1));
  TfInputs values = axis_is_first ? in.subspan(1) : in.first(in.size() - 1);
  return build.Concat(Operands(values), {.axis = axis});
}

TfOutputs ExpandPack(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  return build.Stack(Operands(in), {.axis = axis});
}

TfOutputs ExpandUnpack(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int64_t num, call.attributes.Int("num"));
  return build.Unstack(in[0], {.axis = axis, .num = num});
}

TfOutputs ExpandSplit(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, AxisAt(build, call, in, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t num, call.attributes.Int("num_split"));
  return build.Split(in[1], {.axis = axis, .num = num});
}

// Cuts parts of sizes that are known only at a call. The part at `rest` has the size that is left.
TfOutputs SplitByInput(OpBuilder& build, const GraphValue& x, const GraphValue& sizes, int axis,
                       const std::optional<std::vector<int64_t>>& known) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* spec, TensorAt({&sizes, 1}, 0));
  const int64_t count =
      spec->shape().has_rank() && spec->shape().rank() == 1 ? spec->shape().dim(0) : kUnknownDim;
  if (count == kUnknownDim) return Unimplemented("`size_splits`: expected a known number of parts");
  if (count > 4096) return InvalidArgument("`size_splits`: expected at most 4096 parts");
  Expr whole = DimSize(build, x, axis);
  Expr given = AsInt64(build, sizes);
  Expr rest = build.Sub(whole, build.ReduceSum(build.Maximum(given, 0)));
  Expr is_rest = build.Less(given, 0);
  Expr all = build.Select(is_rest, rest, given);
  Expr limits = build.Cumsum(all, {.axis = 0});
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.LogicalAnd(build.Equal(build.ReduceSum(all), whole), build.GreaterEqual(rest, 0)),
      InvalidArgument("`size_splits`: expected sizes whose sum is the size of dimension ", axis)));
  Expr axes = build.AsExpr(Ints(build, std::vector<int64_t>{axis}));
  std::vector<GraphValue> out;
  for (int64_t i = 0; i < count; ++i) {
    Expr at = build.AsExpr(Ints(build, std::vector<int64_t>{i}));
    Expr limit = build.Gather(limits, at, {.axis = 0});
    if (known && (*known)[static_cast<size_t>(i)] >= 0) {
      // The size of this part is known, so the type of the result states it.
      Expr start = build.Sub(limit, build.Gather(all, at, {.axis = 0}));
      GraphValue size = Int64Constant(build, (*known)[static_cast<size_t>(i)]);
      Expr places = build.Add(build.Range({size}), start);
      SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), build.Gather(x, places, {.axis = axis}));
      continue;
    }
    Expr start = build.Sub(limit, build.Gather(all, at, {.axis = 0}));
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), build.Slice(x, start, limit, axes));
  }
  return out;
}

TfOutputs ExpandSplitV(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, AxisAt(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
  auto sizes = KnownInts(build, in, 1);
  if (!sizes) return SplitByInput(build, in[0], in[1], axis, sizes);
  auto rest = std::find(sizes->begin(), sizes->end(), -1);
  if (rest != sizes->end()) {
    const int64_t size = KnownSize(in[0], axis);
    if (size == kUnknownDim) return SplitByInput(build, in[0], in[1], axis, sizes);
    *rest = 0;
    int64_t sum = 0;
    for (int64_t part : *sizes) sum += part;
    *rest = size - sum;
  }
  return build.Split(in[0], {.axis = axis, .sizes = *sizes});
}

}  // namespace

std::vector<OpDef> TfShapeOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const AttributeDef out_type = {"out_type", AttributeOf(DType::kInt32)};
  add("Shape", "Returns the sizes of the dimensions", {"input"}, {out_type}, ExpandShape);

  add("ShapeN", "Returns the sizes of the dimensions of tensors", {"input..."}, {out_type},
      ExpandShape);

  add("Size", "Returns the number of elements", {"input"}, {out_type}, ExpandSize);

  add("Rank", "Returns the number of dimensions", {"input"}, {}, ExpandRank);

  add("Reshape", "Changes the shape", {"tensor", "shape"}, {}, ExpandReshape);

  add("ExpandDims", "Adds a dimension of size 1", {"input", "dim"}, {}, ExpandExpandDims);

  add("Squeeze", "Removes dimensions of size 1", {"input"}, {{"squeeze_dims", ListType({})}},
      ExpandSqueeze);

  add("Transpose", "Permutes the dimensions", {"x", "perm"}, {}, ExpandTranspose);

  add("ConjugateTranspose", "Permutes the dimensions and conjugates", {"x", "perm"}, {},
      ExpandTranspose);

  add("InvertPermutation", "Inverts a permutation", {"x"}, {}, ExpandInvertPermutation);

  add("BroadcastTo", "Repeats a value until it has a shape", {"input", "shape"}, {},
      ExpandBroadcastTo);

  add("BroadcastArgs", "Computes the shape to which two shapes broadcast", {"s0", "s1"}, {},
      ExpandBroadcastArgs);

  add("Tile", "Repeats a value along its dimensions", {"input", "multiples"}, {}, ExpandTile);

  add("Fill", "Creates a tensor with one value", {"dims", "value"}, {}, ExpandFill);

  add("ConcatV2", "Joins values along an axis", {"values_and_axis..."}, {}, ExpandConcat);

  add("Concat", "Joins values along an axis", {"concat_dim_and_values..."}, {}, ExpandConcat);

  add("Pack", "Joins values along a new axis", {"values..."}, {{"axis", AttributeOf(0)}},
      ExpandPack);

  add("Unpack", "Splits a value into its elements along an axis", {"value"},
      {{"num"}, {"axis", AttributeOf(0)}}, ExpandUnpack);

  add("Split", "Cuts a value into equal parts", {"split_dim", "value"}, {{"num_split"}},
      ExpandSplit);

  add("SplitV", "Cuts a value into parts", {"value", "size_splits", "split_dim"}, {}, ExpandSplitV);

  return ops;
}

}  // namespace signet
