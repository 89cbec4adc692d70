// SegmentRows: values divided into rows by row splits, for the kernels of segment ops. Constraint
// labels: C1, row splits; C2, values of rank at least 1; C3, the splits end at the number of
// values.

#pragma once

#include <algorithm>
#include <type_traits>

#include "core/kernels/def/kernel.h"
#include "core/kernels/loops/row_access.h"

namespace signet {

constexpr bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

// The type that computes with elements of type T: float32 for half-width floats.
template <class T>
using Wide = std::conditional_t<IsHalf(DTypeOf<T>::value), float, T>;

template <class T>
Wide<T> Widen(T value) {
  if constexpr (IsHalf(DTypeOf<T>::value)) {
    return ToFloat(value);
  } else {
    return value;
  }
}

template <class T, class W>
T Narrow(W value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// Sums and products of integers wrap around, as in elementwise arithmetic.
template <class T>
T Add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

// Values of shape [n, inner...], and the checked row splits that divide them into rows.
struct SegmentRows {
  const Tensor& values;
  const Tensor& splits;
  int64_t count;  // number of rows
  int64_t inner;  // elements per value
};

inline StatusOr<SegmentRows> CheckSegments(KernelContext& context) {
  const Tensor& values = context.input(0);
  const Tensor& splits = context.input(1);
  if (values.rank() == 0)
    return WithConstraint("C2",
                          InvalidArgument("values: expected rank at least 1, found a scalar"));
  SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, values.shape().dim(0)));
  int64_t inner = 1;
  for (int64_t dim : values.shape().dims().subspan(1)) inner *= dim;
  return SegmentRows{values, splits, NumRows(splits), inner};
}

// Calls body(poll, row, begin, end) for each row, on several threads. The body calls `poll` during
// a long row.
template <class Body>
Status ForRows(KernelContext& context, const SegmentRows& rows, Body body) {
  double values = static_cast<double>(rows.values.num_elements());
  double cost = 2 + values / static_cast<double>(std::max<int64_t>(rows.count, 1));
  return context.For(rows.count, cost, [&](int64_t first, int64_t last) {
    StopPoll poll(context);
    for (int64_t row = first; row < last; ++row) {
      body(poll, row, IntAt(rows.splits, row), IntAt(rows.splits, row + 1));
    }
  });
}

}  // namespace signet
