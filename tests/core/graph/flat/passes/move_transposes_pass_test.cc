#include "core/graph/flat/passes/move_transposes_pass.h"

#include <random>

#include <gtest/gtest.h>

#include "core/graph/flat/passes/passes.h"
#include "core/graph/flat/passes/permutation.h"
#include "core/ops/catalog.h"
#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

NamedTypes List(const char* name, std::vector<int64_t> values) {
  return {{name, AttributeOf(std::span<const int64_t>(values))}};
}

// Counts the occurrences of `part`.
int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

int ChannelsFirst(FlatMaker& g, int x) {
  return g.Node("transpose", {x}, List("perm", {0, 3, 1, 2}));
}
int ChannelsLast(FlatMaker& g, int x) {
  return g.Node("transpose", {x}, List("perm", {0, 2, 3, 1}));
}

// A convolution of an image with channels last, as the operators of TensorFlow are expanded.
int Conv(FlatMaker& g, int x, std::string_view filter) {
  const int y = g.Node("conv", {ChannelsFirst(g, x), g.Constant(filter)},
                       {{"auto_pad", AttributeOf("same_upper")}});
  return ChannelsLast(g, y);
}

int Pool(FlatMaker& g, std::string_view op, int x) {
  NamedTypes window = List("kernel", {2, 2});
  window.push_back(List("strides", {2, 2})[0]);
  return ChannelsLast(g, g.Node(op, {ChannelsFirst(g, x)}, window));
}

// (x - mean) * factor + offset
int Normalize(FlatMaker& g, int x, std::string_view channels) {
  const int centered = g.Node("sub", {x, g.Constant(channels)});
  return g.Node("add", {g.Node("mul", {centered, g.Constant(channels)}), g.Constant(channels)});
}

TEST(MoveTransposesPassTest, CancelsTransposesAroundElementwiseOps) {
  FlatMaker g({"float32[?, 3, 4, 5]"});
  const int y = g.Node("relu", {g.Node("add", {ChannelsLast(g, 0), g.Constant("float32[3]")})});
  EXPECT_EQ(RunPass(kMoveTransposesPass, g.Make({ChannelsFirst(g, y)})),
            "inputs: %0 float32[?, 3, 4, 5]\n"
            "%6 = constant  float32[1, 3, 1, 1]\n"
            "%7 = add(%0, %6)  float32[?, 3, 4, 5]\n"
            "%8 = relu(%7)  float32[?, 3, 4, 5]\n"
            "results: %8\n");
}

TEST(MoveTransposesPassTest, LeavesOneTransposeInANetworkWithChannelsLast) {
  FlatMaker g({"float32[?, 8, 8, 3]"});
  int x = g.Node("relu", {Normalize(g, Conv(g, 0, "float32[4, 3, 3, 3]"), "float32[4]")});
  x = Pool(g, "max_pool", x);
  const int inner = g.Node("relu", {Normalize(g, Conv(g, x, "float32[4, 4, 3, 3]"), "float32[4]")});
  x = g.Node("add", {x, Conv(g, inner, "float32[4, 4, 1, 1]")});  // a residual
  NamedTypes pads = List("before", {0, 1, 2, 0});
  pads.push_back(List("after", {0, 0, 1, 0})[0]);
  const int padded = g.Node("pad", {x}, pads);
  const int other = g.Node("pad", {Conv(g, x, "float32[2, 4, 1, 1]")}, pads);
  x = g.Node("concat", {padded, other}, {{"axis", AttributeOf(-1)}});
  // A gate per channel.
  NamedTypes spatial = List("axes", {1, 2});
  const int mean = g.Node("reduce_mean", {x}, spatial);
  int gate = g.Node("reshape", {mean}, List("shape", {-1, 1, 1, 6}));
  gate = g.Node("sigmoid", {Conv(g, gate, "float32[6, 6, 1, 1]")});
  x = g.Node("mul", {x, gate});
  x = g.Node("reduce_mean", {Pool(g, "average_pool", x)}, spatial);
  x = g.Node("add",
             {g.Node("matmul", {x, g.Constant("float32[6, 10]")}), g.Constant("float32[10]")});
  FlatGraph graph = g.Make({g.Node("softmax", {x})});
  EXPECT_EQ(Count(graph.ToString(), " = transpose("), 14);
  const std::string text = RunPass(kMoveTransposesPass, graph);
  EXPECT_EQ(Count(text, " = transpose("), 1) << text;
  // The other passes then fuse the elementwise ops into the convolutions.
  ASSERT_TRUE(Optimize(graph, BuiltinOps(), {.verify = true}).ok());
  EXPECT_EQ(Count(graph.ToString(), " = transpose("), 1) << graph.ToString();
  EXPECT_EQ(Count(graph.ToString(), " = relu("), 0) << graph.ToString();
  EXPECT_EQ(Count(graph.ToString(), " = sub("), 0) << graph.ToString();
}

