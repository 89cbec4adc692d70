// Law: what an Arrow stream is taken for, with a type and without, is a value; and written as a
// stream it reads back as the same. Of what is read, so is any part.

#include "core/formats/arrow/arrow.h"
#include "core/types/notation/notation.h"

namespace {

using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function

void CheckNeeds(const Buffer& stream, const TypeSpec& spec, const Limits& limits, bool is_read) {
  for (size_t step : {size_t{2}, size_t{3}, size_t{5}}) {
    std::vector<bool> needs(spec.num_components());
    for (size_t i = 0; i < needs.size(); ++i) needs[i] = i % step == 0;
    auto value = ValueFromArrow(stream, spec, limits, needs);
    SIGNET_CHECK(value.ok() || !is_read);
    if (!value.ok()) continue;
    SIGNET_CHECK(
        MakeValue(value->spec(), {value->components().begin(), value->components().end()}).ok());
  }
}

void Check(const Buffer& stream, const TypeSpec& spec) {
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  limits.tensor_elements = 1 << 20;
  auto value = ValueFromArrow(stream, spec, limits);
  if (spec) CheckNeeds(stream, spec, limits, value.ok());
  if (!value.ok()) return;
  SIGNET_CHECK(
      MakeValue(value->spec(), {value->components().begin(), value->components().end()}).ok());
  auto pieces = ArrowFromValue(*value);
  if (!pieces.ok()) return;
  std::string bytes;
  for (const Buffer& piece : *pieces) bytes += piece.text();
  auto again = ValueFromArrow(Buffer::Copy(bytes), value->spec(), Limits());
  SIGNET_CHECK(again.ok() && SameValue(*again, *value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const TypeSpec kSpec = *ParseTypeSpec(
      "[{id: int64[(?)], title: string[(?)], steps: [{text: string[(?)], done: "
      "bool[]}], point: {x: float32[], y: float32[(?)]}, pair: int32[2]}]");
  Buffer stream = Buffer::Copy(std::as_bytes(std::span(data, size)));
  Check(stream, {});
  Check(stream, kSpec);
  return 0;
}
