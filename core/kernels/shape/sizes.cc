// The kernels of `dynamic_shape` and `dynamic_size`.

#include "core/kernels/def/request.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeDynamicShape(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto dims = context.input(0).shape().dims();
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {static_cast<int64_t>(dims.size())}));
    std::copy(dims.begin(), dims.end(), out->mutable_elements<int64_t>());
    return absl::OkStatus();
  });
}

MadeKernel MakeDynamicSize(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto given, request.call.attributes.OptionalInt("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    int64_t size = x.num_elements();
    if (given) {
      SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(*given, x.rank())));
      size = x.shape().dim(axis);
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, Shape{}));
    *out->mutable_elements<int64_t>() = size;
    return absl::OkStatus();
  });
}

constexpr KernelDef kSizesKernels[] = {
    {"dynamic_shape", MakeDynamicShape},
    {"dynamic_size", MakeDynamicSize},
};

}  // namespace

std::span<const KernelDef> SizesKernels() { return kSizesKernels; }

}  // namespace signet
