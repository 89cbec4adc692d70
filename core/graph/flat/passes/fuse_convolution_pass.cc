#include "core/graph/flat/passes/fuse_convolution_pass.h"

#include <cmath>

#include "core/graph/flat/passes/channel_constants.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// A convolution of floats without an activation.
struct Convolution {
  const OpDef* op;
  std::vector<int> inputs;  // x, w, bias, residual; kNoEdge if absent
  Attributes attributes;

  bool transposed() const { return op->name == "conv_transpose"; }
};

std::optional<Convolution> ConvolutionAt(const Rewriter& rewriter, int edge, bool sole = true) {
  const FlatNode* node = rewriter.Producer(edge, {"conv", "conv_transpose"}, sole);
  if (node == nullptr) return std::nullopt;
  if (node->op->name == "conv" && *node->attributes.String("activation") != "none")
    return std::nullopt;
  DType dtype = rewriter.DTypeOf(edge);
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return std::nullopt;
  Convolution out{node->op, node->inputs, node->attributes};
  out.inputs.resize(4, kNoEdge);
  return out;
}

bool ReplaceByConvolution(Rewriter& rewriter, size_t i, Convolution conv) {
  while (conv.inputs.back() == kNoEdge) conv.inputs.pop_back();
  return rewriter.ReplaceOp(i, conv.op->name, std::move(conv.inputs), conv.attributes);
}

// Returns the constant `other` as one number per channel of the output `convolution`.
std::optional<Tensor> VectorOfChannels(const Rewriter& rewriter, int convolution, int other) {
  const PartialShape& shape = *rewriter.TypeOf(convolution).shape();
  if (!shape.has_rank() || shape.rank() < 3) return std::nullopt;
  return VectorAlongAxis(rewriter, other, shape.rank(), 1, shape.dim(1));
}

// Combines the bias with `along`. Empty if the bias is not a constant, or CombineAlong returns
// nothing.
std::optional<Tensor> CombinedBias(const Rewriter& rewriter, const Convolution& from,
                                   const Tensor& along, Combine how) {
  auto bias = from.inputs[2] == kNoEdge ? Tensor() : rewriter.Constant(from.inputs[2]);
  if (!bias || (bias->has_value() && bias->dtype() != along.dtype())) return std::nullopt;
  return CombineAlong(*bias, along, 1, how);
}

// mul(conv(x, w, bias), scale) with constants: conv(x, w * scale, bias * scale)
bool ScaleConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "mul") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto from = ConvolutionAt(rewriter, node.inputs[side]);
    if (!from || from->inputs[3] != kNoEdge) continue;
    auto w = rewriter.Constant(from->inputs[1]);
    auto scale = VectorOfChannels(rewriter, node.inputs[side], node.inputs[1 - side]);
    if (!w || !scale || w->dtype() != scale->dtype() || w->num_elements() == 0) continue;
    // Weights are [out, in, ..]. Those of a transposed convolution in one group are [in, out, ..].
    if (from->transposed() && *from->attributes.Int("groups") != 1) continue;
    const int64_t outer = from->transposed() ? w->shape().dim(0) : 1;
    const int64_t inner = w->num_elements() / (outer * scale->num_elements());
    auto scaled = CombineAlong(*w, *scale, inner, Combine::kMultiply);
    if (!scaled) continue;
    if (from->inputs[2] != kNoEdge) {
      auto bias = CombinedBias(rewriter, *from, *scale, Combine::kMultiply);
      if (!bias) continue;
      from->inputs[2] = rewriter.AddConstant(*std::move(bias));
    }
    from->inputs[1] = rewriter.AddConstant(*std::move(scaled));
    if (ReplaceByConvolution(rewriter, i, *std::move(from))) return true;
  }
  return false;
}

