// Kernels that reduce, normalise or rank the rows that row splits make of values.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <type_traits>

#include "core/kernels/all_kernels.h"
#include "core/kernels/merge_sort.h"
#include "core/kernels/runs.h"
#include "core/kernels/segment_rows.h"
#include "core/ops/reductions.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T>
T Multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// A NaN among the values is the answer.
template <class T>
T Larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T Smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

// Largest finite value of a dtype, as its wide type has it.
template <class T>
Wide<T> Largest() {
  if constexpr (std::is_same_v<T, Float16>) {
    return 65504.0f;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToFloat(BFloat16{0x7f7f});
  } else {
    return std::numeric_limits<T>::max();
  }
}
template <class T>
Wide<T> Lowest() {
  if constexpr (IsHalf(DTypeOf<T>::value)) {
    return -Largest<T>();
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

StatusOr<Tensor*> AllocateRows(KernelContext& context, const SegmentRows& rows) {
  Shape shape = rows.values.shape();
  shape.set_dim(0, rows.count);
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
  return context.Allocate(0, shape);
}

// Output row = `start` combined with each value of the row; a row of none is `empty`.
template <class T, class Combine>
Status Reduce(KernelContext& context, Wide<T> empty, Combine combine) {
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, AllocateRows(context, rows));
  const T* in = rows.values.elements<T>().data();
  T* out = made->mutable_elements<T>();
  return ForRows(context, rows, [&](StopPoll& poll, int64_t row, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      Wide<T> total = begin == end ? empty : Widen(in[begin * rows.inner + j]);
      ForSegments(poll, end - begin, 1, [&](int64_t from, int64_t to) {
        for (int64_t i = begin + std::max<int64_t>(from, 1); i < begin + to; ++i) {
          total = combine(total, Widen(in[i * rows.inner + j]));
        }
      });
      out[row * rows.inner + j] = Narrow<T>(total);
    }
  });
}

enum class Reduction : uint8_t { kSum, kProd, kMax, kMin, kAny, kAll };

template <class T>
Status ReduceBy(KernelContext& context, Reduction reduction) {
  if constexpr (std::is_same_v<T, bool>) {
    if (reduction == Reduction::kAny) {
      return Reduce<bool>(context, false, [](bool a, bool b) { return a || b; });
    }
    if (reduction == Reduction::kAll) {
      return Reduce<bool>(context, true, [](bool a, bool b) { return a && b; });
    }
  } else if constexpr (!std::is_same_v<T, std::string_view>) {
    using W = Wide<T>;
    if (reduction == Reduction::kSum) return Reduce<T>(context, W(0), Add<W>);
    if (reduction == Reduction::kProd) return Reduce<T>(context, W(1), Multiply<W>);
    if constexpr (!IsHalf(DTypeOf<T>::value) && !std::is_arithmetic_v<T>) {
      return Internal("a reduction of complex numbers by order");
    } else {
      if (reduction == Reduction::kMax) return Reduce<T>(context, Lowest<T>(), Larger<W>);
      if (reduction == Reduction::kMin) return Reduce<T>(context, Largest<T>(), Smaller<W>);
    }
  }
  return Internal("a segment reduction that inference lets through");
}

template <Reduction reduction>
MadeKernel MakeReduction(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) {
      return ReduceBy<typename decltype(tag)::type>(context, reduction);
    });
  });
}

// The mean of integers is float64. The mean of no values is `of_nothing`, or NaN if that tensor has
// no value.
template <class T>
Status Mean(KernelContext& context, const Tensor& of_nothing) {
  using Out = std::conditional_t<std::is_integral_v<T>, double, T>;
  using W = std::conditional_t<std::is_integral_v<T>, double, Wide<T>>;
  using Scalar =
      std::conditional_t<std::is_same_v<W, std::complex<double>>, double,
                         std::conditional_t<std::is_same_v<W, std::complex<float>>, float, W>>;
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, AllocateRows(context, rows));
  const T* in = rows.values.elements<T>().data();
  Out* out = made->mutable_elements<Out>();
  const W empty = of_nothing.has_value() ? static_cast<W>(Widen(of_nothing.elements<Out>()[0]))
                                         : W(std::numeric_limits<Scalar>::quiet_NaN());
  return ForRows(context, rows, [&](StopPoll& poll, int64_t row, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      W total(0);
      ForSegments(poll, end - begin, 1, [&](int64_t from, int64_t to) {
        for (int64_t i = begin + from; i < begin + to; ++i) {
          total += static_cast<W>(Widen(in[i * rows.inner + j]));
        }
      });
      W mean = begin == end ? empty : total / static_cast<Scalar>(end - begin);
      out[row * rows.inner + j] = Narrow<Out>(mean);
    }
  });
}

MadeKernel MakeMean(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(
      Tensor of_nothing,
      MeanOfNothing(request.call.attributes, IsInteger(dtype) ? DType::kFloat64 : dtype));
  return MakeKernel([dtype, of_nothing](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, bool>) {
        return Internal("a mean that inference lets through");
      } else {
        return Mean<T>(context, of_nothing);
      }
    });
  });
}

