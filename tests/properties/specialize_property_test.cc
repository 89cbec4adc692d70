// Law: the specialized, optimized form of a random function gives what the plain form gives, bit by
// bit; and the executor, with its planned memory, gives what kernels run one by one on the heap
// give.

#include <random>

#include <gtest/gtest.h>

#include "core/graph/flat/run_kernel.h"
#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

// A function of two float matrices: nodes of random ops over earlier values, captures and literals.
FunctionDef RandomFunction(std::mt19937& random) {
  const char* binary[] = {"add", "sub", "mul", "maximum", "minimum", "div"};
  const char* unary[] = {"neg", "abs", "relu", "tanh", "sigmoid", "square", "exp", "softmax"};
  BodyMaker maker("random", "(x, y, k = 2.0)");
  std::vector<std::string> values = {"x", "y", "$w"};
  auto pick = [&] { return values[random() % values.size()]; };
  int count = 1 + static_cast<int>(random() % 12);
  for (int i = 0; i < count; ++i) {
    std::string name = "n" + std::to_string(i);
    switch (random() % 5) {
      case 0:
      case 1:
        maker.Node(name, binary[random() % std::size(binary)], {pick(), pick()});
        break;
      case 2:
        maker.Node(name, "mul", {pick(), "k"});
        break;
      case 3:
        maker.Node(name, "matmul", {pick(), pick()});
        break;
      default:
        maker.Node(name, unary[random() % std::size(unary)], {pick()});
    }
    values.push_back(name);
  }
  return maker.Make(values.back());
}

Tensor RandomTensor(std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> elements(16);
  for (float& element : elements) element = uniform(random);
  return Tensor::Of<float>({4, 4}, std::span<const float>(elements));
}

// Runs a flat graph node by node, each kernel with memory of its own.
StatusOr<std::vector<Tensor>> RunPlainly(const FlatGraph& graph, std::span<const Tensor> inputs) {
  std::vector<Tensor> edges(graph.edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    edges[i] = i < inputs.size() ? inputs[i] : graph.edges[i].constant;
  }
  for (const FlatNode& node : graph.nodes) {
    std::vector<TypeSpec> specs, types;
    std::vector<const Tensor*> known;
    for (int edge : node.inputs) {
      known.push_back(edge == kNoEdge ? nullptr : &edges[static_cast<size_t>(edge)]);
      specs.push_back(edge == kNoEdge ? TypeSpec() : graph.edges[static_cast<size_t>(edge)].spec);
    }
    for (int edge : node.outputs) types.push_back(graph.edges[static_cast<size_t>(edge)].spec);
    SIGNET_ASSIGN_OR_RETURN(auto outputs,
                            RunKernelOnce({*node.op, specs, node.attributes, known}, types));
    for (size_t i = 0; i < outputs.size(); ++i)
      edges[static_cast<size_t>(node.outputs[i])] = outputs[i];
  }
  std::vector<Tensor> results;
  for (int edge : graph.results) results.push_back(edges[static_cast<size_t>(edge)]);
  return results;
}

TEST(SpecializePropertyTest, OptimisedEqualsPlain) {
  constexpr unsigned kSeed = 20261;
  constexpr int kRounds = 500;
  std::mt19937 random(kSeed);
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " round " << round);
    TestLibrary library;
    library.values["w"] = RandomTensor(random);
    FunctionDef def = RandomFunction(random);
    std::vector<Tensor> inputs = {RandomTensor(random), RandomTensor(random)};
    FunctionType type = CallType(def, {inputs[0], inputs[1]});
    auto plain = Specialize(def, type, library, {.optimize = false, .verify = true});
    auto made = Specialize(def, type, library, {.optimize = true, .verify = true});
    ASSERT_TRUE(plain.ok() && made.ok()) << plain.status() << made.status();
    ASSERT_TRUE(plain->output == made->output);
    ASSERT_LE(made->graph.nodes.size(), plain->graph.nodes.size());
    auto expected = RunPlainly(plain->graph, inputs);
    ASSERT_TRUE(expected.ok()) << expected.status();
    auto plan = Plan::Make(std::move(made->graph));
    ASSERT_TRUE(plan.ok()) << plan.status();
    FramePool frames;
    const Tensor* arguments[] = {&inputs[0], &inputs[1]};
    for (int run = 0; run < 2; ++run) {  // the second on a used frame
      auto results = RunPlan(**plan, frames, arguments, {});
      ASSERT_TRUE(results.ok()) << results.status();
      ASSERT_TRUE(SameTensor((*results)[0], (*expected)[0]));
    }
  }
  std::printf("specialize_property: %d random functions, seed %u\n", kRounds, kSeed);
}

}  // namespace
}  // namespace signet
