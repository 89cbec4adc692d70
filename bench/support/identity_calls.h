// Calls of an identity function, and echoes of the same size, for comparisons of servers.
// Stateless.

#pragma once

#include <string>

#include <google/protobuf/message_lite.h>

#include "bench/support/echo.pb.h"
#include "bench/support/load.h"
#include "signet/v1/service.pb.h"

namespace signet {

// The model `bench` with the function `identity(x: float32[?])`.
inline constexpr const char* kIdentityModel =
    "\"\"\"Returns its argument\"\"\"\n\n\ndef identity(x: float32[?]):\n    return x\n";

// Returns `bytes` bytes of float32.
inline std::string Content(size_t bytes) { return std::string(bytes, '\x3f'); }

inline std::string CallOf(size_t bytes) {
  v1::CallRequest request;
  request.mutable_model()->set_name("bench");
  request.set_function("identity");
  v1::Tensor& tensor = *request.add_args()->mutable_tensor();
  tensor.set_dtype(v1::DTYPE_FLOAT32);
  tensor.add_shape(static_cast<int64_t>(bytes / sizeof(float)));
  tensor.set_data(Content(bytes));
  return request.SerializeAsString();
}

inline std::string EchoOf(size_t bytes) {
  bench::EchoMessage message;
  message.set_data(Content(bytes));
  return message.SerializeAsString();
}

// Checks that a call returns its argument.
inline Status CheckCall(const LoadClient& client, size_t bytes) {
  SIGNET_ASSIGN_OR_RETURN(std::string answer, client.CallOnce(10));
  v1::CallResponse response;
  if (!response.ParseFromString(answer) || response.result().tensor().data() != Content(bytes)) {
    return Internal("the response is not the argument");
  }
  return absl::OkStatus();
}

}  // namespace signet
