// The kernel of `where_indices`.

#include <algorithm>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/indexing/count_true.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/ops/def/inference.h"
#include "core/values/row_algebra.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeWhereIndices(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    auto all = x.elements<bool>();
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountTrue(context, all));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count, x.rank()}));
    auto* out = made->mutable_elements<int64_t>();
    Dims index(static_cast<size_t>(x.rank()), 0);
    StopPoll poll(context);
    for (bool holds : all) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      if (holds) out = std::copy(index.begin(), index.end(), out);
      for (size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < x.shape().dim(static_cast<int>(axis))) break;
        index[axis] = 0;
      }
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kWhereIndicesKernels[] = {{"where_indices", MakeWhereIndices}};

}  // namespace

std::span<const KernelDef> WhereIndicesKernels() { return kWhereIndicesKernels; }

}  // namespace signet
