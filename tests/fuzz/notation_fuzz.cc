// Law: a type, value or signature that is read and written reads back as the same. The first byte
// says which: `t`, `v`, or any other for a signature.

#include "core/function/signature.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 't') {
    auto spec = ParseTypeSpec(text);
    SIGNET_CHECK(!spec.ok() || ParseTypeSpec(spec->ToString()).value() == *spec);
  } else if (data[0] == 'v') {
    BuilderLimits limits;
    limits.max_bytes = 1 << 20;
    auto value = ParseValue(text, limits);
    SIGNET_CHECK(!value.ok() || SameValue(ParseValue(ToString(*value)).value(), *value));
  } else if (auto signature = ParseSignature(text); signature.ok()) {
    std::string written = FormatSignature(signature->name, signature->type, signature->defaults,
                                          signature->dimension_names);
    auto again = ParseSignature(written);
    SIGNET_CHECK(again.ok() && again->type == signature->type);
    SIGNET_CHECK(FormatSignature(again->name, again->type, again->defaults,
                                 again->dimension_names) == written);
  }
  return 0;
}
