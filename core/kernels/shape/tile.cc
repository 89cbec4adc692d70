// The kernel of `tile`.

#include "core/base/checked_math.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeTile(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, "multiples", 1));
  return MakeKernel([known = list.known](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    std::vector<int64_t> multiples;
    if (known) {
      multiples = *known;
    } else {
      SIGNET_ASSIGN_OR_RETURN(multiples, WithConstraint("C2", IntsPerDimension(context, 1)));
    }
    if (multiples.size() != static_cast<size_t>(x.rank())) {
      return WithConstraint("C2", InvalidArgument("`multiples`: expected ", x.rank(),
                                                  " elements, one per dimension of `", x.spec(),
                                                  "`, found ", multiples.size()));
    }
    Dims strides = StridesOf(x.shape());
    Walk walk;
    Shape shape;
    for (size_t i = 0; i < multiples.size(); ++i) {
      int64_t size = x.shape().dim(static_cast<int>(i));
      if (multiples[i] < 0) {
        return WithConstraint(
            "C2", InvalidArgument("multiple ", i, ": expected at least 0, found ", multiples[i]));
      }
      auto total = CheckedMultiply(size, multiples[i]);
      if (!total)
        return WithConstraint(
            "C3", ResourceExhausted("dimension ", i, ": the size ", size, " times the multiple ",
                                    multiples[i], " exceeds the range of int64"));
      shape.push_back(*total);
      walk.Add(multiples[i], 0);
      walk.Add(size, strides[i]);
    }
    return WithConstraint("C3", MoveWalk(context, 0, x, shape, walk));
  });
}

constexpr KernelDef kTileKernels[] = {{"tile", Moving<MakeTile>}};

}  // namespace

std::span<const KernelDef> TileKernels() { return kTileKernels; }

}  // namespace signet
