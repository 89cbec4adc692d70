// Law: the arguments that are read from a body are parts of it, and each is a JSON text of its own.

#include "core/formats/json/json.h"
#include "core/formats/json/json_call.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const Limits limits;
  const Buffer body = Buffer::Copy(text);
  CallRequest call;
  if (!ReadJsonArguments(body, limits, call).ok()) return 0;
  for (const EncodedArgument& argument : call.encoded) {
    const std::string_view part = argument.data.text();
    SIGNET_CHECK(part.empty() || (part.data() >= body.text().data() &&
                                  part.data() + part.size() <= body.text().data() + body.size()));
    if (call.encoded.size() < 2) continue;  // the body itself is checked when it is decoded
    auto value = ValueFromJson(part, TypeSpec(), limits);
    SIGNET_CHECK(value.ok() || !MessageOf(value.status()).empty());
  }
  return 0;
}