TEST(MoveTransposesPassTest, ReadsTheInputOfAConvolutionInBothLayouts) {
  FlatMaker g({"float32[?, 4, 4, 3]"});
  const int sum = g.Node("add", {0, Conv(g, 0, "float32[3, 3, 3, 3]")});
  const std::string text =
      RunPass(kMoveTransposesPass, g.Make({Conv(g, sum, "float32[2, 3, 1, 1]")}));
  EXPECT_EQ(Count(text, " = transpose("), 2) << text;  // at the input and at the result
}

TEST(MoveTransposesPassTest, MakesReshapesOfTransposesOfOneChannel) {
  FlatMaker g({"float32[?, 4, 4, 1]"});
  const std::string text =
      RunPass(kMoveTransposesPass, g.Make({Conv(g, 0, "float32[1, 1, 3, 3]")}));
  EXPECT_EQ(Count(text, " = transpose("), 0) << text;
  EXPECT_EQ(Count(text, " = reshape("), 2) << text;
}

TEST(MoveTransposesPassTest, PermutesTheWeightsAfterAFlattenedImage) {
  for (bool is_transposed : {false, true}) {
    FlatMaker g({"float32[?, 4, 5, 1]"});
    const int flat =
        g.Node("reshape", {Conv(g, 0, "float32[3, 1, 3, 3]")}, List("shape", {-1, 60}));
    const int weights = g.Constant(is_transposed ? "float32[7, 60]" : "float32[60, 7]");
    const int y = g.Node("matmul", {flat, weights}, {{"transpose_b", AttributeOf(is_transposed)}});
    const std::string text = RunPass(kMoveTransposesPass, g.Make({y}));
    EXPECT_EQ(Count(text, " = transpose("), 0) << text;
  }
}

TEST(MoveTransposesPassTest, KeepsANormalizationOverTheLastDimension) {
  FlatMaker g({"float32[2, 3, 4, 5]"});
  const int x = ChannelsLast(g, 0);
  NamedTypes axes = List("axes", {-1});
  axes.emplace_back("keepdims", AttributeOf(true));
  const int y = g.Node("sub", {x, g.Node("reduce_mean", {x}, axes)});
  const FlatGraph graph = g.Make({y});
  EXPECT_EQ(RunPass(kMoveTransposesPass, graph), graph.ToString());
}

TEST(MoveTransposesPassTest, KeepsTransposesThatMatrixProductsAbsorb) {
  FlatMaker g({"float32[2, 3, 4]", "float32[2, 3, 4]"});
  auto swapped = [&] { return g.Node("transpose", {0}, List("perm", {0, 2, 1})); };
  const int y = g.Node("matmul", {1, swapped()});
  const int z = g.Node("matmul", {1, swapped()});
  const FlatGraph graph = g.Make({y, z});
  EXPECT_EQ(RunPass(kMoveTransposesPass, graph), graph.ToString());
}

TEST(MoveTransposesPassTest, KeepsATransposeThatWouldBecomeLarger) {
  FlatMaker g({"float32[1, 3, 1, 5]", "float32[2, 1, 5, 3]"});
  const FlatGraph graph = g.Make({g.Node("add", {ChannelsLast(g, 0), 1})});
  EXPECT_EQ(RunPass(kMoveTransposesPass, graph), graph.ToString());
}

