// Random small graphs of the ops that passes rewrite, on special values: NaN, infinities, zeros of
// both signs, denormals, the largest numbers, and dimensions of size 0.
//
// The results after each pass, and after all passes, are compared with those before. pass.h states
// what may differ.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "core/graph/flat/flat_runner.h"
#include "core/graph/flat/passes/fold_normalization_pass.h"
#include "core/graph/flat/passes/fuse_convolution_pass.h"
#include "core/graph/flat/passes/fuse_elementwise_pass.h"
#include "core/graph/flat/passes/fuse_linear_pass.h"
#include "core/graph/flat/passes/merge_scales_pass.h"
#include "core/graph/flat/passes/move_transposes_pass.h"
#include "core/graph/flat/passes/passes.h"
#include "core/graph/flat/passes/remove_identities_pass.h"
#include "core/graph/flat/passes/run_passes.h"
#include "core/ops/catalog.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRejected = -2;  // an edge that an op did not make, because it rejects its inputs
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Converts `number` to an element. Integers wrap around.
void SetElement(Tensor& tensor, int64_t i, double number) {
  VisitDType(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Float16>) {
      tensor.mutable_elements<T>()[i] = ToFloat16(static_cast<float>(number));
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      tensor.mutable_elements<T>()[i] = ToBFloat16(static_cast<float>(number));
    } else if constexpr (std::is_floating_point_v<T>) {
      tensor.mutable_elements<T>()[i] = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      tensor.mutable_elements<T>()[i] = number > 0;
    } else if constexpr (std::is_integral_v<T>) {
      const double clipped = std::isnan(number) ? 0 : std::clamp(number, -1e18, 1e18);
      tensor.mutable_elements<T>()[i] = static_cast<T>(static_cast<int64_t>(clipped));
    }
  });
}

double ElementOf(const Tensor& tensor, int64_t i) {
  return VisitDType(tensor.dtype(), [&](auto tag) -> double {
    using T = typename decltype(tag)::type;
    const auto at = static_cast<size_t>(i);
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      return ToFloat(tensor.elements<T>()[at]);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<double>(tensor.elements<T>()[at]);
    } else {
      return 0;
    }
  });
}

// Builds a random graph, and the tensors for its inputs.
class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed), has_special_constants_(OneIn(3)) {}

  // Returns how many ops follow the first one. None if constants are special values: after a
  // rewrite that changes rounding, they would turn zeros and tiny numbers into NaN or infinity.
  int MoreSteps() { return has_special_constants_ ? 0 : Below(3); }

  int Below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool OneIn(int count) { return Below(count) == 0; }
  template <class T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(static_cast<int>(choices.size()))];
  }

  Tensor RandomTensor(DType dtype, const Shape& shape, bool is_special) {
    auto tensor = Tensor::Allocate(dtype, shape);
    SIGNET_CHECK(tensor.ok());
    const double least = dtype == DType::kFloat64   ? std::numeric_limits<double>::denorm_min()
                         : dtype == DType::kFloat16 ? 6e-8
                                                    : 1e-45;
    std::uniform_real_distribution<double> moderate(-4, 4);
    for (int64_t i = 0; i < tensor->num_elements(); ++i) {
      double number = moderate(random_);
      if (OneIn(3)) number = std::round(number);
      if (is_special && OneIn(2)) {
        number = Pick({kNan, kInfinity, -kInfinity, 0.0, -0.0, least, -least, 127.0, -128.0});
      }
      SetElement(*tensor, i, number);
    }
    return *std::move(tensor);
  }

  int Input(DType dtype, const Shape& shape) {
    // Inputs are the first edges of a graph.
    SIGNET_CHECK(graph_.edges.size() == static_cast<size_t>(graph_.num_inputs));
    inputs_.push_back(RandomTensor(dtype, shape, /*is_special=*/true));
    graph_.edges.push_back({inputs_.back().spec(), {}});
    return graph_.num_inputs++;
  }
  int Constant(Tensor tensor) {
    TypeSpec spec = tensor.spec();
    graph_.edges.push_back({std::move(spec), std::move(tensor)});
    return static_cast<int>(graph_.edges.size()) - 1;
  }
  int Constant(DType dtype, const Shape& shape) {
    return Constant(RandomTensor(dtype, shape, has_special_constants_));
  }

  // Adds a node, and returns its first output, or kRejected.
  int Node(std::string_view name, std::vector<int> inputs, const NamedTypes& attributes = {}) {
    const OpDef* op = BuiltinOps().Lookup(name);
    SIGNET_CHECK(op != nullptr);
    for (int edge : inputs) {
      if (edge == kRejected) return kRejected;
    }
    auto complete = CompleteAttributes(*op, Attributes(attributes));
    SIGNET_CHECK(complete.ok());
    NodeInputs known = InputsOf(graph_, inputs);
    auto types = op->infer({*op, known.specs, *complete, known.constants});
    if (!types.ok()) return kRejected;
    FlatNode node{op, std::move(inputs), *std::move(complete), {}};
    for (const TypeSpec& type : *types) {
      node.outputs.push_back(static_cast<int>(graph_.edges.size()));
      graph_.edges.push_back({type, {}});
    }
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().outputs[0];
  }
  // Adds a binary op with its inputs in a random order.
  int Either(std::string_view name, int a, int b) {
    return OneIn(2) ? Node(name, {a, b}) : Node(name, {b, a});
  }

  Shape ShapeOf(int edge) const {
    return Shape(graph_.edges[static_cast<size_t>(edge)].spec.shape()->dims());
  }
  DType DTypeAt(int edge) const {
    return graph_.edges[static_cast<size_t>(edge)].spec.As<TensorSpec>()->dtype();
  }

  FlatGraph Make(int result) {
    graph_.results = {result};
    return graph_;
  }
  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  std::mt19937 random_;
  const bool has_special_constants_;
  FlatGraph graph_;
  std::vector<Tensor> inputs_;
};

