// Kernels that are one walk over their input: slice, transpose, reverse, broadcast_to, tile, split,
// unstack.

#include <cstring>

#include "core/base/checked_math.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/request.h"
#include "core/kernels/runs.h"
#include "core/ops/int_list.h"
#include "core/ops/slice.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// All of `x`, in order.
Walk WholeWalk(const Tensor& x) {
  Walk walk;
  walk.sizes.assign(x.shape().dims().begin(), x.shape().dims().end());
  walk.strides = StridesOf(x.shape());
  return walk;
}

MadeKernel MakeSlice(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(SliceRequest slice, ReadSlice(request.call));
  return MakeKernel([slice](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    auto ints_for = [&](const IntList& list, size_t i) -> StatusOr<std::vector<int64_t>> {
      if (list.known) return *list.known;
      return Labelled("C3", IntsPerDimension(context, i));
    };
    SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> starts, ints_for(slice.starts, 1));
    std::vector<int64_t> limits;
    if (slice.limits.given) {
      SIGNET_ASSIGN_OR_RETURN(limits, ints_for(slice.limits, 2));
    }
    SliceRequest asked = slice;
    if (asked.computes_axes) {
      SIGNET_ASSIGN_OR_RETURN(asked.axes, Labelled("C3", IntsPerDimension(context, 3)));
    }
    if (asked.computes_steps) {
      SIGNET_ASSIGN_OR_RETURN(asked.steps, Labelled("C3", IntsPerDimension(context, 4)));
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

MadeKernel MakeTranspose(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto perm, OptionalInts(request.call.attributes, "perm"));
  return MakeKernel([perm](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Dims strides = StridesOf(x.shape());
    std::vector<bool> seen(strides.size(), false);
    Walk walk;
    Shape shape;
    if (perm && perm->size() != strides.size()) {
      return InvalidArgument("C2 ", perm->size(), " axes for `", x.spec(), "`; takes ",
                             strides.size());
    }
    for (size_t i = 0; i < strides.size(); ++i) {
      auto axis = static_cast<int>(strides.size() - 1 - i);
      if (perm) {
        SIGNET_ASSIGN_OR_RETURN(axis, Labelled("C2", NormalizeAxis((*perm)[i], x.rank())));
      }
      auto at = static_cast<size_t>(axis);
      if (seen[at]) return InvalidArgument("C2 axis ", axis, " appears twice; takes each once");
      seen[at] = true;
      shape.push_back(x.shape().dim(axis));
      walk.Add(x.shape().dim(axis), strides[at]);
    }
    return MoveWalk(context, 0, x, shape, walk);
  });
}

MadeKernel MakeReverse(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, request.call.attributes.Ints("axes"));
  return MakeKernel([axes](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Walk walk = WholeWalk(x);
    std::vector<bool> seen(walk.sizes.size(), false);
    for (int64_t given : axes) {
      SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
      auto at = static_cast<size_t>(axis);
      if (seen[at]) return InvalidArgument("C2 axis ", axis, " appears twice; takes each once");
      seen[at] = true;
      if (walk.sizes[at] > 0) walk.start += (walk.sizes[at] - 1) * walk.strides[at];
      walk.strides[at] = -walk.strides[at];
    }
    return MoveWalk(context, 0, x, x.shape(), walk);
  });
}

MadeKernel MakeBroadcastTo(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, "shape", 1));
  return MakeKernel([known = list.known](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    std::vector<int64_t> dims;
    if (known) {
      dims = *known;
    } else {
      SIGNET_ASSIGN_OR_RETURN(dims, Labelled("C2", IntsPerDimension(context, 1)));
    }
    SIGNET_RETURN_IF_ERROR(Labelled("C2", CheckOutputSize(std::span<const int64_t>(dims))));
    Shape shape{std::span<const int64_t>(dims)};
    Dims strides = StridesOf(x.shape());
    int offset = shape.rank() - x.rank();
    Walk walk;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      bool stays = axis >= offset && x.shape().dim(axis - offset) == shape.dim(axis);
      walk.Add(shape.dim(axis), stays ? strides[static_cast<size_t>(axis - offset)] : 0);
      if (stays || axis < offset || x.shape().dim(axis - offset) == 1) continue;
      offset = -1;
      break;
    }
    if (offset < 0) {
      return InvalidArgument("C3 `", x.spec(), "` to shape `", shape,
                             "`; takes dimensions of size 1 or of that size, aligned at the right");
    }
    return MoveWalk(context, 0, x, shape, walk);
  });
}

