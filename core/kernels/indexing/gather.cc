// The kernel of `gather`.

#include <algorithm>

#include "core/kernels/def/request.h"
#include "core/kernels/indexing/indexed.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"
#include "core/ops/def/gather_axes.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeGather(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(GatherRequest gather, ReadGather(request.call.attributes));
  return MakeKernel([gather](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    if (x.rank() == 0)
      return WithConstraint(
          "C2", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_ASSIGN_OR_RETURN(GatherAxes axes, gather.For(x.rank(), indices.rank()));
    auto axis = static_cast<size_t>(axes.axis);
    auto batch_dims = static_cast<size_t>(axes.batch_dims);
    std::span<const int64_t> dims = x.shape().dims();
    std::span<const int64_t> picked = indices.shape().dims();
    // C4: the first `batch_dims` dimensions of both inputs are equal.
    if (!std::equal(picked.begin(), picked.begin() + axes.batch_dims, dims.begin())) {
      return WithConstraint(
          "C4", InvalidArgument("expected equal sizes in the first ", batch_dims,
                                " dimensions, found `", x.spec(), "` and `", indices.spec(), "`"));
    }
    int64_t size = dims[axis];
    // C3: each index is at least 0 and less than the size of the dimension.
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckIndices(context, indices, size)));
    Shape shape(dims.first(axis));
    for (int64_t dim : picked.subspan(batch_dims)) shape.push_back(dim);
    for (int64_t dim : dims.subspan(axis + 1)) shape.push_back(dim);
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
    // An empty result may have large sizes, so the sizes are multiplied only for other results.
    int64_t rows = shape.num_elements() == 0 ? 0 : Product(dims.first(axis));
    int64_t outer = rows == 0 ? 1 : Product(dims.subspan(batch_dims, axis - batch_dims));
    int64_t inner = rows == 0 ? 0 : Product(dims.subspan(axis + 1));
    size_t count = rows == 0 ? 0 : static_cast<size_t>(Product(picked.subspan(batch_dims)));
    return VisitInts(indices, [&](auto all) {
      return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
        for (int64_t row = 0; row < rows; ++row) {
          size_t first = static_cast<size_t>(row / outer) * count;
          if (inner == 1) {
            if (!run.Picked(x, row * size, all.subspan(first, count))) return;
            continue;
          }
          for (auto index : all.subspan(first, count)) {
            if (!run(x, (row * size + index) * inner, inner)) return;
          }
        }
      });
    });
  });
}

constexpr KernelDef kGatherKernels[] = {{"gather", Moving<MakeGather>}};

}  // namespace

std::span<const KernelDef> GatherKernels() { return kGatherKernels; }

}  // namespace signet
