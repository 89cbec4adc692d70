// The kernel of `pad`.

#include <algorithm>

#include <absl/container/inlined_vector.h>

#include "core/base/checked_math.h"
#include "core/kernels/def/request.h"
#include "core/kernels/loops/run_repeated.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/int_list.h"
#include "core/values/zero_scalar.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

struct Padding {
  std::vector<int64_t> before;  // a negative number cuts elements off
  std::vector<int64_t> after;
};

// Writes the dimensions from `axis` on, where `at` is the first element of `x`: blanks, elements of
// x, blanks.
template <class Run>
bool RunPadded(const Tensor& x, const Tensor& blank, const Shape& out, const Padding& padding,
               int axis, int64_t at, Run& run) {
  if (axis == x.rank()) return run(x, at, 1);
  int64_t inner = 1;  // output elements per index along this axis
  int64_t inner_x = 1;
  for (int k = axis + 1; k < x.rank(); ++k) {
    inner *= out.dim(k);
    inner_x *= x.shape().dim(k);
  }
  auto i = static_cast<size_t>(axis);
  int64_t size = out.dim(axis);
  int64_t before = std::clamp<int64_t>(padding.before[i], 0, size);
  int64_t size_x = x.shape().dim(axis);
  int64_t first = std::clamp<int64_t>(-padding.before[i], 0, size_x);
  int64_t kept = size_x - first - std::clamp<int64_t>(-padding.after[i], 0, size_x);
  kept = std::clamp<int64_t>(kept, 0, size - before);
  bool whole = true;  // whether the inner dimensions have no padding and are not cut
  for (size_t k = i + 1; k < padding.before.size(); ++k) {
    whole = whole && padding.before[k] == 0 && padding.after[k] == 0;
  }
  if (!RunRepeated(blank, before * inner, run)) return false;
  if (whole) {
    if (!run(x, at + first * inner_x, kept * inner_x)) return false;
  } else {
    for (int64_t k = first; k < first + kept; ++k) {
      if (!RunPadded(x, blank, out, padding, axis + 1, at + k * inner_x, run)) return false;
    }
  }
  return RunRepeated(blank, (size - before - kept) * inner, run);
}

enum class PadMode : uint8_t { kConstant, kEdge, kReflect, kWrap };

// Returns the index, among `size` elements, of the element that is repeated at position `at`, which
// may be outside of [0, size).
int64_t Reflected(PadMode mode, int64_t at, int64_t size) {
  auto modulo = [](int64_t a, int64_t b) { return (a % b + b) % b; };
  switch (mode) {
    case PadMode::kConstant:
    case PadMode::kEdge:
      return std::clamp<int64_t>(at, 0, size - 1);
    case PadMode::kWrap:
      return modulo(at, size);
    case PadMode::kReflect:
      if (size == 1) return 0;
      at = modulo(at, 2 * (size - 1));
      return at < size ? at : 2 * (size - 1) - at;
  }
  __builtin_unreachable();
}

// Writes the output of a mode that repeats elements. from[axis] contains the source index of each
// output index along an axis. For the last axis, `lengths` contains the number of contiguous
// elements from each index on.
template <class Run>
bool RunRepeated(const Tensor& x, const Shape& out, std::span<const int64_t* const> from,
                 const int64_t* lengths, int axis, int64_t at, Run& run) {
  if (axis == x.rank()) return run(x, at, 1);
  int64_t inner_x = 1;
  for (int k = axis + 1; k < x.rank(); ++k) inner_x *= x.shape().dim(k);
  const int64_t* places = from[static_cast<size_t>(axis)];
  int64_t size = out.dim(axis);
  for (int64_t k = 0; k < size;) {
    int64_t count = 1;
    if (axis + 1 < x.rank()) {
      if (!RunRepeated(x, out, from, lengths, axis + 1, at + places[k] * inner_x, run)) {
        return false;
      }
    } else {
      count = lengths[k];
      if (!run(x, at + places[k], count)) return false;
    }
    k += count;
  }
  return true;
}

