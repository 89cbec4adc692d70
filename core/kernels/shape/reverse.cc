// The kernel of `reverse`.

#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/strided_copy.h"
#include "core/kernels/shape/shape_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeReverse(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, request.call.attributes.Ints("axes"));
  return MakeKernel([axes](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Walk walk = WholeWalk(x);
    std::vector<bool> seen(walk.sizes.size(), false);
    for (int64_t given : axes) {
      SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
      auto at = static_cast<size_t>(axis);
      if (seen[at]) return WithConstraint("C2", InvalidArgument("`axes`: duplicate axis ", axis));
      seen[at] = true;
      if (walk.sizes[at] > 0) walk.start += (walk.sizes[at] - 1) * walk.strides[at];
      walk.strides[at] = -walk.strides[at];
    }
    return MoveWalk(context, 0, x, x.shape(), walk);
  });
}

constexpr KernelDef kReverseKernels[] = {{"reverse", Moving<MakeReverse>}};

}  // namespace

std::span<const KernelDef> ReverseKernels() { return kReverseKernels; }

}  // namespace signet
