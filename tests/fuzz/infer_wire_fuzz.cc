// Law: a request that is read has consistent tensors, also if the message arrives in pieces, and
// its tensors can be written as a response.

#include <string>
#include <utility>

#include "core/formats/inference/infer_wire.h"

namespace {

// Reads shared memory that consists of zeros.
signet::StatusOr<signet::Buffer> ZeroBytes(const signet::SharedMemoryPart& part) {
  return signet::Buffer::Copy(std::string(part.size, '\0'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  auto bytes = std::as_bytes(std::span(data, size));
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  const size_t half = size / 2;
  auto whole = ParseInferRequest({{bytes}, nullptr}, limits, ZeroBytes);
  auto parts =
      ParseInferRequest({{bytes.first(half), bytes.subspan(half)}, nullptr}, limits, ZeroBytes);
  SIGNET_CHECK(whole.ok() == parts.ok());
  if (!whole.ok()) return 0;
  SIGNET_CHECK(whole->inputs.size() == parts->inputs.size());
  InferResponse response{.model = whole->model};
  for (size_t i = 0; i < whole->inputs.size(); ++i) {
    SIGNET_CHECK(SameTensor(whole->inputs[i].tensor, parts->inputs[i].tensor));
    response.outputs.push_back({.tensor = std::move(whole->inputs[i])});
  }
  SIGNET_CHECK(WriteInferResponse(response).ok());
  return 0;
}
