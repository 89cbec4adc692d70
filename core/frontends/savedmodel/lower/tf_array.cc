// Operators on shapes: joining, splitting, selecting, and moving elements.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// Returns the last input, which is an axis, and the inputs before it.
StatusOr<int64_t> AxisAt(OpBuilder& build, const OpCall& call, TfInputs in, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, i));
  if (axes.size() == 1) return axes[0];
  return InvalidArgument("expected one axis, found ", axes.size());
}

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
  return CastTo(build, build.BroadcastSizes(AsInt64(build, in[0]), AsInt64(build, in[1])),
                DTypeAt(in, 0));
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

TfOutputs ExpandSplitV(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, AxisAt(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, FindInts(build, call, in, 1));
  auto rest = std::find(sizes.begin(), sizes.end(), -1);
  if (rest != sizes.end()) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
    SIGNET_ASSIGN_OR_RETURN(int at, NormalizeAxis(axis, rank));
    const int64_t size = KnownSize(in[0], at);
    if (size == kUnknownDim) return Unimplemented("unsupported rest of an unknown size");
    *rest = 0;
    int64_t sum = 0;
    for (int64_t part : sizes) sum += part;
    *rest = size - sum;
  }
  return build.Split(in[0], {.axis = axis, .sizes = sizes});
}

TfOutputs ExpandSlice(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const auto begin = KnownInts(build, in, 1);
  const auto size = KnownInts(build, in, 2);
  auto number = [&](const std::optional<std::vector<int64_t>>& known, size_t input,
                    int axis) -> Expr {
    if (known) return build.AsExpr(Int64Constant(build, known->at(static_cast<size_t>(axis))));
    return build.Gather(AsInt64(build, in[input]), Int64Constant(build, axis), {.axis = 0});
  };
  for (const auto* known : {&begin, &size}) {
    if (*known && (*known)->size() != static_cast<size_t>(rank)) {
      return InvalidArgument("expected one number per dimension of `", in[0].spec, "`");
    }
  }
  std::vector<Operand> starts;
  std::vector<Operand> limits;
  std::vector<int64_t> known_starts;
  std::vector<int64_t> known_limits;
  for (int axis = 0; axis < rank; ++axis) {
    Expr start = number(begin, 1, axis);
    Expr count = number(size, 2, axis);
    Expr whole = DimSize(build, in[0], axis);
    Expr limit = build.Select(build.Equal(count, -1), whole, build.Add(start, count));
    Expr fits = build.LogicalAnd(
        build.LogicalAnd(build.GreaterEqual(start, 0), build.LessEqual(limit, whole)),
        build.GreaterEqual(limit, start));
    SIGNET_RETURN_IF_ERROR(CheckCondition(
        build, fits, InvalidArgument("expected a slice within dimension ", axis, " of the input")));
    if (auto known = KnownInt(build, start)) known_starts.push_back(*known);
    if (auto known = KnownInt(build, limit)) known_limits.push_back(*known);
    starts.push_back(start);
    limits.push_back(limit);
  }
  if (rank == 0) return build.Identity(in[0]);
  const auto count = static_cast<size_t>(rank);
  if (known_starts.size() == count && known_limits.size() == count) {
    return build.Slice(in[0], {.starts = known_starts, .limits = known_limits});
  }
  return build.Slice(in[0], StackScalars(build, starts), StackScalars(build, limits));
}

TfOutputs ExpandPad(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const bool mirrors = call.op.name == "tf.MirrorPad";
  auto known = KnownInts(build, in, 1);
  if (!known) {
    if (mirrors) return Unimplemented("`paddings`: expected a constant");
    Expr pads = AsInt64(build, in[1]);
    auto column = [&](int64_t i) {
      return build.Gather(pads, Int64Constant(build, i), {.axis = 1});
    };
    Operand value = in.size() > 2 ? Operand(in[2]) : Operand(Zero(build, DTypeAt(in, 0)));
    return build.Pad(in[0], value, column(0), column(1));
  }
  if (known->size() != 2 * static_cast<size_t>(rank)) {
    return InvalidArgument("`paddings`: expected ", rank, " pairs, found ", known->size() / 2);
  }
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  for (size_t i = 0; i < known->size(); i += 2) {
    before.push_back((*known)[i]);
    after.push_back((*known)[i + 1]);
    if (before.back() < 0 || after.back() < 0) {
      return InvalidArgument("`paddings`: expected numbers of at least 0");
    }
  }
  if (!mirrors) {
    if (in.size() > 2) return build.Pad(in[0], in[2], {}, {}, {.before = before, .after = after});
    return build.Pad(in[0], {.before = before, .after = after});
  }
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  if (mode == "REFLECT") {
    return build.Pad(in[0], {.before = before, .after = after, .mode = "reflect"});
  }
  if (mode != "SYMMETRIC") {
    return InvalidArgument("`mode`: expected REFLECT or SYMMETRIC, found `", mode, "`");
  }
  // Repeats the edge, too: the first rows and the last rows are reversed and joined.
  Operand x = in[0];
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = static_cast<size_t>(axis);
    if (before[at] == 0 && after[at] == 0) continue;
    const int64_t size = KnownSize(x, axis);
    if (size != kUnknownDim && std::max(before[at], after[at]) > size) {
      return InvalidArgument("`paddings`: expected at most ", size, " for dimension ", axis);
    }
    std::vector<Operand> parts;
    const int64_t axes[] = {axis};
    if (before[at] > 0) {
      Expr first = build.Slice(x, {.starts = {0}, .limits = {before[at]}, .axes = axes});
      parts.push_back(build.Reverse(first, {.axes = axes}));
    }
    parts.push_back(x);
    if (after[at] > 0) {
      Expr last = build.Slice(x, {.starts = {-after[at]}, .limits = {INT64_MAX}, .axes = axes});
      parts.push_back(build.Reverse(last, {.axes = axes}));
    }
    x = build.Concat(Operands(parts), {.axis = axis});
  }
  return x;
}