template <class T, bool kLog>
Status Softmax(KernelContext& context) {
  using W = Wide<T>;
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, rows.values.shape()));
  const T* in = rows.values.elements<T>().data();
  T* out = made->mutable_elements<T>();
  return ForRows(context, rows, [&](StopPoll& poll, int64_t, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < rows.inner; ++j) {
      auto at = [&](int64_t i) { return Widen(in[i * rows.inner + j]); };
      // Calls visit(i) for each value of the row.
      auto for_each = [&](int64_t nanoseconds, auto visit) {
        ForSegments(poll, end - begin, nanoseconds, [&](int64_t from, int64_t to) {
          for (int64_t i = begin + from; i < begin + to; ++i) visit(i);
        });
      };
      if (begin == end) continue;
      W largest = at(begin);
      for_each(1, [&](int64_t i) { largest = Larger(largest, at(i)); });
      W total(0);
      for_each(5, [&](int64_t i) { total += std::exp(at(i) - largest); });
      for_each(10, [&](int64_t i) {
        W share = kLog ? at(i) - largest - std::log(total) : std::exp(at(i) - largest) / total;
        out[i * rows.inner + j] = Narrow<T>(share);
      });
    }
  });
}

template <bool kLog>
MadeKernel MakeSoftmax(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  return MakeKernel([dtype](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (IsHalf(DTypeOf<T>::value) || std::is_floating_point_v<T>) {
        return Softmax<T, kLog>(context);
      } else {
        return Internal("a softmax that inference lets through");
      }
    });
  });
}

// Fills `order`, a row's positions, so that the best `k` come first: larger before smaller, NaN
// before all (as in top_k), and of equals the one that stands first. `scratch` has room for
// MergeScratch of them. Returns false when it stopped.
template <class T>
bool RankRow(StopPoll& poll, const T* scores, std::span<int64_t> order, int64_t k,
             int64_t* scratch) {
  auto better = [scores](int64_t a, int64_t b) {
    auto x = Widen(scores[a]);
    auto y = Widen(scores[b]);
    if (x > y || y > x) return x > y;
    bool x_nan = x != x;
    bool y_nan = y != y;
    return x_nan != y_nan ? x_nan : a < b;
  };
  const auto length = std::ssize(order);
  if (length > kSortedAtOnce) return MergeSort(poll, order.data(), scratch, length, better);
  if (poll.Stops(20 * length)) return false;
  std::partial_sort(order.begin(), order.begin() + k, order.end(), better);
  return true;
}

template <class T>
Status TopK(KernelContext& context, int64_t k) {
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  if (rows.values.rank() != 1) {
    return InvalidArgument("C2 scores of shape `", rows.values.shape(), "`; takes a vector");
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(1, rows.splits.shape()));
  int64_t total = 0;
  auto put = [&](int64_t i) {
    if (splits->dtype() == DType::kInt32) {
      splits->mutable_elements<int32_t>()[i] = static_cast<int32_t>(total);
    } else {
      splits->mutable_elements<int64_t>()[i] = total;
    }
  };
  put(0);
  int64_t longest = 0;
  StopPoll poll(context);
  for (int64_t row = 0; row < rows.count; ++row) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(2));
    int64_t length = IntAt(rows.splits, row + 1) - IntAt(rows.splits, row);
    longest = std::max(longest, length);
    total += std::min(length, k);
    put(row + 1);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor * positions, context.Allocate(0, {total}));
  SIGNET_ASSIGN_OR_RETURN(
      std::byte * scratch,
      context.Scratch(static_cast<size_t>(longest + MergeScratch(longest)) * sizeof(int64_t)));
  auto* order = reinterpret_cast<int64_t*>(scratch);
  auto* out = positions->mutable_elements<int64_t>();
  const T* scores = rows.values.elements<T>().data();
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t begin = IntAt(rows.splits, row);
    int64_t length = IntAt(rows.splits, row + 1) - begin;
    int64_t kept = std::min(length, k);
    std::iota(order, order + length, begin);
    if (!RankRow(poll, scores, {order, static_cast<size_t>(length)}, kept, order + longest)) {
      return context.CheckStop();
    }
    out = std::copy(order, order + kept, out);
  }
  return absl::OkStatus();
}

MadeKernel MakeTopK(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(int64_t k, request.call.attributes.Int("k"));
  return MakeKernel([dtype, k](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (IsHalf(DTypeOf<T>::value) ||
                    (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)) {
        return TopK<T>(context, k);
      } else {
        return Internal("a ranking that inference lets through");
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"segment_all", MakeReduction<Reduction::kAll>},
    {"segment_any", MakeReduction<Reduction::kAny>},
    {"segment_log_softmax", MakeSoftmax<true>},
    {"segment_max", MakeReduction<Reduction::kMax>},
    {"segment_mean", MakeMean},
    {"segment_min", MakeReduction<Reduction::kMin>},
    {"segment_prod", MakeReduction<Reduction::kProd>},
    {"segment_softmax", MakeSoftmax<false>},
    {"segment_sum", MakeReduction<Reduction::kSum>},
    {"segment_top_k", MakeTopK},
};

}  // namespace

std::span<const KernelDef> SegmentKernels() { return kKernels; }

}  // namespace signet