StatusOr<Components> ResultsOf(const FlatGraph& graph, const std::vector<Tensor>& inputs) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  RunBudget budget;
  auto check = [] { return absl::OkStatus(); };
  return RunFlatGraph(graph, pointers, {budget, check});
}

// Returns what differs, or an empty text.
std::string DifferenceOf(const Tensor& before, const Tensor& after, bool may_round) {
  if (before.dtype() != after.dtype() || before.shape() != after.shape()) {
    return Cat(before.spec(), " and ", after.spec());
  }
  const double tolerance = before.dtype() == DType::kBFloat16  ? 0.05
                           : before.dtype() == DType::kFloat16 ? 0.01
                           : before.dtype() == DType::kFloat32 ? 1e-5
                                                               : 1e-13;
  const size_t size = SizeOf(before.dtype());
  for (int64_t i = 0; i < before.num_elements(); ++i) {
    const double a = ElementOf(before, i);
    const double b = ElementOf(after, i);
    const size_t at = static_cast<size_t>(i) * size;
    bool same = std::memcmp(before.data().data() + at, after.data().data() + at, size) == 0;
    if (IsFloat(before.dtype())) {
      same = same || (std::isnan(a) && std::isnan(b));
      // Sums of moderate numbers may cancel out.
      same = same || (may_round && std::abs(a - b) <= tolerance * (64 + std::abs(a)));
    }
    if (!same) return Cat("element ", i, ": ", a, " and ", b);
  }
  return "";
}

using MakeGraph = int (*)(RandomGraph&);

// Runs `groups` on many random graphs. Expects that some of them are rewritten.
void ExpectSameResults(std::span<const PassGroup> groups, MakeGraph make, int rounds = 400) {
  int rewritten = 0;
  for (int seed = 0; seed < rounds; ++seed) {
    RandomGraph random(static_cast<unsigned>(seed));
    const int result = make(random);
    if (result < 0) continue;
    const FlatGraph before = random.Make(result);
    FlatGraph after = before;
    auto rounding = RunPasses(after, BuiltinOps(), groups, {.verify = true});
    ASSERT_TRUE(rounding.ok()) << rounding.status();
    if (before.ToString() == after.ToString()) continue;
    ++rewritten;
    auto expected = ResultsOf(before, random.inputs());
    auto found = ResultsOf(after, random.inputs());
    ASSERT_EQ(expected.ok(), found.ok()) << "seed " << seed << ": " << expected.status() << "\n"
                                         << found.status() << "\n"
                                         << before.ToString() << after.ToString();
    if (!expected.ok()) continue;
    const std::string difference =
        DifferenceOf((*expected)[0], (*found)[0], /*may_round=*/*rounding != 0);
    EXPECT_EQ(difference, "") << "seed " << seed << "\n" << before.ToString() << after.ToString();
  }
  EXPECT_GT(rewritten, rounds / 20);
}

