#include "server/protocols/signet/tensor_service.h"

#include <future>

#include <grpcpp/generic/generic_stub.h>

#include "tests/server/test_server.h"

namespace signet {
namespace {

// Sends arbitrary bytes as a request and returns the status.
grpc::Status StatusOfBytes(const TestServer& test, const std::string& method, std::string bytes) {
  grpc::GenericStub stub(test.MakeChannel());
  grpc::ClientContext context;
  grpc::Slice slice(bytes);
  grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> status;
  stub.UnaryCall(&context, "/signet.v1.TensorService/" + method, {}, &request, &response,
                 [&](grpc::Status given) { status.set_value(std::move(given)); });
  return status.get_future().get();
}

TEST(TensorServiceTest, RejectsBytesThatDoNotParse) {
  TestServer test;
  for (const char* method : {"Call", "Explain", "GetModel", "ListModels"}) {
    SCOPED_TRACE(method);
    grpc::Status status = StatusOfBytes(test, method, "\x0a\x09 short");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message(), "");
  }
}

TEST(TensorServiceTest, RejectsRequestsWithoutAModel) {
  TestServer test;
  for (const char* method : {"Call", "Explain", "GetModel"}) {
    SCOPED_TRACE(method);
    EXPECT_EQ(StatusOfBytes(test, method, "").error_message(),
              "missing name of a model; models: `math`");
  }
}

}  // namespace
}  // namespace signet
