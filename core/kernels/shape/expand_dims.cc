// The kernel of `expand_dims`.

#include "core/kernels/def/request.h"
#include "core/kernels/shape/set_view.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeExpandDims(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank() + 1)));
    Dims dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.insert(dims.begin() + axis, 1);
    return SetView(context, {dims.data(), dims.size()});
  });
}

constexpr KernelDef kExpandDimsKernels[] = {{"expand_dims", MakeExpandDims}};

}  // namespace

std::span<const KernelDef> ExpandDimsKernels() { return kExpandDimsKernels; }

}  // namespace signet
