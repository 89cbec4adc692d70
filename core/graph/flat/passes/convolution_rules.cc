// Convolutions: the scales and shifts of normalization become part of weights and bias; residuals
// and activations are done while the sums are in cache.

#include <cmath>

#include "core/graph/flat/passes/channels.h"
#include "core/graph/flat/passes/rules.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// A convolution that does nothing after its bias yet.
struct Convolution {
  const OpDef* op;
  std::vector<int> inputs;  // x, w, bias, residual
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

bool Become(Rewriter& rewriter, size_t i, Convolution made) {
  while (made.inputs.back() == kNoEdge) made.inputs.pop_back();
  return rewriter.Become(i, made.op->name, std::move(made.inputs), made.attributes);
}

// The other factor or summand, by channel.
std::optional<Tensor> ByChannel(const Rewriter& rewriter, int convolution, int other) {
  const PartialShape& shape = *rewriter.TypeOf(convolution).shape();
  if (!shape.has_rank() || shape.rank() < 3) return std::nullopt;
  return AlongAxis(rewriter, other, shape.rank(), 1, shape.dim(1));
}

// The bias with `along`; empty when the bias is not known.
std::optional<Tensor> NewBias(const Rewriter& rewriter, const Convolution& from,
                              const Tensor& along, Combine how) {
  auto bias = from.inputs[2] == kNoEdge ? Tensor() : rewriter.Constant(from.inputs[2]);
  if (!bias || (bias->has_value() && bias->dtype() != along.dtype())) return std::nullopt;
  return Combined(*bias, along, 1, how);
}

bool ScaleConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "mul") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto from = ConvolutionAt(rewriter, node.inputs[side]);
    if (!from || from->inputs[3] != kNoEdge) continue;
    auto w = rewriter.Constant(from->inputs[1]);
    auto scale = ByChannel(rewriter, node.inputs[side], node.inputs[1 - side]);
    if (!w || !scale || w->dtype() != scale->dtype() || w->num_elements() == 0) continue;
    // Weights are [out, in, ..]; of a transposed convolution [in, out, ..], in one group.
    if (from->transposed() && *from->attributes.Int("groups") != 1) continue;
    const int64_t outer = from->transposed() ? w->shape().dim(0) : 1;
    const int64_t inner = w->num_elements() / (outer * scale->num_elements());
    if (from->inputs[2] != kNoEdge) {
      auto bias = NewBias(rewriter, *from, *scale, Combine::kMultiply);
      if (!bias) continue;
      from->inputs[2] = rewriter.AddConstant(*std::move(bias));
    }
    from->inputs[1] = rewriter.AddConstant(Combined(*w, *scale, inner, Combine::kMultiply));
    if (Become(rewriter, i, *std::move(from))) return true;
  }
  return false;
}

// conv(x, w) + shift, where the shift of each channel is known
bool ShiftConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  const bool subtracts = node.op->name == "sub";
  if (node.op->name != "add" && !subtracts) return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    if (subtracts && side == 1) continue;
    auto from = ConvolutionAt(rewriter, node.inputs[side]);
    if (!from || from->inputs[3] != kNoEdge) continue;
    auto shift = ByChannel(rewriter, node.inputs[side], node.inputs[1 - side]);
    if (!shift) continue;
    auto bias = NewBias(rewriter, *from, *shift, subtracts ? Combine::kSubtract : Combine::kAdd);
    if (!bias) continue;
    from->inputs[2] = rewriter.AddConstant(*std::move(bias));
    if (Become(rewriter, i, *std::move(from))) return true;
  }
  return false;
}

// conv(x, w) + residual
bool AddToConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "add") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto from = ConvolutionAt(rewriter, node.inputs[side]);
    if (!from || from->inputs[3] != kNoEdge || from->transposed()) continue;
    const int other = node.inputs[1 - side];
    if (ByChannel(rewriter, node.inputs[side], other)) continue;
    auto shape = rewriter.KnownShape(node.inputs[side]);
    if (!shape || shape != rewriter.KnownShape(other)) continue;
    from->inputs[3] = other;
    if (Become(rewriter, i, *std::move(from))) return true;
  }
  return false;
}

// An activation as conv names it.
struct Named {
  const char* name = nullptr;
  std::optional<double> alpha = {};
  std::optional<double> beta = {};
};

std::optional<Named> ActivationOf(const Rewriter& rewriter, const FlatNode& node) {
  const std::string& op = node.op->name;
  for (const char* same : {"relu", "sigmoid", "tanh"}) {
    if (op == same) return Named{same};
  }
  if (op == "gelu" && !*node.attributes.Bool("approximate")) return Named{"gelu"};
  if (op == "leaky_relu" && node.attributes.Has("alpha")) {
    auto alpha = node.attributes.Float("alpha");
    if (alpha.ok()) return Named{"leaky_relu", *alpha};
  }
  if (op != "clip") return std::nullopt;
  Named named{"clip"};
  for (size_t k = 1; k < node.inputs.size(); ++k) {
    if (node.inputs[k] == kNoEdge) continue;
    auto bound = Number(rewriter, node.inputs[k]);
    if (!bound) return std::nullopt;
    (k == 1 ? named.alpha : named.beta) = *bound;
  }
  if (named.alpha && named.beta && !(*named.alpha <= *named.beta)) return std::nullopt;
  return named;
}

