// The kernel of `gather_nd`.

#include "core/kernels/def/request.h"
#include "core/kernels/indexing/indexed.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/runs.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// indices [.., m], x [d0 .. dm-1, inner...]  =>  [.., inner...]
MadeKernel MakeGatherNd(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    // C2: the vectors of indices have at most as many elements as x has dimensions.
    int64_t width = indices.rank() == 0 ? -1 : indices.shape().dim(indices.rank() - 1);
    if (width < 0 || width > x.rank()) {
      return WithConstraint(
          "C2", InvalidArgument("input 1: expected vectors of at most ", x.rank(), " indices for `",
                                x.spec(), "`, found `", indices.spec(), "`"));
    }
    auto depth = static_cast<size_t>(width);
    std::span<const int64_t> dims = x.shape().dims();
    Shape shape(indices.shape().dims().first(static_cast<size_t>(indices.rank()) - 1));
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
    int64_t count = shape.num_elements();
    for (int64_t dim : dims.subspan(depth)) shape.push_back(dim);
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
    SIGNET_ASSIGN_OR_RETURN(auto positions, PositionsOf(context, x.shape(), indices, count, "C3"));
    if (shape.num_elements() == 0) count = 0;
    int64_t inner = count == 0 ? 0 : Product(dims.subspan(depth));
    return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      for (int64_t i = 0; i < count; ++i) {
        if (!run(x, positions[static_cast<size_t>(i)] * inner, inner)) return;
      }
    });
  });
}

constexpr KernelDef kGatherNdKernels[] = {{"gather_nd", Moving<MakeGatherNd>}};

}  // namespace

std::span<const KernelDef> GatherNdKernels() { return kGatherNdKernels; }

}  // namespace signet
