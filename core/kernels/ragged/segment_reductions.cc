// The kernels of `segment_all`, `segment_any`, `segment_max`, `segment_mean`, `segment_min`,
// `segment_prod` and `segment_sum`.

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

#include "core/kernels/loops/larger.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/loops/segment_rows.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/ops/build/default_for_empty.h"

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

// Returns the largest finite value of a dtype, in the type that computes with it.
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

// Combines the values of each row. The result for a row without values is `empty`.
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

// Reduces each row. The result for a row without values is `empty`, a scalar. If that tensor has no
// value, it is the neutral element of the reduction.
template <class T>
Status ReduceBy(KernelContext& context, Reduction reduction, const Tensor& empty) {
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
      return Internal("complex numbers have no order");
    } else {
      W neutral = reduction == Reduction::kMax ? Lowest<T>() : Largest<T>();
      if (empty.has_value()) neutral = Widen(empty.elements<T>()[0]);
      if (reduction == Reduction::kMax) return Reduce<T>(context, neutral, Larger<W>);
      if (reduction == Reduction::kMin) return Reduce<T>(context, neutral, Smaller<W>);
    }
  }
  return Internal("inference accepted a dtype that segment reductions do not support");
}

template <Reduction reduction>
MadeKernel MakeReduction(const KernelRequest& request) {
  DType dtype = request.call.inputs[0].As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(Tensor empty, DefaultForEmpty(request.call.attributes, dtype));
  return MakeKernel([dtype, empty](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) {
      return ReduceBy<typename decltype(tag)::type>(context, reduction, empty);
    });
  });
}

// The mean of integers is float64. The mean of no values is `default_for_empty`, or NaN if that
// tensor has no value.
template <class T>
Status Mean(KernelContext& context, const Tensor& default_for_empty) {
  using Out = std::conditional_t<std::is_integral_v<T>, double, T>;
  using W = std::conditional_t<std::is_integral_v<T>, double, Wide<T>>;
  using Scalar =
      std::conditional_t<std::is_same_v<W, std::complex<double>>, double,
                         std::conditional_t<std::is_same_v<W, std::complex<float>>, float, W>>;
  SIGNET_ASSIGN_OR_RETURN(SegmentRows rows, CheckSegments(context));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, AllocateRows(context, rows));
  const T* in = rows.values.elements<T>().data();
  Out* out = made->mutable_elements<Out>();
  const W empty = default_for_empty.has_value()
                      ? static_cast<W>(Widen(default_for_empty.elements<Out>()[0]))
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
      Tensor empty,
      DefaultForEmpty(request.call.attributes, IsInteger(dtype) ? DType::kFloat64 : dtype));
  return MakeKernel([dtype, empty](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, bool>) {
        return Internal("inference accepted a dtype that `segment_mean` does not support");
      } else {
        return Mean<T>(context, empty);
      }
    });
  });
}

constexpr KernelDef kSegmentReductionsKernels[] = {
    {"segment_all", MakeReduction<Reduction::kAll>},
    {"segment_any", MakeReduction<Reduction::kAny>},
    {"segment_max", MakeReduction<Reduction::kMax>},
    {"segment_mean", MakeMean},
    {"segment_min", MakeReduction<Reduction::kMin>},
    {"segment_prod", MakeReduction<Reduction::kProd>},
    {"segment_sum", MakeReduction<Reduction::kSum>},
};

}  // namespace

std::span<const KernelDef> SegmentReductionsKernels() { return kSegmentReductionsKernels; }

}  // namespace signet