void ExpectSameResults(const Pass& pass, MakeGraph make, int rounds = 400) {
  const PassGroup alone = {&pass};
  ExpectSameResults(std::span(&alone, 1), make, rounds);
  ExpectSameResults(OptimizationPasses(), make, rounds);
}

DType AnyFloat(RandomGraph& g) {
  return g.Pick(
      {DType::kFloat32, DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16});
}
DType AnyNumber(RandomGraph& g) {
  return g.OneIn(2) ? AnyFloat(g)
                    : g.Pick({DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                              DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64});
}
int64_t AnySize(RandomGraph& g) { return g.Pick<int64_t>({0, 1, 2, 3, 5}); }

// A constant that broadcasts to `shape`: a scalar, one number per channel, or one per element.
int ConstantFor(RandomGraph& g, DType dtype, const Shape& shape, int axis) {
  if (g.OneIn(3)) return g.Constant(dtype, g.OneIn(2) ? Shape{} : Shape{1});
  if (g.OneIn(6)) return g.Constant(dtype, shape);
  Shape own;
  for (int i = axis; i < shape.rank(); ++i) own.push_back(i == axis ? shape.dim(i) : 1);
  return g.Constant(dtype, own);
}

// An elementwise op after the output of a product or a convolution.
int Epilogue(RandomGraph& g, int x, int axis) {
  const DType dtype = g.DTypeAt(x);
  const Shape shape = g.ShapeOf(x);
  switch (g.Below(10)) {
    case 0:
    case 1:
      return g.Either("add", x, ConstantFor(g, dtype, shape, axis));
    case 2:
    case 3:
      return g.Either("mul", x, ConstantFor(g, dtype, shape, axis));
    case 4:
      return g.Node("relu", {x});
    case 5:
      return g.Either(g.Pick({"maximum", "minimum"}), x, g.Constant(dtype, {}));
    case 6:
      return g.Node("clip",
                    {x, g.Constant(dtype, {}), g.OneIn(2) ? g.Constant(dtype, {}) : kNoEdge});
    case 7:
      return g.Node("sub", {x, ConstantFor(g, dtype, shape, axis)});
    case 8:
      return g.Node(g.Pick({"sigmoid", "tanh", "gelu"}), {x});
    default: {
      if (g.OneIn(2)) return g.Either("mul", x, g.Node("sigmoid", {x}));
      const int shifted = g.Either("add", x, g.Constant(dtype, {}));
      const int gate = g.Node(
          "clip", {shifted, g.Constant(Tensor::Scalar(0.0F)), g.Constant(Tensor::Scalar(6.0F))});
      return g.Node("div", {g.Either("mul", x, gate), g.Constant(Tensor::Scalar(6.0F))});
    }
  }
}

TEST(SpecialValuesTest, RemoveIdentities) {
  ExpectSameResults(kRemoveIdentitiesPass, [](RandomGraph& g) {
    int x = g.Input(AnyNumber(g), {AnySize(g), AnySize(g)});
    for (int i = 0; i < 4 && x >= 0; ++i) {
      const Shape shape = g.ShapeOf(x);
      switch (g.Below(6)) {
        case 0:
          x = g.Node("identity", {x});
          break;
        case 1:
          x = g.Node("cast", {x}, {{"dtype", AttributeOf(g.DTypeAt(x))}});
          break;
        case 2:
          x = g.Node("expand_dims", {x}, {{"axis", AttributeOf(g.Below(shape.rank() + 1))}});
          break;
        case 3:
          x = g.Node("reshape", {x},
                     {{"shape", AttributeOf(std::span<const int64_t>(
                                    std::vector<int64_t>{shape.num_elements()}))}});
          break;
        case 4:
          x = g.Node("flatten", {x});
          break;
        default:
          x = g.Node("neg", {x});
      }
    }
    return x;
  });
}

