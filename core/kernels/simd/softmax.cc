// Softmax in packets. The greatest element is subtracted first, so that no exponential overflows.
//
// If the greatest element of a column is NaN or infinite, all results of the column are NaN.

#include "core/kernels/simd/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include "core/kernels/simd/vector/exponential.h"
#include "core/kernels/simd/vector/loops.h"
#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

template <class T>
using Array = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using ConstArray = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

template <class T>
T Greater(T a, T b) {
  return (b > a) | (b != b) ? b : a;
}

template <class T>
bool IsFinite(T x) {
  return x - x == 0;
}

template <class T>
T Greatest(const T* x, int64_t n) {
  constexpr int kLanes = 32;
  T greatest = x[0];
  int64_t i = 0;
  if (n >= kLanes) {
    T lanes[kLanes];
    std::copy_n(x, kLanes, lanes);
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int j = 0; j < kLanes; ++j) lanes[j] = Greater(lanes[j], x[i + j]);
    }
    for (int j = 0; j < kLanes; ++j) greatest = Greater(greatest, lanes[j]);
  }
  for (; i < n; ++i) greatest = Greater(greatest, x[i]);
  return greatest;
}

FloatVector GreaterOf(FloatVector a, FloatVector b) { return (b > a) | (b != b) ? b : a; }

// Computes a row of float32 vector by vector, including short rows and the ends of rows.
template <bool log>
void FloatRow(const float* x, float* out, int64_t n, const StopHook& hook) {
  const int64_t whole = n / kVectorLanes * kVectorLanes;
  alignas(64) float last[kVectorLanes];  // the remaining elements, padded with the first element
  std::fill_n(last, kVectorLanes, x[0]);
  std::copy(x + whole, x + n, last);
  FloatVector all = LoadVector(last);
  const bool is_read = ForHookSegments(hook, whole, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kVectorLanes) all = GreaterOf(all, LoadVector(x + i));
  });
  if (!is_read) return;
  float lanes[kVectorLanes];
  StoreVector(all, lanes);
  Unrolled<3>([&](auto step) {
    constexpr int kHalf = kVectorLanes >> (step + 1);
    for (int j = 0; j < kHalf; ++j) lanes[j] = Greater(lanes[j], lanes[j + kHalf]);
  });
  const float greatest = Greatest(lanes, kVectorLanes >> 3 > 0 ? kVectorLanes >> 3 : 1);
  if (!IsFinite(greatest)) {
    std::fill_n(out, n, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  auto exp_of = [&](const float* from) { return ExpOfNegative(LoadVector(from) - greatest); };
  FloatVector sums = {};
  const bool is_summed = ForHookSegments(hook, whole, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kVectorLanes) {
      const FloatVector made = exp_of(x + i);
      if constexpr (!log) StoreVector(made, out + i);
      sums += made;
    }
  });
  if (!is_summed) return;
  float made[kVectorLanes];
  StoreVector(exp_of(last), made);
  StoreVector(sums, lanes);
  Unrolled<3>([&](auto step) {
    constexpr int kHalf = kVectorLanes >> (step + 1);
    for (int j = 0; j < kHalf; ++j) lanes[j] += lanes[j + kHalf];
  });
  float sum = kVectorLanes > 8 ? lanes[0] + lanes[1] : lanes[0];
  for (int64_t i = whole; i < n; ++i) sum += made[i - whole];
  if constexpr (log) {
    const float rest = std::log(sum);
    ForHookSegments(hook, whole, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kVectorLanes) {
        StoreVector(LoadVector(x + i) - greatest - rest, out + i);
      }
    });
    for (int64_t i = whole; i < n; ++i) out[i] = last[i - whole] - greatest - rest;
  } else {
    const float scale = 1 / sum;
    ForHookSegments(hook, whole, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kVectorLanes) {
        StoreVector(LoadVector(out + i) * scale, out + i);
      }
    });
    for (int64_t i = whole; i < n; ++i) out[i] = made[i - whole] * scale;
  }
}

// Elements whose exponentials are computed at a time, so that they stay in cache.
constexpr int64_t kChunk = 256;

template <class T, bool log>
void Row(const T* x, T* out, int64_t n, const StopHook& hook) {
  if constexpr (std::is_same_v<T, float>) return FloatRow<log>(x, out, n, hook);
  T greatest = x[0];
  const bool is_read = ForHookSegments(hook, n, [&](int64_t begin, int64_t end) {
    greatest = Greater(greatest, Greatest(x + begin, end - begin));
  });
  if (!is_read) return;
  if (!IsFinite(greatest)) {
    std::fill_n(out, n, std::numeric_limits<T>::quiet_NaN());
    return;
  }
  T sum = 0;
  const bool is_summed = ForHookSegments(hook, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kChunk) {
      const int64_t m = std::min(kChunk, end - i);
      T chunk[kChunk];
      for (int64_t j = 0; j < m; ++j) chunk[j] = x[i + j] - greatest;
      ExpArray(chunk, chunk, m);
      sum += ConstArray<T>(chunk, m).sum();
      if constexpr (!log) std::copy_n(chunk, m, out + i);
    }
  });
  if (!is_summed) return;
  if constexpr (log) {
    const T rest = std::log(sum);
    ForHookSegments(hook, n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = x[i] - greatest - rest;
    });
  } else {
    const T scale = T(1) / sum;
    ForHookSegments(
        hook, n, [&](int64_t begin, int64_t end) { Array<T>(out + begin, end - begin) *= scale; });
  }
}

