#include "bench/support/echo_server.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include "bench/support/echo.grpc.pb.h"

namespace signet {
namespace {

class EchoService final : public bench::Echo::CallbackService {
 public:
  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context,
                                 const bench::EchoMessage* request,
                                 bench::EchoMessage* response) override {
    response->set_data(request->data());
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

// One call: reads a message and sends its slices back.
class RawEcho final : public grpc::ServerGenericBidiReactor {
 public:
  RawEcho() { StartRead(&message_); }
  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "no message"));
      return;
    }
    StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer message_;
};

class RawEchoService final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new RawEcho;
  }
};

std::string ContentOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int ServeEcho(const std::vector<std::string>& addresses, const std::string& certificates) {
  std::shared_ptr<grpc::ServerCredentials> tcp = grpc::InsecureServerCredentials();
  if (!certificates.empty()) {
    grpc::SslServerCredentialsOptions tls;
    tls.pem_key_cert_pairs = {
        {ContentOf(certificates + "/tls.key"), ContentOf(certificates + "/tls.pem")}};
    tcp = grpc::SslServerCredentials(tls);
  }
  EchoService echo;
  RawEchoService raw;
  grpc::ServerBuilder builder;
  for (const std::string& address : addresses) {
    const bool is_tcp = !address.starts_with("unix:");
    builder.AddListeningPort(address, is_tcp ? tcp : grpc::InsecureServerCredentials());
  }
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&echo);
  builder.RegisterCallbackGenericService(&raw);
  auto server = builder.BuildAndStart();
  if (server == nullptr) {
    std::fprintf(stderr, "echo server: cannot listen\n");
    return 1;
  }
  server->Wait();
  return 0;
}

}  // namespace signet
