// Law: every byte of every tensor that is taken can be read, and the names come sorted, each once.

#include "core/formats/safetensors/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  auto owner = std::make_shared<Buffer>(Buffer::Copy(std::as_bytes(std::span(data, size))));
  auto tensors = ParseSafetensors(owner->bytes(), owner);
  if (!tensors.ok()) return 0;
  std::string_view last;
  for (const auto& [name, tensor] : *tensors) {
    SIGNET_CHECK(tensors->front().first == name || last < name);
    SIGNET_CHECK(SameTensor(*Tensor::Make(tensor.dtype(), tensor.shape(), tensor.data()), tensor));
    last = name;
  }
  return 0;
}
