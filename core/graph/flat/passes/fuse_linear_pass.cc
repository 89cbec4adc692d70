#include "core/graph/flat/passes/fuse_linear_pass.h"

#include <algorithm>

#include "core/graph/flat/passes/channel_constants.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// A matrix product as a call of `linear`.
struct Product {
  std::vector<int> inputs;  // a, b, bias, residual; kNoEdge if absent
  Attributes attributes;    // of `linear`
  bool transpose_b = false;

  bool has_bias() const { return inputs[2] != kNoEdge; }
  bool has_residual() const { return inputs[3] != kNoEdge; }
  bool clips() const { return !IsNone(attributes, "low") || !IsNone(attributes, "high"); }
};

Product ProductOf(const FlatNode& node) {
  Product product{node.inputs, node.attributes};
  product.inputs.resize(4, kNoEdge);
  if (node.op->name == "matmul") {
    product.attributes = node.attributes.With("low", NoneAttribute()).With("high", NoneAttribute());
  }
  product.transpose_b = *node.attributes.Bool("transpose_b");
  return product;
}

std::optional<Product> ProductAt(const Rewriter& rewriter, int edge) {
  const FlatNode* node = rewriter.Producer(edge, {"linear", "matmul"});
  if (node == nullptr) return std::nullopt;
  return ProductOf(*node);
}

bool ReplaceByLinear(Rewriter& rewriter, size_t i, Product product) {
  while (product.inputs.back() == kNoEdge) product.inputs.pop_back();
  return rewriter.ReplaceOp(i, "linear", std::move(product.inputs), product.attributes);
}

// Returns the size of the last dimension of a product.
int64_t RowSize(const Rewriter& rewriter, int edge) {
  const PartialShape& shape = *rewriter.TypeOf(edge).shape();
  if (!shape.has_rank() || shape.rank() < 2) return kUnknownDim;
  return shape.dim(shape.rank() - 1);
}

// add(linear(x, w), bias)
bool AddBias(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "add") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto product = ProductAt(rewriter, node.inputs[side]);
    if (!product || product->clips() || product->has_residual() || product->has_bias()) continue;
    const int other = node.inputs[1 - side];
    const int64_t n = RowSize(rewriter, node.inputs[side]);
    const int rank = n < 0 ? 0 : rewriter.TypeOf(node.inputs[side]).shape()->rank();
    if (rewriter.KnownShape(other) == Shape({n})) {
      product->inputs[2] = other;
    } else if (auto bias = VectorAlongAxis(rewriter, other, rank, rank - 1, n)) {
      product->inputs[2] = rewriter.AddConstant(*std::move(bias));
    }
    if (product->has_bias() && ReplaceByLinear(rewriter, i, *std::move(product))) return true;
  }
  return false;
}

// add(linear(x, w), residual)
bool AddResidual(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "add") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto product = ProductAt(rewriter, node.inputs[side]);
    if (!product || product->clips() || product->has_residual()) continue;
    const int other = node.inputs[1 - side];
    auto shape = rewriter.KnownShape(node.inputs[side]);
    if (!shape || shape != rewriter.KnownShape(other)) continue;
    product->inputs[3] = other;
    if (ReplaceByLinear(rewriter, i, *std::move(product))) return true;
  }
  return false;
}

// mul(linear(x, w, bias), scale) with constants: linear(x, w * scale, bias * scale)
bool ScaleProduct(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "mul") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto product = ProductAt(rewriter, node.inputs[side]);
    if (!product || product->clips() || product->has_residual()) continue;
    auto b = rewriter.Constant(product->inputs[1]);
    const int64_t n = RowSize(rewriter, node.inputs[side]);
    if (!b || b->rank() < 2 || n < 1) continue;
    const int rank = rewriter.TypeOf(node.inputs[side]).shape()->rank();
    auto scale = VectorAlongAxis(rewriter, node.inputs[1 - side], rank, rank - 1, n);
    if (!scale || scale->dtype() != b->dtype()) continue;
    const int64_t inner = product->transpose_b ? b->shape().dim(b->rank() - 1) : 1;
    if (inner < 1) continue;
    auto scaled = CombineAlong(*b, *scale, inner, Combine::kMultiply);
    if (!scaled) continue;
    if (product->has_bias()) {
      auto bias = rewriter.Constant(product->inputs[2]);
      auto scaled_bias =
          bias ? CombineAlong(*bias, *scale, 1, Combine::kMultiply) : std::optional<Tensor>();
      if (!scaled_bias) continue;
      product->inputs[2] = rewriter.AddConstant(*std::move(scaled_bias));
    }
    product->inputs[1] = rewriter.AddConstant(*std::move(scaled));
    if (ReplaceByLinear(rewriter, i, *std::move(product))) return true;
  }
  return false;
}

