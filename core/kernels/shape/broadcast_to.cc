// The kernel of `broadcast_to`.

#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeBroadcastTo(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, "shape", 1));
  return MakeKernel([known = list.known](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    std::vector<int64_t> dims;
    if (known) {
      dims = *known;
    } else {
      SIGNET_ASSIGN_OR_RETURN(dims, WithConstraint("C2", IntsPerDimension(context, 1)));
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(std::span<const int64_t>(dims))));
    Shape shape{std::span<const int64_t>(dims)};
    Dims strides = StridesOf(x.shape());
    int offset = shape.rank() - x.rank();
    Walk walk;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      bool stays = axis >= offset && x.shape().dim(axis - offset) == shape.dim(axis);
      walk.Add(shape.dim(axis), stays ? strides[static_cast<size_t>(axis - offset)] : 0);
      if (stays || axis < offset || x.shape().dim(axis - offset) == 1) continue;
      offset = -1;
      break;
    }
    if (offset < 0) {
      return WithConstraint(
          "C3", InvalidArgument("`", x.spec(), "` does not broadcast to shape `", shape,
                                "`; after alignment at the right, each dimension must be 1 or have "
                                "the size in the shape"));
    }
    return MoveWalk(context, 0, x, shape, walk);
  });
}

constexpr KernelDef kBroadcastToKernels[] = {{"broadcast_to", Moving<MakeBroadcastTo>}};

}  // namespace

std::span<const KernelDef> BroadcastToKernels() { return kBroadcastToKernels; }

}  // namespace signet
