// The kernel of `substr`.

#include <algorithm>
#include <string>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/characters.h"
#include "core/kernels/text/text_kernels.h"
#include "core/kernels/text/text_segments.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns the part [start, start + length) of `text`, clipped to the text.
std::string_view Part(StopPoll& poll, std::string_view text, int64_t start, int64_t length,
                      bool utf8) {
  int64_t size = utf8 ? NumCharacters(poll, text) : static_cast<int64_t>(text.size());
  if (start < 0) start = std::max<int64_t>(0, start + size);
  start = std::min(start, size);
  length = std::min(length, size - start);
  if (!utf8) return text.substr(static_cast<size_t>(start), static_cast<size_t>(length));
  // Returns the byte offset of character `count`.
  auto offset = [&poll, text](int64_t count) {
    size_t at = 0;
    for (; at < text.size(); ++at) {
      if ((!IsContinuation(text[at]) && count-- == 0) || poll.Stops(1)) break;
    }
    return at;
  };
  size_t begin = offset(start);
  size_t end = offset(start + length);
  return text.substr(begin, std::max(begin, end) - begin);
}

MadeKernel MakeSubstr(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t start, attributes.Int("start"));
  SIGNET_ASSIGN_OR_RETURN(auto length, attributes.OptionalInt("length"));
  SIGNET_ASSIGN_OR_RETURN(std::string unit, attributes.String("unit"));
  int64_t most = length.value_or(INT64_MAX);
  return MakeKernel([start, most, utf8 = unit == "utf8"](KernelContext& context) {
    const Tensor& x = context.input(0);
    StopPoll poll(context);
    return WriteParts(context, 0, x.shape(), [&](int64_t i, auto take) {
      take(Part(poll, x.string_at(i), start, most, utf8));
    });
  });
}

constexpr KernelDef kSubstrKernels[] = {{"substr", MakeSubstr}};

}  // namespace

std::span<const KernelDef> SubstrKernels() { return kSubstrKernels; }

}  // namespace signet
