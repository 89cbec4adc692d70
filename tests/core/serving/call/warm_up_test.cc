#include "core/serving/call/warm_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "signet/v1/recorded.pb.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class WarmUpTest : public testing::Test {
 protected:
  // Warms up a model whose function `f(x: int64[?], k = 1)` has these examples.
  Status WarmUp(const std::vector<std::string>& examples, const v1::WarmUp& settings = {}) {
    ModelBuilder builder;
    FunctionBuilder& f = builder.AddFunction("f", "(x: int64[?], k: int64[] = 1)");
    for (const std::string& example : examples) f.Example(example);
    f.Node("y", "mul", {"x", "k"}).Result("y");
    auto def = BuildModelDef(builder);
    SIGNET_CHECK(def.ok());
    model_ = std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
    return WarmUpModel(model_, folder_.path(), settings, Limits(), cancelled_);
  }

  // Returns a record of a file of recorded calls.
  static std::string Record(const v1::RecordedCall& call) {
    std::string bytes = call.SerializeAsString();
    return Cat(std::string(1, static_cast<char>(bytes.size())), bytes);
  }
  static v1::RecordedCall CallOf(const std::string& model, const std::string& function) {
    v1::RecordedCall call;
    call.mutable_request()->mutable_model()->set_name(model);
    call.mutable_request()->set_function(function);
    v1::Encoded& x = *call.mutable_request()->add_args()->mutable_encoded();
    x.set_format(v1::Encoded::JSON);
    x.set_data("[1, 2]");
    return call;
  }

  TemporaryFolder folder_;
  std::shared_ptr<LoadedModel> model_;
  std::atomic<bool> cancelled_{false};
};

TEST_F(WarmUpTest, CallsTheExamples) {
  EXPECT_TRUE(WarmUp({"'[1, 2]'", "[1] k=3", "'int64[2] [1, 2]'", "x=[1] k=2"}).ok());
  EXPECT_GT(model_->functions()[0]->cache_stats().targets, 0u);
  Status failed = WarmUp({"[1]", "soup"});
  EXPECT_THAT(std::string(MessageOf(failed)), StartsWith("function `f`: example `soup`: m/1.f: "));
  EXPECT_THAT(std::string(MessageOf(WarmUp({"'[1"}))), HasSubstr("closing quotation mark"));
}

TEST_F(WarmUpTest, DoesNotCallExamplesIfTheSettingsSaySo) {
  v1::WarmUp settings;
  settings.set_examples(false);
  EXPECT_TRUE(WarmUp({"soup"}, settings).ok());
}

TEST_F(WarmUpTest, ReadsFilesOfTheVersionOnly) {
  folder_.Write("x.json", "[1, 2, 3]");
  EXPECT_TRUE(WarmUp({"@x.json"}).ok());
  folder_.Write("x.json", "\"soup\"");
  EXPECT_FALSE(WarmUp({"@x.json"}).ok());
  EXPECT_TRUE(WarmUp({"@none.json", "@/etc/passwd", "@../x.json"}).ok());
}

TEST_F(WarmUpTest, MakesRecordedCalls) {
  v1::WarmUp settings;
  settings.set_requests_file("calls.rec");
  EXPECT_THAT(std::string(MessageOf(WarmUp({}, settings))), HasSubstr("file not found"));
  v1::RecordedCall failed = CallOf("m", "g");
  failed.set_code(5);
  std::string good = Record(CallOf("m", "f")) + Record(CallOf("other", "g")) + Record(failed);
  folder_.Write("calls.rec", good);
  Status status = WarmUp({}, settings);
  EXPECT_TRUE(status.ok()) << status;
  folder_.Write("calls.rec", good + Record(CallOf("m", "g")));
  EXPECT_THAT(std::string(MessageOf(WarmUp({}, settings))),
              StartsWith("`calls.rec`: request 4: model `m`: function `g` not found"));
  folder_.Write("calls.rec", good + "\x05x");
  EXPECT_THAT(std::string(MessageOf(WarmUp({}, settings))),
              StartsWith("`calls.rec`: request 4: expected a message"));
}

TEST_F(WarmUpTest, StopsWhenItIsCancelled) {
  cancelled_ = true;
  EXPECT_EQ(WarmUp({"[1]"}).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace signet
