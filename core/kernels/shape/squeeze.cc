// The kernel of `squeeze`.

#include "core/kernels/def/request.h"
#include "core/kernels/shape/set_view.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeSqueeze(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(request.call.attributes, "axes"));
  return MakeKernel([axes](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    std::vector<bool> dropped(static_cast<size_t>(x.rank()), false);
    for (int axis = 0; !axes && axis < x.rank(); ++axis) {
      dropped[static_cast<size_t>(axis)] = x.shape().dim(axis) == 1;
    }
    for (size_t i = 0; axes && i < axes->size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis((*axes)[i], x.rank())));
      if (x.shape().dim(axis) != 1) {
        return WithConstraint(
            "C2", InvalidArgument("dimension ", axis, ": expected size 1, found `", x.spec(), "`"));
      }
      dropped[static_cast<size_t>(axis)] = true;
    }
    Dims dims;
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (!dropped[static_cast<size_t>(axis)]) dims.push_back(x.shape().dim(axis));
    }
    return SetView(context, {dims.data(), dims.size()});
  });
}

constexpr KernelDef kSqueezeKernels[] = {{"squeeze", MakeSqueeze}};

}  // namespace

std::span<const KernelDef> SqueezeKernels() { return kSqueezeKernels; }

}  // namespace signet
