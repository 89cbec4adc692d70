#include "client/lib/service_client.h"

#include <gtest/gtest.h>

#include "client/lib/errors.h"

namespace signet {
namespace {

TEST(ServiceClientTest, ReportsThatItCannotConnect) {
  ServiceClient client("127.0.0.1:1", std::chrono::seconds(5));
  Status status = client.ListModels().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ExitCodeOf(status), 3);
  EXPECT_EQ(ReasonOf(status), kNotConnected);
  EXPECT_EQ(MessageOf(status), "cannot connect to a server at `127.0.0.1:1`: Connection refused");
  EXPECT_FALSE(client.Health().ok());
}

TEST(ServiceClientTest, WritesRequests) {
  CallSpec call{.model = {.name = "m", .version = 3}, .function = "f"};
  call.args.push_back(Json{"[1]"});
  call.kwargs.emplace_back("k", Value(Tensor::Scalar(1.0f)));
  v1::CallRequest request = RequestOf(call);
  EXPECT_EQ(request.model().version(), 3);
  EXPECT_EQ(request.args(0).encoded().format(), v1::Encoded::JSON);
  EXPECT_EQ(request.args(0).encoded().data(), "[1]");
  EXPECT_EQ(request.kwargs(0).name(), "k");
  EXPECT_EQ(request.kwargs(0).value().tensor().dtype(), v1::DTYPE_FLOAT32);
}

TEST(ServiceClientTest, RendersErrorsForPeople) {
  Status status =
      WithField("x", InvalidWithReason("MISSING_REQUIRED", "m/1.f: no argument for `x`"));
  EXPECT_EQ(RenderError(status),
            "signet: m/1.f: no argument for `x`\n"
            "  field: x\n"
            "  reason: INVALID_ARGUMENT, MISSING_REQUIRED\n");
  EXPECT_EQ(RenderError(NotFound("no model")), "signet: no model\n  reason: NOT_FOUND\n");
  EXPECT_EQ(ExitCodeOf(status), 1);
}

}  // namespace
}  // namespace signet
