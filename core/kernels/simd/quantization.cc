#include "core/kernels/simd/quantization.h"

#include <limits>

#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

// Rounds to an integer by adding a number so large that no bits remain for a fraction. Requires |v|
// < 2^22.
inline int32_t RoundToEven(float v) {
  constexpr float kShift = 0x1.8p23f;
  return std::bit_cast<int32_t>(v + kShift) - std::bit_cast<int32_t>(kShift);
}

template <class From, class To, bool kDivide>
void Quantize(const void* px, const Scaling& scaling, void* pout, int64_t n) {
  const From* x = static_cast<const From*>(px);
  To* out = static_cast<To*>(pout);
  const float* scale = scaling.scale;
  const int32_t* zero = scaling.zero;
  auto one = [](float number, float by, int32_t z) {
    float low = static_cast<float>(std::numeric_limits<To>::min() - z);
    float high = static_cast<float>(std::numeric_limits<To>::max() - z);
    float v = kDivide ? number / by : number * by;
    v = v > low ? v : low;
    v = v < high ? v : high;
    return static_cast<To>(RoundToEven(v) + z);
  };
  if constexpr (kIsHalf<From>) {
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t count = std::min(kHalfChunk, n - i);
      Load(x + i, chunk, count);
      int64_t at = scaling.each ? i : 0;
      Quantize<float, To, kDivide>(chunk, {scale + at, zero + at, scaling.each}, out + i, count);
    }
  } else if (scaling.each) {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = one(static_cast<float>(x[i]), scale[i], zero[i]);
  } else {
    const float s = *scale;
    const int32_t z = *zero;
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = one(static_cast<float>(x[i]), s, z);
  }
}

template <class From, class To>
void Dequantize(const void* px, const Scaling& scaling, void* pout, int64_t n) {
  const From* x = static_cast<const From*>(px);
  To* out = static_cast<To*>(pout);
  const float* scale = scaling.scale;
  const int32_t* zero = scaling.zero;
  auto one = [](From number, float by, int32_t z) {
    uint32_t difference =
        static_cast<uint32_t>(static_cast<int32_t>(number)) - static_cast<uint32_t>(z);
    return static_cast<float>(static_cast<int32_t>(difference)) * by;
  };
  if constexpr (kIsHalf<To>) {
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t count = std::min(kHalfChunk, n - i);
      int64_t at = scaling.each ? i : 0;
      Dequantize<From, float>(x + i, {scale + at, zero + at, scaling.each}, chunk, count);
      Store(chunk, out + i, count);
    }
  } else if (scaling.each) {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = one(x[i], scale[i], zero[i]);
  } else {
    const float s = *scale;
    const int32_t z = *zero;
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = one(x[i], s, z);
  }
}

void Range(const float* x, int64_t n, float* low, float* high) {
  constexpr int kLanes = 32;
  float least[kLanes] = {};
  float most[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) {
      least[j] = x[i + j] < least[j] ? x[i + j] : least[j];
      most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
    }
  }
  for (; i < n; ++i) {
    least[0] = x[i] < least[0] ? x[i] : least[0];
    most[0] = x[i] > most[0] ? x[i] : most[0];
  }
  *low = *std::min_element(least, least + kLanes);
  *high = *std::max_element(most, most + kLanes);
}

template <class Small>
constexpr void AddRows(QuantizationTable& table, int small) {
  auto number = [](DTypeNumber dtype) { return static_cast<int>(dtype); };
  table.quantize[number(DTypeNumber::kFloat32)][small] = Quantize<float, Small, true>;
  table.quantize[number(DTypeNumber::kFloat16)][small] = Quantize<HalfBits, Small, true>;
  table.quantize[number(DTypeNumber::kBFloat16)][small] = Quantize<BrainBits, Small, true>;
  table.quantize[number(DTypeNumber::kInt32)][small] = Quantize<int32_t, Small, true>;
  table.requantize[number(DTypeNumber::kInt32)][small] = Quantize<int32_t, Small, false>;
}

template <class From>
constexpr void AddFloats(QuantizationTable& table, DTypeNumber from) {
  auto& row = table.dequantize[static_cast<int>(from)];
  row[static_cast<int>(DTypeNumber::kFloat32)] = Dequantize<From, float>;
  row[static_cast<int>(DTypeNumber::kFloat16)] = Dequantize<From, HalfBits>;
  row[static_cast<int>(DTypeNumber::kBFloat16)] = Dequantize<From, BrainBits>;
}

constexpr QuantizationTable MakeTable() {
  QuantizationTable table = {};
  AddRows<int8_t>(table, static_cast<int>(DTypeNumber::kInt8));
  AddRows<uint8_t>(table, static_cast<int>(DTypeNumber::kUInt8));
  AddRows<int16_t>(table, static_cast<int>(DTypeNumber::kInt16));
  AddRows<uint16_t>(table, static_cast<int>(DTypeNumber::kUInt16));
  AddFloats<int8_t>(table, DTypeNumber::kInt8);
  AddFloats<uint8_t>(table, DTypeNumber::kUInt8);
  AddFloats<int16_t>(table, DTypeNumber::kInt16);
  AddFloats<uint16_t>(table, DTypeNumber::kUInt16);
  AddFloats<int32_t>(table, DTypeNumber::kInt32);
  table.range = Range;
  return table;
}

}  // namespace

const QuantizationTable& SIGNET_ISA_NAME(QuantizationTable)() {
  static constexpr QuantizationTable table = MakeTable();
  return table;
}

}  // namespace signet
