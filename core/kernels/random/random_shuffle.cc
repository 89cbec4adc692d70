// The kernel of `random_permutation`.

#include <numeric>
#include <utility>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/random/philox.h"
#include "core/kernels/random/random_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Draws numbers from a stream, in order.
class Draws {
 public:
  explicit Draws(int64_t seed) : stream_(RandomStream::Kind::kOrder, seed) {}

  // Returns a number in [0, count) with uniform distribution. `count` is at least 1.
  uint64_t Below(uint64_t count) {
    // Draws again if the number would make small results more likely.
    uint64_t spare = (uint64_t{0} - count) % count;
    while (true) {
      uint64_t drawn = stream_.Bits(next_++);
      if (drawn >= spare) return drawn % count;
    }
  }

 private:
  const RandomStream stream_;
  int64_t next_ = 0;
};

StatusOr<std::unique_ptr<Kernel>> MakeRandomPermutation(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& seed = context.input(0);
    if (seed.rank() != 0) {
      return WithConstraint(
          "C1", InvalidArgument("seed: expected a scalar, found shape `", seed.shape(), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeInput(context, 1));
    // C2: the count is at least 0 and at most 2^31.
    const int64_t dims[] = {count};
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(dims)));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
    auto* order = made->mutable_elements<int64_t>();
    SIGNET_RETURN_IF_ERROR(context.ForInOrder(count, 2, [&](int64_t begin, int64_t end) {
      std::iota(order + begin, order + end, begin);
    }));
    Draws draws(IntAt(seed, 0));
    StopPoll poll(context);
    for (int64_t i = count - 1; i > 0; --i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(20));
      std::swap(order[i], order[draws.Below(static_cast<uint64_t>(i) + 1)]);
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kRandomOrderKernels[] = {{"random_permutation", MakeRandomPermutation}};

}  // namespace

std::span<const KernelDef> RandomOrderKernels() { return kRandomOrderKernels; }

}  // namespace signet