// relu, clip, maximum, or minimum of a product
bool ClipProduct(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  const std::string& op = node.op->name;
  std::optional<double> low, high;
  int from = node.inputs.empty() ? kNoEdge : node.inputs[0];
  if (op == "relu") {
    low = 0;
  } else if (op == "clip") {
    for (size_t k = 1; k < node.inputs.size(); ++k) {
      if (node.inputs[k] == kNoEdge) continue;
      auto& bound = k == 1 ? low : high;
      bound = BoundConstant(rewriter, node.inputs[k]);
      if (!bound) return false;
    }
  } else if (op == "maximum" || op == "minimum") {
    auto& bound = op == "maximum" ? low : high;
    bound = BoundConstant(rewriter, node.inputs[1]);
    if (!bound) {
      bound = BoundConstant(rewriter, node.inputs[0]);
      from = node.inputs[1];
    }
  }
  if (!low && !high) return false;
  auto product = ProductAt(rewriter, from);
  if (!product || product->clips()) return false;
  if (low && high && *low > *high) return false;
  if (low) product->attributes = product->attributes.With("low", AttributeOf(*low));
  if (high) product->attributes = product->attributes.With("high", AttributeOf(*high));
  return ReplaceByLinear(rewriter, i, *std::move(product));
}

// Returns whether `node`, a transpose, swaps the last two dimensions and no others.
bool SwapsLastDimensions(const Rewriter& rewriter, const FlatNode& node) {
  const PartialShape& shape = *rewriter.TypeOf(node.inputs[0]).shape();
  if (!shape.has_rank() || shape.rank() < 2) return false;
  auto perm = OptionalInts(node.attributes, "perm");
  if (!perm.ok()) return false;
  const int rank = shape.rank();
  if (!*perm) return rank == 2;
  for (int axis = 0; axis < rank; ++axis) {
    int64_t from = (**perm)[static_cast<size_t>(axis)];
    if (from < 0) from += rank;
    const int expected = axis < rank - 2 ? axis : axis == rank - 2 ? rank - 1 : rank - 2;
    if (from != expected) return false;
  }
  return true;
}

// linear(transpose(x), w) and linear(x, transpose(w))
bool MergeTransposes(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  if (node.op->name != "matmul" && node.op->name != "linear") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    const FlatNode* transpose = rewriter.Producer(node.inputs[side], {"transpose"});
    if (transpose == nullptr || !SwapsLastDimensions(rewriter, *transpose)) continue;
    std::vector<int> inputs = node.inputs;
    inputs[side] = transpose->inputs[0];
    const char* flag = side == 0 ? "transpose_a" : "transpose_b";
    auto attributes = node.attributes.With(flag, AttributeOf(!*node.attributes.Bool(flag)));
    if (rewriter.ReplaceOp(i, node.op->name, std::move(inputs), attributes)) return true;
  }
  return false;
}

constexpr Rule kLinearRules[] = {{"MergeTransposes", MergeTransposes, /*may_change_rounding=*/true},
                                 {"ScaleProduct", ScaleProduct, /*may_change_rounding=*/true},
                                 {"AddBias", AddBias},
                                 {"AddResidual", AddResidual, /*may_change_rounding=*/true},
                                 // A product that is -0 stays -0.
                                 {"ClipProduct", ClipProduct, /*may_change_rounding=*/true}};

}  // namespace

const Pass kFuseLinearPass = {"FuseLinear", /*may_change_rounding=*/true, [](Rewriter& rewriter) {
                                return ApplyRules(rewriter, kLinearRules);
                              }};

}  // namespace signet
