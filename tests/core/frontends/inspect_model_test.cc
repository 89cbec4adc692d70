#include "core/frontends/inspect_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "signet/model_builder.h"
#include "tests/core/frontends/savedmodel/import/saved_model_text.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

TEST(InspectTest, LeavesOutMetadataForPrograms) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("y", "Neg", {"x"})
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  TemporaryFolder folder;
  auto loaded = model.Load(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE((*loaded)->def().metadata.contains("savedmodel.serving_default.signature_def"));
  auto text = InspectModel(folder.path());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, testing::HasSubstr("savedmodel.tags: serve"));
  EXPECT_THAT(*text, testing::Not(testing::HasSubstr("signature_def")));
}

TEST(InspectTest, ShowsAModelToPeople) {
  ModelBuilder model("Scores documents\nAn example.");
  model.AddMetadata("author", "Ada");
  model.AddCapture("weights", Tensor::Of<float>({300, 2}, std::vector<float>(600)));
  model.AddCapture("words", Tensor::Strings({2}, std::vector<std::string_view>{"a", "b"}));
  model.AddExtensionType({.name = "app.Masked",
                          .doc = "Values with gaps",
                          .statics = {"axis"},
                          .components = {{"values", "float32[?]"}}});
  model
      .AddFunction("score",
                   "(x: [{a: float32[2]}], /, k = 3, *, scale: float32[] = 1.0) -> float32[?]")
      .Doc("Scores x.")
      .ParameterDoc("k", "how many")
      .Node("y", "matmul", {"weights", "x.a"}, {{"transpose_b", true}})
      .Node("best", "top_k", {"y"}, {{"k", FromValue{"k"}}})
      .Node("z", "mul", {"best", "best:1"})
      .Result("z");
  TemporaryFolder folder;
  ASSERT_TRUE(model.Save(folder.path() / "documents" / "7").ok());
  auto text = InspectModel(folder.path() / "documents" / "7");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, R"(model documents/7
  Scores documents
  An example.

metadata
  author: Ada

extension types
  app.Masked<axis>(values: float32[?])
    Values with gaps

captures
  weights: float32[300, 2], 2.3 KiB
  words: string[2], 26 B

function
  score(x: [{a: float32[2]}], /, k = 3, *, scale: float32[] = 1.0) -> float32[?]
    Scores x.
      k: how many

    x.a = struct_get(x, field="a")
    y = matmul(weights, x.a, transpose_b=True)
    best = top_k(y, k=k)
    z = mul(best, best:1)
    return z
)");
}

TEST(InspectTest, RejectsWhatLoadingRejects) {
  TemporaryFolder folder;
  EXPECT_FALSE(InspectModel(folder.path()).ok());
}

}  // namespace
}  // namespace signet
