// Compressed rows: a block of the output row stays in registers while all entries are added.

#include "core/kernels/simd/csr.h"

#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

// The type in which elements of T are multiplied and added. Integers wrap around.
template <class T>
struct Sum {
  using type = T;
};
template <>
struct Sum<int32_t> {
  using type = uint32_t;
};
template <>
struct Sum<int64_t> {
  using type = uint64_t;
};
template <>
struct Sum<HalfBits> {
  using type = float;
};
template <>
struct Sum<BrainBits> {
  using type = float;
};

template <class T>
typename Sum<T>::type Wide(T value) {
  if constexpr (kIsHalf<T>) {
    return FloatOf(value);
  } else {
    return static_cast<typename Sum<T>::type>(value);
  }
}

template <class T>
void Narrow(const typename Sum<T>::type* sums, T* out, int64_t n) {
  if constexpr (kIsHalf<T>) {
    Store(sums, out, n);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(sums[i]);
  }
}

constexpr int64_t kBlock = 32;
constexpr int64_t kEntries = int64_t{1} << 14;  // entries of a row between two checks

// Computes `n` columns of the output, at most kBlock. If n is a constant, the sums are in
// registers.
template <class T>
inline __attribute__((always_inline)) void Block(const T* values, const int64_t* columns,
                                                 int64_t count, const T* dense, int64_t width,
                                                 T* out, int64_t n, const StopHook& hook) {
  using S = typename Sum<T>::type;
  S sums[kBlock] = {};
  for (int64_t begin = 0; begin < count; begin += kEntries) {
    if (begin > 0 && hook.Stops(kEntries * 10)) [[unlikely]]
      return;
    const int64_t end = std::min(count, begin + kEntries);
    for (int64_t e = begin; e < end; ++e) {
      const S value = Wide(values[e]);
      const T* row = dense + columns[e] * width;
      for (int64_t j = 0; j < n; ++j) {
        if constexpr (kIsComplex<T>) {
          // The plain formula, without the special cases of infinities.
          sums[j] += S(value.real() * row[j].real() - value.imag() * row[j].imag(),
                       value.real() * row[j].imag() + value.imag() * row[j].real());
        } else {
          sums[j] += value * Wide(row[j]);
        }
      }
    }
  }
  Narrow<T>(sums, out, n);
}

template <class T>
void Row(const void* values, const int64_t* columns, int64_t count, const void* dense,
         int64_t width, void* out, const StopHook& hook) {
  const T* v = static_cast<const T*>(values);
  const T* d = static_cast<const T*>(dense);
  T* o = static_cast<T*>(out);
  if (width == 1) return Block(v, columns, count, d, 1, o, 1, hook);
  int64_t j = 0;
  int64_t work = 0;  // nanoseconds since the last check
  for (; j + kBlock <= width; j += kBlock) {
    work += 10 + 2 * count;
    if (work > kHookSegment) {
      if (hook.Stops(work)) return;
      work = 0;
    }
    Block(v, columns, count, d + j, width, o + j, kBlock, hook);
  }
  for (; j + 8 <= width; j += 8) Block(v, columns, count, d + j, width, o + j, 8, hook);
  if (j < width) Block(v, columns, count, d + j, width, o + j, width - j, hook);
}

constexpr CsrTable MakeTable() {
  CsrTable table = {};
  auto entry = [&](DTypeNumber dtype) -> CsrRow& {
    return table.by_dtype[static_cast<int>(dtype)];
  };
  entry(DTypeNumber::kInt32) = Row<int32_t>;
  entry(DTypeNumber::kInt64) = Row<int64_t>;
  entry(DTypeNumber::kUInt32) = Row<uint32_t>;
  entry(DTypeNumber::kUInt64) = Row<uint64_t>;
  entry(DTypeNumber::kFloat16) = Row<HalfBits>;
  entry(DTypeNumber::kBFloat16) = Row<BrainBits>;
  entry(DTypeNumber::kFloat32) = Row<float>;
  entry(DTypeNumber::kFloat64) = Row<double>;
  entry(DTypeNumber::kComplex64) = Row<std::complex<float>>;
  entry(DTypeNumber::kComplex128) = Row<std::complex<double>>;
  return table;
}

}  // namespace

const CsrTable& SIGNET_ISA_NAME(CsrTable)() {
  static constexpr CsrTable table = MakeTable();
  return table;
}

}  // namespace signet