TEST(SpecialValuesTest, MergeScales) {
  ExpectSameResults(kMergeScalesPass, [](RandomGraph& g) {
    const Shape shape = {AnySize(g), 3, g.Pick<int64_t>({0, 1, 4})};
    int x = g.Input(AnyNumber(g), shape);
    for (int i = 2 + g.MoreSteps(); i > 0 && x >= 0; --i) {
      x = g.Either(g.Pick({"mul", "mul", "add"}), x, ConstantFor(g, g.DTypeAt(x), shape, 1));
    }
    return x;
  });
}

TEST(SpecialValuesTest, FuseLinear) {
  ExpectSameResults(kFuseLinearPass, [](RandomGraph& g) {
    const DType dtype = AnyNumber(g);
    const int64_t rows = AnySize(g), inner = AnySize(g), columns = g.Pick<int64_t>({1, 2, 7});
    const bool turns = g.OneIn(3);
    int x = g.Input(dtype, turns ? Shape{inner, rows} : Shape{rows, inner});
    const int residual = g.Input(dtype, {rows, columns});
    if (turns) x = g.Node("transpose", {x});
    x = g.Node("matmul", {x, g.Constant(dtype, {inner, columns})});
    if (g.OneIn(4) && x >= 0) x = g.Either("add", x, residual);
    for (int i = 1 + g.MoreSteps(); i > 0 && x >= 0; --i) x = Epilogue(g, x, 1);
    return x;
  });
}

TEST(SpecialValuesTest, FuseConvolution) {
  ExpectSameResults(kFuseConvolutionPass, [](RandomGraph& g) {
    const DType dtype = AnyFloat(g);
    const int64_t width = g.Pick<int64_t>({3, 4});
    int x = g.Input(dtype, {AnySize(g), 2, 3, width});
    const int w = g.Constant(dtype, {3, 2, 1, 1});
    x = g.OneIn(2) ? g.Node("conv", {x, w}) : g.Node("conv", {x, w, g.Constant(dtype, {3})});
    for (int i = 1 + g.MoreSteps(); i > 0 && x >= 0; --i) x = Epilogue(g, x, 1);
    return x;
  });
}

TEST(SpecialValuesTest, FoldNormalization) {
  ExpectSameResults(kFoldNormalizationPass, [](RandomGraph& g) {
    const DType dtype = AnyFloat(g);
    const int64_t width = g.Pick<int64_t>({0, 1, 4});
    const NamedTypes axes = {
        {"axes", AttributeOf(std::span<const int64_t>(std::vector<int64_t>{-1}))},
        {"keepdims", AttributeOf(true)}};
    auto number = [&](double value) {
      auto tensor = Tensor::Allocate(dtype, {});
      SetElement(*tensor, 0, value);
      return g.Constant(*std::move(tensor));
    };
    int x = g.Input(dtype, {AnySize(g), width});
    if (g.OneIn(2)) x = g.Node("sub", {x, g.Node("reduce_mean", {x}, axes)});
    const int square = g.OneIn(2)   ? g.Node("mul", {x, x})
                       : g.OneIn(2) ? g.Node("square", {x})
                                    : g.Node("pow", {x, number(2)});
    const int mean = g.Node("reduce_mean", {square}, axes);
    const int sum = g.Either("add", mean, number(g.Pick({1e-3, 1e-5, 0.0, 1.0, -0.5})));
    const int root = g.Node("sqrt", {sum});
    int y = g.OneIn(3)   ? g.Node("div", {x, root})
            : g.OneIn(2) ? g.Either("mul", x, g.Node("rsqrt", {sum}))
            : g.OneIn(2) ? g.Either("mul", x, g.Node("reciprocal", {root}))
                         : g.Either("mul", x, g.Node("div", {number(1), root}));
    if (g.OneIn(2)) y = g.Either("mul", y, g.Constant(dtype, {width}));
    if (g.OneIn(2)) y = g.Either("add", y, g.Constant(dtype, {width}));
    return y;
  });
}

