#include "core/serving/tensorflow/results.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "signet/model_builder.h"
#include "signet/notation.h"
#include "tensorflow_serving/classification.pb.h"
#include "tensorflow_serving/regression.pb.h"

namespace signet::tf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ResultsTest : public testing::Test {
 protected:
  ResultsTest() {
    ModelBuilder builder;
    builder.AddFunction("f", "(x)").Result("x");
    auto def = BuildModelDef(builder);
    SIGNET_CHECK(def.ok());
    called_.model = std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
    called_.function = *called_.model->FindFunction("f");
  }

  std::string Classes(const std::string& value, size_t num_examples) {
    auto classes = ClassScoresOf(*ParseValue(value), called_, num_examples);
    if (!classes.ok()) return std::string(MessageOf(classes.status()));
    ::tensorflow::serving::ClassificationResult message;
    SIGNET_CHECK(message.ParseFromString(WriteClassScores(*classes)));
    EXPECT_EQ(message.classifications_size(), static_cast<int>(num_examples));
    return ClassScoresToJson(*classes);
  }

  std::string Values(const std::string& value, size_t num_examples) {
    auto values = RegressionsOf(*ParseValue(value), called_, num_examples);
    if (!values.ok()) return std::string(MessageOf(values.status()));
    ::tensorflow::serving::RegressionResult message;
    SIGNET_CHECK(message.ParseFromString(WriteRegressions(*values)));
    EXPECT_EQ(message.regressions_size(), static_cast<int>(num_examples));
    return RegressionsToJson(*values);
  }

  CalledFunction called_;
};

TEST_F(ResultsTest, ReadsClassesAndScores) {
  EXPECT_EQ(Classes("dict(classes: string[1, 2], scores: float32[1, 2]) "
                    "{classes: [[\"a\", \"b\"]], scores: [[0.5, nan]]}",
                    1),
            "{\"results\": [[[\"a\", 0.5], [\"b\", NaN]]]}\n");
  EXPECT_EQ(Classes("dict(scores: float64[2, 1], other: string[3]) "
                    "{scores: [[1.0], [2.0]], other: [\"\", \"\", \"\"]}",
                    2),
            "the output `other` has the type `string[3]`; expected [batch_size, num_classes] for 2 "
            "examples");
  EXPECT_EQ(Classes("float32[2] [1.0, 2.0]", 2), "{\"results\": [[[\"\", 1.0]], [[\"\", 2.0]]]}\n");
  EXPECT_EQ(Classes("string[1] [\"a\"]", 1), "{\"results\": [[[\"a\", 0.0]]]}\n");
  EXPECT_EQ(Classes("float32[2, 0] [[], []]", 2), "{\"results\": [[], []]}\n");
}

TEST_F(ResultsTest, RejectsOtherClasses) {
  EXPECT_THAT(Classes("float32[3, 1] [[1.0], [2.0], [3.0]]", 2), HasSubstr("for 2 examples"));
  EXPECT_THAT(Classes("float32[1, 1, 1] [[[1.0]]]", 1), HasSubstr("[batch_size, num_classes]"));
  EXPECT_THAT(Classes("dict(classes: string[1, 2], scores: float32[1, 1]) "
                      "{classes: [[\"a\", \"b\"]], scores: [[1.0]]}",
                      1),
              HasSubstr("found 2 classes and 1 scores"));
  EXPECT_THAT(Classes("ragged float32[1, (?)] [[1.0]]", 1), HasSubstr("expected a result with"));
}

TEST_F(ResultsTest, ReadsRegressions) {
  EXPECT_EQ(Values("dict(outputs: float32[2, 1], other: float32[2]) "
                   "{outputs: [[1.5], [inf]], other: [1.0, 2.0]}",
                   2),
            "{\"results\": [1.5, Infinity]}\n");
  EXPECT_EQ(Values("{fee: float32[], name: string[]}[2] "
                   "[{fee: 1.0, name: \"a\"}, {fee: 2.0, name: \"b\"}]",
                   2),
            "{\"results\": [1.0, 2.0]}\n");
  EXPECT_EQ(Values("int8[1] [-3]", 1), "{\"results\": [-3.0]}\n");
}

TEST_F(ResultsTest, RejectsOtherRegressions) {
  EXPECT_THAT(Values("float32[1, 2] [[1.0, 2.0]]", 1), HasSubstr("one value per example"));
  EXPECT_THAT(Values("string[1] [\"a\"]", 1), HasSubstr("numbers in `outputs`"));
  EXPECT_THAT(Values("dict(a: float32[1], b: float32[1]) {a: [1.0], b: [1.0]}", 1),
              HasSubstr("numbers in `outputs`"));
}

}  // namespace
}  // namespace signet::tf
