// Law: a message that is read as an Example is a row of the type, and the same row after an empty
// context.

#include "core/formats/tensorflow/example_rows.h"
#include "signet/notation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  static const TypeSpec type = *ParseTypeSpec(
      "[{a: int64[(?)], b?: float32[], c: string[(?)], d: int8[2] = [1, 2], e: bool[(?), 2]}]");
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  const Buffer row = Buffer::Copy(std::as_bytes(std::span(data, size)));
  auto value = tf::ValueFromExamples({&row, 1}, Buffer(), type, limits);
  auto same =
      tf::ValueFromExamples({&row, 1}, Buffer::Copy(std::string_view("\x0a\x00", 2)), type, limits);
  SIGNET_CHECK(value.ok() == same.ok());
  if (!value.ok()) return 0;
  SIGNET_CHECK(SameValue(*value, *same));
  return 0;
}
