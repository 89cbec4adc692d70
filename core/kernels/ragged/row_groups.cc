// Kernels that merge rows by group, and sort values by group.

#include <algorithm>
#include <numeric>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Checks that `groups` is a vector of `elements` elements (C2), that `count` groups are possible
// (C3), and that each group is at least 0 and less than `count` (C4).
Status CheckGroups(KernelContext& context, const Tensor& groups, int64_t elements, int64_t count) {
  if (groups.rank() != 1 || groups.num_elements() != elements) {
    return WithConstraint("C2", InvalidArgument("groups: expected shape `[", elements,
                                                "]`, found `", groups.shape(), "`"));
  }
  if (count < 0)
    return WithConstraint("C3", InvalidArgument("expected at least 0 groups, found ", count));
  if (count >= kMaxOutputElements) {
    return WithConstraint(
        "C3", ResourceExhausted(count, " groups exceed the limit of ", kMaxOutputElements - 1));
  }
  return WithConstraint("C4", CheckIndices(context, groups, count));
}

// Replaces each of `count` numbers by the sum of the numbers up to it.
Status PrefixSums(KernelContext& context, int64_t* numbers, int64_t count) {
  int64_t sum = 0;
  return context.ForInOrder(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) numbers[i] = sum += numbers[i];
  });
}

template <class T>
Status Overlay(KernelContext& context, std::span<const T> splits, const Tensor& numbers,
               int64_t count) {
  auto groups = numbers.elements<int64_t>();
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count + 1}));
  auto* out = made->mutable_elements<int64_t>();
  // First the length of the longest row of each group, then the offset at which the group starts.
  SIGNET_RETURN_IF_ERROR(FillElements(context, out, count + 1, int64_t{0}));
  StopPoll poll(context);
  for (size_t row = 0; row < groups.size(); ++row) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(4));
    int64_t& longest = out[groups[row] + 1];
    longest = std::max(longest, int64_t{splits[row + 1]} - int64_t{splits[row]});
  }
  // The sum is at most the number of values.
  SIGNET_RETURN_IF_ERROR(PrefixSums(context, out, count + 1));
  SIGNET_ASSIGN_OR_RETURN(Tensor * places, context.Allocate(1, {int64_t{splits.back()}}));
  auto* place = places->mutable_elements<int64_t>();
  for (size_t row = 0; row < groups.size(); ++row) {
    int64_t length = int64_t{splits[row + 1]} - int64_t{splits[row]};
    SIGNET_RETURN_IF_ERROR(poll.Spend(4));
    ForSegments(poll, length, 1, [&](int64_t begin, int64_t end) {
      std::iota(place + begin, place + end, out[groups[row]] + begin);
    });
    place += length;
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

MadeKernel MakeOverlayRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& splits = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits));
    SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeInput(context, 2));
    SIGNET_RETURN_IF_ERROR(CheckGroups(context, context.input(1), NumRows(splits), count));
    int64_t values = IntAt(splits, NumRows(splits));
    SIGNET_RETURN_IF_ERROR(WithConstraint("C5", CheckOutputSize(std::span(&values, 1))));
    return VisitInts(splits,
                     [&](auto all) { return Overlay(context, all, context.input(1), count); });
  });
}

MadeKernel MakeGroupOrder(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& numbers = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int64_t count, SizeInput(context, 1));
    SIGNET_RETURN_IF_ERROR(CheckGroups(context, numbers, numbers.num_elements(), count));
    auto groups = numbers.elements<int64_t>();
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count + 1}));
    SIGNET_ASSIGN_OR_RETURN(Tensor * order, context.Allocate(1, numbers.shape()));
    auto* splits = made->mutable_elements<int64_t>();
    auto* positions = order->mutable_elements<int64_t>();
    // splits[g] is the start of group g. While the group is filled, splits[g] advances to the end
    // of the group, which is the start of group g + 1.
    SIGNET_RETURN_IF_ERROR(FillElements(context, splits, count + 1, int64_t{0}));
    StopPoll poll(context);
    for (int64_t group : groups) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(2));
      ++splits[group + 1];
    }
    SIGNET_RETURN_IF_ERROR(PrefixSums(context, splits, count + 1));
    for (size_t i = 0; i < groups.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      positions[splits[groups[i]]++] = static_cast<int64_t>(i);
    }
    int64_t start = 0;
    return context.ForInOrder(count + 1, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) std::swap(splits[i], start);
    });
  });
}

MadeKernel MakeCheckNumValues(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& values = context.input(0);
    const Tensor& splits = context.input(1);
    if (splits.rank() != 1 || splits.num_elements() == 0) return CheckSplits(context, splits);
    int64_t last = IntAt(splits, NumRows(splits));
    if (values.rank() == 0 || values.shape().dim(0) != last) {
      return WithConstraint(
          "C2", InvalidArgument("input 0: expected ", last, " values, as in row_splits, found `",
                                values.spec(), "`"));
    }
    context.Set(0, values);
    return absl::OkStatus();
  });
}

constexpr KernelDef kRowGroupKernels[] = {
    {"check_num_values", MakeCheckNumValues},
    {"group_order", MakeGroupOrder},
    {"overlay_rows", MakeOverlayRows},
};

}  // namespace

std::span<const KernelDef> RowGroupKernels() { return kRowGroupKernels; }

}  // namespace signet
