// call_server: lists the models of a server and calls one of them.
//
//   signet-server --models examples/models --listen 127.0.0.1:8500 &
//   call_server 127.0.0.1:8500

#include <chrono>
#include <iostream>

#include "signet/client.h"
#include "signet/notation.h"

namespace {

signet::Status CallServer(const char* address) {
  signet::Client client(address, {.timeout = std::chrono::seconds(20)});
  SIGNET_ASSIGN_OR_RETURN(std::vector<signet::RemoteModel> models, client.ListModels());
  for (const signet::RemoteModel& model : models) std::cout << model.name << "\n";

  // The first argument is a value. Further arguments could be JSON, which the server reads under
  // the type of the parameter.
  signet::RemoteCall call{.model = {.name = "half_plus_two"}, .function = "predict"};
  call.args = {signet::Tensor::Of<float>({2}, {1, 2})};
  SIGNET_ASSIGN_OR_RETURN(signet::Value sums, client.Call(call));
  std::cout << signet::ToString(sums) << "\n";
  call.args = {signet::Json{"[5.0]"}};
  SIGNET_ASSIGN_OR_RETURN(std::string json, client.CallForJson(call));
  std::cout << json << "\n";

  // Errors of the server have a code, a message, a reason, and the path of the argument.
  call.args = {};
  signet::Status error = client.Call(call).status();
  std::cout << "rejected: " << signet::ReasonOf(error) << " " << signet::FieldOf(error) << "\n";
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: call_server HOST:PORT\n";
    return 2;
  }
  signet::Status status = CallServer(argv[1]);
  if (!status.ok()) std::cerr << "call_server: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
