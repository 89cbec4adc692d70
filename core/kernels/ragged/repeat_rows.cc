// The kernel of `repeat_rows`.

#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/ragged/ragged_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeRepeatRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& splits = context.input(1);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    if (x.rank() == 0 || x.shape().dim(0) != NumRows(splits)) {
      return WithConstraint("C2",
                            InvalidArgument("input 0: expected ", NumRows(splits),
                                            " elements, one per row, found `", x.spec(), "`"));
    }
    Shape shape = x.shape();
    shape.set_dim(0, IntAt(splits, NumRows(splits)));
    int64_t inner = NumRows(splits) == 0 ? 0 : x.num_elements() / NumRows(splits);
    return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      for (int64_t row = 0; row < NumRows(splits); ++row) {
        int64_t length = IntAt(splits, row + 1) - IntAt(splits, row);
        for (int64_t i = 0; i < length; ++i) {
          if (!run(x, row * inner, inner)) return;
        }
      }
    });
  });
}

constexpr KernelDef kRepeatRowsKernels[] = {{"repeat_rows", MakeRepeatRows}};

}  // namespace

std::span<const KernelDef> RepeatRowsKernels() { return kRepeatRowsKernels; }

}  // namespace signet