// add(conv(x, w, bias), shift) with constants: conv(x, w, bias + shift)
bool ShiftConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  const bool subtracts = node.op->name == "sub";
  if (node.op->name != "add" && !subtracts) return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    if (subtracts && side == 1) continue;
    auto from = ConvolutionAt(rewriter, node.inputs[side]);
    if (!from || from->inputs[3] != kNoEdge) continue;
    auto shift = VectorOfChannels(rewriter, node.inputs[side], node.inputs[1 - side]);
    if (!shift) continue;
    auto bias =
        CombinedBias(rewriter, *from, *shift, subtracts ? Combine::kSubtract : Combine::kAdd);
    if (!bias) continue;
    from->inputs[2] = rewriter.AddConstant(*std::move(bias));
    if (ReplaceByConvolution(rewriter, i, *std::move(from))) return true;
  }
  return false;
}

// add(conv(x, w), residual)
bool AddToConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "add") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto from = ConvolutionAt(rewriter, node.inputs[side]);
    if (!from || from->inputs[3] != kNoEdge || from->transposed()) continue;
    const int other = node.inputs[1 - side];
    if (VectorOfChannels(rewriter, node.inputs[side], other)) continue;
    auto shape = rewriter.KnownShape(node.inputs[side]);
    if (!shape || shape != rewriter.KnownShape(other)) continue;
    from->inputs[3] = other;
    if (ReplaceByConvolution(rewriter, i, *std::move(from))) return true;
  }
  return false;
}

// An activation as the attributes of `conv` state it.
struct Activation {
  const char* name = nullptr;
  std::optional<double> alpha = {};
  std::optional<double> beta = {};
};

std::optional<Activation> ActivationOf(const Rewriter& rewriter, const FlatNode& node) {
  const std::string& op = node.op->name;
  for (const char* same : {"relu", "sigmoid", "tanh"}) {
    if (op == same) return Activation{same};
  }
  if (op == "gelu" && !*node.attributes.Bool("approximate")) return Activation{"gelu"};
  if (op != "clip") return std::nullopt;
  Activation clip{"clip"};
  for (size_t k = 1; k < node.inputs.size(); ++k) {
    if (node.inputs[k] == kNoEdge) continue;
    auto bound = BoundConstant(rewriter, node.inputs[k]);
    if (!bound) return std::nullopt;
    (k == 1 ? clip.alpha : clip.beta) = *bound;
  }
  if (clip.alpha && clip.beta && !(*clip.alpha <= *clip.beta)) return std::nullopt;
  return clip;
}

// An edge and the constant that it is multiplied by or that is added to it.
struct EdgeAndNumber {
  int x;
  double number;
};

// Returns x and n if `edge` is x * n or x / (1 / n), and otherwise `edge` and 1.
EdgeAndNumber SplitScale(const Rewriter& rewriter, int edge) {
  const FlatNode* node = rewriter.Producer(edge, {"mul", "div"});
  if (node == nullptr) return {edge, 1};
  if (auto by = ScalarConstant(rewriter, node->inputs[1])) {
    return {node->inputs[0], node->op->name == "mul" ? *by : 1 / *by};
  }
  auto by = node->op->name == "mul" ? ScalarConstant(rewriter, node->inputs[0]) : std::nullopt;
  return by ? EdgeAndNumber{node->inputs[1], *by} : EdgeAndNumber{edge, 1};
}

// Returns x and n if `edge` is x + n, and otherwise `edge` and 0.
EdgeAndNumber SplitShift(const Rewriter& rewriter, int edge) {
  const FlatNode* node = rewriter.Producer(edge, {"add"});
  if (node == nullptr) return {edge, 0};
  for (size_t side : {size_t{0}, size_t{1}}) {
    if (auto by = ScalarConstant(rewriter, node->inputs[1 - side]))
      return {node->inputs[side], *by};
  }
  return {edge, 0};
}

