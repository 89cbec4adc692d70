// The kernel of `string_fingerprint`.

#include <farmhash.h>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeStringFingerprint(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<uint64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const std::string_view text = x.string_at(i);
      SIGNET_RETURN_IF_ERROR(poll.Spend(20 + static_cast<int64_t>(text.size())));
      out[i] = util::Fingerprint64(text.data(), text.size());
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kStringFingerprintKernels[] = {{"string_fingerprint", MakeStringFingerprint}};

}  // namespace

std::span<const KernelDef> StringFingerprintKernels() { return kStringFingerprintKernels; }

}  // namespace signet