// Rejects indices outside of dimension `axis` of `x`: those below 0 do not count from the end.
Status CheckIndices(OpBuilder& build, const GraphValue& x, const Operand& indices, int axis) {
  Expr size = CastTo(build, DimSize(build, x, axis), TensorDType(indices));
  Expr zero = Zero(build, TensorDType(indices));
  return CheckCondition(build,
                        build.ReduceAll(build.LogicalAnd(build.GreaterEqual(indices, zero),
                                                         build.Less(indices, size))),
                        OutOfRange("expected indices of at least 0 that are less than the size of "
                                   "dimension ",
                                   axis));
}

TfOutputs ExpandGather(OpBuilder& build, const OpCall& call, TfInputs in) {
  int64_t batch = 0;
  int64_t given = 0;
  if (call.attributes.Has("batch_dims")) {
    SIGNET_ASSIGN_OR_RETURN(batch, call.attributes.Int("batch_dims"));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int indices_rank, RankAt(in, 1));
  if (batch < 0) batch += indices_rank;
  if (batch < 0) return InvalidArgument("`batch_dims`: expected at least 0");
  given = batch;
  if (in.size() > 2) {
    SIGNET_ASSIGN_OR_RETURN(given, AxisAt(build, call, in, 2));
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
  SIGNET_RETURN_IF_ERROR(CheckIndices(build, in[0], in[1], axis));
  return build.Gather(in[0], in[1], {.axis = axis, .batch_dims = batch});
}

TfOutputs ExpandGatherNd(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr zero = Zero(build, DTypeAt(in, 1));
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(build.GreaterEqual(in[1], zero)),
                                        OutOfRange("expected indices of at least 0")));
  return build.GatherNd(in[0], in[1]);
}

TfOutputs ExpandOneHot(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(auto depth, FindInts(build, call, in, 1));
  if (depth.size() != 1) return InvalidArgument("`depth`: expected one number");
  Expr marks = build.OneHot(AsInt64(build, in[0]),
                            {.depth = depth[0], .axis = axis, .dtype = DType::kInt32});
  return build.Select(build.NotEqual(marks, Zero(build, DType::kInt32)), in[2], in[3]);
}

TfOutputs ExpandWhere(OpBuilder& build, const OpCall&, TfInputs in) {
  const DType dtype = DTypeAt(in, 0);
  if (dtype == DType::kBool) return build.WhereIndices(in[0]);
  return build.WhereIndices(build.NotEqual(in[0], Zero(build, dtype)));
}

TfOutputs ExpandSelect(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (call.op.name == "tf.SelectV2") return build.Select(in[0], in[1], in[2]);
  SIGNET_ASSIGN_OR_RETURN(int condition, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
  // A vector selects rows.
  if (condition == 1 && rank > 1) {
    return build.Select(WithTrailingOnes(build, in[0], rank - 1), in[1], in[2]);
  }
  return build.Select(in[0], in[1], in[2]);
}

TfOutputs ExpandTopK(OpBuilder& build, const OpCall& call, TfInputs in) {
  DType index = DType::kInt32;
  if (call.attributes.Has("index_type")) {
    SIGNET_ASSIGN_OR_RETURN(index, TfDType(call, "index_type"));
  }
  StatusOr<std::vector<GraphValue>> both = InvalidArgument("missing k");
  if (call.op.name == "tf.TopK") {
    SIGNET_ASSIGN_OR_RETURN(int64_t k, call.attributes.Int("k"));
    both = build.TopK(in[0], {.axis = -1, .k = k});
  } else if (auto k = KnownInts(build, in, 1)) {
    if (k->size() != 1) return InvalidArgument("`k`: expected one number");
    both = build.TopK(in[0], {.axis = -1, .k = (*k)[0]});
  } else {
    both = build.TopK(in[0], AsInt64(build, in[1]), {.axis = -1});
  }
  SIGNET_RETURN_IF_ERROR(both.status());
  SIGNET_ASSIGN_OR_RETURN((*both)[1], CastTo(build, (*both)[1], index));
  return both;
}

TfOutputs ExpandUnique(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType index, TfDType(call, "out_idx"));
  std::vector<int64_t> axes;
  if (in.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(axes, FindInts(build, call, in, 1));
  }
  if (axes.size() > 1) return InvalidArgument("`axis`: expected at most one axis");
  auto found = axes.empty() ? build.Unique(in[0], {.sorted = false})
                            : build.Unique(in[0], {.axis = axes[0], .sorted = false});
  SIGNET_RETURN_IF_ERROR(found.status());
  // The op returns the values, their first positions, the positions of elements, and counts.
  std::vector<GraphValue> out = {(*found)[0]};
  SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, (*found)[2], index));
  if (call.op.name.find("Counts") != std::string::npos) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, (*found)[3], index));
  }
  return out;
}

