// The kernel of `string_concat`.

#include <string>

#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeStringConcat(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string separator, request.call.attributes.String("separator"));
  return MakeKernel([separator](KernelContext& context) -> Status {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape* shapes[] = {&a.shape(), &b.shape()};
    SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, WithConstraint("C3", BroadcastPlan::Make(shapes)));
    const bool same = a.shape() == b.shape();
    return WriteParts(context, 0, plan.shape(), [&](int64_t i, auto take) {
      take(a.string_at(same ? i : plan.IndexIn(0, i)));
      take(separator);
      take(b.string_at(same ? i : plan.IndexIn(1, i)));
    });
  });
}

constexpr KernelDef kStringConcatKernels[] = {{"string_concat", MakeStringConcat}};

}  // namespace

std::span<const KernelDef> StringConcatKernels() { return kStringConcatKernels; }

}  // namespace signet
