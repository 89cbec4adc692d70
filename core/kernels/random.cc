// Kernels of random numbers: random_permutation.

#include <numeric>
#include <utility>

#include "core/kernels/all_kernels.h"
#include "core/kernels/philox.h"
#include "core/kernels/row_access.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeRandomPermutation(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t seed, request.call.attributes.Int("seed"));
  return MakeKernel([seed](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeInput(context, 0));
    // C2: a number of at least 0, at most 2^31.
    const int64_t dims[] = {count};
    SIGNET_RETURN_IF_ERROR(Labelled("C2", CheckOutputSize(dims)));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
    auto* order = made->mutable_elements<int64_t>();
    std::iota(order, order + count, int64_t{0});
    PhiloxStream random(static_cast<uint64_t>(seed));
    for (int64_t i = count - 1; i > 0; --i) {
      std::swap(order[i], order[random.Below(static_cast<uint64_t>(i) + 1)]);
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kKernels[] = {{"random_permutation", MakeRandomPermutation}};

}  // namespace

std::span<const KernelDef> RandomKernels() { return kKernels; }

}  // namespace signet
