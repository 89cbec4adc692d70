// The kernel of `gather_elements`.

#include "core/kernels/def/request.h"
#include "core/kernels/indexing/indexed.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns one element of x per index. The position of the element is the position of the index,
// except along `axis`.
MadeKernel MakeGatherElements(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
    SIGNET_RETURN_IF_ERROR(CheckIndexShape(x.shape(), indices.shape(), axis));
    // C4: each index is at least 0 and less than the size of `axis`.
    SIGNET_RETURN_IF_ERROR(
        WithConstraint("C4", CheckIndices(context, indices, x.shape().dim(axis))));
    return VisitInts(indices, [&](auto all) {
      return MoveRuns(context, 0, x.dtype(), indices.shape(), [&](auto&& run) {
        ForEachIndexed(x.shape(), indices.shape(), axis, [&](int64_t i, int64_t at, int64_t step) {
          return run(x, at + all[static_cast<size_t>(i)] * step, 1);
        });
      });
    });
  });
}

constexpr KernelDef kGatherElementsKernels[] = {{"gather_elements", Moving<MakeGatherElements>}};

}  // namespace

std::span<const KernelDef> GatherElementsKernels() { return kGatherElementsKernels; }

}  // namespace signet
