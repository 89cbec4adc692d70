// The kernel of `pick`.

#include "core/kernels/def/request.h"
#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/loops/write_strings.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Copies the value, because the memory of an input may be reused after its last use.
Status RunPick(KernelContext& context) {
  auto count = static_cast<int64_t>(context.num_inputs()) - 1;
  if (context.input(0).rank() != 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected `int32[]` or `int64[]`, found `",
                                                context.input(0).spec(), "`"));
  }
  int64_t index = IntsOf(context.input(0))[0];
  if (index < -count || index >= count) {
    return WithConstraint("C3", OutOfRange("index: expected ", -count, " to ", count - 1, " for ",
                                           count, " values, found ", index));
  }
  const Tensor& from = context.input(static_cast<size_t>(index < 0 ? index + count : index) + 1);
  Tensor* out = nullptr;
  if (from.is_string()) {
    SIGNET_ASSIGN_OR_RETURN(out, context.AllocateStrings(0, from.shape(), from.bytes().size()));
    SIGNET_RETURN_IF_ERROR(CopyBytes(context, const_cast<std::byte*>(out->bytes().data()),
                                     from.bytes().data(), from.bytes().size()));
  } else {
    SIGNET_ASSIGN_OR_RETURN(out, context.Allocate(0, from.shape()));
  }
  return CopyBytes(context, out->data().mutable_data(), from.data().data(), out->data().size());
}

StatusOr<std::unique_ptr<Kernel>> MakePick(const KernelRequest&) { return MakeKernel(RunPick); }

constexpr KernelDef kPickKernels[] = {{"pick", MakePick}};

}  // namespace

std::span<const KernelDef> PickKernels() { return kPickKernels; }

}  // namespace signet
