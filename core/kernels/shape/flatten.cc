// The kernel of `flatten`.

#include "core/kernels/def/request.h"
#include "core/kernels/shape/set_view.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeFlatten(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t first_given, request.call.attributes.Int("first"));
  SIGNET_ASSIGN_OR_RETURN(int64_t last_given, request.call.attributes.Int("last"));
  return MakeKernel([first_given, last_given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Dims dims;
    if (x.rank() == 0) {
      dims.push_back(1);
      return SetView(context, {dims.data(), dims.size()});
    }
    SIGNET_ASSIGN_OR_RETURN(int first, WithConstraint("C2", NormalizeAxis(first_given, x.rank())));
    SIGNET_ASSIGN_OR_RETURN(int last, WithConstraint("C2", NormalizeAxis(last_given, x.rank())));
    if (first > last)
      return WithConstraint(
          "C2", InvalidArgument("expected `first` at or before `last`, found axes ", first, " and ",
                                last));
    int64_t merged = 1;
    for (int axis = 0; axis < x.rank(); ++axis) {
      bool inside = axis >= first && axis <= last;
      if (inside) merged *= x.shape().dim(axis);
      if (!inside || axis == last) dims.push_back(inside ? merged : x.shape().dim(axis));
    }
    return SetView(context, {dims.data(), dims.size()});
  });
}

constexpr KernelDef kFlattenKernels[] = {{"flatten", MakeFlatten}};

}  // namespace

std::span<const KernelDef> FlattenKernels() { return kFlattenKernels; }

}  // namespace signet
