// The kernel of `string_fingerprint`.

#include <farmhash.h>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/text/sip_hash.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeStringFingerprint(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string method, request.call.attributes.String("method"));
  SIGNET_ASSIGN_OR_RETURN(auto key, request.call.attributes.Ints("key"));
  const bool is_keyed = method == "siphash";
  key.resize(2);
  auto hash_of = [is_keyed, key](std::string_view text) -> uint64_t {
    if (!is_keyed) return util::Fingerprint64(text.data(), text.size());
    return SipHash(text, static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1]));
  };
  return MakeKernel([hash_of](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<uint64_t>();
    StopPoll poll(context);
    const size_t width = SizeOf(x.dtype());  // 0 for strings
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const std::string_view text =
          x.is_string() ? x.string_at(i)
                        : x.data().text().substr(static_cast<size_t>(i) * width, width);
      SIGNET_RETURN_IF_ERROR(poll.Spend(20 + static_cast<int64_t>(text.size())));
      out[i] = hash_of(text);
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kStringFingerprintKernels[] = {{"string_fingerprint", MakeStringFingerprint}};

}  // namespace

std::span<const KernelDef> StringFingerprintKernels() { return kStringFingerprintKernels; }

}  // namespace signet
