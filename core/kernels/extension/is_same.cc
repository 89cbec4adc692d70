// The kernel of `is_same`.

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/extension/extension_kernels.h"
#include "signet/tensor.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns true if two tensors are equal. The result is unspecified if the call must end.
bool SameElements(StopPoll& poll, const Tensor& x, const Tensor& y) {
  if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
  return VisitDType(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, std::string_view>) {
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        if (poll.Stops(10)) return false;
        if (x.string_at(i) != y.string_at(i)) return false;
      }
      return true;
    } else {
      auto a = x.elements<T>();
      auto b = y.elements<T>();
      for (size_t i = 0; i < a.size(); ++i) {
        if (poll.Stops(1)) return false;
        if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
          if (!(ToFloat(a[i]) == ToFloat(b[i]))) return false;
        } else {
          if (!(a[i] == b[i])) return false;
        }
      }
      return true;
    }
  });
}

MadeKernel MakeIsSame(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, Shape{}));
    StopPoll poll(context);
    *made->mutable_elements<bool>() = SameElements(poll, context.input(0), context.input(1));
    return context.stopped() ? context.CheckStop() : absl::OkStatus();
  });
}

constexpr KernelDef kIsSameKernels[] = {{"is_same", MakeIsSame}};

}  // namespace

std::span<const KernelDef> IsSameKernels() { return kIsSameKernels; }

}  // namespace signet
