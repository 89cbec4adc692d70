// Law: a value that JSON without a type became, written and read again, without a type or under its
// own, is the same value. The first byte chooses what is known of it; then only its own type tells
// all.

#include <iterator>

#include "core/formats/json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  static const InferOptions kOptions[] = {
      {},
      {},
      {.ragged_rank = 1},
      {.dtype = DType::kFloat64, .ragged_rank = 0},
      {.dtype = DType::kString, .inner_shape = Shape{2}},
      {.inner_shape = Shape{0, 1}},
      {.dtype = DType::kUInt8, .splits_dtype = DType::kInt32},
      {.dtype = DType::kComplex64},
  };
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const InferOptions& options = kOptions[data[0] % std::size(kOptions)];
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  auto value = InferFromJson(text, limits, options);
  if (!value.ok()) return 0;
  std::string written = ValueToJson(*value);
  auto typed = ValueFromJson(written, value->spec(), Limits());
  SIGNET_CHECK(typed.ok() && SameValue(*typed, *value));
  if (options != InferOptions()) return 0;
  auto again = InferFromJson(written, Limits());
  SIGNET_CHECK(again.ok() && SameValue(*again, *value));
  return 0;
}
