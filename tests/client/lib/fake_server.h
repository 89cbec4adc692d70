// FakeServer: a server of signet.v1 in this process whose responses a test decides.
//
//   FakeServer server;
//   server.on_call = [](grpc::ServerContext&, const v1::CallRequest&, v1::CallResponse& response) {
//     response.mutable_result()->mutable_literal()->set_int_(3);
//     return grpc::Status::OK;
//   };
//
// It has the health service of gRPC, which reports SERVING until SetServing(false).

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include "signet/cat.h"
#include "signet/v1/service.grpc.pb.h"

namespace signet {

class FakeServer final : public v1::TensorService::Service {
 public:
  // Listens on `port`, or on a free port.
  explicit FakeServer(int port = 0) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Cat("127.0.0.1:", port), grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    EXPECT_NE(server_, nullptr);
  }
  ~FakeServer() override { Stop(); }

  int port() const { return port_; }
  std::string address() const { return Cat("127.0.0.1:", port_); }
  // Returns the number of calls that arrived.
  int calls() const { return calls_; }
  void SetServing(bool is_serving) {
    server_->GetHealthCheckService()->SetServingStatus(is_serving);
  }
  // Cancels all calls and closes all connections.
  void Stop() {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
    server_ = nullptr;
  }

  std::function<grpc::Status(grpc::ServerContext&, const v1::CallRequest&, v1::CallResponse&)>
      on_call =
          [](grpc::ServerContext&, const v1::CallRequest& request, v1::CallResponse& response) {
            if (request.args_size() > 0) *response.mutable_result() = request.args(0);
            return grpc::Status::OK;
          };

 private:
  grpc::Status Call(grpc::ServerContext* context, const v1::CallRequest* request,
                    v1::CallResponse* response) override {
    ++calls_;
    return on_call(*context, *request, *response);
  }
  grpc::Status CallStream(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::CallStreamResponse, v1::CallStreamRequest>* stream) override {
    v1::CallStreamRequest request;
    while (stream->Read(&request)) {
      ++calls_;
      v1::CallStreamResponse response;
      response.set_id(request.id());
      grpc::Status status = on_call(*context, request.call(), *response.mutable_response());
      if (!status.ok()) return status;
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

  int port_ = 0;
  std::atomic<int> calls_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace signet
