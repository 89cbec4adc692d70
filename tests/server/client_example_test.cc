// Client and TypedFunction, the public classes, against a real server. ServiceClient, which it
// uses, is tested with the protocols.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signet/client.h"
#include "signet/notation.h"
#include "signet/typed_function.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClientTest, RunsTheExampleOfItsHeader) {
  TestServer test;
  const std::string address = test.address();
  // signet/client.h
  signet::Client client(address);  // such as localhost:8500
  auto limit = signet::Tensor::Scalar<int64_t>(3);
  auto scores = client.Call({.model = {.name = "math"},
                             .function = "score",
                             .args = {signet::Json{R"({"ids": [1, 2], "title": "soup"})"}},
                             .kwargs = {{"limit", limit}},
                             .timeout = std::chrono::seconds(60)});
  // end
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ(ToString(*scores), "int64[2] [1, 2]");
}

TEST(TypedFunctionTest, RunsTheExampleOfItsHeader) {
  TestServer test;
  Client client(test.address());
  // signet/typed_function.h
  signet::TypedFunction<std::vector<float>(std::vector<float>)> predict(
      client, {.model = {.name = "math"}, .function = "affine"});
  signet::StatusOr<std::vector<float>> halves = predict({1, 2, 4});
  auto later = predict.Async({8});  // a future
  // end
  ASSERT_TRUE(halves.ok()) << halves.status();
  EXPECT_THAT(*halves, ElementsAre(0.5, 1, 2));
  EXPECT_THAT(*later.get(), ElementsAre(4));
}

// The types of values that are built from structs are those that functions accept.
struct Recipe {
  std::vector<int64_t> ids;
  std::string title;
};
constexpr auto RecordFields(const Recipe*) {
  return std::tuple(Field("ids", &Recipe::ids), Field("title", &Recipe::title));
}

TEST(TypedFunctionTest, PassesRecordsLiteralsAndJson) {
  TestServer test;
  Client client(test.address());
  const RemoteCall score{.model = {.name = "math"}, .function = "score"};
  TypedFunction<std::vector<int64_t>(Recipe, Literal)> of_record(client, score);
  EXPECT_THAT(*of_record({{1, 2}, "soup"}, Literal::Int(3)), ElementsAre(1, 2));
  TypedFunction<std::vector<int64_t>(Json)> of_json(client, score);
  EXPECT_THAT(*of_json({R"({"ids": [4], "title": "tea"})"}), ElementsAre(4));
  TypedFunction<std::vector<Recipe>(std::vector<Recipe>)> identity(
      client, {.model = {.name = "math"}, .function = "identity"});
  auto same = identity({{{1}, "a"}, {{}, "b"}});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ((*same)[1].title, "b");
  EXPECT_THAT((*same)[0].ids, ElementsAre(1));
}

TEST(ClientTest, SendsCallsOverAStream) {
  TestServer test;
  Client client(test.address());
  RemoteStream stream = client.OpenStream("low");
  for (float x : {2.0f, 4.0f}) {
    RemoteCall call{.model = {.name = "math"}, .function = "affine"};
    call.args = {ToValue(std::vector<float>{x})};
    EXPECT_TRUE(stream.Send(call).ok());
  }
  EXPECT_TRUE(stream.Send({.model = {.name = "math"}, .function = "none"}).ok());
  EXPECT_THAT(*ValueAs<std::vector<float>>(*stream.Next()), ElementsAre(1));
  EXPECT_THAT(*ValueAs<std::vector<float>>(*stream.Next()), ElementsAre(2));
  EXPECT_EQ(stream.Next().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(stream.pending(), 0u);
}

TEST(ClientTest, ReturnsJson) {
  TestServer test;
  Client client(test.address());
  auto text = client.CallForJson({.model = {.name = "math"},
                                  .function = "affine",
                                  .args = {Json{"[2, 4]"}},
                                  .kwargs = {{"scale", Tensor::Scalar(2.0f)}}});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "[4.0,8.0]");
}

TEST(ClientTest, ListsModelsAndFunctions) {
  TestServer test;
  Client client(test.address());
  auto models = client.ListModels();
  ASSERT_TRUE(models.ok()) << models.status();
  ASSERT_EQ(models->size(), 1u);
  EXPECT_EQ((*models)[0].name, "math");
  EXPECT_THAT((*models)[0].versions, ElementsAre(1));
  EXPECT_TRUE((*models)[0].functions.empty());
  auto model = client.GetModel({.name = "math"});
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_FALSE(model->functions.empty());
  EXPECT_EQ(model->functions[0].name, "identity");
  EXPECT_EQ(model->functions[0].doc, "Returns x");
  EXPECT_THAT(model->functions[0].signature, HasSubstr("(x)"));
  EXPECT_EQ(client.GetModel({.name = "none"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*client.Health(), ServingState::kServing);
  EXPECT_EQ(*client.Health("math"), ServingState::kServing);
}

TEST(ClientTest, ReturnsErrorsWithDetails) {
  TestServer test;
  Client client(test.address());
  Status missing =
      client.Call({.model = {.name = "math"}, .function = "affine", .args = {}}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(missing), "MISSING_REQUIRED");
  EXPECT_EQ(FieldOf(missing), "x");
}

TEST(ClientTest, RejectsUnknownFieldsIfTheCallSaysSo) {
  TestServer test;
  Client client(test.address());
  RemoteCall call{.model = {.name = "math"},
                  .function = "score",
                  .args = {Json{R"({"ids": [1], "title": "soup", "other": 3})"}}};
  EXPECT_TRUE(client.Call(call).ok());
  call.reject_unknown_fields = true;
  EXPECT_EQ(client.Call(call).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ClientTest, EndsCallsAtTheirTimeout) {
  TestServer test;
  Client client(test.address());
  RemoteCall call{.model = {.name = "math"}, .function = "slow", .args = {ManyFloats()}};
  call.timeout = std::chrono::milliseconds(1);
  EXPECT_EQ(client.Call(call).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(ClientTest, ReportsThatNoServerAnswers) {
  Client client("127.0.0.1:1", {.timeout = std::chrono::seconds(5)});
  Status status = client.ListModels().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReasonOf(status), kNotConnected);
}

}  // namespace
}  // namespace signet
