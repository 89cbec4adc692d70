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

TEST(TensorServiceTest, ExpandsCompressedRequestsUpToTheLimit) {
  ServerOptions options;
  options.limits.message_bytes = 1 << 20;
  TestServer test(options);
  auto stub = test.MakeStub();
  for (auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    auto call = [&](size_t elements) {
      grpc::ClientContext context;
      context.set_compression_algorithm(algorithm);
      const Value zeros =
          Tensor::Of<float>({static_cast<int64_t>(elements)}, std::vector<float>(elements));
      v1::CallResponse response;
      grpc::Status status =
          stub->Call(&context, RequestOf(MathCall("identity", {zeros})), &response);
      EXPECT_TRUE(!status.ok() ||
                  response.result().tensor().data() == std::string(elements * sizeof(float), '\0'));
      return status;
    };
    for (size_t elements : {1, 1000, 200'000}) {
      EXPECT_TRUE(call(elements).ok()) << elements << call(elements).error_message();
    }
    grpc::Status status = call(1 << 18);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(status.error_message(), testing::HasSubstr("limit of 1048576 bytes"));
    EXPECT_TRUE(call(1).ok()) << "on the same connection";

    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    auto stream = stub->CallStream(&context);
    v1::CallStreamRequest request;
    request.set_id(5);
    *request.mutable_call() =
        RequestOf(MathCall("identity", {Tensor::Of<float>({1000}, std::vector<float>(1000))}));
    v1::CallStreamResponse answer;
    for (int i = 0; i < 3; ++i) {
      stream->Write(request);
      ASSERT_TRUE(stream->Read(&answer));
      EXPECT_EQ(answer.response().result().tensor().data().size(), 4000U);
    }
    request.mutable_call()->mutable_args(0)->mutable_tensor()->set_data(std::string(2 << 20, 'x'));
    stream->Write(request);
    EXPECT_FALSE(stream->Read(&answer));
    status = stream->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);

    grpc::ClientContext other;
    other.set_compression_algorithm(algorithm);
    v1::GetModelRequest model;
    model.mutable_model()->set_name("math" + std::string(1000, 'h'));
    v1::GetModelResponse found;
    EXPECT_EQ(stub->GetModel(&other, model, &found).error_code(), grpc::StatusCode::NOT_FOUND);
  }
}

}  // namespace
}  // namespace signet
