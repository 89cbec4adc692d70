// Law: JSON that is taken under a type, written and read under the value's own type is the same
// value. The first byte chooses among a handful of types, and among one text and lines.

#include <iterator>

#include "core/formats/json/json.h"
#include "core/types/notation/notation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  static const TypeSpec kTypes[] = {
      TypeSpec(),
      *ParseTypeSpec("float32[?]"),
      *ParseTypeSpec("[{a: int64[(?)], b: string[], c: [{d: uint64[]}]}]"),
      *ParseTypeSpec("ragged string[?, (?), (?)]"),
      *ParseTypeSpec("complex64[...]"),
      *ParseTypeSpec("sparse float64[?, ?]"),
      *ParseTypeSpec("dict(a: 1, b: tuple(bool[], float16[2]), c: \"x\")"),
      *ParseTypeSpec("{x: {y: int8[2]}[?, 2]}"),
  };
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const TypeSpec& spec = kTypes[data[0] % std::size(kTypes)];
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  bool is_lines = data[0] >= 128 && spec;
  auto value =
      is_lines ? ValueFromJsonLines(text, spec, limits) : ValueFromJson(text, spec, limits);
  if (!value.ok()) return 0;
  auto again = ValueFromJson(ValueToJson(*value), value->spec(), Limits());
  SIGNET_CHECK(again.ok() && SameValue(*again, *value));
  return 0;
}
