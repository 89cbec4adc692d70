// The kernel of `string_hash_bucket`.

#include "core/base/hash.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeStringHashBucket(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t buckets, request.call.attributes.Int("num_buckets"));
  return MakeKernel([buckets](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      std::string_view text = x.string_at(i);
      SIGNET_RETURN_IF_ERROR(poll.Spend(20 + static_cast<int64_t>(text.size())));
      out[i] = static_cast<int64_t>(HashBytes(text) % static_cast<uint64_t>(buckets));
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kStringHashBucketKernels[] = {{"string_hash_bucket", MakeStringHashBucket}};

}  // namespace

std::span<const KernelDef> StringHashBucketKernels() { return kStringHashBucketKernels; }

}  // namespace signet
