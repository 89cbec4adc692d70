// Law: a Value message that is taken, written and read again is the same value; and it is the same
// wherever the message is cut in two. The first byte says where.

#include "core/formats/signet_wire/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  if (size == 0) return 0;
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  auto owner = std::make_shared<Buffer>(Buffer::Copy(std::as_bytes(std::span(data + 1, size - 1))));
  auto value = wire::ParseValue({{owner->bytes()}, owner}, limits);
  size_t cut = data[0] % size;
  auto same =
      wire::ParseValue({{owner->bytes().first(cut), owner->bytes().subspan(cut)}, owner}, limits);
  SIGNET_CHECK(value.ok() == same.ok());
  if (!value.ok()) return 0;
  SIGNET_CHECK(SameValue(*value, *same));
  std::string bytes;
  for (const Buffer& piece : wire::WriteValue(*value)) bytes.append(piece.text());
  auto again = wire::ParseValue(bytes, Limits());
  SIGNET_CHECK(again.ok() && SameValue(*again, *value));
  return 0;
}