// Computes adjacent columns [first, last) of rows of `inner` elements, each like Row.
template <class T, bool log>
bool SomeColumns(const T* x, T* out, int64_t n, int64_t inner, int64_t first, int64_t last,
                 T* scratch, const StopHook& hook) {
  const int64_t width = last - first;
  T* greatest = scratch + first;
  T* sum = scratch + inner + first;
  x += first;
  out += first;
  std::copy_n(x, width, greatest);
  const bool is_read = ForHookRows(hook, n, width, [&](int64_t begin, int64_t end) {
    for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i) {
      const T* row = x + i * inner;
      for (int64_t j = 0; j < width; ++j) greatest[j] = Greater(greatest[j], row[j]);
    }
  });
  if (!is_read) return false;
  for (int64_t j = 0; j < width; ++j) {
    if (!IsFinite(greatest[j])) greatest[j] = std::numeric_limits<T>::quiet_NaN();
  }
  std::fill_n(sum, width, T(0));
  const bool is_summed = ForHookRows(hook, n, width, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t at = 0; at < width; at += kChunk) {
        const int64_t m = std::min(kChunk, width - at);
        const T* from = x + i * inner + at;
        T chunk[kChunk];
        for (int64_t j = 0; j < m; ++j) chunk[j] = from[j] - greatest[at + j];
        ExpArray(chunk, chunk, m);
        for (int64_t j = 0; j < m; ++j) sum[at + j] += chunk[j];
        if constexpr (!log) std::copy_n(chunk, m, out + i * inner + at);
      }
    }
  });
  if (!is_summed) return false;
  Array<T> total(sum, width);
  if constexpr (log) {
    total = total.log();
  } else {
    total = T(1) / total;
  }
  return ForHookRows(hook, n, width, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Array<T> to(out + i * inner, width);
      if constexpr (log) {
        to = ConstArray<T>(x + i * inner, width) - ConstArray<T>(greatest, width) - total;
      } else {
        to *= total;
      }
    }
  });
}

// Computes many adjacent columns, each like Row.
template <class T, bool log>
void Columns(const T* x, T* out, int64_t n, int64_t inner, T* scratch, const StopHook& hook) {
  for (int64_t first = 0; first < inner; first += kHookSegment) {
    const int64_t last = std::min(inner, first + kHookSegment);
    if (first > 0 && hook.Stops(last - first)) return;
    if (!SomeColumns<T, log>(x, out, n, inner, first, last, scratch, hook)) return;
  }
}

template <class T, bool log>
void Run(const void* from, void* to, int64_t n, int64_t inner, void* scratch,
         const StopHook& hook) {
  if constexpr (kIsHalf<T>) {
    auto* numbers = static_cast<float*>(scratch);
    float* columns = numbers + 2 * inner;
    const bool is_loaded = ForHookSegments(hook, n * inner, [&](int64_t begin, int64_t end) {
      Load(static_cast<const T*>(from) + begin, columns + begin, end - begin);
    });
    if (!is_loaded) return;
    Run<float, log>(columns, columns, n, inner, scratch, hook);
    ForHookSegments(hook, n * inner, [&](int64_t begin, int64_t end) {
      Store(columns + begin, static_cast<T*>(to) + begin, end - begin);
    });
  } else if (inner == 1) {
    Row<T, log>(static_cast<const T*>(from), static_cast<T*>(to), n, hook);
  } else {
    Columns<T, log>(static_cast<const T*>(from), static_cast<T*>(to), n, inner,
                    static_cast<T*>(scratch), hook);
  }
}

template <bool log>
constexpr void FillTable(SoftmaxLoop (&table)[kNumDTypes]) {
  auto entry = [&](DTypeNumber dtype) -> SoftmaxLoop& { return table[static_cast<int>(dtype)]; };
  entry(DTypeNumber::kFloat16) = {Run<HalfBits, log>, sizeof(float), true};
  entry(DTypeNumber::kBFloat16) = {Run<BrainBits, log>, sizeof(float), true};
  entry(DTypeNumber::kFloat32) = {Run<float, log>, sizeof(float), false};
  entry(DTypeNumber::kFloat64) = {Run<double, log>, sizeof(double), false};
}

constexpr SoftmaxTable MakeTable() {
  SoftmaxTable table = {};
  FillTable<false>(table.softmax);
  FillTable<true>(table.log_softmax);
  return table;
}

}  // namespace

const SoftmaxTable& SIGNET_ISA_NAME(SoftmaxTable)() {
  static constexpr SoftmaxTable table = MakeTable();
  return table;
}

}  // namespace signet
