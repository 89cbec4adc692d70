// The kernel of `sort`.

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/merge_sort.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/sort_order.h"

namespace signet {
namespace {

// Fills `order` with the positions of each line along an axis in sorted order; equal elements keep
// their order.
template <class T>
Status SortLines(KernelContext& context, const Tensor& x, int64_t size, int64_t inner,
                 bool descending, int64_t* order) {
  const auto room = static_cast<size_t>(size + MergeScratch(size));
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(room * sizeof(int64_t)));
  auto* line = reinterpret_cast<int64_t*>(scratch);
  StopPoll poll(context);
  const int64_t lines = x.num_elements() / size;
  for (int64_t k = 0; k < lines; ++k) {
    const int64_t first = k / inner * size * inner + k % inner;
    bool goes_on = ForSegments(poll, size, 1, [&](int64_t begin, int64_t end) {
      std::iota(line + begin, line + end, begin);
    });
    goes_on =
        goes_on && MergeSort(poll, line, line + size, size, [&](int64_t a, int64_t b) {
          return Before(Key<T>(x, first + a * inner), Key<T>(x, first + b * inner), descending);
        });
    goes_on = goes_on && ForSegments(poll, size, 1, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) order[first + i * inner] = line[i];
              });
    if (!goes_on) return context.CheckStop();
  }
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> MakeSort(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(bool descending, request.call.attributes.Bool("descending"));
  return MakeKernel([given, descending](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() == 0)
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, x.rank())));
    int64_t size = x.shape().dim(axis);
    int64_t inner = 1;
    for (int64_t dim : x.shape().dims().subspan(static_cast<size_t>(axis) + 1)) inner *= dim;
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(1, x.shape()));
    auto* order = made->mutable_elements<int64_t>();
    if (x.num_elements() > 0) {
      SIGNET_RETURN_IF_ERROR(VisitDType(x.dtype(), [&](auto tag) -> Status {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_same_v<T, std::complex<float>> ||
                      std::is_same_v<T, std::complex<double>>) {
          return Internal("inference accepted a dtype that `sort` does not support");
        } else {
          return SortLines<T>(context, x, size, inner, descending, order);
        }
      }));
    }
    return MoveRuns(context, 0, x.dtype(), x.shape(), [&](auto&& run) {
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        int64_t first = i / (size * inner) * size * inner + i % inner;
        if (!run(x, first + order[i] * inner, 1)) return;
      }
    });
  });
}

constexpr KernelDef kSortingKernels[] = {{"sort", MakeSort}};

}  // namespace

std::span<const KernelDef> SortingKernels() { return kSortingKernels; }

}  // namespace signet
