// The kernels of `check_true` and `refuse`.

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/extension/extension_kernels.h"
#include "signet/tensor.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeCheckTrue(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string message, request.call.attributes.String("message"));
  return MakeKernel([message](KernelContext& context) -> Status {
    const Tensor& condition = context.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("`check_true`: C1 input 0: expected `bool[]`, found `",
                             condition.spec(), "`");
    }
    if (!condition.scalar<bool>()) return InvalidArgument(message);
    context.Set(0, condition);
    return absl::OkStatus();
  });
}

MadeKernel MakeRefuse(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string message, request.call.attributes.String("message"));
  return MakeKernel([message](KernelContext&) -> Status { return InvalidArgument(message); });
}

constexpr KernelDef kCheckTrueKernels[] = {
    {"check_true", MakeCheckTrue},
    {"refuse", MakeRefuse},
};

}  // namespace

std::span<const KernelDef> CheckTrueKernels() { return kCheckTrueKernels; }

}  // namespace signet