TfOutputs ExpandRange(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Range({in[0], in[1], in[2]});
}

TfOutputs ExpandLinSpace(OpBuilder& build, const OpCall&, TfInputs in) {
  const DType dtype = DTypeAt(in, 0);
  Expr count = AsInt64(build, in[2]);
  Expr steps = CastTo(build, build.Range({count}), dtype);
  Expr last = CastTo(build, build.Maximum(build.Sub(count, 1), 1), dtype);
  Expr delta = build.Div(build.Sub(in[1], in[0]), last);
  Expr points = build.Add(in[0], build.Mul(steps, delta));
  // The last point is exactly `stop`.
  Expr is_last = build.LogicalAnd(build.Equal(build.Range({count}), build.Sub(count, 1)),
                                  build.Greater(count, 1));
  return build.Select(is_last, in[1], points);
}

TfOutputs ExpandCumulative(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, AxisAt(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(bool exclusive, call.attributes.Bool("exclusive"));
  SIGNET_ASSIGN_OR_RETURN(bool reverse, call.attributes.Bool("reverse"));
  if (call.op.name == "tf.Cumsum") {
    return build.Cumsum(in[0], {.axis = axis, .exclusive = exclusive, .reverse = reverse});
  }
  return build.Cumprod(in[0], {.axis = axis, .exclusive = exclusive, .reverse = reverse});
}

TfOutputs ExpandReverse(OpBuilder& build, const OpCall& call, TfInputs in) {
  std::vector<int64_t> axes;
  if (call.op.name == "tf.ReverseV2") {
    SIGNET_ASSIGN_OR_RETURN(axes, FindInts(build, call, in, 1));
  } else {
    const Tensor* flags = build.LookupConstant(in[1].components[0]);
    if (flags == nullptr || flags->dtype() != DType::kBool) {
      return Unimplemented("`dims`: expected constant bools");
    }
    for (int64_t i = 0; i < flags->num_elements(); ++i) {
      if (flags->elements<bool>()[static_cast<size_t>(i)]) axes.push_back(i);
    }
  }
  if (axes.empty()) return build.Identity(in[0]);
  return build.Reverse(in[0], {.axes = axes});
}

TfOutputs ExpandReverseSequence(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t time, call.attributes.Int("seq_dim"));
  SIGNET_ASSIGN_OR_RETURN(int64_t batch, call.attributes.Int("batch_dim"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int time_axis, NormalizeAxis(time, rank));
  SIGNET_ASSIGN_OR_RETURN(int batch_axis, NormalizeAxis(batch, rank));
  if (time_axis == batch_axis) return InvalidArgument("`seq_dim` and `batch_dim` are equal");
  // Moves both dimensions to the front, and selects the steps of each row.
  std::vector<int64_t> perm = {batch_axis, time_axis};
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != batch_axis && axis != time_axis) perm.push_back(axis);
  }
  std::vector<int64_t> back(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  Expr rows = Permute(build, in[0], perm);
  Expr steps = build.ExpandDims(build.Range({DimSize(build, rows, 1)}), {.axis = 0});
  Expr lengths = build.ExpandDims(AsInt64(build, in[1]), {.axis = 1});
  Expr from = build.Select(build.Less(steps, lengths), build.Sub(build.Sub(lengths, 1), steps),
                           build.AsExpr(steps));
  return Permute(build, build.Gather(rows, from, {.axis = 1, .batch_dims = 1}), back);
}

TfOutputs ExpandRoll(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  Expr shifts = build.Reshape(AsInt64(build, in[1]), {.shape = {-1}});
  Operand x = in[0];
  for (size_t i = 0; i < axes.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axes[i], rank));
    Expr shift = build.Gather(shifts, Int64Constant(build, static_cast<int64_t>(i)), {.axis = 0});
    Expr size = DimSize(build, in[0], axis);
    Expr from = build.Mod(build.Sub(build.Range({size}), shift), build.Maximum(size, 1));
    x = build.Gather(x, from, {.axis = axis});
  }
  return x;
}

TfOutputs ExpandScatterNd(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr zeros = build.BroadcastTo(Zero(build, DTypeAt(in, 1)), AsInt64(build, in[2]));
  if (auto dims = KnownInts(build, in, 2)) {
    zeros = build.BroadcastTo(Zero(build, DTypeAt(in, 1)), {.shape = *dims});
  }
  return build.ScatterNd(zeros, AsInt64(build, in[0]), in[1], {.reduction = "add"});
}

TfOutputs ExpandTensorScatter(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  Expr indices = AsInt64(build, in[1]);
  if (name == "TensorScatterUpdate") return build.ScatterNd(in[0], indices, in[2]);
  if (name == "TensorScatterAdd") {
    return build.ScatterNd(in[0], indices, in[2], {.reduction = "add"});
  }
  if (name == "TensorScatterSub") {
    return build.ScatterNd(in[0], indices, build.Neg(in[2]), {.reduction = "add"});
  }
  return build.ScatterNd(in[0], indices, in[2],
                         {.reduction = name == "TensorScatterMin" ? "min" : "max"});
}

