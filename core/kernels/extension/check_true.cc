// The kernels of `check_true` and `fail`.

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/extension/extension_kernels.h"
#include "signet/tensor.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeCheckTrue(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string message, request.call.attributes.String("message"));
  SIGNET_ASSIGN_OR_RETURN(std::string constraint, request.call.attributes.String("constraint"));
  return MakeKernel([message, constraint](KernelContext& context) -> Status {
    const Tensor& condition = context.input(0);
    if (condition.rank() != 0) {
      return WithConstraint("check_true C1",
                            InvalidArgument("`check_true`: input 0: expected `bool[]`, found `",
                                            condition.spec(), "`"));
    }
    if (!condition.scalar<bool>()) return WithConstraint(constraint, InvalidArgument(message));
    context.Set(0, condition);
    return absl::OkStatus();
  });
}

MadeKernel MakeFail(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string message, request.call.attributes.String("message"));
  SIGNET_ASSIGN_OR_RETURN(std::string constraint, request.call.attributes.String("constraint"));
  return MakeKernel([message, constraint](KernelContext&) -> Status {
    return WithConstraint(constraint, InvalidArgument(message));
  });
}

constexpr KernelDef kCheckTrueKernels[] = {
    {"check_true", MakeCheckTrue},
    {"fail", MakeFail},
};

}  // namespace

std::span<const KernelDef> CheckTrueKernels() { return kCheckTrueKernels; }

}  // namespace signet
