// Law: the state after the bytes of a TLS client does not depend on how they are split into reads,
// and a reader never asks for bytes beyond the record.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/transport/client_hello.h"

namespace {

signet::ClientHello ReadInSteps(std::string_view bytes, size_t step) {
  signet::ClientHello hello;
  while (hello.state() == signet::ClientHello::State::kIncomplete) {
    const size_t missing = hello.missing_bytes();
    if (missing == 0) std::abort();
    const size_t taken = std::min({missing, step, bytes.size()});
    if (taken == 0) break;
    hello.Add(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
  }
  return hello;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const signet::ClientHello whole = ReadInSteps(bytes, std::max<size_t>(size, 1));
  const signet::ClientHello slow = ReadInSteps(bytes, 1);
  if (whole.state() != slow.state()) std::abort();
  if (whole.state() != signet::ClientHello::State::kComplete) return 0;
  if (whole.random() != slow.random() || whole.random() != bytes.substr(11, 32)) std::abort();
  return 0;
}
