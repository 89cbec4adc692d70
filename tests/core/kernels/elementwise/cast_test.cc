// Casts in vectors: the same bits as one by one, at every instruction-set level and length.

#include "core/kernels/simd/cast.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "signet/tensor.h"

namespace signet {
namespace {

// Lengths around those of vectors, and of the chunks that half-width floats are turned in.
constexpr int64_t kLengths[] = {0, 1, 7, 8, 9, 33, 255, 256, 257, 300};

// At every level and length, `From` cast to `To` is what `want` says, and nothing behind it is
// written.
template <class From, class To, class Want>
void Check(std::span<const From> all, Want want) {
  const IsaLevel active = ActiveIsaLevel();
  for (IsaLevel level : AvailableIsaLevels()) {
    SetIsaLevel(level);
    CastFn convert =
        SIGNET_ACTIVE_TABLE(CastTable)
            .convert[static_cast<int>(DTypeOf<From>::value)][static_cast<int>(DTypeOf<To>::value)];
    std::vector<int64_t> lengths(std::begin(kLengths), std::end(kLengths));
    lengths.push_back(std::ssize(all));
    for (int64_t length : lengths) {
      if (length > std::ssize(all)) continue;
      SCOPED_TRACE(testing::Message() << NameOf(level) << ", length " << length);
      const To untouched = want(all[0]);
      std::vector<To> out(static_cast<size_t>(length) + 1, untouched);
      convert(all.data(), out.data(), length);
      int differing = 0;
      for (size_t i = 0; i + 1 < out.size(); ++i) {
        const To wanted = want(all[i]);
        differing += std::memcmp(&out[i], &wanted, sizeof(To)) == 0 ? 0 : 1;
      }
      EXPECT_EQ(differing, 0);
      EXPECT_EQ(std::memcmp(&out.back(), &untouched, sizeof(To)), 0);
    }
  }
  SetIsaLevel(active);
}

TEST(CastTest, EveryHalfBecomesItsFloat) {
  std::vector<Float16> all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) all.push_back({static_cast<uint16_t>(bits)});
  Check<Float16, float>(all, [](Float16 x) {
    const float value = ToFloat(x);
    if (!std::isnan(value)) return value;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | 0x00400000u);  // quiet
  });
}

// Around every half: itself, half-way to the next, and the neighbors of these.
TEST(CastTest, FloatsBecomeTheNearestHalf) {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = ToFloat(Float16{static_cast<uint16_t>(bits)});
    const float next = ToFloat(Float16{static_cast<uint16_t>(bits + 1)});
    for (float x : {value, (value + next) / 2}) {
      const float infinity = std::numeric_limits<float>::infinity();
      all.insert(all.end(), {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)});
    }
  }
  for (float x : {1e-45f, -1e-30f, 65519.996f, 65520.0f, -65520.0f, 3e38f}) all.push_back(x);
  Check<float, Float16>(all, [](float x) { return ToFloat16(x); });
  Check<float, BFloat16>(all, [](float x) { return ToBFloat16(x); });
}

TEST(CastTest, FloatsSaturateAsIntegers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float kinds[] = {0.0f,       -0.0f,   0.9f,     -0.9f,   127.9f,       128.0f,
                         -128.0f,    -129.0f, 254.999f, 255.0f,  256.0f,       3e9f,
                         -3e9f,      5e9f,    1e19f,    -1e19f,  2147483520.f, kInfinity,
                         -kInfinity, NAN,     1e-40f,   65535.5f};
  std::vector<float> all;
  for (int i = 0; i < 400; ++i) all.push_back(kinds[static_cast<size_t>(i * 7) % std::size(kinds)]);
  auto check = [&]<class To>(To) {
    Check<float, To>(all, [](float x) {
      const double value = std::trunc(static_cast<double>(x));
      if (std::isnan(value)) return To(0);
      if (value <= static_cast<double>(std::numeric_limits<To>::min())) {
        return std::numeric_limits<To>::min();
      }
      if (value >= std::ldexp(1.0, std::numeric_limits<To>::digits)) {
        return std::numeric_limits<To>::max();
      }
      return static_cast<To>(value);
    });
  };
  check(uint8_t{});
  check(int8_t{});
  check(uint16_t{});
  check(int32_t{});
  check(uint32_t{});
  check(int64_t{});
  check(uint64_t{});
}

}  // namespace
}  // namespace signet
