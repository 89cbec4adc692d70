// The kernel of `string_length`.

#include <string>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"
#include "core/kernels/text/text_segments.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeStringLength(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string unit, request.call.attributes.String("unit"));
  return MakeKernel([utf8 = unit == "utf8"](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.shape()));
    auto* lengths = out->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      std::string_view text = x.string_at(i);
      lengths[i] = utf8 ? NumCharacters(poll, text) : static_cast<int64_t>(text.size());
    }
    return context.stopped() ? context.CheckStop() : absl::OkStatus();
  });
}

constexpr KernelDef kStringLengthKernels[] = {{"string_length", MakeStringLength}};

}  // namespace

std::span<const KernelDef> StringLengthKernels() { return kStringLengthKernels; }

}  // namespace signet