// Matches scale * `edge` to clip(alpha * x + beta, 0, 1), however the scales are written.
std::optional<Activation> MatchHardSigmoid(const Rewriter& rewriter, int edge, int x,
                                           double scale) {
  const EdgeAndNumber clipped = SplitScale(rewriter, edge);
  const FlatNode* clip = rewriter.Producer(clipped.x, {"clip"});
  if (clip == nullptr || clip->inputs.size() != 3) return std::nullopt;
  auto low = ScalarConstant(rewriter, clip->inputs[1]);
  auto high = ScalarConstant(rewriter, clip->inputs[2]);
  scale *= clipped.number;
  if (!low || !high || *low != 0 || std::abs(*high * scale - 1) > 1e-6) return std::nullopt;
  const EdgeAndNumber shifted = SplitShift(rewriter, clip->inputs[0]);
  const EdgeAndNumber line = shifted.x == x ? EdgeAndNumber{x, 1} : SplitScale(rewriter, shifted.x);
  if (line.x != x) return std::nullopt;
  return Activation{"hard_swish", line.number * scale, shifted.number * scale};
}

// Matches the output of node `i` to x * clip(alpha * x + beta, 0, 1), and sets `x`.
std::optional<Activation> MatchHardSwish(const Rewriter& rewriter, size_t i, int& x) {
  const FlatNode* product = &rewriter.node(i);
  double scale = 1;
  if (product->op->name == "div" || ScalarConstant(rewriter, product->inputs[1])) {
    auto by = ScalarConstant(rewriter, product->inputs[1]);
    if (!by) return std::nullopt;
    scale = product->op->name == "div" ? 1 / *by : *by;
    product = rewriter.Producer(product->inputs[0], {"mul"});
  }
  if (product == nullptr) return std::nullopt;
  for (size_t side : {size_t{0}, size_t{1}}) {
    x = product->inputs[1 - side];
    if (x == kNoEdge || rewriter.UsesOf(x) != 2) continue;
    if (auto found = MatchHardSigmoid(rewriter, product->inputs[side], x, scale)) return found;
  }
  return std::nullopt;
}

// activation(conv(x, w))
bool ActivateConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.inputs.empty()) return false;
  std::optional<Activation> activation;
  int edge = node.inputs[0];
  bool sole = true;
  if (node.op->name == "mul") {  // x * sigmoid(x)
    for (size_t side : {size_t{0}, size_t{1}}) {
      const FlatNode* gate = rewriter.Producer(node.inputs[side], {"sigmoid"});
      const int x = node.inputs[1 - side];
      if (gate == nullptr || gate->inputs[0] != x || rewriter.UsesOf(x) != 2) continue;
      activation = Activation{"silu"};
      edge = x;
      sole = false;
    }
  }
  if (!activation && (node.op->name == "mul" || node.op->name == "div")) {
    activation = MatchHardSwish(rewriter, i, edge);
    sole = false;
  } else if (!activation) {
    activation = ActivationOf(rewriter, node);
  }
  if (!activation) return false;
  auto from = ConvolutionAt(rewriter, edge, sole);
  if (!from || from->transposed()) return false;
  from->attributes = from->attributes.With("activation", AttributeOf(activation->name));
  if (activation->alpha)
    from->attributes = from->attributes.With("alpha", AttributeOf(*activation->alpha));
  if (activation->beta)
    from->attributes = from->attributes.With("beta", AttributeOf(*activation->beta));
  return ReplaceByConvolution(rewriter, i, *std::move(from));
}

// clip(conv(x, w)) and relu(conv(x, w)), which do not change rounding
bool ClipConvolution(Rewriter& rewriter, size_t i) {
  const std::string& op = rewriter.node(i).op->name;
  return (op == "relu" || op == "clip") && ActivateConvolution(rewriter, i);
}

constexpr Rule kConvolutionRules[] = {
    {"ScaleConvolution", ScaleConvolution, /*may_change_rounding=*/true},
    {"ShiftConvolution", ShiftConvolution, /*may_change_rounding=*/true},
    {"AddToConvolution", AddToConvolution},
    {"ClipConvolution", ClipConvolution},
    {"ActivateConvolution", ActivateConvolution, /*may_change_rounding=*/true}};

}  // namespace

const Pass kFuseConvolutionPass = {
    "FuseConvolution", /*may_change_rounding=*/true,
    [](Rewriter& rewriter) { return ApplyRules(rewriter, kConvolutionRules); }};

}  // namespace signet
