// Operators that run recurrent cells for one step or for all steps.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// Returns part `i` of `count` equal parts of the last dimension.
Expr PartOf(OpBuilder& build, const Expr& x, int64_t i, int64_t size) {
  return build.Slice(x, {.starts = {i * size}, .limits = {(i + 1) * size}, .axes = {-1}});
}

// The number of units, which is the size of the last dimension of input `i`.
StatusOr<int64_t> HiddenSize(TfInputs in, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
  if (rank < 1) return InvalidArgument("input ", i, ": expected a state, found a scalar");
  const int64_t size = KnownSize(in[i], rank - 1);
  constexpr int64_t kMostUnits = int64_t{1} << 24;
  if (size > kMostUnits) {
    return ResourceExhausted("input ", i, ": expected at most ", kMostUnits, " units, found `",
                             in[i].spec, "`");
  }
  if (size != kUnknownDim) return size;
  return Unimplemented("input ", i, ": expected a known number of units, found `", in[i].spec, "`");
}

// Checks that `x` has `wanted`, a shape.
Status CheckShape(const OpCall& call, TfInputs in, size_t i, const PartialShape& wanted) {
  if (in[i].spec.shape()->IsCompatibleWith(wanted)) return absl::OkStatus();
  return InvalidArgument("`", call.op.inputs[i], "`: expected the shape `", wanted, "`, found `",
                         in[i].spec, "`");
}

TfOutputs ExpandGruCell(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t hidden, HiddenSize(in, 1));
  SIGNET_RETURN_IF_ERROR(CheckShape(call, in, 0, PartialShape::OfRank(2)));
  SIGNET_RETURN_IF_ERROR(CheckShape(call, in, 1, PartialShape::OfRank(2)));
  SIGNET_RETURN_IF_ERROR(CheckShape(call, in, 2, PartialShape{kUnknownDim, 2 * hidden}));
  SIGNET_RETURN_IF_ERROR(CheckShape(call, in, 3, PartialShape{kUnknownDim, hidden}));
  SIGNET_RETURN_IF_ERROR(CheckShape(call, in, 4, PartialShape{2 * hidden}));
  SIGNET_RETURN_IF_ERROR(CheckShape(call, in, 5, PartialShape{hidden}));
  Expr h = build.AsExpr(in[1]);
  Expr gates =
      build.Sigmoid(build.Add(build.Matmul(build.Concat({in[0], h}, {.axis = 1}), in[2]), in[4]));
  Expr r = PartOf(build, gates, 0, hidden);
  Expr u = PartOf(build, gates, 1, hidden);
  Expr kept = build.Concat({in[0], build.Mul(h, r)}, {.axis = 1});
  Expr c = build.Tanh(build.Add(build.Matmul(kept, in[3]), in[5]));
  Expr rest = build.Sub(build.OnesLike(u), u);
  return AllOf({r, u, c, build.Add(build.Mul(rest, c), build.Mul(u, h))});
}

// The inputs of LSTMBlockCell, or of BlockLSTM after the number of steps.
enum LstmInput : size_t { kX, kCell, kHidden, kWeights, kPeepI, kPeepF, kPeepO, kBias };

// LSTMBlockCell, BlockLSTM, and BlockLSTMV2. One step is a sequence of length 1.
TfOutputs ExpandLstm(OpBuilder& build, const OpCall& call, TfInputs all) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  const bool is_cell = name == "LSTMBlockCell";
  const size_t first = is_cell ? 0 : 1;
  const TfInputs in = all.subspan(first);
  SIGNET_ASSIGN_OR_RETURN(int64_t hidden, HiddenSize(in, kHidden));
  SIGNET_ASSIGN_OR_RETURN(double clip, call.attributes.Float("cell_clip"));
  SIGNET_ASSIGN_OR_RETURN(bool has_peepholes, call.attributes.Bool("use_peephole"));
  auto check = [&](size_t i, const PartialShape& wanted) {
    return CheckShape(call, all, first + i, wanted);
  };
  SIGNET_RETURN_IF_ERROR(RankAt(in, kX).status());
  SIGNET_RETURN_IF_ERROR(check(kX, PartialShape::OfRank(is_cell ? 2 : 3)));
  SIGNET_RETURN_IF_ERROR(check(kCell, PartialShape{kUnknownDim, hidden}));
  SIGNET_RETURN_IF_ERROR(check(kHidden, PartialShape{kUnknownDim, hidden}));
  SIGNET_RETURN_IF_ERROR(check(kWeights, PartialShape{kUnknownDim, 4 * hidden}));
  SIGNET_RETURN_IF_ERROR(check(kBias, PartialShape{4 * hidden}));
  const DType dtype = DTypeAt(in, kX);
  const DType wide = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  auto input = [&](size_t i) { return CastTo(build, in[i], wide); };
  Expr weights = input(kWeights);
  Expr bias = input(kBias);
  if (name == "BlockLSTMV2") {
    // The order of its gates is i, f, c, o.
    auto ordered = [&](const Expr& x) {
      return build.Concat({PartOf(build, x, 0, hidden), PartOf(build, x, 2, hidden),
                           PartOf(build, x, 1, hidden), PartOf(build, x, 3, hidden)},
                          {.axis = -1});
    };
    weights = ordered(weights);
    bias = ordered(bias);
  } else {
    SIGNET_ASSIGN_OR_RETURN(double forget, call.attributes.Float("forget_bias"));
    Expr gate = build.Floordiv(build.Range({Int64Constant(build, 4 * hidden)}),
                               Int64Constant(build, std::max<int64_t>(hidden, 1)));
    Expr added =
        build.Select(build.Equal(gate, 2), Number(build, forget, wide), Number(build, 0, wide));
    bias = build.Add(bias, added);
  }
  // The weights have one row per input, followed by one row per element of the hidden state.
  Expr inputs = DimSize(build, in[kX], is_cell ? 1 : 2);
  Expr rows = DimSize(build, in[kWeights], 0);
  const Status error = InvalidArgument(
      "`w`: expected one row per element of the inputs and of "
      "the state");
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, build.Equal(rows, build.Add(inputs, Int64Constant(build, hidden))), error));
  auto vector_of = [&](const Expr& x) { return build.Reshape(x, {.shape = {1}}); };
  Expr start = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr of_x = build.Slice(weights, start, vector_of(inputs), start);
  Expr of_h = build.Slice(weights, vector_of(inputs), vector_of(rows), start);
  Expr gates = build.Add(build.Matmul(input(kX), of_x), bias);
  if (is_cell) gates = build.ExpandDims(gates, {.axis = 0});
  Operand peepholes;
  if (has_peepholes) {
    for (size_t i : {kPeepI, kPeepF, kPeepO})
      SIGNET_RETURN_IF_ERROR(check(i, PartialShape{hidden}));
    peepholes = build.Stack({input(kPeepI), input(kPeepF), input(kPeepO)}, {.axis = 0});
  }
  Operand length;
  if (!is_cell) length = AsScalar(build, AsInt64(build, all[0]));
  auto steps = build.LstmSteps(gates, of_h, input(kHidden), input(kCell), peepholes, length,
                               {.cell_clip = clip});
  SIGNET_RETURN_IF_ERROR(steps.status());
  std::vector<Operand> out;
  for (const GraphValue& step : *steps) {
    Expr made = is_cell ? build.Squeeze(step, {.axes = {0}}) : build.AsExpr(step);
    out.push_back(CastTo(build, made, dtype));
  }
  return AllOf(Operands(out));
}

