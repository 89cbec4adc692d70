#include "core/serving/batching/verify_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/frontends/load_model.h"
#include "signet/model_builder.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class VerifyBatchesTest : public testing::Test {
 protected:
  // Saves the model and loads it as a server does.
  Status Load(const ModelBuilder& builder, const ModelOptions& options = {}) {
    Status saved = builder.Save(folder_.path());
    if (!saved.ok()) return saved;
    SIGNET_ASSIGN_OR_RETURN(auto model, LoadModel(folder_.path(), "m", 1, options));
    return VerifyBatches(*model, folder_.path(), options.limits);
  }

  TemporaryFolder folder_;
};

TEST_F(VerifyBatchesTest, AcceptsFunctionsOfRows) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x: float32[?, 2], scale: float32[] = 2.0)")
      .Node("y", "mul", {"x", "scale"})
      .Result("y")
      .Example("'[[1, 2], [3, 4], [5, 6]]'")
      .Example("'[[1, 2]]' scale=3")
      .Batch({"x"});
  builder.AddFunction("g", "(x: [{ids: int64[(?)], name: string[]}])")
      .Node("y", "reduce_sum", {"x.ids"}, {{"axes", 1}})
      .Result("y")
      .Example(R"('[{"ids": [1, 2], "name": "a"}, {"ids": [], "name": "b"}]')")
      .Batch({"x"});
  EXPECT_TRUE(Load(builder).ok()) << Load(builder);
}

TEST_F(VerifyBatchesTest, RejectsResultsThatDependOnOtherRows) {
  ModelBuilder builder;
  builder.AddFunction("center", "(x: float32[?, 2])")
      .Node("mean", "reduce_mean", {"x"}, {{"axes", 0}})
      .Node("y", "sub", {"x", "mean"})
      .Result("y")
      .Example("'[[1, 2], [3, 4]]'")
      .Batch({"x"});
  Status status = Load(builder);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(MessageOf(status)), AllOf(HasSubstr("function `center`: batch"),
                                                    HasSubstr("alone"), HasSubstr("joined")));
}

TEST_F(VerifyBatchesTest, FindsADependencyWithoutExamples) {
  ModelBuilder builder;
  builder.AddFunction("center", "(x: float32[?, 2])")
      .Node("mean", "reduce_mean", {"x"}, {{"axes", 0}})
      .Node("y", "sub", {"x", "mean"})
      .Result("y")
      .Batch({"x"});
  EXPECT_THAT(std::string(MessageOf(Load(builder))), HasSubstr("depends on the calls"));
}

TEST_F(VerifyBatchesTest, FindsADependencyOfIntegersWithAndWithoutAnExampleOfOneRow) {
  for (bool has_example : {true, false}) {
    ModelBuilder builder;
    auto& function = builder.AddFunction("largest", "(x: int64[?, 3])")
                         .Node("most", "reduce_max", {"x"}, {{"axes", 0}})
                         .Node("y", "sub", {"x", "most"})
                         .Result("y")
                         .Batch({"x"});
    if (has_example) function.Example("'[[1, 2, 3]]'");
    EXPECT_THAT(std::string(MessageOf(Load(builder))), HasSubstr("depends on the calls"));
  }
}

TEST_F(VerifyBatchesTest, RejectsResultsWithoutRows) {
  ModelBuilder builder;
  builder.AddFunction("total", "(x: float32[?])")
      .Node("y", "reduce_sum", {"x"})
      .Result("y")
      .Batch({"x"});
  EXPECT_THAT(std::string(MessageOf(Load(builder))),
              HasSubstr("function `total`: batch: the result: expected a type with rows"));
}

TEST_F(VerifyBatchesTest, RejectsAnotherNumberOfRows) {
  ModelBuilder builder;
  builder.AddFunction("twice", "(x: float32[?])")
      .Node("y", "concat", {"x", "x"}, {{"axis", 0}})
      .Result("y")
      .Example("'[1, 2]'")
      .Batch({"x"});
  EXPECT_THAT(std::string(MessageOf(Load(builder))), HasSubstr("one row per row"));
}

TEST_F(VerifyBatchesTest, RejectsParametersThatDoNotExistOrHaveNoRows) {
  ModelBuilder missing;
  missing.AddFunction("f", "(x: float32[?])").Result("x").Batch({"y"});
  EXPECT_THAT(std::string(MessageOf(Load(missing))),
              HasSubstr("function `f`: batch: parameter `y` not found; parameters: "));
  ModelBuilder scalar;
  scalar.AddFunction("f", "(x: float32[])").Result("x").Batch({"x"});
  EXPECT_THAT(std::string(MessageOf(Load(scalar))),
              HasSubstr("parameter `x`: expected a type with"));
  ModelBuilder twice;
  twice.AddFunction("f", "(x: float32[?])").Result("x").Batch({"x", "x"});
  EXPECT_THAT(std::string(MessageOf(Load(twice))), HasSubstr("duplicate parameter `x`"));
}

TEST_F(VerifyBatchesTest, TakesBatchesFromTheOptions) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x: float32[?])").Node("y", "neg", {"x"}).Result("y");
  builder.AddFunction("total", "(x: float32[?])").Node("y", "reduce_sum", {"x"}).Result("y");
  ModelOptions good;
  good.batches = {{"f", {"x"}}};
  EXPECT_TRUE(Load(builder, good).ok()) << Load(builder, good);
  ModelOptions bad;
  bad.batches = {{"total", {"x"}}};
  EXPECT_FALSE(Load(builder, bad).ok());
  ModelOptions unknown;
  unknown.batches = {{"h", {"x"}}};
  EXPECT_THAT(std::string(MessageOf(Load(builder, unknown))), HasSubstr("no such function"));
}

TEST_F(VerifyBatchesTest, SavedModelsKeepTheirBatches) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x: float32[?])").Node("y", "neg", {"x"}).Result("y").Batch({"x"});
  for (auto form : {ModelBuilder::Form::kText, ModelBuilder::Form::kBinary}) {
    ASSERT_TRUE(builder.Save(folder_.path(), form).ok());
    auto model = LoadModel(folder_.path(), "m", 1, {});
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_THAT((*model)->def().batches.at("f"), testing::ElementsAre("x"));
  }
}

}  // namespace
}  // namespace signet
