// Kernels on the rows of matrices: distances, norms, and class probabilities from those of pairs of
// classes.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/loops/small_matrix.h"
#include "core/kernels/tabular/tabular_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

Status CheckMatrix(const Tensor& x) {
  if (x.rank() == 2) return absl::OkStatus();
  return WithConstraint("C1", InvalidArgument("expected a matrix, found shape `", x.shape(), "`"));
}

// Computes `columns` distances for each row of input 0, a matrix of `width` columns. Calls
// distances(poll, row, out) for each row.
template <class T, class Distances>
Status RunDistances(KernelContext& context, int64_t width, int64_t columns, Distances distances) {
  const Tensor& a = context.input(0);
  SIGNET_RETURN_IF_ERROR(CheckMatrix(a));
  if (a.shape().dim(1) != width) {
    return WithConstraint(
        "C2", InvalidArgument("input 0: expected ", width, " columns, as in input 1, found ",
                              a.shape().dim(1)));
  }
  int64_t rows = a.shape().dim(0);
  int64_t dims[] = {rows, columns};
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(dims)));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows, columns}));
  T* out = made->mutable_elements<T>();
  const T* from = a.elements<T>().data();
  double cost = static_cast<double>(columns) * (2 + static_cast<double>(width) * 0.5);
  return context.For(rows, cost, [&](int64_t begin, int64_t end) {
    StopPoll poll(context);
    for (int64_t i = begin; i < end; ++i) distances(poll, from + i * width, out + i * columns);
  });
}

template <class T>
Status RunSquaredDistances(KernelContext& context) {
  const Tensor& b = context.input(1);
  SIGNET_RETURN_IF_ERROR(CheckMatrix(b));
  const int64_t width = b.shape().dim(1);
  const int64_t columns = b.shape().dim(0);
  const T* to = b.elements<T>().data();
  return RunDistances<T>(context, width, columns, [&](StopPoll& poll, const T* x, T* out) {
    constexpr int64_t kWide = 8;  // independent sums
    for (int64_t j = 0; j < columns; ++j) {
      if (poll.Stops(2 + width / 2)) return;
      const T* y = to + j * width;
      T sums[kWide] = {};
      int64_t k = 0;
      for (; k + kWide <= width; k += kWide) {
        for (int64_t l = 0; l < kWide; ++l) {
          T difference = x[k + l] - y[k + l];
          sums[l] += difference * difference;
        }
      }
      T sum = 0;
      for (; k < width; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
      for (T part : sums) sum += part;
      out[j] = sum;
    }
  });
}

enum class Norm : uint8_t { kMax, kL1, kL2 };

template <class T>
Status RunNormalizeRows(KernelContext& context, Norm norm) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(CheckMatrix(x));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
  T* out = made->mutable_elements<T>();
  const T* in = x.elements<T>().data();
  int64_t width = x.shape().dim(1);
  return context.For(x.shape().dim(0), 2.0 * static_cast<double>(width),
                     [&](int64_t begin, int64_t end) {
                       StopPoll poll(context);
                       for (int64_t row = begin; row < end; ++row) {
                         const T* from = in + row * width;
                         T size = norm == Norm::kMax ? std::numeric_limits<T>::lowest() : 0;
                         ForSegments(poll, width, 2, [&](int64_t first, int64_t last) {
                           for (int64_t i = first; i < last; ++i) {
                             size = norm == Norm::kMax  ? std::max(size, from[i])
                                    : norm == Norm::kL1 ? size + std::abs(from[i])
                                                        : size + from[i] * from[i];
                           }
                         });
                         if (norm == Norm::kL2) size = std::sqrt(size);
                         if (size == 0) size = 1;
                         ForSegments(poll, width, 1, [&](int64_t first, int64_t last) {
                           for (int64_t i = first; i < last; ++i) {
                             out[row * width + i] = from[i] / size;
                           }
                         });
                       }
                     });
}

// The second method of Wu, Lin and Weng, Probability Estimates for Multi-class Classification by
// Pairwise Coupling (2004), as in LIBSVM: at most 100 rounds, until the error of each class is at
// most 0.005 / classes. `pairs` contains the probability of the first class of each pair; `q` and
// `qp` are scratch memory.
template <class T>
void Couple(StopPoll& poll, const T* pairs, int64_t n, T* q, T* qp, T* p) {
  constexpr int kRounds = 100;
  constexpr T kLeast = T(1e-7);
  // r(i, j): the probability of class i among i and j.
  auto r = [&](int64_t i, int64_t j) {
    int64_t low = std::min(i, j);
    int64_t at = low * (2 * n - low - 1) / 2 + std::max(i, j) - low - 1;
    T share = std::min(std::max(pairs[at], kLeast), 1 - kLeast);
    return i < j ? share : 1 - share;
  };
  for (int64_t i = 0; i < n; ++i) {
    if (poll.Stops(10 * n)) return;
    p[i] = 1 / static_cast<T>(n);
    q[i * n + i] = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      q[i * n + i] += r(j, i) * r(j, i);
      q[i * n + j] = -r(j, i) * r(i, j);
    }
  }
  T epsilon = T(0.005) / static_cast<T>(n);
  for (int round = 0; round < kRounds; ++round) {
    T pqp = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (poll.Stops(n)) return;
      qp[i] = 0;
      for (int64_t j = 0; j < n; ++j) qp[i] += q[i * n + j] * p[j];
      pqp += p[i] * qp[i];
    }
    T most = 0;
    for (int64_t i = 0; i < n; ++i) most = std::max(most, std::abs(qp[i] - pqp));
    if (most < epsilon) return;
    for (int64_t i = 0; i < n; ++i) {
      if (poll.Stops(4 * n)) return;
      T change = (pqp - qp[i]) / q[i * n + i];
      p[i] += change;
      pqp = (pqp + change * (change * q[i * n + i] + 2 * qp[i])) / (1 + change) / (1 + change);
      for (int64_t j = 0; j < n; ++j) {
        qp[j] = (qp[j] + change * q[i * n + j]) / (1 + change);
        p[j] /= 1 + change;
      }
    }
  }
}

