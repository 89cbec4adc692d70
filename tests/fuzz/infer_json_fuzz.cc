// Law: a request that is read has consistent tensors, and the response with the same tensors can be
// read again as a request with the same tensors. The first byte of the input selects the number of
// bytes of JSON.

#include <string>

#include "core/formats/inference/infer_json.h"

namespace {

// Reads shared memory that consists of zeros.
signet::StatusOr<signet::Buffer> ZeroBytes(const signet::SharedMemoryPart& part) {
  return signet::Buffer::Copy(std::string(part.size, '\0'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0) return 0;
  std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  // 255: no header; 254: text from the body as the header; otherwise, the number of bytes.
  std::string header;
  if (data[0] == 254) header = body.substr(0, 8);
  if (data[0] < 254) header = Cat(static_cast<int>(data[0]));
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  auto request = ParseInferJson(Buffer::Copy(body), header, limits, ZeroBytes);
  if (!request.ok()) return 0;
  InferResponse response{.model = "m", .version = "1"};
  bool is_raw = false;
  for (NamedTensor& tensor : request->inputs) {
    SIGNET_CHECK(tensor.tensor.has_value());
    is_raw |= tensor.is_raw;
    response.outputs.push_back({.tensor = std::move(tensor), .is_binary = true});
  }
  if (is_raw) return 0;
  auto written = WriteInferJson(response, limits);
  SIGNET_CHECK(written.ok());
  for (InferOutput& output : response.outputs) output.is_binary = false;
  (void)WriteInferJson(response, limits);  // strings that are not UTF-8 are errors
  return 0;
}
