// Conversions between dtypes, in loops that the compiler vectorizes. Half-width floats are
// converted by way of float32.

#include "core/kernels/simd/cast.h"

#include <limits>

#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

// 2^bits, which every float type can represent.
template <class T>
constexpr T PowerOfTwo(int bits) {
  T power = 1;
  for (int i = 0; i < bits; ++i) power *= 2;
  return power;
}

template <class To, class From>
To Convert(From from) {
  if constexpr (kIsComplex<From> && std::same_as<To, bool>) {
    return from != From(0);
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(from.real()),
              static_cast<typename To::value_type>(from.imag()));
  } else if constexpr (kIsComplex<From>) {
    return Convert<To>(from.real());
  } else if constexpr (kIsComplex<To>) {
    return To(Convert<typename To::value_type>(from));
  } else if constexpr (std::same_as<To, bool>) {
    return from != 0;
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    using Limits = std::numeric_limits<To>;
    constexpr From kLeast = static_cast<From>(Limits::min());
    constexpr From kBeyond = PowerOfTwo<From>(Limits::digits);
    const bool inside = from > kLeast && from < kBeyond;
    const To converted = static_cast<To>(inside ? from : From(0));
    const To outside = from >= kBeyond ? Limits::max() : from <= kLeast ? Limits::min() : To(0);
    return inside ? converted : outside;
  } else {
    return static_cast<To>(from);
  }
}

template <class From, class To>
void Loop(const void* from, void* to, int64_t n) {
  const From* x = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  if constexpr (kIsHalf<From> && std::same_as<To, float>) {
    Load(x, out, n);
  } else if constexpr (std::same_as<From, float> && kIsHalf<To>) {
    Store(x, out, n);
  } else if constexpr (kIsHalf<From> || kIsHalf<To>) {
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      const int64_t m = std::min(kHalfChunk, n - i);
      Loop<From, float>(x + i, chunk, m);
      Loop<float, To>(chunk, out + i, m);
    }
  } else {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Convert<To>(x[i]);
  }
}

template <class From>
constexpr void FillRow(CastFn* row) {
#define SIGNET_ENTRY(To, D, number) row[number] = Loop<From, To>;
  SIGNET_ISA_DTYPES(SIGNET_ENTRY)
#undef SIGNET_ENTRY
}

constexpr CastTable MakeTable() {
  CastTable table = {};
#define SIGNET_ROW(From, D, number) FillRow<From>(table.convert[number]);
  SIGNET_ISA_DTYPES(SIGNET_ROW)
#undef SIGNET_ROW
  return table;
}

}  // namespace

const CastTable& SIGNET_ISA_NAME(CastTable)() {
  static constexpr CastTable table = MakeTable();
  return table;
}

}  // namespace signet