// CTCGreedyDecoder(inputs, sequence_length): the best class of each step, without blanks, and with
// `merge_repeated` without repetitions, as a sparse value.
TfOutputs ExpandGreedyDecoder(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool merges, call.attributes.Bool("merge_repeated"));
  SIGNET_ASSIGN_OR_RETURN(int64_t blank, call.attributes.Int("blank_index"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 3) {
    return InvalidArgument("`inputs`: expected steps of rows of classes, found `", in[0].spec, "`");
  }
  Expr steps = build.Transpose(in[0], {.perm = {1, 0, 2}});
  Expr lengths = build.ExpandDims(AsInt64(build, in[1]), {.axis = 1});
  Expr num_steps = DimSize(build, steps, 1);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.LessEqual(lengths, num_steps)),
                     InvalidArgument("`sequence_length`: expected at most the number of steps")));
  Expr is_step = build.Less(build.Range({num_steps}), lengths);
  Expr best = AsInt64(build, build.Argmax(steps, {.axis = 2}));
  Expr highest = build.ReduceMax(steps, {.axes = {2}});
  Expr none = build.AsExpr(Int64Constant(build, blank));
  if (blank < 0) none = build.Add(DimSize(build, steps, 2), blank);
  Expr keep = build.LogicalAnd(is_step, build.NotEqual(best, none));
  if (merges) {
    Expr first = build.Sub(build.ZerosLike(lengths), 1);
    Expr before = build.Slice(build.Concat({first, best}, {.axis = 1}),
                              {.starts = {0}, .limits = {-1}, .axes = {1}});
    keep = build.LogicalAnd(keep, build.NotEqual(best, before));
  }
  auto kept = [&](const Operand& x) {
    const int64_t shape[] = {-1};
    return build.BooleanMask(build.Reshape(x, {.shape = shape}),
                             build.Reshape(keep, {.shape = shape}));
  };
  Expr counts = AsInt64(build, keep);
  Expr row = build.Gather(build.WhereIndices(keep), Int64Constant(build, 0), {.axis = 1});
  Expr column = kept(build.Cumsum(counts, {.axis = 1, .exclusive = true}));
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr longest =
      build.ReduceMax(build.Concat({build.ReduceSum(counts, {.axes = {1}}), zero}, {.axis = 0}));
  Expr score = build.ReduceSum(build.Select(is_step, highest, build.ZerosLike(highest)),
                               {.axes = {1}, .keepdims = true});
  return AllOf({build.Stack({row, column}, {.axis = 1}), kept(best),
                build.Stack({DimSize(build, steps, 0), longest}), build.Neg(score)});
}

}  // namespace

std::vector<OpDef> TfRecurrentOps() {
  std::vector<OpDef> ops;
  ops.push_back(TfOp("GRUBlockCell", "Runs a step of a GRU",
                     {"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"}, {}, ExpandGruCell));
  std::vector<std::string> inputs = {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"};
  const AttributeDef peephole = {"use_peephole", AttributeOf(false)};
  const std::vector<AttributeDef> attributes = {
      {"forget_bias", AttributeOf(1.0)}, {"cell_clip", AttributeOf(3.0)}, peephole};
  ops.push_back(TfOp("LSTMBlockCell", "Runs a step of an LSTM", inputs, attributes, ExpandLstm));
  inputs.insert(inputs.begin(), "seq_len_max");
  const char* summary = "Runs an LSTM";
  ops.push_back(TfOp("BlockLSTM", summary, inputs, attributes, ExpandLstm));
  ops.push_back(TfOp("BlockLSTMV2", summary, inputs, {{"cell_clip", AttributeOf(0.0)}, peephole},
                     ExpandLstm));
  ops.push_back(TfOp("CTCGreedyDecoder", "Decodes the best class of each step",
                     {"inputs", "sequence_length"},
                     {{"merge_repeated", AttributeOf(false)}, {"blank_index", AttributeOf(-1)}},
                     ExpandGreedyDecoder));
  return ops;
}

}  // namespace signet
