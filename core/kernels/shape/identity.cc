
#include "core/kernels/shape/shape_kernels.h"
// The kernel of `identity`.

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeIdentity(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) {
    context.Set(0, context.input(0));
    return absl::OkStatus();
  });
}

constexpr KernelDef kIdentityKernels[] = {{"identity", MakeIdentity}};

}  // namespace

std::span<const KernelDef> IdentityKernels() { return kIdentityKernels; }

}  // namespace signet
