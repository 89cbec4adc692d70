// The kernel of `split`.

#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/strided_copy.h"
#include "core/kernels/shape/shape_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeSplit(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, OptionalInts(request.call.attributes, "sizes"));
  size_t count = request.outputs.size();
  return MakeKernel([given, sizes, count](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() == 0)
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
    int64_t size = x.shape().dim(axis);
    auto parts = static_cast<int64_t>(count);
    if (!sizes && size % parts != 0) {
      return WithConstraint("C4", InvalidArgument("a dimension of size ", size,
                                                  " cannot be cut into ", parts, " equal parts"));
    }
    int64_t total = 0;
    for (size_t i = 0; sizes && i < count; ++i) total += (*sizes)[i];
    if (sizes && total != size) {
      return WithConstraint("C4", InvalidArgument("expected parts with a total size of ", size,
                                                  ", the size of the dimension, found ", total));
    }
    int64_t start = 0;
    for (size_t i = 0; i < count; ++i) {
      int64_t part = sizes ? (*sizes)[i] : size / parts;
      SIGNET_RETURN_IF_ERROR(MovePart(context, i, axis, start, part, false));
      start += part;
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kSplitKernels[] = {{"split", Moving<MakeSplit>}};

}  // namespace

std::span<const KernelDef> SplitKernels() { return kSplitKernels; }

}  // namespace signet
