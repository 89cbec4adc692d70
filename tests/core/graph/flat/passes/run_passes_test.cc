#include "core/graph/flat/passes/run_passes.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "core/graph/flat/control_nodes.h"
#include "core/graph/flat/passes/passes.h"
#include "core/graph/flat/passes/remove_identities_pass.h"
#include "core/ops/catalog.h"
#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

// relu(neg(identity(x)))
FlatGraph SmallGraph() {
  FlatMaker g({"float32[2]"});
  return g.Make({g.Node("relu", {g.Node("neg", {g.Node("identity", {0})})})});
}

// Replaces node `i` by `to` if it calls `from`.
bool Replace(Rewriter& rewriter, size_t i, std::string_view from, std::string_view to) {
  return rewriter.node(i).op->name == from && rewriter.ReplaceOp(i, to, rewriter.node(i).inputs);
}

// Each of these passes enables the other: neg => exp => abs => sqrt.
constexpr Rule kEven[] = {
    {"NegToExp", [](Rewriter& r, size_t i) { return Replace(r, i, "neg", "exp"); }, true},
    {"AbsToSqrt", [](Rewriter& r, size_t i) { return Replace(r, i, "abs", "sqrt"); }}};
constexpr Rule kOdd[] = {
    {"ExpToAbs", [](Rewriter& r, size_t i) { return Replace(r, i, "exp", "abs"); }}};
const Pass kEvenPass = {"Even", true, [](Rewriter& r) { return ApplyRules(r, kEven); }};
const Pass kOddPass = {"Odd", false, [](Rewriter& r) { return ApplyRules(r, kOdd); }};

TEST(RunPassesTest, RunsAGroupUntilNothingChanges) {
  FlatGraph graph = SmallGraph();
  std::vector<std::string> changes;
  auto note = [&](std::string_view pass, const FlatGraph& after) {
    changes.push_back(Cat(pass, ": ", after.nodes[1].op->name));
  };
  const PassGroup group = {&kEvenPass, &kOddPass};
  auto rounding =
      RunPasses(graph, BuiltinOps(), std::span(&group, 1), {.verify = true, .on_change = note});
  ASSERT_TRUE(rounding.ok()) << rounding.status();
  EXPECT_NE(*rounding, 0u);
  EXPECT_EQ(changes, (std::vector<std::string>{"Even: exp", "Odd: abs", "Even: sqrt"}));
}

TEST(RunPassesTest, SumsOnlyRewritesThatMayChangeRounding) {
  FlatGraph graph = SmallGraph();
  const PassGroup group = {&kRemoveIdentitiesPass};
  auto rounding = RunPasses(graph, BuiltinOps(), std::span(&group, 1), {.verify = true});
  ASSERT_TRUE(rounding.ok()) << rounding.status();
  EXPECT_EQ(*rounding, 0u);
}

TEST(RunPassesTest, NamesThePassThatBreaksTheGraph) {
  const Pass broken = {"Broken", false, [](Rewriter& rewriter) {
                         // Lets a node read an edge that is written later.
                         const_cast<FlatGraph&>(rewriter.graph()).nodes[0].inputs = {3};
                         return PassResult{.changed = true};
                       }};
  FlatGraph graph = SmallGraph();
  const PassGroup group = {&broken};
  auto rounding = RunPasses(graph, BuiltinOps(), std::span(&group, 1), {.verify = true});
  EXPECT_EQ(rounding.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(MessageOf(rounding.status()),
            "after pass Broken: node 0 (`identity`): input 0: expected an edge that is written "
            "before, found %3");
}

TEST(RunPassesTest, RewritesTheBodiesOfControlNodes) {
  FlatGraph graph = FlatMaker({"bool[]", "float32[2]"}).Make({});
  const auto body = std::make_shared<const FlatGraph>(SmallGraph());
  graph.edges.push_back({graph.edges[1].spec, {}});
  graph.nodes.push_back({&SwitchOp(), {0, 1}, {}, {2}, {body, body}});
  graph.results = {2};
  auto rounding = Optimize(graph, BuiltinOps(), {.verify = true});
  ASSERT_TRUE(rounding.ok()) << rounding.status();
  ASSERT_EQ(graph.nodes.size(), 1u);
  for (const auto& rewritten : graph.nodes[0].bodies) {
    ASSERT_EQ(rewritten->nodes.size(), 1u);
    EXPECT_EQ(rewritten->nodes[0].op->name, "fused_elementwise");
  }
}

// The test suite sets the variable for all programs (tests/environment.cmake.in).
TEST(RunPassesTest, EnvironmentSelectsVerification) {
  const char* value = std::getenv("SIGNET_VERIFY_PASSES");
  const bool is_set = value != nullptr && std::string_view(value) == "1";
  EXPECT_EQ(PassOptionsFromEnvironment().verify, is_set);
}

}  // namespace
}  // namespace signet
