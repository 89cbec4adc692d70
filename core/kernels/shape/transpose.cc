// The kernel of `transpose`.

#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/shape/shape_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeTranspose(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto perm, OptionalInts(request.call.attributes, "perm"));
  return MakeKernel([perm](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Dims strides = StridesOf(x.shape());
    std::vector<bool> seen(strides.size(), false);
    Walk walk;
    Shape shape;
    if (perm && perm->size() != strides.size()) {
      return WithConstraint("C2", InvalidArgument("`perm`: expected ", strides.size(),
                                                  " axes, one per dimension of `", x.spec(),
                                                  "`, found ", perm->size()));
    }
    for (size_t i = 0; i < strides.size(); ++i) {
      auto axis = static_cast<int>(strides.size() - 1 - i);
      if (perm) {
        SIGNET_ASSIGN_OR_RETURN(axis, WithConstraint("C2", NormalizeAxis((*perm)[i], x.rank())));
      }
      auto at = static_cast<size_t>(axis);
      if (seen[at]) return WithConstraint("C2", InvalidArgument("`perm`: duplicate axis ", axis));
      seen[at] = true;
      shape.push_back(x.shape().dim(axis));
      walk.Add(x.shape().dim(axis), strides[at]);
    }
    return MoveWalk(context, 0, x, shape, walk);
  });
}

constexpr KernelDef kTransposeKernels[] = {{"transpose", Moving<MakeTranspose>}};

}  // namespace

std::span<const KernelDef> TransposeKernels() { return kTransposeKernels; }

}  // namespace signet
