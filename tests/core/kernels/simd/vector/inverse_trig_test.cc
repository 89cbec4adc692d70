// asin, acos and atan of float32, against those of float64, at every instruction-set level.

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/kernels/simd/elementwise.h"

namespace signet {
namespace {

struct Arc {
  std::string_view op;
  double (*exact)(double);
};
constexpr Arc kArcs[] = {{"asin", std::asin}, {"acos", std::acos}, {"atan", std::atan}};

UnaryFn FunctionOf(std::string_view op) {
  for (const auto& row : SIGNET_ACTIVE_TABLE(MathTable).rows) {
    if (row.op == op) return row.by_dtype[static_cast<int>(DTypeNumber::kFloat32)];
  }
  return nullptr;
}

// How many floats lie between; 0 and -0 differ.
int64_t Distance(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<int32_t>::max();
  }
  auto place = [](float x) {
    auto bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits - 1 : int64_t{bits};
  };
  return std::abs(place(a) - place(b));
}

void Check(std::span<const float> x, int64_t most) {
  const IsaLevel active = ActiveIsaLevel();
  for (IsaLevel level : AvailableIsaLevels()) {
    SetIsaLevel(level);
    for (const Arc& arc : kArcs) {
      std::vector<float> out(x.begin(), x.end());
      FunctionOf(arc.op)(out.data(), out.data(), std::ssize(out));
      int64_t worst = 0;
      float at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        auto wanted = static_cast<float>(arc.exact(static_cast<double>(x[i])));
        const int64_t distance = Distance(out[i], wanted);
        if (distance > worst) at = x[i];
        worst = std::max(worst, distance);
      }
      EXPECT_LE(worst, most) << arc.op << " of " << at << " at " << NameOf(level) << ", length "
                             << x.size();
    }
  }
  SetIsaLevel(active);
}

TEST(ArcsTest, AreWithinTwoUnitsInTheLastPlace) {
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 0x7f800000u; bits += 9973) {
    const auto x = std::bit_cast<float>(bits);
    all.insert(all.end(), {x, -x});
  }
  for (float x = 0; x < 1; x += 1e-5f) all.insert(all.end(), {x, -x});
  Check(all, 2);
}

TEST(ArcsTest, HaveTheirSpecialValuesAtEveryLength) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float kinds[] = {0.0f,   -0.0f,     1.0f,       -1.0f, 1.5e38f, -3e38f,
                         1e-45f, kInfinity, -kInfinity, NAN,   -1e-45f};
  for (size_t length : {0u, 1u, 7u, 8u, 9u, 33u}) {
    for (size_t first = 0; first < std::size(kinds); ++first) {
      std::vector<float> x;
      for (size_t i = 0; i < length; ++i) x.push_back(kinds[(first + i) % std::size(kinds)]);
      Check(x, 0);
    }
  }
}

}  // namespace
}  // namespace signet
