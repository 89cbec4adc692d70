// Operators that create ranges of numbers, accumulate, or reorder elements along axes.

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

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
  if (call.op.name == "tf.CumulativeLogsumexp") {
    // The logarithm of an empty sum is the lowest finite number.
    Expr sums = build.CumulativeLogsumexp(
        in[0], {.axis = axis, .exclusive = exclusive, .reverse = reverse});
    SIGNET_ASSIGN_OR_RETURN(GraphValue lowest, ExtremeNumber(build, DTypeAt(in, 0), true));
    return build.Maximum(sums, lowest);
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
      return Unimplemented("`dims`: expected a constant, found bools that are not known");
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
  add("Range", "Creates evenly spaced numbers", {"start", "limit", "delta"}, {}, ExpandRange);

  add("LinSpace", "Creates evenly spaced numbers", {"start", "stop", "num"}, {}, ExpandLinSpace);

  for (const char* name : {"Cumsum", "Cumprod", "CumulativeLogsumexp"}) {
    add(name, "Accumulates along an axis", {"x", "axis"},
        {{"exclusive", AttributeOf(false)}, {"reverse", AttributeOf(false)}}, ExpandCumulative);
  }

  add("ReverseV2", "Reverses along axes", {"tensor", "axis"}, {}, ExpandReverse);

  add("Reverse", "Reverses along axes", {"tensor", "dims"}, {}, ExpandReverse);

  add("ReverseSequence", "Reverses the beginning of each row", {"input", "seq_lengths"},
      {{"seq_dim"}, {"batch_dim", AttributeOf(0)}}, ExpandReverseSequence);

  add("Roll", "Moves elements along axes in a circle", {"input", "shift", "axis"}, {}, ExpandRoll);

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
