// The kernel of `unique`: finds groups of equal elements or slices.

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/axis.h"
#include "core/kernels/loops/merge_sort.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/sort_order.h"

namespace signet {
namespace {

// Returns a number below 0, 0, or above 0 if slice `a` comes before, equals, or comes after slice
// `b`.
template <class T>
int Compare(StopPoll& poll, const Tensor& x, const AxisView& view, int64_t a, int64_t b) {
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t k = 0; k < view.inner; ++k) {
      if (poll.Stops(2)) return 0;
      auto left = Key<T>(x, (outer * view.size + a) * view.inner + k);
      auto right = Key<T>(x, (outer * view.size + b) * view.inner + k);
      if (Before(left, right, false)) return -1;
      if (Before(right, left, false)) return 1;
    }
  }
  return 0;
}

// Groups of equal slices, in memory of the run.
struct Groups {
  std::span<int64_t> first;   // the first slice of each group
  std::span<int64_t> counts;  // the number of slices of each group
  std::span<int64_t> of;      // the group of each slice
};

StatusOr<std::span<int64_t>> ScratchInts(KernelContext& context, int64_t count) {
  const auto n = static_cast<size_t>(count);
  SIGNET_ASSIGN_OR_RETURN(std::byte * room, context.Scratch(n * sizeof(int64_t)));
  return std::span<int64_t>(reinterpret_cast<int64_t*>(room), n);
}

// Fills `order` with the positions of the slices, sorted by their values; equal slices keep their
// order.
template <class T>
Status SortSlices(KernelContext& context, const Tensor& x, const AxisView& view,
                  std::span<int64_t> order) {
  SIGNET_ASSIGN_OR_RETURN(auto scratch, ScratchInts(context, MergeScratch(view.size)));
  SIGNET_RETURN_IF_ERROR(context.ForInOrder(view.size, 1, [&](int64_t begin, int64_t end) {
    std::iota(order.begin() + begin, order.begin() + end, begin);
  }));
  StopPoll poll(context);
  MergeSort(poll, order.data(), scratch.data(), view.size,
            [&](int64_t a, int64_t b) { return Compare<T>(poll, x, view, a, b) < 0; });
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

// Returns the groups in the order of their values or, if not `sorted`, of their first slices.
template <class T>
StatusOr<Groups> GroupSlices(KernelContext& context, const Tensor& x, const AxisView& view,
                             bool sorted) {
  SIGNET_ASSIGN_OR_RETURN(auto order, ScratchInts(context, view.size));
  SIGNET_ASSIGN_OR_RETURN(auto of, ScratchInts(context, view.size));
  SIGNET_RETURN_IF_ERROR(SortSlices<T>(context, x, view, order));
  // The first slice of each group replaces the part of `order` that was already read.
  StopPoll poll(context);
  int64_t count = 0;
  int64_t previous = 0;
  for (int64_t& slice : order) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(4));
    const int64_t own = slice;
    const bool begins = count == 0 || Compare<T>(poll, x, view, previous, own) != 0;
    if (begins) order[static_cast<size_t>(count++)] = own;
    of[static_cast<size_t>(own)] = count - 1;
    previous = own;
  }
  const auto n = static_cast<size_t>(count);
  SIGNET_ASSIGN_OR_RETURN(auto counts, ScratchInts(context, count));
  if (!sorted) {
    // For groups in the order of their first slices, the place of a group is the number of groups
    // that began before it.
    SIGNET_ASSIGN_OR_RETURN(auto place, ScratchInts(context, count));
    SIGNET_RETURN_IF_ERROR(FillElements(context, place.data(), count, int64_t{-1}));
    int64_t next = 0;
    for (int64_t i = 0; i < view.size; ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      int64_t& group = of[static_cast<size_t>(i)];
      int64_t& its_place = place[static_cast<size_t>(group)];
      if (its_place < 0) {
        order[static_cast<size_t>(next)] = i;
        its_place = next++;
      }
      group = its_place;
    }
  }
  SIGNET_RETURN_IF_ERROR(FillElements(context, counts.data(), count, int64_t{0}));
  SIGNET_RETURN_IF_ERROR(context.ForInOrder(view.size, 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ++counts[static_cast<size_t>(of[static_cast<size_t>(i)])];
    }
  }));
  return Groups{order.first(n), counts, of};
}

Status GiveInts(KernelContext& context, size_t output, std::span<const int64_t> elements) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                          context.Allocate(output, {static_cast<int64_t>(elements.size())}));
  auto bytes = std::as_bytes(elements);
  return CopyBytes(context, out->data().mutable_data(), bytes.data(), bytes.size());
}

StatusOr<std::unique_ptr<Kernel>> MakeUnique(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto given, request.call.attributes.OptionalInt("axis"));
  SIGNET_ASSIGN_OR_RETURN(bool sorted, request.call.attributes.Bool("sorted"));
  return MakeKernel([given, sorted](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Shape shape = given ? x.shape() : Shape{x.num_elements()};
    SIGNET_ASSIGN_OR_RETURN(int axis,
                            WithConstraint("C2", NormalizeAxis(given.value_or(0), shape.rank())));
    AxisView view = ViewAlong(shape, axis);
    // Slices without elements are all equal, and their number is not limited by the elements of the
    // input.
    if (view.size > kMaxOutputElements) {
      return ResourceExhausted(view.size, " slices exceed the limit of ", kMaxOutputElements);
    }
    auto found = VisitDType(x.dtype(), [&](auto tag) -> StatusOr<Groups> {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::complex<float>> ||
                    std::is_same_v<T, std::complex<double>>) {
        return Internal("inference accepted a dtype that `unique` does not support");
      } else {
        return GroupSlices<T>(context, x, view, sorted);
      }
    });
    SIGNET_ASSIGN_OR_RETURN(Groups groups, std::move(found));
    shape.set_dim(axis, static_cast<int64_t>(groups.first.size()));
    SIGNET_RETURN_IF_ERROR(MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      if (x.num_elements() == 0) return;
      for (int64_t outer = 0; outer < view.outer; ++outer) {
        for (int64_t first : groups.first) {
          if (!run(x, (outer * view.size + first) * view.inner, view.inner)) return;
        }
      }
    }));
    SIGNET_RETURN_IF_ERROR(GiveInts(context, 1, groups.first));
    SIGNET_RETURN_IF_ERROR(GiveInts(context, 2, groups.of));
    return GiveInts(context, 3, groups.counts);
  });
}

constexpr KernelDef kUniqueKernels[] = {{"unique", MakeUnique}};

}  // namespace

std::span<const KernelDef> UniqueKernels() { return kUniqueKernels; }

}  // namespace signet
