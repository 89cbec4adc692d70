// The kernel of `slice`.

#include "core/kernels/def/request.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/runs.h"
#include "core/ops/build/slice_ranges.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeSlice(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(SliceRequest slice, ReadSlice(request.call));
  return MakeKernel([slice](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    auto ints_for = [&](const IntList& list, size_t i) -> StatusOr<std::vector<int64_t>> {
      if (list.known) return *list.known;
      return WithConstraint("C3", IntsPerDimension(context, i));
    };
    SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> starts, ints_for(slice.starts, 1));
    std::vector<int64_t> limits;
    if (slice.limits.given) {
      SIGNET_ASSIGN_OR_RETURN(limits, ints_for(slice.limits, 2));
    }
    SliceRequest asked = slice;
    if (asked.computes_axes) {
      SIGNET_ASSIGN_OR_RETURN(asked.axes, WithConstraint("C3", IntsPerDimension(context, 3)));
    }
    if (asked.computes_steps) {
      SIGNET_ASSIGN_OR_RETURN(asked.steps, WithConstraint("C3", IntsPerDimension(context, 4)));
    }
    SIGNET_ASSIGN_OR_RETURN(auto ranges, SliceRanges(asked, x.shape().dims(), starts, limits));
    Walk walk;
    Dims strides = StridesOf(x.shape());
    Shape shape;
    for (size_t i = 0; i < ranges.size(); ++i) {
      shape.push_back(ranges[i].count);
      if (ranges[i].count > 0) walk.start += ranges[i].start * strides[i];
      walk.Add(ranges[i].count, ranges[i].count > 1 ? ranges[i].step * strides[i] : 0);
    }
    return MoveWalk(context, 0, x, shape, walk);
  });
}

constexpr KernelDef kSliceKernels[] = {{"slice", Moving<MakeSlice>}};

}  // namespace

std::span<const KernelDef> SliceKernels() { return kSliceKernels; }

}  // namespace signet
