#include "core/graph/flat/passes/remove_identities_pass.h"

#include <gtest/gtest.h>

#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

TEST(RemoveIdentitiesPassTest, RemovesIdentitiesAndViewsOfTheSameShape) {
  FlatMaker g({"float32[4, 8]"});
  int view = g.Node("expand_dims", {0}, {{"axis", AttributeOf(0)}});
  view = g.Node("squeeze", {view}, {{"axes", AttributeOf(0)}});
  const int result = g.Node("neg", {g.Node("identity", {view})});
  EXPECT_EQ(RunPass(kRemoveIdentitiesPass, g.Make({result})),
            "inputs: %0 float32[4, 8]\n"
            "%4 = neg(%0)  float32[4, 8]\n"
            "results: %4\n");
}

TEST(RemoveIdentitiesPassTest, RemovesCastsToTheSameType) {
  FlatMaker g({"float32[?, 2]"});
  const int cast = g.Node("cast", {0}, {{"dtype", AttributeOf("float32")}});
  EXPECT_EQ(RunPass(kRemoveIdentitiesPass, g.Make({g.Node("neg", {cast})})),
            "inputs: %0 float32[?, 2]\n"
            "%2 = neg(%0)  float32[?, 2]\n"
            "results: %2\n");
}

TEST(RemoveIdentitiesPassTest, JoinsViewsOfViews) {
  FlatMaker g({"float32[4, 6]"});
  const std::vector<int64_t> rows = {2, 12}, cube = {3, 2, 4};
  const int outer = g.Node("reshape", {0}, {{"shape", AttributeOf(rows)}});
  const int inner = g.Node("reshape", {outer}, {{"shape", AttributeOf(cube)}});
  EXPECT_EQ(RunPass(kRemoveIdentitiesPass, g.Make({inner})),
            "inputs: %0 float32[4, 6]\n"
            "%2 = reshape(%0; shape=list(3, 2, 4))  float32[3, 2, 4]\n"
            "results: %2\n");
}

TEST(RemoveIdentitiesPassTest, KeepsAViewThatIsAResult) {
  FlatMaker g({"float32[4, 6]"});
  const std::vector<int64_t> rows = {2, 12};
  const FlatGraph graph = g.Make({g.Node("reshape", {0}, {{"shape", AttributeOf(rows)}})});
  EXPECT_EQ(RunPass(kRemoveIdentitiesPass, graph), graph.ToString());
}

}  // namespace
}  // namespace signet
