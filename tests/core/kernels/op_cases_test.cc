// Runs tests/core/ops/*.cases by inference and kernel alone, at every instruction-set level, with
// all that is known of the inputs, and with less. Cases of composite values run through a graph:
// tests/core/runtime/graph_cases_test.cc.

#include <cstdio>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"
#include "tests/support/case_file.h"

namespace signet {
namespace {

// How much a kernel's maker knows of its inputs.
enum class Known : uint8_t { kValues, kShapes, kRanks, kDTypes };

TypeSpec TypeOf(const Tensor& tensor, Known known) {
  if (!tensor.has_value()) return {};
  switch (known) {
    case Known::kValues:
    case Known::kShapes:
      return tensor.spec();
    case Known::kRanks:
      return TensorType(tensor.dtype(), PartialShape::OfRank(tensor.rank()));
    case Known::kDTypes:
      return TensorType(tensor.dtype(), PartialShape());
  }
  return {};
}

StatusOr<std::vector<Value>> Run(const OpCase& op_case, Known known, int threads) {
  SIGNET_ASSIGN_OR_RETURN(const OpDef* op, BuiltinOps().Find(op_case.op));
  SIGNET_RETURN_IF_ERROR(CheckArity(*op, op_case.inputs.size()));
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, CompleteAttributes(*op, op_case.attributes));
  std::vector<Tensor> inputs;
  std::vector<TypeSpec> types;
  std::vector<const Tensor*> constants;
  for (const Value& input : op_case.inputs) {
    inputs.push_back(input.components().empty() ? Tensor() : input.tensor());
    types.push_back(TypeOf(inputs.back(), known));
  }
  if (known == Known::kValues) {
    for (const Tensor& input : inputs) constants.push_back(input.has_value() ? &input : nullptr);
  }
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp(*op, attributes, inputs, types, constants, threads));
  return std::vector<Value>(outputs.begin(), outputs.end());
}

void Check(const OpCase& op_case, Known known, int threads) {
  auto found = Run(op_case, known, threads);
  if (!op_case.error.empty()) {
    ASSERT_FALSE(found.ok()) << "expected an error";
    EXPECT_NE(found.status().code(), absl::StatusCode::kInternal);
    // An error that is found later may have another message.
    if (known <= Known::kShapes) {
      EXPECT_EQ(MessageOf(found.status()), op_case.error);
    }
    // Some ops require known ranks.
    if (!op_case.constraint.empty() &&
        (known < Known::kDTypes || LabelOf(found.status()) != "C1")) {
      EXPECT_EQ(LabelOf(found.status()), op_case.constraint) << found.status();
    }
    return;
  }
  // Some ops require known ranks.
  if (known == Known::kDTypes && found.status().code() == absl::StatusCode::kInvalidArgument)
    return;
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(Difference(op_case, *found), "");
}

// Returns true if the case is not a call of a kernel.
bool NeedsGraph(const OpCase& op_case) {
  const OpDef* op = BuiltinOps().Lookup(op_case.op);
  return !IsKernelCall(op_case) || (op != nullptr && op->infer == nullptr);
}

TEST(OpCasesTest, AgreeWithKernelsAtEveryLevel) {
  IsaLevel active = ActiveIsaLevel();
  size_t run = 0;
  size_t through_graph = 0;
  for (const CaseFile& file : ReadCaseFiles()) {
    EXPECT_EQ(file.fault, "") << file.name;
    for (const OpCase& op_case : file.cases) {
      if (NeedsGraph(op_case)) {
        ++through_graph;
        continue;
      }
      ++run;
      for (IsaLevel level : AvailableIsaLevels()) {
        SetIsaLevel(level);
        for (Known known : {Known::kValues, Known::kShapes, Known::kRanks, Known::kDTypes}) {
          SCOPED_TRACE(Cat(file.name, ":", op_case.line, ": ", op_case.call, "\nat ", NameOf(level),
                           ", knowledge ", static_cast<int>(known)));
          Check(op_case, known, 1);
          Check(op_case, known, 3);
        }
      }
    }
  }
  SetIsaLevel(active);
  std::printf("cases: %zu by kernel at %zu levels, %zu left to the graph\n", run,
              AvailableIsaLevels().size(), through_graph);
  EXPECT_GT(run, 0u);
}

TEST(OpCasesTest, AllAvailableLevelsAreNamed) {
  std::printf("levels:");
  for (IsaLevel level : AvailableIsaLevels())
    std::printf(" %s", std::string(NameOf(level)).c_str());
  std::printf(", active %s\n", std::string(NameOf(ActiveIsaLevel())).c_str());
  EXPECT_EQ(AvailableIsaLevels()[0], IsaLevel::kBaseline);
}

}  // namespace
}  // namespace signet
