// Kernels that pick by index: gather.

#include "core/kernels/all_kernels.h"
#include "core/kernels/row_access.h"
#include "core/kernels/runs.h"

namespace signet {
namespace {

StatusOr<std::unique_ptr<Kernel>> MakeGather(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& indices = context.input(1);
    if (x.rank() == 0) return InvalidArgument("C2 input 0 is a scalar; takes a rank of at least 1");
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
    int64_t size = x.shape().dim(axis);
    // C3: each index is at least 0 and below the size of the dimension.
    SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckIndices(indices, size)));
    Shape shape(x.shape().dims().first(static_cast<size_t>(axis)));
    int64_t outer = shape.num_elements();
    for (int64_t dim : indices.shape().dims()) shape.push_back(dim);
    int64_t inner = 1;
    for (int64_t dim : x.shape().dims().subspan(static_cast<size_t>(axis) + 1)) {
      shape.push_back(dim);
      inner *= dim;
    }
    return VisitInts(indices, [&](auto all) {
      return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
        for (int64_t o = 0; o < outer; ++o) {
          for (auto index : all) run(x, (o * size + index) * inner, inner);
        }
      });
    });
  });
}

constexpr KernelDef kKernels[] = {{"gather", MakeGather}};

}  // namespace

std::span<const KernelDef> GatherKernels() { return kKernels; }

}  // namespace signet
