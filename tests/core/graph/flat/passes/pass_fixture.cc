#include "tests/core/graph/flat/passes/pass_fixture.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/graph/flat/flat_runner.h"
#include "core/graph/flat/passes/run_passes.h"
#include "core/ops/catalog.h"
#include "core/types/notation/notation.h"

namespace signet {
namespace {

Tensor RandomFloats(const TypeSpec& type, std::mt19937& random) {
  Shape shape;
  for (int64_t dim : type.shape()->dims()) shape.push_back(dim == kUnknownDim ? 3 : dim);
  auto tensor = Tensor::Allocate(DType::kFloat32, shape);
  SIGNET_CHECK(tensor.ok());
  std::uniform_real_distribution<float> numbers(0.5F, 1.5F);
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    tensor->mutable_elements<float>()[i] = numbers(random);
  }
  return *std::move(tensor);
}

StatusOr<Components> Results(const FlatGraph& graph) {
  std::mt19937 random(1);
  std::vector<Tensor> inputs;
  for (int i = 0; i < graph.num_inputs; ++i) {
    inputs.push_back(RandomFloats(graph.edges[static_cast<size_t>(i)].spec, random));
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  RunBudget budget;
  auto check = [] { return absl::OkStatus(); };
  return RunFlatGraph(graph, pointers, {budget, check});
}

void ExpectSameResults(const FlatGraph& graph, const FlatGraph& rewritten) {
  auto expected = Results(graph);
  auto found = Results(rewritten);
  ASSERT_TRUE(expected.ok() && found.ok()) << expected.status() << found.status();
  ASSERT_EQ(expected->size(), found->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    ASSERT_EQ((*expected)[i].shape(), (*found)[i].shape());
    for (size_t k = 0; k < static_cast<size_t>((*expected)[i].num_elements()); ++k) {
      const float number = (*expected)[i].elements<float>()[k];
      EXPECT_NEAR(number, (*found)[i].elements<float>()[k], 1e-5 * (1 + std::abs(number)));
    }
  }
}

}  // namespace

FlatMaker::FlatMaker(const std::vector<std::string>& input_types) {
  graph_.num_inputs = static_cast<int>(input_types.size());
  for (const std::string& type : input_types) graph_.edges.push_back({*ParseTypeSpec(type), {}});
}

int FlatMaker::Constant(std::string_view type) {
  std::mt19937 random(static_cast<unsigned>(graph_.edges.size()));
  const TypeSpec spec = *ParseTypeSpec(type);
  graph_.edges.push_back({spec, RandomFloats(spec, random)});
  return static_cast<int>(graph_.edges.size()) - 1;
}

int FlatMaker::Scalar(float value) {
  graph_.edges.push_back({*ParseTypeSpec("float32[]"), Tensor::Scalar(value)});
  return static_cast<int>(graph_.edges.size()) - 1;
}

int FlatMaker::Node(std::string_view name, std::vector<int> inputs, const NamedTypes& attributes) {
  const OpDef* op = BuiltinOps().Lookup(name);
  SIGNET_CHECK(op != nullptr);
  auto complete = CompleteAttributes(*op, Attributes(attributes));
  SIGNET_CHECK(complete.ok());
  NodeInputs known = InputsOf(graph_, inputs);
  auto types = op->infer({*op, known.specs, *complete, known.constants});
  EXPECT_TRUE(types.ok()) << types.status();
  SIGNET_CHECK(types.ok() && !types->empty());
  FlatNode node{op, std::move(inputs), *std::move(complete), {}};
  for (const TypeSpec& type : *types) {
    node.outputs.push_back(static_cast<int>(graph_.edges.size()));
    graph_.edges.push_back({type, {}});
  }
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs[0];
}

FlatGraph FlatMaker::Make(std::vector<int> results) {
  graph_.results = std::move(results);
  return graph_;
}

std::string RunPass(const Pass& pass, const FlatGraph& graph) {
  FlatGraph rewritten = graph;
  const PassGroup alone = {&pass};
  auto rounding = RunPasses(rewritten, BuiltinOps(), std::span(&alone, 1), {.verify = true});
  if (!rounding.ok()) return rounding.status().ToString();
  ExpectSameResults(graph, rewritten);
  return rewritten.ToString();
}

}  // namespace signet