TEST(SpecialValuesTest, FuseElementwise) {
  ExpectSameResults(
      kFuseElementwisePass,
      [](RandomGraph& g) {
        static const auto* const ops = [] {
          auto* found = new std::vector<const OpDef*>;
          for (const OpDef* op : BuiltinOps().All()) {
            const bool is_elementwise = op->family == OpFamily::kUnaryElementwise ||
                                        op->family == OpFamily::kBinaryElementwise;
            if (is_elementwise && op->infer != nullptr) found->push_back(op);
          }
          return found;
        }();
        const DType dtype = AnyNumber(g);
        const Shape shape = {g.Pick<int64_t>({0, 1, 3}), g.Pick<int64_t>({1, 17})};
        int x = g.Input(dtype, shape);
        const int other = g.Constant(dtype, g.OneIn(2) ? Shape{} : shape);
        for (int i = 2 + g.Below(4); i > 0 && x >= 0; --i) {
          if (g.OneIn(8)) {
            const int low = g.OneIn(2) ? g.Constant(g.DTypeAt(x), {}) : kNoEdge;
            const int next = g.Node("clip", {x, low, g.Constant(g.DTypeAt(x), {})});
            if (next >= 0) x = next;
            continue;
          }
          const OpDef* op = (*ops)[static_cast<size_t>(g.Below(static_cast<int>(ops->size())))];
          bool has_default = true;
          for (const AttributeDef& attribute : op->attributes) {
            has_default = has_default && attribute.default_value;
          }
          if (!has_default || op->inputs.size() > 2) continue;
          const int next =
              op->inputs.size() == 1 ? g.Node(op->name, {x}) : g.Either(op->name, x, other);
          if (next >= 0) x = next;
        }
        return x;
      },
      3000);
}

TEST(SpecialValuesTest, MoveTransposes) {
  ExpectSameResults(kMoveTransposesPass, [](RandomGraph& g) {
    auto ints = [](std::vector<int64_t> list) {
      return AttributeOf(std::span<const int64_t>(list));
    };
    const DType dtype = AnyNumber(g);
    int x = g.Input(dtype, {AnySize(g), 3, g.Pick<int64_t>({1, 2})});
    x = g.Node("transpose", {x}, {{"perm", ints({0, 2, 1})}});
    for (int i = 1 + g.Below(3); i > 0 && x >= 0; --i) {
      const Shape shape = g.ShapeOf(x);
      if (shape.rank() != 3) break;
      switch (g.Below(7)) {
        case 0:
          x = g.Node(g.Pick({"neg", "relu", "abs", "square"}), {x});
          break;
        case 1:
          x = g.Either(g.Pick({"add", "maximum", "mul"}), x, ConstantFor(g, dtype, shape, 2));
          break;
        case 2:
          x = g.Node("concat", {x, x}, {{"axis", AttributeOf(g.Below(3))}});
          break;
        case 3:
          x = g.Node(g.Pick({"reduce_sum", "reduce_max", "reduce_mean", "reduce_prod"}), {x},
                     {{"axes", ints({g.Below(3)})}, {"keepdims", AttributeOf(g.OneIn(2))}});
          break;
        case 4:
          x = g.Node("slice", {x},
                     {{"starts", ints({1})}, {"limits", ints({2})}, {"axes", ints({g.Below(3)})}});
          break;
        case 5:
          x = g.Node("pad", {x, g.Constant(dtype, {})},
                     {{"before", ints({0, 1, 0})}, {"after", ints({1, 0, 2})}});
          break;
        default:
          x = g.Node("clip", {x, g.Constant(dtype, {}), g.Constant(dtype, {})});
      }
    }
    if (x >= 0 && g.ShapeOf(x).rank() == 3) {
      x = g.Node("transpose", {x}, {{"perm", ints({0, 2, 1})}});
    }
    return x;
  });
}

}  // namespace
}  // namespace signet
