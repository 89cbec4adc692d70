// Runs tests/core/ops/*.cases as functions of one node: specialized, planned and executed.
// Composite values go through expansion here; the others are what op_cases_test runs by kernel
// alone, so that the two paths must agree.

#include <cstdio>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/constraint.h"
#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "signet/extension_spec.h"
#include "signet/tensor_spec.h"
#include "tests/support/body_maker.h"
#include "tests/support/case_file.h"
#include "tests/support/op_function.h"

namespace signet {
namespace {

// The type of a call of which no more than the rank of its first argument, a tensor, is known.
FunctionType WithoutSizes(const FunctionType& type) {
  std::vector<Parameter> parameters = type.parameters();
  if (parameters.empty()) return type;
  const auto* tensor = parameters[0].type.As<TensorSpec>();
  if (tensor != nullptr) {
    parameters[0].type = TensorType(tensor->dtype(), PartialShape::OfRank(tensor->shape().rank()));
  }
  return FunctionType::MakeUnchecked(std::move(parameters), type.captures());
}

constexpr size_t kNone = std::numeric_limits<size_t>::max();

// Returns the first input that is made a capture, because it is an attribute in the standard.
size_t FirstCapture(const CaseFile& file) {
  const bool has_attributes =
      file.name.ends_with("/onnx_ml.cases") || file.name.ends_with("/onnx_constants.cases");
  return has_attributes ? 1 : kNone;
}

// Makes captures of the inputs from `first` on.
Status MakeCaptures(size_t first, FunctionDef& def, std::vector<Value>& arguments,
                    TestLibrary& library) {
  auto& inputs = def.graph.nodes[0].inputs;
  for (size_t i = first; i < arguments.size(); ++i) {
    std::string name = Cat("attribute", i);
    inputs[i] = {GraphEdge::Kind::kCapture, static_cast<int>(def.graph.captures.size()), 0};
    library.values[name] = arguments[i];
    def.graph.captures.push_back(std::move(name));
  }
  arguments.resize(std::min<size_t>(arguments.size(), first));
  std::vector<Parameter> parameters = def.type.parameters();
  parameters.resize(arguments.size());
  SIGNET_ASSIGN_OR_RETURN(def.type, FunctionType::Make(std::move(parameters)));
  return absl::OkStatus();
}

StatusOr<std::vector<Value>> RunThroughGraph(const OpCase& op_case, bool optimize, bool knows_sizes,
                                             size_t first_capture) {
  SIGNET_ASSIGN_OR_RETURN(FunctionDef def,
                          OpFunction(op_case.op, op_case.attributes, op_case.inputs.size(),
                                     std::max<size_t>(op_case.results.size(), 1)));
  TestLibrary library;
  std::vector<Value> arguments = op_case.inputs;
  if (first_capture != kNone) {
    SIGNET_RETURN_IF_ERROR(MakeCaptures(first_capture, def, arguments, library));
  }
  SIGNET_ASSIGN_OR_RETURN(CanonicalCall call,
                          Canonicalize(def.type, {arguments, {}}, def.defaults));
  FunctionType type = knows_sizes ? call.type : WithoutSizes(call.type);
  SIGNET_ASSIGN_OR_RETURN(Specialization made,
                          Specialize(def, type, library, {.optimize = optimize, .verify = true}));
  SIGNET_ASSIGN_OR_RETURN(auto plan, Plan::Make(std::move(made.graph)));
  std::vector<const Tensor*> inputs;
  for (const Value& argument : call.arguments) {
    for (const Tensor& component : argument.components()) inputs.push_back(&component);
  }
  FramePool frames;
  SIGNET_ASSIGN_OR_RETURN(Components results, RunPlan(*plan, frames, inputs, {}));
  // Whatever an op makes of checked values must pass the checks of values from outside.
  SIGNET_ASSIGN_OR_RETURN(Value tuple, MakeValue(made.output, std::move(results)));
  return ChildrenOf(tuple);
}

// Some inputs of operators of SavedModels must be known when a function is specialized. Only if an
// operator states that, its inputs are made captures.
StatusOr<std::vector<Value>> RunCase(const CaseFile& file, const OpCase& op_case, bool optimize,
                                     bool knows_sizes) {
  auto found = RunThroughGraph(op_case, optimize, knows_sizes, FirstCapture(file));
  const bool needs_constants =
      op_case.op.starts_with("tf.") && absl::IsUnimplemented(found.status()) &&
      MessageOf(found.status()).find("expected a constant") != std::string_view::npos;
  return needs_constants ? RunThroughGraph(op_case, optimize, knows_sizes, 0) : found;
}

TEST(GraphCasesTest, AgreeThroughSpecializerAndExecutor) {
  size_t run = 0;
  for (const CaseFile& file : ReadCaseFiles()) {
    ASSERT_EQ(file.fault, "") << file.name;
    for (const OpCase& op_case : file.cases) {
      for (bool optimize : {false, true}) {
        SCOPED_TRACE(
            Cat(file.name, ":", op_case.line, ": ", op_case.call, optimize ? "" : " (plain)"));
        auto found = RunCase(file, op_case, optimize, /*knows_sizes=*/true);
        ++run;
        if (op_case.error.empty()) {
          EXPECT_TRUE(found.ok()) << found.status();
          EXPECT_EQ(found.ok() ? Difference(op_case, *found) : "", "");
        } else if (found.ok()) {
          ADD_FAILURE() << "expected an error: " << op_case.error;
        } else {
          EXPECT_TRUE(IsExpectedError(op_case, found.status()))
              << found.status() << ", constraint " << ConstraintOf(found.status());
        }
      }
    }
  }
  std::printf("cases: %zu runs through the graph\n", run);
  EXPECT_GT(run, 0u);
}

// Operators of ONNX and TensorFlow, which expand in another way where sizes are not known.
TEST(GraphCasesTest, ImportedOperatorsAgreeOnUnknownSizes) {
  size_t run = 0;
  size_t unimplemented = 0;  // operators of TensorFlow that require known sizes
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) {
      const bool is_imported = op_case.op.starts_with("onnx.") || op_case.op.starts_with("tf.");
      if (!is_imported || !op_case.error.empty()) continue;
      // If such shapes are known only at a call, the result has the rank of the inputs.
      if (op_case.call.find("incompatible_shape_error=False") != std::string::npos) continue;
      SCOPED_TRACE(Cat(file.name, ":", op_case.line, ": ", op_case.call));
      auto found = RunCase(file, op_case, /*optimize=*/true, /*knows_sizes=*/false);
      // The number of groups follows from the number of channels.
      const bool has_groups = MessageOf(found.status()).find("groups 1") != std::string_view::npos;
      if (op_case.op.starts_with("tf.") && has_groups) continue;
      if (op_case.op.starts_with("tf.") && absl::IsUnimplemented(found.status())) {
        EXPECT_THAT(MessageOf(found.status()), testing::HasSubstr("known"));
        ++unimplemented;
        continue;
      }
      ++run;
      EXPECT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(found.ok() ? Difference(op_case, *found) : "", "");
    }
  }
  std::printf("cases: %zu runs with unknown sizes, %zu need known sizes\n", run, unimplemented);
  EXPECT_LE(unimplemented, 28u);  // 24 of them factor matrices or solve equations
  EXPECT_GT(run, 0u);
}

}  // namespace
}  // namespace signet