// The number that `edge` is of another: `x * n` or `x / n` gives x and the factor, `x + n` x and
// the summand. Else `edge` and 1, or 0.
struct Line {
  int x;
  double number;
};
Line Scaled(const Rewriter& rewriter, int edge) {
  const FlatNode* node = rewriter.Producer(edge, {"mul", "div"});
  if (node == nullptr) return {edge, 1};
  if (auto by = Number(rewriter, node->inputs[1])) {
    return {node->inputs[0], node->op->name == "mul" ? *by : 1 / *by};
  }
  auto by = node->op->name == "mul" ? Number(rewriter, node->inputs[0]) : std::nullopt;
  return by ? Line{node->inputs[1], *by} : Line{edge, 1};
}
Line Shifted(const Rewriter& rewriter, int edge) {
  const FlatNode* node = rewriter.Producer(edge, {"add"});
  if (node == nullptr) return {edge, 0};
  for (size_t side : {size_t{0}, size_t{1}}) {
    if (auto by = Number(rewriter, node->inputs[1 - side])) return {node->inputs[side], *by};
  }
  return {edge, 0};
}

// `edge` as clip(alpha * x + beta, 0, 1), by whatever scales it is written with; `scale`: of the
// whole.
std::optional<Named> HardSigmoidOf(const Rewriter& rewriter, int edge, int x, double scale) {
  const Line clipped = Scaled(rewriter, edge);
  const FlatNode* clip = rewriter.Producer(clipped.x, {"clip"});
  if (clip == nullptr || clip->inputs.size() != 3) return std::nullopt;
  auto low = Number(rewriter, clip->inputs[1]);
  auto high = Number(rewriter, clip->inputs[2]);
  scale *= clipped.number;
  if (!low || !high || *low != 0 || std::abs(*high * scale - 1) > 1e-6) return std::nullopt;
  const Line shifted = Shifted(rewriter, clip->inputs[0]);
  const Line line = shifted.x == x ? Line{x, 1} : Scaled(rewriter, shifted.x);
  if (line.x != x) return std::nullopt;
  return Named{"hard_swish", line.number * scale, shifted.number * scale};
}

// x * HardSigmoid(x), which may be scaled as a whole; and x.
std::optional<Named> HardSwishOf(const Rewriter& rewriter, size_t i, int& x) {
  const FlatNode* product = &rewriter.node(i);
  double scale = 1;
  if (product->op->name == "div" || Number(rewriter, product->inputs[1])) {
    auto by = Number(rewriter, product->inputs[1]);
    if (!by) return std::nullopt;
    scale = product->op->name == "div" ? 1 / *by : *by;
    product = rewriter.Producer(product->inputs[0], {"mul"});
  }
  if (product == nullptr) return std::nullopt;
  for (size_t side : {size_t{0}, size_t{1}}) {
    x = product->inputs[1 - side];
    if (x == kNoEdge || rewriter.UsesOf(x) != 2) continue;
    if (auto found = HardSigmoidOf(rewriter, product->inputs[side], x, scale)) return found;
  }
  return std::nullopt;
}

bool ActivateConvolution(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.inputs.empty()) return false;
  std::optional<Named> activation;
  int edge = node.inputs[0];
  bool sole = true;
  if (node.op->name == "mul") {  // x * sigmoid(x)
    for (size_t side : {size_t{0}, size_t{1}}) {
      const FlatNode* gate = rewriter.Producer(node.inputs[side], {"sigmoid"});
      const int x = node.inputs[1 - side];
      if (gate == nullptr || gate->inputs[0] != x || rewriter.UsesOf(x) != 2) continue;
      activation = Named{"silu"};
      edge = x;
      sole = false;
    }
  }
  if (!activation && (node.op->name == "mul" || node.op->name == "div")) {
    activation = HardSwishOf(rewriter, i, edge);
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
  return Become(rewriter, i, *std::move(from));
}

// Clips, which do not round.
bool ClipConvolution(Rewriter& rewriter, size_t i) {
  const std::string& op = rewriter.node(i).op->name;
  return (op == "relu" || op == "clip") && ActivateConvolution(rewriter, i);
}

constexpr Rule kConvolutionRules[] = {{ScaleConvolution, /*rounds=*/true},
                                      {ShiftConvolution, /*rounds=*/true},
                                      {AddToConvolution},
                                      {ClipConvolution},
                                      {ActivateConvolution, /*rounds=*/true}};

}  // namespace

std::span<const Rule> ConvolutionRules() { return kConvolutionRules; }

}  // namespace signet
