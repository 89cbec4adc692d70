// Kernels that put elements in order: sort.

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/kernels/all_kernels.h"
#include "core/kernels/runs.h"
#include "core/kernels/sort_order.h"

namespace signet {
namespace {

// Fills `order` with the positions of each line along an axis, sorted; stable.
template <class T>
void SortLines(const Tensor& x, int64_t size, int64_t inner, bool descending, int64_t* order,
               std::vector<int64_t>& line) {
  if (size == 0) return;
  int64_t lines = x.num_elements() / size;
  line.resize(static_cast<size_t>(size));
  for (int64_t k = 0; k < lines; ++k) {
    int64_t first = k / inner * size * inner + k % inner;
    std::iota(line.begin(), line.end(), 0);
    std::stable_sort(line.begin(), line.end(), [&](int64_t a, int64_t b) {
      return Before(Key<T>(x, first + a * inner), Key<T>(x, first + b * inner), descending);
    });
    for (int64_t i = 0; i < size; ++i) order[first + i * inner] = line[static_cast<size_t>(i)];
  }
}

StatusOr<std::unique_ptr<Kernel>> MakeSort(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(bool descending, request.call.attributes.Bool("descending"));
  return MakeKernel([given, descending](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() == 0) return InvalidArgument("C1 input 0 is a scalar; takes a rank of at least 1");
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank())));
    int64_t size = x.shape().dim(axis);
    int64_t inner = 1;
    for (int64_t dim : x.shape().dims().subspan(static_cast<size_t>(axis) + 1)) inner *= dim;
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(1, x.shape()));
    auto* order = made->mutable_elements<int64_t>();
    std::vector<int64_t> line;
    if (x.num_elements() > 0) {
      VisitDType(x.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_same_v<T, std::complex<float>> &&
                      !std::is_same_v<T, std::complex<double>>) {
          SortLines<T>(x, size, inner, descending, order, line);
        }
      });
    }
    return MoveRuns(context, 0, x.dtype(), x.shape(), [&](auto&& run) {
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        int64_t first = i / (size * inner) * size * inner + i % inner;
        run(x, first + order[i] * inner, 1);
      }
    });
  });
}

constexpr KernelDef kKernels[] = {{"sort", MakeSort}};

}  // namespace

std::span<const KernelDef> SortingKernels() { return kKernels; }

}  // namespace signet