Status PadByRepeating(KernelContext& context, const Shape& shape, const Padding& padding,
                      PadMode mode) {
  const Tensor& x = context.input(0);
  if (shape.num_elements() == 0) return MoveRuns(context, 0, x.dtype(), shape, [](auto&&) {});
  int64_t total = 0;
  for (int64_t dim : shape.dims()) total += dim;
  const int64_t last = x.rank() == 0 ? 0 : shape.dim(x.rank() - 1);
  total += last;
  SIGNET_ASSIGN_OR_RETURN(std::byte * room,
                          context.Scratch(static_cast<size_t>(total) * sizeof(int64_t)));
  auto* places = reinterpret_cast<int64_t*>(room);
  int64_t* lengths = places + total - last;
  absl::InlinedVector<const int64_t*, 8> from;
  for (int axis = 0; axis < x.rank(); ++axis) {
    from.push_back(places);
    int64_t size = x.shape().dim(axis);
    if (size == 0) {
      return WithConstraint("C3",
                            InvalidArgument("dimension ", axis, " of `", x.spec(),
                                            "` has no elements to repeat; use mode `constant`"));
    }
    const int64_t before = padding.before[static_cast<size_t>(axis)];
    StopPoll poll(context);
    for (int64_t k = 0; k < shape.dim(axis); ++k) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(10));
      int64_t at = k - before;
      // In the last dimension, a run of contiguous elements needs only its first index.
      places[k] = Reflected(mode, at, size);
      if (axis + 1 < x.rank()) continue;
      int64_t there = at < 0 ? 0 : std::min(size - at, last - k);
      lengths[k] = std::max<int64_t>(there, 1);
      k += lengths[k] - 1;
    }
    places += shape.dim(axis);
  }
  return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
    RunRepeated(x, shape, {from.data(), from.size()}, lengths, 0, 0, run);
  });
}

MadeKernel MakePad(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList before, FindIntList(request.call, "before", 2));
  SIGNET_ASSIGN_OR_RETURN(IntList after, FindIntList(request.call, "after", 3));
  SIGNET_ASSIGN_OR_RETURN(std::string named, request.call.attributes.String("mode"));
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, ZeroScalar(request.outputs[0].As<TensorSpec>()->dtype()));
  PadMode mode = named == "edge"      ? PadMode::kEdge
                 : named == "reflect" ? PadMode::kReflect
                 : named == "wrap"    ? PadMode::kWrap
                                      : PadMode::kConstant;
  return MakeKernel([before = before.known, after = after.known, blank,
                     mode](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    bool given = context.num_inputs() > 1 && context.input(1).has_value();
    const Tensor& value = given ? context.input(1) : blank;
    if (value.num_elements() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("value: expected a scalar, found shape `", value.shape(), "`"));
    }
    Padding padding;
    if (before) padding.before = *before;
    if (after) padding.after = *after;
    if (!before) {
      SIGNET_ASSIGN_OR_RETURN(padding.before, WithConstraint("C2", IntsPerDimension(context, 2)));
    }
    if (!after) {
      SIGNET_ASSIGN_OR_RETURN(padding.after, WithConstraint("C2", IntsPerDimension(context, 3)));
    }
    auto rank = static_cast<size_t>(x.rank());
    if (padding.before.size() != rank || padding.after.size() != rank) {
      return WithConstraint(
          "C2", InvalidArgument("`before` and `after`: expected ", rank,
                                " elements, one per dimension of `", x.spec(), "`, found ",
                                padding.before.size(), " and ", padding.after.size()));
    }
    Shape shape = x.shape();
    for (int axis = 0; axis < x.rank(); ++axis) {
      auto i = static_cast<size_t>(axis);
      bool can_negate = std::min(padding.before[i], padding.after[i]) > INT64_MIN;
      auto more = can_negate ? CheckedAdd(padding.before[i], padding.after[i]) : std::nullopt;
      auto size = more ? CheckedAdd(shape.dim(axis), *more) : std::nullopt;
      if (!size)
        return WithConstraint(
            "C3", ResourceExhausted("dimension ", axis, ": the size exceeds the range of int64"));
      if (*size < 0) {
        return WithConstraint(
            "C3", InvalidArgument("dimension ", axis, ": expected at most ", shape.dim(axis),
                                  " elements to remove, found ", -*more));
      }
      shape.set_dim(axis, *size);
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape.dims())));
    if (mode != PadMode::kConstant) return PadByRepeating(context, shape, padding, mode);
    return MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      if (shape.num_elements() > 0) RunPadded(x, value, shape, padding, 0, 0, run);
    });
  });
}

constexpr KernelDef kPadKernels[] = {{"pad", Moving<MakePad>}};

}  // namespace

std::span<const KernelDef> PadKernels() { return kPadKernels; }

}  // namespace signet
