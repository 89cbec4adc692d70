// The kernel of `string_hash_bucket`.

#include <farmhash.h>

#include "core/base/hash.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/sip_hash.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// MurmurHash64A with the seed of the first versions of TensorFlow.
uint64_t MurmurHash(std::string_view text) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  uint64_t hash = 0xdecafcaffe ^ (static_cast<uint64_t>(text.size()) * kFactor);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t word = FirstWordOf(text) * kFactor;
    word ^= word >> 47;
    hash = (hash ^ (word * kFactor)) * kFactor;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    hash ^= static_cast<uint64_t>(static_cast<uint8_t>(text[i])) << (8 * i);
  }
  if (!text.empty()) hash *= kFactor;
  hash = (hash ^ (hash >> 47)) * kFactor;
  return hash ^ (hash >> 47);
}

MadeKernel MakeStringHashBucket(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t buckets, request.call.attributes.Int("num_buckets"));
  SIGNET_ASSIGN_OR_RETURN(std::string method, request.call.attributes.String("method"));
  SIGNET_ASSIGN_OR_RETURN(auto key, request.call.attributes.Ints("key"));
  key.resize(2);
  auto hash_of = [method, key](std::string_view text) -> uint64_t {
    if (method == "farmhash") return util::Fingerprint64(text.data(), text.size());
    if (method == "murmur") return MurmurHash(text);
    if (method == "default") return HashBytes(text);
    return SipHash(text, static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1]));
  };
  return MakeKernel([buckets, hash_of](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      std::string_view text = x.string_at(i);
      SIGNET_RETURN_IF_ERROR(poll.Spend(20 + static_cast<int64_t>(text.size())));
      out[i] = static_cast<int64_t>(hash_of(text) % static_cast<uint64_t>(buckets));
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kStringHashBucketKernels[] = {{"string_hash_bucket", MakeStringHashBucket}};

}  // namespace

std::span<const KernelDef> StringHashBucketKernels() { return kStringHashBucketKernels; }

}  // namespace signet
