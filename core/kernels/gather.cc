// Kernels that pick by index: gather, gather_elements, gather_nd.

#include <algorithm>

#include "core/kernels/all_kernels.h"
#include "core/kernels/indexed.h"
#include "core/kernels/request.h"
#include "core/kernels/row_access.h"
#include "core/kernels/runs.h"
#include "core/ops/gather_axes.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeGather(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(GatherRequest gather, ReadGather(request.call.attributes));
  return MakeKernel([gather](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    if (x.rank() == 0) return InvalidArgument("C2 input 0 is a scalar; takes a rank of at least 1");
    SIGNET_ASSIGN_OR_RETURN(GatherAxes axes, gather.For(x.rank(), indices.rank()));
    auto axis = static_cast<size_t>(axes.axis);
    auto batch_dims = static_cast<size_t>(axes.batch_dims);
    std::span<const int64_t> dims = x.shape().dims();
    std::span<const int64_t> picked = indices.shape().dims();
    // C4: the first `batch_dims` dimensions of both are the same.
    if (!std::equal(picked.begin(), picked.begin() + axes.batch_dims, dims.begin())) {
      return InvalidArgument("C4 inputs are `", x.spec(), "` and `", indices.spec(),
                             "`; takes the same sizes in the first ", batch_dims, " dimensions");
    }
    int64_t size = dims[axis];
    // C3: each index is at least 0 and below the size of the dimension.
    SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckIndices(context, indices, size)));
    Shape shape(dims.first(axis));
    for (int64_t dim : picked.subspan(batch_dims)) shape.push_back(dim);
    for (int64_t dim : dims.subspan(axis + 1)) shape.push_back(dim);
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
    // The sizes of nothing may be large: they are multiplied only where there is something.
    int64_t rows = shape.num_elements() == 0 ? 0 : Product(dims.first(axis));
    int64_t outer = rows == 0 ? 1 : Product(dims.subspan(batch_dims, axis - batch_dims));
    int64_t inner = rows == 0 ? 0 : Product(dims.subspan(axis + 1));
    size_t count = rows == 0 ? 0 : static_cast<size_t>(Product(picked.subspan(batch_dims)));
    return VisitInts(indices, [&](auto all) {
      return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
        for (int64_t row = 0; row < rows; ++row) {
          size_t first = static_cast<size_t>(row / outer) * count;
          for (auto index : all.subspan(first, count)) {
            if (!run(x, (row * size + index) * inner, inner)) return;
          }
        }
      });
    });
  });
}

// Elements of x, one for each index: where the index stands, but along `axis`.
MadeKernel MakeGatherElements(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
    SIGNET_RETURN_IF_ERROR(CheckIndexShape(x.shape(), indices.shape(), axis));
    // C4: each index is that of an element.
    SIGNET_RETURN_IF_ERROR(Labelled("C4", CheckIndices(context, indices, x.shape().dim(axis))));
    return VisitInts(indices, [&](auto all) {
      return MoveRuns(context, 0, x.dtype(), indices.shape(), [&](auto&& run) {
        ForEachIndexed(x.shape(), indices.shape(), axis, [&](int64_t i, int64_t at, int64_t step) {
          return run(x, at + all[static_cast<size_t>(i)] * step, 1);
        });
      });
    });
  });
}

// indices [.., m], x [d0 .. dm-1, inner...]  =>  [.., inner...]
MadeKernel MakeGatherNd(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    // C2: the vectors of indices are no longer than the rank.
    int64_t width = indices.rank() == 0 ? -1 : indices.shape().dim(indices.rank() - 1);
    if (width < 0 || width > x.rank()) {
      return InvalidArgument("C2 input 1 is `", indices.spec(), "` for `", x.spec(),
                             "`; takes vectors of at most ", x.rank(), " indices");
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

constexpr KernelDef kKernels[] = {
    {"gather", Moving<MakeGather>},
    {"gather_elements", Moving<MakeGatherElements>},
    {"gather_nd", Moving<MakeGatherNd>},
};

}  // namespace

std::span<const KernelDef> GatherKernels() { return kKernels; }

}  // namespace signet
