// The kernels of `ones_like` and `zeros_like`.

#include <type_traits>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/from_double.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeZerosLike(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, context.input(0).shape()));
    return FillElements(context, out->data().mutable_data(),
                        static_cast<int64_t>(out->data().size()), std::byte{0});
  });
}

MadeKernel MakeOnesLike(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, context.input(0).shape()));
    return VisitDType(made->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view>) {
        return Internal("inference accepted a dtype that `ones_like` does not support");
      } else {
        return FillElements(context, made->template mutable_elements<T>(), made->num_elements(),
                            FromDouble<T>(1));
      }
    });
  });
}

constexpr KernelDef kFilledLikeKernels[] = {
    {"ones_like", MakeOnesLike},
    {"zeros_like", MakeZerosLike},
};

}  // namespace

std::span<const KernelDef> FilledLikeKernels() { return kFilledLikeKernels; }

}  // namespace signet
