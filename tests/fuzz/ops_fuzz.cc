// Law: any call of any op, internal ops included, with any attributes and values, gives a value or
// an error that is not ours; at once, when a model is loaded, and when its function is called.
//
// An input is a sequence of choices (RandomValues), one byte each.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/properties/op_call_random.h"

namespace {

void CheckOutcome(const signet::RandomOpCall& call, const signet::OpCallOutcome& outcome) {
  if (outcome.status.code() == absl::StatusCode::kInternal) {
    std::fprintf(stderr, "%s\n%s\n", call.ToString().c_str(), outcome.status.ToString().c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  RandomValues random(std::span<const uint8_t>(data, size));
  RandomOpCall call = RandomOpCalls(random).Next();
  TestLibrary library;
  DefineFunctionsToCall(library);
  CheckOutcome(call, RunOpCallAtOnce(call, library));
  CheckOutcome(call, RunOpCallInFunction(call, library));
  return 0;
}