TfOutputs ExpandDynamicStitch(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in.size() < 2 || in.size() % 2 != 0) {
    return InvalidArgument("expected as many indices as values, found ", in.size(), " inputs");
  }
  const size_t count = in.size() / 2;
  std::vector<Operand> indices;
  std::vector<Operand> rows;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
    SIGNET_ASSIGN_OR_RETURN(int own, RankAt(in, count + i));
    if (own < rank) return InvalidArgument("expected data of at least the rank of its indices");
    indices.push_back(build.Reshape(AsInt64(build, in[i]), {.shape = {-1}}));
    std::vector<Operand> dims = {Operand(Int64Constant(build, -1))};
    for (int axis = rank; axis < own; ++axis) dims.push_back(DimSize(build, in[count + i], axis));
    rows.push_back(build.Reshape(in[count + i], StackScalars(build, dims)));
  }
  Expr all = count == 1 ? build.AsExpr(indices[0]) : build.Concat(Operands(indices), {.axis = 0});
  Expr values = count == 1 ? build.AsExpr(rows[0]) : build.Concat(Operands(rows), {.axis = 0});
  Expr size = build.Add(build.ReduceMax(build.Concat(
                            {all, build.Constant(Tensor::Of<int64_t>({1}, {-1}))}, {.axis = 0})),
                        1);
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(values));
  std::vector<Operand> dims = {size};
  for (int axis = 1; axis < rank; ++axis) dims.push_back(DimSize(build, values, axis));
  Expr zeros = build.BroadcastTo(Zero(build, TensorDType(values)), StackScalars(build, dims));
  return build.ScatterNd(zeros, build.ExpandDims(all, {.axis = 1}), values);
}

TfOutputs ExpandDynamicPartition(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("num_partitions"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(in, 0));
  if (own < rank || count < 1 || count > 4096) {
    return InvalidArgument("expected 1 to 4096 partitions of data of at least the same rank");
  }
  std::vector<Operand> dims = {Operand(Int64Constant(build, -1))};
  for (int axis = rank; axis < own; ++axis) dims.push_back(DimSize(build, in[0], axis));
  Expr rows = build.Reshape(in[0], StackScalars(build, dims));
  Expr partitions = build.Reshape(AsInt64(build, in[1]), {.shape = {-1}});
  std::vector<GraphValue> out;
  for (int64_t i = 0; i < count; ++i) {
    SIGNET_ASSIGN_OR_RETURN(
        out.emplace_back(),
        build.BooleanMask(rows, build.Equal(partitions, Int64Constant(build, i))));
  }
  return out;
}

// --- StridedSlice -------------------------------------------------------------------------------

// What a StridedSlice does with one dimension, or a new one.
struct SliceKey {
  enum class Kind : uint8_t { kWhole, kNew, kElement, kRange };
  Kind kind = Kind::kWhole;
  size_t entry = 0;  // of begin, end, and strides
  bool has_begin = false;
  bool has_end = false;
};