MadeKernel MakeTile(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, "multiples", 1));
  return MakeKernel([known = list.known](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    std::vector<int64_t> multiples;
    if (known) {
      multiples = *known;
    } else {
      SIGNET_ASSIGN_OR_RETURN(multiples, Labelled("C2", IntsPerDimension(context, 1)));
    }
    if (multiples.size() != static_cast<size_t>(x.rank())) {
      return InvalidArgument("C2 ", multiples.size(), " multiples for `", x.spec(), "`; takes ",
                             x.rank());
    }
    Dims strides = StridesOf(x.shape());
    Walk walk;
    Shape shape;
    for (size_t i = 0; i < multiples.size(); ++i) {
      int64_t size = x.shape().dim(static_cast<int>(i));
      if (multiples[i] < 0) {
        return InvalidArgument("C2 multiple ", i, " is ", multiples[i], "; takes at least 0");
      }
      auto total = CheckedMultiply(size, multiples[i]);
      if (!total)
        return ResourceExhausted("C3 dimension ", i, " of ", size, " times ", multiples[i]);
      shape.push_back(*total);
      walk.Add(multiples[i], 0);
      walk.Add(size, strides[i]);
    }
    return Labelled("C3", MoveWalk(context, 0, x, shape, walk));
  });
}

// Output `i`: `size` of dimension `axis`, from `start` on; without the dimension when `drop`.
Status MovePart(KernelContext& context, size_t i, int axis, int64_t start, int64_t size,
                bool drop) {
  const Tensor& x = context.input(0);
  Walk walk = WholeWalk(x);
  auto at = static_cast<size_t>(axis);
  walk.start = size > 0 ? start * walk.strides[at] : 0;
  walk.sizes[at] = size;
  Shape shape;
  for (int k = 0; k < x.rank(); ++k) {
    if (k != axis) shape.push_back(x.shape().dim(k));
    if (k == axis && !drop) shape.push_back(size);
  }
  return MoveWalk(context, i, x, shape, walk);
}

MadeKernel MakeSplit(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, OptionalInts(request.call.attributes, "sizes"));
  size_t count = request.outputs.size();
  return MakeKernel([given, sizes, count](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() == 0) return InvalidArgument("C1 input 0 is a scalar; takes a rank of at least 1");
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
    int64_t size = x.shape().dim(axis);
    auto parts = static_cast<int64_t>(count);
    if (!sizes && size % parts != 0) {
      return InvalidArgument("C4 ", parts, " equal parts of a dimension of ", size);
    }
    int64_t total = 0;
    for (size_t i = 0; sizes && i < count; ++i) total += (*sizes)[i];
    if (sizes && total != size) {
      return InvalidArgument("C4 parts of ", total, " in all; the dimension is ", size);
    }
    int64_t start = 0;
    for (size_t i = 0; i < count; ++i) {
      int64_t part = sizes ? (*sizes)[i] : size / parts;
      SIGNET_RETURN_IF_ERROR(MovePart(context, i, axis, start, part, false));
      start += part;
    }
    return absl::OkStatus();
  });
}

// Whether the parts of `x` along `axis` lie behind one another, and are hardly worth a walk each.
bool IsFewBytesInOrder(const Tensor& x, int axis) {
  constexpr size_t kFewBytes = 1024;
  if (x.is_string() || x.num_elements() == 0 || x.num_bytes() > kFewBytes) return false;
  int64_t before = 1;
  for (int i = 0; i < axis; ++i) before *= x.shape().dim(i);
  return before == 1;
}

// The parts of input 0 along `axis`, which lie behind one another: they share a copy of it.
Status CutInOrder(KernelContext& context, int axis) {
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
    if (x.rank() == 0) return InvalidArgument("C1 input 0 is a scalar; takes a rank of at least 1");
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
    if (x.shape().dim(axis) != count) {
      return InvalidArgument("C2 dimension ", axis, " of `", x.spec(), "`; takes ", count);
    }
    if (IsFewBytesInOrder(x, axis)) return CutInOrder(context, axis);
    for (int64_t i = 0; i < count; ++i) {
      SIGNET_RETURN_IF_ERROR(MovePart(context, static_cast<size_t>(i), axis, i, 1, true));
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kKernels[] = {
    {"broadcast_to", Moving<MakeBroadcastTo>},
    {"reverse", Moving<MakeReverse>},
    {"slice", Moving<MakeSlice>},
    {"split", Moving<MakeSplit>},
    {"tile", Moving<MakeTile>},
    {"transpose", Moving<MakeTranspose>},
    {"unstack", Moving<MakeUnstack>},
};

}  // namespace

std::span<const KernelDef> WalkKernels() { return kKernels; }

}  // namespace signet
