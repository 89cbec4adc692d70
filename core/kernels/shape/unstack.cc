// The kernel of `unstack`.

#include <cstring>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/strided_copy.h"
#include "core/kernels/shape/shape_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns true if the parts of `x` along `axis` are contiguous and too short for one traversal
// each.
bool IsSmallAndContiguous(const Tensor& x, int axis) {
  constexpr size_t kFewBytes = 1024;
  if (x.is_string() || x.num_elements() == 0 || x.num_bytes() > kFewBytes) return false;
  int64_t before = 1;
  for (int i = 0; i < axis; ++i) before *= x.shape().dim(i);
  return before == 1;
}

// Unstacks input 0 along `axis`, whose parts are contiguous. The outputs share one copy of the
// input.
Status UnstackContiguous(KernelContext& context, int axis) {
  const Tensor& x = context.input(0);
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
  Buffer all = made->data();
  std::memcpy(all.mutable_data(), x.data().data(), all.size());
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) shape.push_back(x.shape().dim(i));
  }
  const auto count = static_cast<size_t>(x.shape().dim(axis));
  const size_t bytes = all.size() / count;
  for (size_t i = 0; i < count; ++i) {
    context.Set(i, Tensor::Trusted(x.dtype(), shape, all.Slice(i * bytes, bytes)));
  }
  return absl::OkStatus();
}

MadeKernel MakeUnstack(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  auto count = static_cast<int64_t>(request.outputs.size());
  return MakeKernel([given, count](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() == 0)
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
    if (x.shape().dim(axis) != count) {
      return WithConstraint("C2", InvalidArgument("dimension ", axis, ": expected size ", count,
                                                  ", found `", x.spec(), "`"));
    }
    if (IsSmallAndContiguous(x, axis)) return UnstackContiguous(context, axis);
    for (int64_t i = 0; i < count; ++i) {
      SIGNET_RETURN_IF_ERROR(MovePart(context, static_cast<size_t>(i), axis, i, 1, true));
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kUnstackKernels[] = {{"unstack", Moving<MakeUnstack>}};

}  // namespace

std::span<const KernelDef> UnstackKernels() { return kUnstackKernels; }

}  // namespace signet