StatusOr<std::vector<SliceKey>> SliceKeysOf(const OpCall& call, size_t entries, int rank) {
  auto mask = [&](const char* name) -> StatusOr<uint64_t> {
    SIGNET_ASSIGN_OR_RETURN(int64_t bits, call.attributes.Int(name));
    return static_cast<uint64_t>(bits);
  };
  SIGNET_ASSIGN_OR_RETURN(uint64_t begin, mask("begin_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t end, mask("end_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t ellipsis, mask("ellipsis_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t new_axis, mask("new_axis_mask"));
  SIGNET_ASSIGN_OR_RETURN(uint64_t shrink, mask("shrink_axis_mask"));
  if (entries > 32) return InvalidArgument("expected at most 32 entries, found ", entries);
  auto has = [](uint64_t bits, size_t i) { return ((bits >> i) & 1) != 0; };
  int consumed = 0;
  int ellipses = 0;
  for (size_t i = 0; i < entries; ++i) {
    if (has(ellipsis, i)) {
      ++ellipses;
    } else if (!has(new_axis, i)) {
      ++consumed;
    }
  }
  if (ellipses > 1) return InvalidArgument("expected at most one ellipsis, found ", ellipses);
  if (consumed > rank) {
    return InvalidArgument("expected at most ", rank, " entries for dimensions, found ", consumed);
  }
  std::vector<SliceKey> keys;
  for (size_t i = 0; i < entries; ++i) {
    if (has(ellipsis, i)) {
      for (int k = consumed; k < rank; ++k) keys.push_back({});
    } else if (has(new_axis, i)) {
      keys.push_back({.kind = SliceKey::Kind::kNew});
    } else if (has(shrink, i)) {
      keys.push_back({.kind = SliceKey::Kind::kElement, .entry = i});
    } else {
      keys.push_back({.kind = SliceKey::Kind::kRange,
                      .entry = i,
                      .has_begin = !has(begin, i),
                      .has_end = !has(end, i)});
    }
  }
  return keys;
}

TfOutputs ExpandStridedSlice(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(auto steps, FindInts(build, call, in, 3));
  SIGNET_ASSIGN_OR_RETURN(auto keys, SliceKeysOf(call, steps.size(), rank));
  const auto begin = KnownInts(build, in, 1);
  const auto end = KnownInts(build, in, 2);
  for (const auto* known : {&begin, &end}) {
    if (*known && (*known)->size() != steps.size()) {
      return InvalidArgument("expected as many bounds as strides");
    }
  }
  for (const SliceKey& key : keys) {
    if (key.kind == SliceKey::Kind::kElement && steps[key.entry] <= 0) {
      return InvalidArgument("expected a positive stride for one element");
    }
    if (key.kind == SliceKey::Kind::kRange && steps[key.entry] == 0) {
      return InvalidArgument("expected a stride other than 0");
    }
  }
  auto number = [&](const std::optional<std::vector<int64_t>>& known, size_t input, size_t entry) {
    if (known) return build.AsExpr(Int64Constant(build, (*known)[entry]));
    return build.Gather(AsInt64(build, in[input]),
                        Int64Constant(build, static_cast<int64_t>(entry)), {.axis = 0});
  };
  // One slice for all ranges, then one element per shrunk dimension.
  std::vector<Operand> starts;
  std::vector<Operand> limits;
  std::vector<int64_t> known_starts;
  std::vector<int64_t> known_limits;
  std::vector<int64_t> axes;
  std::vector<int64_t> strides;
  int axis = 0;
  for (const SliceKey& key : keys) {
    if (key.kind == SliceKey::Kind::kNew) continue;
    if (key.kind == SliceKey::Kind::kRange &&
        (key.has_begin || key.has_end || steps[key.entry] != 1)) {
      const bool is_forward = steps[key.entry] > 0;
      Expr start = key.has_begin ? number(begin, 1, key.entry)
                                 : build.AsExpr(Int64Constant(build, is_forward ? 0 : INT64_MAX));
      Expr limit = key.has_end
                       ? number(end, 2, key.entry)
                       : build.AsExpr(Int64Constant(build, is_forward ? INT64_MAX : INT64_MIN));
      if (auto known = KnownInt(build, start)) known_starts.push_back(*known);
      if (auto known = KnownInt(build, limit)) known_limits.push_back(*known);
      starts.push_back(start);
      limits.push_back(limit);
      axes.push_back(axis);
      strides.push_back(steps[key.entry]);
    }
    ++axis;
  }
  Operand x = in[0];
  if (!axes.empty()) {
    const bool is_known = known_starts.size() == axes.size() && known_limits.size() == axes.size();
    x = is_known
            ? build.Slice(
                  x,
                  {.starts = known_starts, .limits = known_limits, .steps = strides, .axes = axes})
            : build.Slice(x, StackScalars(build, starts), StackScalars(build, limits),
                          Ints(build, axes), Ints(build, strides));
  }
  axis = 0;
  for (const SliceKey& key : keys) {
    switch (key.kind) {
      case SliceKey::Kind::kNew:
        x = build.ExpandDims(x, {.axis = axis++});
        break;
      case SliceKey::Kind::kElement: {
        // An index below 0 counts from the end; one outside is an error.
        Expr size = DimSize(build, x, axis);
        Expr at = number(begin, 1, key.entry);
        Expr from_start = build.Select(build.Less(at, 0), build.Add(at, size), at);
        if (begin) {
          const int64_t known_size = KnownSize(x, axis);
          const int64_t index = (*begin)[key.entry];
          if (known_size != kUnknownDim && (index >= known_size || index < -known_size)) {
            return OutOfRange("index ", index, " of dimension ", axis, " of size ", known_size);
          }
        }
        x = build.Gather(x, from_start, {.axis = axis});
        break;
      }
      default:
        ++axis;
    }
  }
  if (axes.empty() && keys.empty()) return build.Identity(x);
  return x;
}

// --- linear algebra -----------------------------------------------------------------------------

TfOutputs ExpandMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("transpose_b"));
  return build.Matmul(in[0], in[1], {.transpose_a = a, .transpose_b = b});
}

TfOutputs ExpandBatchMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("adj_x"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("adj_y"));
  Operand x = in[0];
  Operand y = in[1];
  if (IsComplex(DTypeAt(in, 0))) {
    auto conjugate = [&](const Operand& value) {
      const ComplexParts parts = ComplexPartsOf(build, value);
      return ComplexOf(build, {parts.real, build.Neg(parts.imaginary)});
    };
    if (a) x = conjugate(x);
    if (b) y = conjugate(y);
  }
  Expr out = build.Matmul(x, y, {.transpose_a = a, .transpose_b = b});
  if (call.attributes.Has("Tout") && !IsNone(call.attributes, "Tout")) {
    SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "Tout"));
    return CastTo(build, out, dtype);
  }
  return out;
}

TfOutputs ExpandEinsum(OpBuilder& build, const OpCall& call, TfInputs in) {
  return build.Call("onnx.Einsum", in,
                    Attributes({{"equation", call.attributes.Lookup("equation")}}));
}

// True where column - row is between -lower and upper; a number below 0 means no bound.
Expr BandMask(OpBuilder& build, const Operand& x, int rank, const Operand& lower,
              const Operand& upper) {
  Expr rows = build.ExpandDims(build.Range({DimSize(build, x, rank - 2)}), {.axis = 1});
  Expr columns = build.Range({DimSize(build, x, rank - 1)});
  Expr below = build.Sub(rows, columns);
  Expr above = build.Sub(columns, rows);
  auto within = [&](const Expr& distance, const Operand& bound) {
    return build.LogicalOr(build.Less(bound, 0), build.LessEqual(distance, bound));
  };
  return build.LogicalAnd(within(below, lower), within(above, upper));
}

