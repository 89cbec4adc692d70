#include "server/protocols/signet/explain.h"

#include <gmock/gmock.h>

#include "core/types/notation/notation.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

TEST(ExplainTest, ReportsBindingCastsAndDispatch) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  CallSpec call = MathCall("affine", {Json{"[1, 2]"}});
  auto first = client.Explain(call);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->outcome(), v1::ExplainResponse::SPECIALIZED);
  EXPECT_THAT(first->signature(), testing::HasSubstr("affine(x: float32[?], /, *, scale: "));
  ASSERT_EQ(first->arguments_size(), 2);
  EXPECT_EQ(first->arguments(0).source(), v1::ExplainedArgument::POSITIONAL);
  EXPECT_EQ(first->arguments(1).source(), v1::ExplainedArgument::DEFAULT);
  EXPECT_EQ(first->model_version(), 1);

  auto second = client.Explain(call);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->outcome(), v1::ExplainResponse::EXACT);
}

TEST(ExplainTest, AcceptsTypesInPlaceOfValues) {
  TestServer test;
  TypeSpec spec = *ParseTypeSpec("float32[8]");
  auto explanation = test.MakeClient().Explain(MathCall("affine", {Value::OfType(spec)}));
  ASSERT_TRUE(explanation.ok()) << explanation.status();
  EXPECT_EQ(explanation->outcome(), v1::ExplainResponse::SPECIALIZED);
  EXPECT_TRUE(explanation->has_output());
}

TEST(ExplainTest, ExplainsCallsThatDoNotFit) {
  TestServer test;
  for (const CallSpec& call : {MathCall("affine"), MathCall("affine", {Json{"[\"a\"]"}})}) {
    auto explanation = test.MakeClient().Explain(call);
    ASSERT_TRUE(explanation.ok()) << explanation.status();
    EXPECT_EQ(explanation->outcome(), v1::ExplainResponse::REFUSED);
    EXPECT_EQ(explanation->error().code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(explanation->error().field().substr(0, 1), "x");
  }
}

TEST(ExplainTest, RejectsFunctionsThatDoNotExist) {
  TestServer test;
  EXPECT_EQ(test.MakeClient().Explain(MathCall("none")).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace signet
