// The kernel of `where_rows`.

#include "core/kernels/indexing/count_true.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/row_access.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeWhereRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto mask = context.input(0).elements<bool>();
    SIGNET_ASSIGN_OR_RETURN(int64_t rows, SizeInput(context, 1));
    if (static_cast<int64_t>(mask.size()) != rows) {
      return WithConstraint("C2", InvalidArgument("mask: expected ", rows,
                                                  " elements, one per row, found ", mask.size()));
    }
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountTrue(context, mask));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
    auto* out = made->mutable_elements<int64_t>();
    return context.ForInOrder(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (mask[static_cast<size_t>(i)]) *out++ = i;
      }
    });
  });
}

constexpr KernelDef kBooleanMaskKernels[] = {{"where_rows", MakeWhereRows}};

}  // namespace

std::span<const KernelDef> BooleanMaskKernels() { return kBooleanMaskKernels; }

}  // namespace signet