// Returns the class with the most votes of pairs. Among equals, the first class wins.
template <class T>
int64_t Winner(StopPoll& poll, const T* pairs, int64_t classes, int64_t* votes) {
  std::fill_n(votes, classes, 0);
  for (int64_t i = 0; i < classes; ++i) {
    if (poll.Stops(classes)) return 0;
    for (int64_t j = i + 1; j < classes; ++j) ++votes[*pairs++ > 0 ? i : j];
  }
  return std::max_element(votes, votes + classes) - votes;
}

template <class T>
Status RunVotePairs(KernelContext& context, int64_t classes) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(CheckMatrix(x));
  const int64_t pairs = classes * (classes - 1) / 2;
  if (x.shape().dim(1) != pairs) {
    return WithConstraint("C2", InvalidArgument("input 0: expected ", pairs,
                                                " columns, found shape `", x.shape(), "`"));
  }
  const int64_t rows = x.shape().dim(0);
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows}));
  auto bytes = static_cast<size_t>(classes) * sizeof(int64_t);
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(bytes));
  auto* votes = reinterpret_cast<int64_t*>(scratch);
  const T* in = x.elements<T>().data();
  auto* out = made->mutable_elements<int64_t>();
  StopPoll poll(context);
  for (int64_t row = 0; row < rows; ++row) {
    out[row] = Winner(poll, in + row * pairs, classes, votes);
    SIGNET_RETURN_IF_ERROR(poll.Spend(10));
  }
  return absl::OkStatus();
}

template <class T>
Status RunCouplePairs(KernelContext& context, int64_t classes) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(CheckMatrix(x));
  int64_t pairs = classes * (classes - 1) / 2;
  if (x.shape().dim(1) != pairs) {
    return WithConstraint("C2", InvalidArgument("input 0: expected ", pairs,
                                                " columns, found shape `", x.shape(), "`"));
  }
  int64_t rows = x.shape().dim(0);
  int64_t dims[] = {rows, classes};
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows, classes}));
  auto numbers = static_cast<size_t>(classes * (classes + 1));
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(numbers * sizeof(T)));
  T* q = reinterpret_cast<T*>(scratch);
  const T* in = x.elements<T>().data();
  T* out = made->mutable_elements<T>();
  StopPoll poll(context);
  for (int64_t row = 0; row < rows; ++row) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(10));
    Couple(poll, in + row * pairs, classes, q, q + classes * classes, out + row * classes);
  }
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

bool IsFloat32(const KernelRequest& request) {
  return DTypeIn(request.call.inputs[0]) == DType::kFloat32;
}

MadeKernel MakeSquaredDistances(const KernelRequest& request) {
  const Tensor* known = request.call.constant(1);
  std::unique_ptr<Kernel> kernel;
  if (known != nullptr && IsFloat32(request) && known->num_elements() > 0) {
    SIGNET_ASSIGN_OR_RETURN(SmallMatrix matrix,
                            SmallMatrix::Make(*known, true, SmallMatrix::Use::kDistances));
    kernel = MakeKernel([matrix](KernelContext& context) {
      return RunDistances<float>(
          context, matrix.k(), matrix.n(),
          [&](StopPoll&, const float* x, float* out) { matrix.Run(x, out); });
    });
  } else {
    kernel =
        MakeKernel(IsFloat32(request) ? RunSquaredDistances<float> : RunSquaredDistances<double>);
  }
  const PartialShape& b = ShapeOf(request.call.inputs[1]);
  double width = b.has_rank() ? GuessElements(b.Slice(1, 2)) : 64;
  kernel->set_cost(50 + GuessElements(request.outputs[0]) * (2 + 0.5 * width));
  return kernel;
}

MadeKernel MakeNormalizeRows(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, request.call.attributes.String("norm"));
  Norm norm = name == "max" ? Norm::kMax : name == "l1" ? Norm::kL1 : Norm::kL2;
  auto run = IsFloat32(request) ? RunNormalizeRows<float> : RunNormalizeRows<double>;
  auto kernel = MakeKernel([=](KernelContext& context) { return run(context, norm); });
  kernel->set_cost(50 + 2 * GuessElements(request.outputs[0]));
  return kernel;
}

MadeKernel MakeCouplePairs(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t classes, request.call.attributes.Int("num_classes"));
  auto run = IsFloat32(request) ? RunCouplePairs<float> : RunCouplePairs<double>;
  auto kernel = MakeKernel([=](KernelContext& context) { return run(context, classes); });
  kernel->set_cost(50 + 50 * static_cast<double>(classes) * GuessElements(request.outputs[0]));
  return kernel;
}

MadeKernel MakeVotePairs(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t classes, request.call.attributes.Int("num_classes"));
  auto run = IsFloat32(request) ? RunVotePairs<float> : RunVotePairs<double>;
  auto kernel = MakeKernel([=](KernelContext& context) { return run(context, classes); });
  kernel->set_cost(50 + 2 * GuessElements(request.call.inputs[0]));
  return kernel;
}

constexpr KernelDef kTabularKernels[] = {
    {"couple_pairs", MakeCouplePairs},
    {"normalize_rows", MakeNormalizeRows},
    {"squared_distances", MakeSquaredDistances},
    {"vote_pairs", MakeVotePairs},
};

}  // namespace

std::span<const KernelDef> TabularKernels() { return kTabularKernels; }

}  // namespace signet
