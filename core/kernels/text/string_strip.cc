// The kernel of `string_strip`.

#include <array>
#include <string>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeStringStrip(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string side, attributes.String("side"));
  std::string drops = " \t\n\v\f\r";
  if (!IsNone(attributes, "chars")) {
    SIGNET_ASSIGN_OR_RETURN(drops, attributes.String("chars"));
  }
  bool left = side != "right";
  bool right = side != "left";
  std::array<bool, 256> is_dropped = {};
  for (char c : drops) is_dropped[static_cast<unsigned char>(c)] = true;
  return MakeKernel([is_dropped, left, right](KernelContext& context) {
    const Tensor& x = context.input(0);
    StopPoll poll(context);
    auto is_stripped = [&](char c) {
      return is_dropped[static_cast<unsigned char>(c)] && !poll.Stops(1);
    };
    return WriteParts(context, 0, x.shape(), [&](int64_t i, auto take) {
      std::string_view from = x.string_at(i);
      while (left && !from.empty() && is_stripped(from.front())) from.remove_prefix(1);
      while (right && !from.empty() && is_stripped(from.back())) from.remove_suffix(1);
      take(from);
    });
  });
}

constexpr KernelDef kStringStripKernels[] = {{"string_strip", MakeStringStrip}};

}  // namespace

std::span<const KernelDef> StringStripKernels() { return kStringStripKernels; }

}  // namespace signet
