// The kernel of `det`: Gaussian elimination with partial pivoting, in float64.

#include <cmath>
#include <utility>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/linalg/linalg_kernels.h"

namespace signet {
namespace {

// Returns the determinant of `a`, an n by n matrix, which is overwritten.
double Determinant(StopPoll& poll, double* a, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (poll.Stops(4)) return 0;
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      product = -product;
    }
    product *= a[k * n + k];
    for (int64_t i = k + 1; i < n; ++i) {
      if (poll.Stops(n - k)) return 0;
      double factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

template <class T>
Status Run(KernelContext& context) {
  const Tensor& x = context.input(0);
  int rank = x.rank();
  int64_t n = x.shape().dim(rank - 1);
  if (n != x.shape().dim(rank - 2)) {
    return WithConstraint(
        "C3", InvalidArgument("input 0: expected square matrices, found `", x.spec(), "`"));
  }
  Shape batch(x.shape().dims().first(static_cast<size_t>(rank - 2)));
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, batch));
  auto size = static_cast<size_t>(n * n);
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(size * sizeof(double) + 8));
  auto* matrix = reinterpret_cast<double*>(scratch);
  StopPoll poll(context);
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    const T* from = x.elements<T>().data() + i * n * n;
    ForSegments(poll, n * n, 1, [&](int64_t begin, int64_t end) {
      std::copy(from + begin, from + end, matrix + begin);
    });
    out->mutable_elements<T>()[i] = static_cast<T>(Determinant(poll, matrix, n));
    if (context.stopped()) return context.CheckStop();
  }
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> MakeDet(const KernelRequest& request) {
  bool wide = DTypeIn(request.call.inputs[0]) == DType::kFloat64;
  auto kernel = wide ? MakeKernel(Run<double>) : MakeKernel(Run<float>);
  const PartialShape& x = ShapeOf(request.call.inputs[0]);
  double n = x.has_rank() ? GuessElements(x.Slice(x.rank() - 1, x.rank())) : 64;
  kernel->set_cost(100 + (5 + n / 3) * GuessElements(x));
  return kernel;
}

constexpr KernelDef kDeterminantKernels[] = {{"det", MakeDet}};

}  // namespace

std::span<const KernelDef> DeterminantKernels() { return kDeterminantKernels; }

}  // namespace signet