// Makes random graphs of ops that the pass moves and of ops that it does not know.
class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed)
      : random_(seed), g_({"float32[?, 4, 2, 3]", "float32[2, 3, 1, 4]"}) {
    values_ = {0, 1};
    shapes_ = {{3, 4, 2, 3}, {2, 3, 1, 4}};
  }

  FlatGraph Make(int nodes) {
    for (int i = 0; i < nodes; ++i) AddNode();
    std::vector<int> results = {values_.back()};
    for (int i = 0; i < 2; ++i) results.push_back(values_[Pick(values_.size())]);
    return g_.Make(results);
  }

 private:
  using Dims = std::vector<int64_t>;

  size_t Pick(size_t n) { return random_() % n; }

  void Add(int edge, Dims shape) {
    values_.push_back(edge);
    shapes_.push_back(std::move(shape));
  }

  static std::string TypeText(const Dims& dims) {
    std::string text = "float32[";
    for (size_t i = 0; i < dims.size(); ++i) text += Cat(i == 0 ? "" : ", ", dims[i]);
    return text + "]";
  }

  void AddNode() {
    // Mostly the last values, so that long chains arise.
    const size_t n = values_.size();
    const size_t at = Pick(3) == 0 ? Pick(n) : n - 1 - Pick(std::min<size_t>(n, 2));
    const int x = values_[at];
    const Dims dims = shapes_[at];
    const auto rank = static_cast<int64_t>(dims.size());
    const auto axis = static_cast<int64_t>(Pick(dims.size()));
    const auto axis_at = static_cast<size_t>(axis);
    switch (Pick(12)) {
      case 0:
      case 1:
      case 2: {
        Permutation perm = IdentityOf(static_cast<int>(rank));
        std::shuffle(perm.begin(), perm.end(), random_);
        if (rank == 4 && Pick(2) == 0)
          perm = Pick(2) == 0 ? Permutation{0, 3, 1, 2} : Permutation{0, 2, 3, 1};
        Dims moved;
        for (int64_t from : perm) moved.push_back(dims[static_cast<size_t>(from)]);
        return Add(g_.Node("transpose", {x}, List("perm", perm)), moved);
      }
      case 3:
        return Add(g_.Node(Pick(2) == 0 ? "relu" : "sigmoid", {x}), dims);
      case 4:
      case 5:
        return AddBinary(x, dims);
      case 6: {
        Dims wide = dims;
        NamedTypes pads = List("before", Dims(dims.size(), 0));
        Dims after(dims.size(), 0);
        after[axis_at] = 1;
        wide[axis_at] += 1;
        pads.push_back(List("after", after)[0]);
        return Add(g_.Node("pad", {x}, pads), wide);
      }
      case 7: {
        Dims joined = dims;
        joined[axis_at] *= 2;
        if (joined[axis_at] > 8) return;
        return Add(g_.Node("concat", {x, g_.Node("relu", {x})}, {{"axis", AttributeOf(axis)}}),
                   joined);
      }
      case 8: {
        if (rank < 3) return;
        const bool keeps = Pick(2) == 0;
        NamedTypes attributes = List("axes", {axis});
        attributes.emplace_back("keepdims", AttributeOf(keeps));
        Dims reduced = dims;
        reduced[axis_at] = 1;
        if (!keeps) reduced.erase(reduced.begin() + axis);
        return Add(g_.Node(Pick(2) == 0 ? "reduce_mean" : "reduce_max", {x}, attributes), reduced);
      }
      case 9: {
        NamedTypes range = List("starts", {0});
        range.push_back(List("limits", {2})[0]);
        range.push_back(List("axes", {axis})[0]);
        Dims cut = dims;
        cut[axis_at] = std::min<int64_t>(cut[axis_at], 2);
        return Add(g_.Node("slice", {x}, range), cut);
      }
      case 10: {
        if (rank >= 5) return;
        Dims more = dims;
        more.insert(more.begin() + axis, 1);
        const int expanded = g_.Node("expand_dims", {x}, {{"axis", AttributeOf(axis)}});
        Add(expanded, more);
        if (Pick(2) == 0) Add(g_.Node("squeeze", {expanded}, List("axes", {axis})), dims);
        return;
      }
      default:
        return AddReshape(x, dims);
    }
  }

  void AddBinary(int x, const Dims& dims) {
    const char* op = Pick(2) == 0 ? "add" : "mul";
    for (size_t tries = 0; tries < 4; ++tries) {
      const size_t other = Pick(values_.size());
      if (shapes_[other] == dims) return Add(g_.Node(op, {values_[other], x}), dims);
    }
    // A constant that broadcasts.
    Dims constant = dims;
    for (int64_t& dim : constant) dim = Pick(2) == 0 ? 1 : dim;
    constant.erase(constant.begin(), constant.begin() + static_cast<int64_t>(Pick(dims.size())));
    Add(g_.Node(op, {x, g_.Constant(TypeText(constant))}), dims);
  }

  // Merges the dimensions after the first one, and sometimes multiplies by weights.
  void AddReshape(int x, const Dims& dims) {
    int64_t row = 1;
    for (size_t i = 1; i < dims.size(); ++i) row *= dims[i];
    const int flat = g_.Node("reshape", {x}, List("shape", {dims[0], row}));
    if (Pick(2) == 0) return Add(flat, {dims[0], row});
    const int product = g_.Node("matmul", {flat, g_.Constant(TypeText({row, 4}))});
    // Products of products grow quickly.
    Add(g_.Node("sigmoid", {product}), {dims[0], 4});
  }

  std::mt19937 random_;
  FlatMaker g_;
  std::vector<int> values_;   // edges
  std::vector<Dims> shapes_;  // with the sizes of the run
};

TEST(MoveTransposesPassTest, KeepsTheResultsOfRandomGraphs) {
  int before = 0;
  int after = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const FlatGraph graph = RandomGraph(seed).Make(4 + static_cast<int>(seed % 24));
    const std::string text = RunPass(kMoveTransposesPass, graph);
    FlatGraph live = graph;
    PruneDead(live);
    before += Count(live.ToString(), " = transpose(");
    after += Count(text, " = transpose(");
    EXPECT_LE(Count(text, " = transpose("), Count(live.ToString(), " = transpose("));
    if (HasFailure()) {
      ADD_FAILURE() << graph.ToString() << text;
      return;
    }
  }
  EXPECT_LT(after * 3, before * 2);
}

}  // namespace
}  // namespace signet
