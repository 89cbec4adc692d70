// unique: groups of equal elements or slices.

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/kernels/all_kernels.h"
#include "core/kernels/axis.h"
#include "core/kernels/runs.h"
#include "core/kernels/sort_order.h"

namespace signet {
namespace {

// Below, at or above 0 as slice `a` stands before, is or stands behind slice `b`.
template <class T>
int Compare(const Tensor& x, const AxisView& view, int64_t a, int64_t b) {
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t k = 0; k < view.inner; ++k) {
      auto left = Key<T>(x, (outer * view.size + a) * view.inner + k);
      auto right = Key<T>(x, (outer * view.size + b) * view.inner + k);
      if (Before(left, right, false)) return -1;
      if (Before(right, left, false)) return 1;
    }
  }
  return 0;
}

struct Groups {
  std::vector<int64_t> first;   // the slice of each group that is first
  std::vector<int64_t> counts;  // slices of each group
  std::vector<int64_t> of;      // the group of each slice
};

// Groups in the order of their values or, when not `sorted`, of their first slices.
template <class T>
Groups GroupSlices(const Tensor& x, const AxisView& view, bool sorted) {
  Groups groups;
  std::vector<int64_t> order(static_cast<size_t>(view.size));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return Compare<T>(x, view, a, b) < 0; });
  groups.of.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || Compare<T>(x, view, order[i - 1], order[i]) != 0) {
      groups.first.push_back(order[i]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.of[static_cast<size_t>(order[i])] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  if (sorted) return groups;
  std::vector<size_t> by_first(groups.first.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  std::sort(by_first.begin(), by_first.end(),
            [&](size_t a, size_t b) { return groups.first[a] < groups.first[b]; });
  Groups out;
  std::vector<int64_t> place(by_first.size());
  for (size_t group : by_first) {
    place[group] = static_cast<int64_t>(out.first.size());
    out.first.push_back(groups.first[group]);
    out.counts.push_back(groups.counts[group]);
  }
  for (int64_t group : groups.of) out.of.push_back(place[static_cast<size_t>(group)]);
  return out;
}

Status GiveInts(KernelContext& context, size_t output, std::span<const int64_t> elements) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out,
                          context.Allocate(output, {static_cast<int64_t>(elements.size())}));
  std::copy(elements.begin(), elements.end(), out->mutable_elements<int64_t>());
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> MakeUnique(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto given, request.call.attributes.OptionalInt("axis"));
  SIGNET_ASSIGN_OR_RETURN(bool sorted, request.call.attributes.Bool("sorted"));
  return MakeKernel([given, sorted](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Shape shape = given ? x.shape() : Shape{x.num_elements()};
    SIGNET_ASSIGN_OR_RETURN(int axis,
                            Labelled("C2", NormalizeAxis(given.value_or(0), shape.rank())));
    AxisView view = ViewAlong(shape, axis);
    // Slices without elements are all the same, and as many as there are.
    if (view.size > kMaxOutputElements) {
      return ResourceExhausted(view.size, " slices; the limit is ", kMaxOutputElements);
    }
    Groups groups;
    VisitDType(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, std::complex<float>> &&
                    !std::is_same_v<T, std::complex<double>>) {
        groups = GroupSlices<T>(x, view, sorted);
      }
    });
    shape.set_dim(axis, static_cast<int64_t>(groups.first.size()));
    SIGNET_RETURN_IF_ERROR(MoveRuns(context, 0, x.dtype(), shape, [&](auto&& run) {
      if (x.num_elements() == 0) return;
      for (int64_t outer = 0; outer < view.outer; ++outer) {
        for (int64_t first : groups.first) {
          run(x, (outer * view.size + first) * view.inner, view.inner);
        }
      }
    }));
    SIGNET_RETURN_IF_ERROR(GiveInts(context, 1, groups.first));
    SIGNET_RETURN_IF_ERROR(GiveInts(context, 2, groups.of));
    return GiveInts(context, 3, groups.counts);
  });
}

constexpr KernelDef kKernels[] = {{"unique", MakeUnique}};

}  // namespace

std::span<const KernelDef> UniqueKernels() { return kKernels; }

}  // namespace signet