TfOutputs ExpandMatrixBandPart(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  Expr mask = BandMask(build, in[0], rank, AsInt64(build, in[1]), AsInt64(build, in[2]));
  return build.Select(mask, in[0], Zero(build, DTypeAt(in, 0)));
}

// The main diagonal: MatrixDiag and MatrixDiagPart, and their later versions with k = 0.
Status CheckMainDiagonal(OpBuilder& build, const OpCall& call, TfInputs in, size_t i) {
  if (in.size() <= i) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(auto k, FindInts(build, call, in, i));
  for (int64_t diagonal : k) {
    if (diagonal != 0) return Unimplemented("unsupported diagonal ", diagonal, "; supported: 0");
  }
  return absl::OkStatus();
}

TfOutputs ExpandMatrixDiag(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckMainDiagonal(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 1) return InvalidArgument("expected rank 1 or more, found `", in[0].spec, "`");
  Expr size = DimSize(build, in[0], rank - 1);
  Expr rows = build.ExpandDims(build.Range({size}), {.axis = 1});
  Expr mask = build.Equal(rows, build.Range({size}));
  return build.Select(mask, build.ExpandDims(in[0], {.axis = -1}), Zero(build, DTypeAt(in, 0)));
}

TfOutputs ExpandMatrixDiagPart(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckMainDiagonal(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  Expr rows = DimSize(build, in[0], rank - 2);
  Expr columns = DimSize(build, in[0], rank - 1);
  Expr at = build.Range({build.Minimum(rows, columns)});
  Expr flat = build.Flatten(in[0], {.first = rank - 2, .last = rank - 1});
  return build.Gather(flat, build.Mul(at, build.Add(columns, 1)), {.axis = rank - 2});
}

TfOutputs ExpandMatrixSetDiag(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckMainDiagonal(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  Expr rows = DimSize(build, in[0], rank - 2);
  Expr columns = DimSize(build, in[0], rank - 1);
  Expr row = build.ExpandDims(build.Range({rows}), {.axis = 1});
  Expr mask = build.Equal(row, build.Range({columns}));
  // Each row of the matrix has one element of the diagonal, or none.
  Expr last = build.Sub(build.Maximum(build.Minimum(rows, columns), 1), 1);
  Expr at = build.Minimum(build.Range({rows}), last);
  Expr values = build.ExpandDims(build.Gather(in[1], at, {.axis = rank - 2}), {.axis = -1});
  return build.Select(mask, values, in[0]);
}

// --- blocks -------------------------------------------------------------------------------------

TfOutputs ExpandSpaceToDepth(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("block_size"));
  SIGNET_ASSIGN_OR_RETURN(std::string format, call.attributes.String("data_format"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 4 || block < 1 || block > 4096) {
    return InvalidArgument("expected rank 4 and a block of 1 to 4096, found `", in[0].spec, "`");
  }
  if (format != "NHWC" && format != "NCHW") {
    return Unimplemented("unsupported data_format `", format, "`; supported: NCHW, NHWC");
  }
  const bool is_last = format == "NHWC";
  const bool to_depth = call.op.name == "tf.SpaceToDepth";
  Expr x = is_last ? build.AsExpr(in[0]) : build.Transpose(in[0], {.perm = {0, 2, 3, 1}});
  Expr n = DimSize(build, x, 0);
  Expr h = DimSize(build, x, 1);
  Expr w = DimSize(build, x, 2);
  Expr c = DimSize(build, x, 3);
  GraphValue b = Int64Constant(build, block);
  Expr out = x;
  if (to_depth) {
    Expr rows = build.Floordiv(h, b);
    Expr columns = build.Floordiv(w, b);
    Expr blocks = ReshapeTo(build, x, {n, rows, b, columns, b, c});
    Expr moved = build.Transpose(blocks, {.perm = {0, 1, 3, 2, 4, 5}});
    out = ReshapeTo(build, moved, {n, rows, columns, build.Mul(c, block * block)});
  } else {
    Expr depth = build.Floordiv(c, block * block);
    Expr blocks = ReshapeTo(build, x, {n, h, w, b, b, depth});
    Expr moved = build.Transpose(blocks, {.perm = {0, 1, 3, 2, 4, 5}});
    out = ReshapeTo(build, moved, {n, build.Mul(h, b), build.Mul(w, b), depth});
  }
  if (is_last) return out;
  return build.Transpose(out, {.perm = {0, 3, 1, 2}});
}

TfOutputs ExpandSpaceToBatch(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool to_batch = call.op.name == "tf.SpaceToBatchND";
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(auto block, FindInts(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(auto pads, FindInts(build, call, in, 2));
  const auto m = static_cast<int>(block.size());
  if (m + 1 > rank || pads.size() != 2 * block.size()) {
    return InvalidArgument("expected blocks for at most ", rank - 1, " dimensions, and pairs");
  }
  int64_t product = 1;
  for (int64_t size : block) {
    if (size < 1 || size > (1 << 20)) return InvalidArgument("expected blocks of at least 1");
    product *= size;
    if (product > (int64_t{1} << 40)) return InvalidArgument("the blocks are too large");
  }
  auto size_at = [&](const Operand& x, int axis) { return DimSize(build, x, axis); };
  if (to_batch) {
    std::vector<int64_t> before(static_cast<size_t>(rank), 0);
    std::vector<int64_t> after(static_cast<size_t>(rank), 0);
    for (int i = 0; i < m; ++i) {
      before[static_cast<size_t>(i) + 1] = pads[static_cast<size_t>(2 * i)];
      after[static_cast<size_t>(i) + 1] = pads[static_cast<size_t>(2 * i) + 1];
    }
    Expr x = build.Pad(in[0], {.before = before, .after = after});
    std::vector<Operand> dims = {size_at(x, 0)};
    std::vector<int64_t> perm;
    std::vector<Operand> joined = {build.Mul(size_at(x, 0), product)};
    for (int i = 0; i < m; ++i) {
      GraphValue b = Int64Constant(build, block[static_cast<size_t>(i)]);
      Expr parts = build.Floordiv(size_at(x, i + 1), b);
      dims.push_back(parts);
      dims.push_back(b);
      joined.push_back(parts);
      perm.push_back(2 * i + 2);
    }
    perm.push_back(0);
    for (int i = 0; i < m; ++i) perm.push_back(2 * i + 1);
    for (int axis = m + 1; axis < rank; ++axis) {
      perm.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(size_at(x, axis));
      joined.push_back(size_at(x, axis));
    }
    Expr moved = build.Transpose(ReshapeTo(build, x, Operands(dims)), {.perm = perm});
    return ReshapeTo(build, moved, Operands(joined));
  }
  Expr batch = build.Floordiv(size_at(in[0], 0), product);
  std::vector<Operand> dims;
  for (int64_t size : block) dims.push_back(Operand(Int64Constant(build, size)));
  dims.push_back(batch);
  for (int axis = 1; axis < rank; ++axis) dims.push_back(size_at(in[0], axis));
  std::vector<int64_t> perm = {m};
  std::vector<Operand> joined = {batch};
  for (int i = 0; i < m; ++i) {
    perm.push_back(m + 1 + i);
    perm.push_back(i);
    joined.push_back(build.Mul(size_at(in[0], i + 1), block[static_cast<size_t>(i)]));
  }
  for (int axis = m + 1; axis < rank; ++axis) {
    perm.push_back(m + axis);
    joined.push_back(size_at(in[0], axis));
  }
  Expr moved = build.Transpose(ReshapeTo(build, in[0], Operands(dims)), {.perm = perm});
  Expr whole = ReshapeTo(build, moved, Operands(joined));
  std::vector<Operand> starts;
  std::vector<Operand> limits;
  std::vector<int64_t> axes;
  for (int i = 0; i < m; ++i) {
    axes.push_back(i + 1);
    starts.push_back(Operand(Int64Constant(build, pads[static_cast<size_t>(2 * i)])));
    limits.push_back(build.Sub(size_at(whole, i + 1), pads[static_cast<size_t>(2 * i) + 1]));
  }
  return build.Slice(whole, StackScalars(build, starts), StackScalars(build, limits),
                     Ints(build, axes));
}

}  // namespace

std::vector<OpDef> TfArrayOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const AttributeDef out_type = {"out_type", AttributeOf(DType::kInt32)};
  const AttributeDef out_idx = {"out_idx", AttributeOf(DType::kInt32)};
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
  add("Slice", "Selects a range of each dimension", {"input", "begin", "size"}, {}, ExpandSlice);
  add("StridedSlice", "Indexes a value as Python does", {"input", "begin", "end", "strides"},
      {{"begin_mask", AttributeOf(0)},
       {"end_mask", AttributeOf(0)},
       {"ellipsis_mask", AttributeOf(0)},
       {"new_axis_mask", AttributeOf(0)},
       {"shrink_axis_mask", AttributeOf(0)}},
      ExpandStridedSlice);
  add("Pad", "Adds zeros around a value", {"input", "paddings"}, {}, ExpandPad);
  add("PadV2", "Adds elements around a value", {"input", "paddings", "constant_values"}, {},
      ExpandPad);
  add("MirrorPad", "Mirrors a value at its edges", {"input", "paddings"}, {{"mode"}}, ExpandPad);
  add("GatherV2", "Selects slices by index", {"params", "indices", "axis"},
      {{"batch_dims", AttributeOf(0)}}, ExpandGather);
  add("Gather", "Selects rows by index", {"params", "indices"}, {}, ExpandGather);
  add("ResourceGather", "Selects rows of a variable by index", {"params", "indices"},
      {{"batch_dims", AttributeOf(0)}}, ExpandGather);
  add("GatherNd", "Selects elements or slices by vectors of indices", {"params", "indices"}, {},
      ExpandGatherNd);
  add("OneHot", "Marks the position of each index", {"indices", "depth", "on_value", "off_value"},
      {{"axis", AttributeOf(-1)}}, ExpandOneHot);
  add("Where", "Returns the coordinates of elements that are not zero", {"input"}, {}, ExpandWhere);
  add("Select", "Chooses between two values", {"condition", "t", "e"}, {}, ExpandSelect);
  add("SelectV2", "Chooses between two values", {"condition", "t", "e"}, {}, ExpandSelect);
  add("TopKV2", "Finds the largest elements", {"input", "k"},
      {{"sorted", AttributeOf(true)}, {"index_type", AttributeOf(DType::kInt32)}}, ExpandTopK);
  add("TopK", "Finds the largest elements", {"input"}, {{"k"}, {"sorted", AttributeOf(true)}},
      ExpandTopK);
  add("Unique", "Finds the distinct elements", {"x"}, {out_idx}, ExpandUnique);
  add("UniqueV2", "Finds the distinct slices", {"x", "axis"}, {out_idx}, ExpandUnique);
  add("UniqueWithCounts", "Finds and counts the distinct elements", {"x"}, {out_idx}, ExpandUnique);
  add("UniqueWithCountsV2", "Finds and counts the distinct slices", {"x", "axis"}, {out_idx},
      ExpandUnique);
  add("Range", "Creates evenly spaced numbers", {"start", "limit", "delta"}, {}, ExpandRange);
  add("LinSpace", "Creates evenly spaced numbers", {"start", "stop", "num"}, {}, ExpandLinSpace);
  for (const char* name : {"Cumsum", "Cumprod"}) {
    add(name, "Accumulates along an axis", {"x", "axis"},
        {{"exclusive", AttributeOf(false)}, {"reverse", AttributeOf(false)}}, ExpandCumulative);
  }
  add("ReverseV2", "Reverses along axes", {"tensor", "axis"}, {}, ExpandReverse);
  add("Reverse", "Reverses along axes", {"tensor", "dims"}, {}, ExpandReverse);
  add("ReverseSequence", "Reverses the beginning of each row", {"input", "seq_lengths"},
      {{"seq_dim"}, {"batch_dim", AttributeOf(0)}}, ExpandReverseSequence);
  add("Roll", "Moves elements along axes in a circle", {"input", "shift", "axis"}, {}, ExpandRoll);
  add("ScatterNd", "Adds up updates in a tensor of zeros", {"indices", "updates", "shape"}, {},
      ExpandScatterNd);
  for (const char* name : {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
                           "TensorScatterMin", "TensorScatterMax"}) {
    add(name, "Changes elements by index", {"tensor", "indices", "updates"}, {},
        ExpandTensorScatter);
  }
  add("DynamicStitch", "Places rows at positions", {"indices_and_data..."}, {},
      ExpandDynamicStitch);
  add("ParallelDynamicStitch", "Places rows at positions", {"indices_and_data..."}, {},
      ExpandDynamicStitch);
  add("DynamicPartition", "Divides rows among partitions", {"data", "partitions"},
      {{"num_partitions"}}, ExpandDynamicPartition);
  const std::vector<AttributeDef> transposes = {{"transpose_a", AttributeOf(false)},
                                                {"transpose_b", AttributeOf(false)}};
  add("MatMul", "Multiplies matrices", {"a", "b"}, transposes, ExpandMatMul);
  add("SparseMatMul", "Multiplies matrices", {"a", "b"}, transposes, ExpandMatMul);
  const std::vector<AttributeDef> adjoints = {{"adj_x", AttributeOf(false)},
                                              {"adj_y", AttributeOf(false)}};
  add("BatchMatMul", "Multiplies matrices", {"x", "y"}, adjoints, ExpandBatchMatMul);
  add("BatchMatMulV2", "Multiplies matrices", {"x", "y"}, adjoints, ExpandBatchMatMul);
  std::vector<AttributeDef> with_type = adjoints;
  with_type.push_back({"Tout", NoneAttribute()});
  add("BatchMatMulV3", "Multiplies matrices", {"x", "y"}, with_type, ExpandBatchMatMul);
  add("Einsum", "Sums products as an equation says", {"inputs..."}, {{"equation"}}, ExpandEinsum);
  add("MatrixBandPart", "Keeps the diagonals near the main one",
      {"input", "num_lower", "num_upper"}, {}, ExpandMatrixBandPart);
  add("MatrixDiag", "Creates diagonal matrices", {"diagonal"}, {}, ExpandMatrixDiag);
  add("MatrixDiagPart", "Returns main diagonals", {"input"}, {}, ExpandMatrixDiagPart);
  add("MatrixDiagPartV2", "Returns main diagonals", {"input", "k", "padding_value"}, {},
      ExpandMatrixDiagPart);
  add("MatrixDiagPartV3", "Returns main diagonals", {"input", "k", "padding_value"}, {},
      ExpandMatrixDiagPart);
  add("MatrixSetDiag", "Replaces main diagonals", {"input", "diagonal"}, {}, ExpandMatrixSetDiag);
  add("MatrixSetDiagV2", "Replaces main diagonals", {"input", "diagonal", "k"}, {},
      ExpandMatrixSetDiag);
  add("MatrixSetDiagV3", "Replaces main diagonals", {"input", "diagonal", "k"}, {},
      ExpandMatrixSetDiag);
  for (const char* name : {"SpaceToDepth", "DepthToSpace"}) {
    add(name, "Moves blocks of an image between space and channels", {"input"},
        {{"block_size"}, {"data_format", AttributeOf("NHWC")}}, ExpandSpaceToDepth);
  }
  add("SpaceToBatchND", "Moves blocks to the batch", {"input", "block_shape", "paddings"}, {},
      ExpandSpaceToBatch);
  add("BatchToSpaceND", "Moves blocks from the batch", {"input", "block_shape", "crops"}, {},
      ExpandSpaceToBatch);
  return ops;
}

}  // namespace signet
