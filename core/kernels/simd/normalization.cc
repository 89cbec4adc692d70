// Normalizations: one pass over a row for the mean and one for the deviations from it, so that
// large numbers do not cancel.

#include "core/kernels/simd/normalization.h"

#include <cmath>

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
void Rows(const NormalizedRows& r) {
  const auto n = static_cast<T>(r.n);
  for (int64_t row = 0; row < r.rows; ++row) {
    const T* from = static_cast<const T*>(r.x) + row * r.n;
    T* to = static_cast<T*>(r.out) + row * r.n;
    T mean = 0;
    if (r.centered) {
      const bool is_read = ForHookSegments(r.hook, r.n, [&](int64_t begin, int64_t end) {
        mean += ConstArray<T>(from + begin, end - begin).sum();
      });
      if (!is_read) return;
      mean /= n;
    }
    T variance = 0;
    const bool is_summed = ForHookSegments(r.hook, r.n, [&](int64_t begin, int64_t end) {
      variance += (ConstArray<T>(from + begin, end - begin) - mean).square().sum();
    });
    if (!is_summed) return;
    const T factor = T(1) / std::sqrt(variance / n + static_cast<T>(r.epsilon));
    const bool is_written = ForHookSegments(r.hook, r.n, [&](int64_t begin, int64_t end) {
      ConstArray<T> x(from + begin, end - begin);
      Array<T> out(to + begin, end - begin);
      auto given = [&](const void* numbers) {
        return ConstArray<T>(static_cast<const T*>(numbers) + begin, end - begin);
      };
      if (r.scale == nullptr) {
        out = (x - mean) * factor;
      } else if (r.bias == nullptr) {
        out = (x - mean) * factor * given(r.scale);
      } else {
        out = (x - mean) * factor * given(r.scale) + given(r.bias);
      }
    });
    if (!is_written) return;
  }
}

// Returns the sum of of_vector(i) for the whole vectors in [begin, end), and of of_one(i) for the
// remaining elements.
template <class OfVector, class OfOne>
float Sum(int64_t begin, int64_t end, OfVector of_vector, OfOne of_one) {
  constexpr int kAtOnce = 4;
  FloatVector sums[kAtOnce] = {};
  int64_t i = begin;
  for (; i + kAtOnce * kVectorLanes <= end; i += kAtOnce * kVectorLanes) {
    for (int v = 0; v < kAtOnce; ++v) sums[v] += of_vector(i + v * kVectorLanes);
  }
  for (; i + kVectorLanes <= end; i += kVectorLanes) sums[0] += of_vector(i);
  float lanes[kVectorLanes];
  StoreVector((sums[0] + sums[1]) + (sums[2] + sums[3]), lanes);
  float sum = Eigen::Map<Eigen::Array<float, kVectorLanes, 1>>(lanes).sum();
  for (; i < end; ++i) sum += of_one(i);
  return sum;
}

void FloatRows(const NormalizedRows& r) {
  const auto* scale = static_cast<const float*>(r.scale);
  const auto* bias = static_cast<const float*>(r.bias);
  const auto n = static_cast<float>(r.n);
  for (int64_t row = 0; row < r.rows; ++row) {
    const float* x = static_cast<const float*>(r.x) + row * r.n;
    float* out = static_cast<float*>(r.out) + row * r.n;
    float mean = 0;
    if (r.centered) {
      const bool is_read = ForHookSegments(r.hook, r.n, [&](int64_t begin, int64_t end) {
        mean += Sum(
            begin, end, [&](int64_t i) { return LoadVector(x + i); },
            [&](int64_t i) { return x[i]; });
      });
      if (!is_read) return;
      mean /= n;
    }
    float squares = 0;
    const bool is_summed = ForHookSegments(r.hook, r.n, [&](int64_t begin, int64_t end) {
      squares += Sum(
          begin, end,
          [&](int64_t i) {
            FloatVector c = LoadVector(x + i) - mean;
            return c * c;
          },
          [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
    });
    if (!is_summed) return;
    float factor = 1 / std::sqrt(squares / n + static_cast<float>(r.epsilon));
    const bool is_written = ForHookSegments(r.hook, r.n, [&](int64_t begin, int64_t end) {
      int64_t i = begin;
      for (; i + kVectorLanes <= end; i += kVectorLanes) {
        FloatVector made = (LoadVector(x + i) - mean) * factor;
        if (scale != nullptr) made *= LoadVector(scale + i);
        if (bias != nullptr) made += LoadVector(bias + i);
        StoreVector(made, out + i);
      }
      for (; i < end; ++i) {
        float made = (x[i] - mean) * factor;
        if (scale != nullptr) made *= scale[i];
        out[i] = bias != nullptr ? made + bias[i] : made;
      }
    });
    if (!is_written) return;
  }
}

template <class T>
void Channels(const NormalizedChannels& c) {
  constexpr int64_t kChunk = 512;  // elements of a channel at a time, to stay in cache
  alignas(64) T sums[kChunk];
  int64_t work = 0;  // nanoseconds since the last check
  for (int64_t first = c.first; first < c.end; first += kChunk) {
    int64_t n = std::min(kChunk, c.end - first);
    Array<T> sum(sums, n);
    for (int64_t channel = 0; channel < c.channels; ++channel) {
      int64_t low = std::max<int64_t>(channel - (c.size - 1) / 2, 0);
      int64_t high = std::min(channel + c.size / 2, c.channels - 1);
      work += 10 + 2 * n;
      if (work > kHookSegment) {
        if (c.hook.Stops(work)) return;
        work = 0;
      }
      sum.setZero();
      const bool is_summed =
          ForHookRows(c.hook, high - low + 1, n, [&](int64_t begin, int64_t end) {
            for (int64_t k = low + begin; k < low + end; ++k) {
              sum += ConstArray<T>(static_cast<const T*>(c.x) + k * c.inner + first, n).square();
            }
          });
      if (!is_summed) return;
      work += (high - low + 1) * n;
      sum = static_cast<T>(c.bias) + static_cast<T>(c.factor) * sum;
      ConstArray<T> x(static_cast<const T*>(c.x) + channel * c.inner + first, n);
      Array<T> out(static_cast<T*>(c.out) + channel * c.inner + first, n);
      if (c.beta == 0.75) {
        out = x / (sum.sqrt() * sum.sqrt().sqrt());
      } else {
        sum = static_cast<T>(-c.beta) * sum.log();
        ExpArray(sums, sums, n);
        out = x * sum;
      }
    }
  }
}

constexpr NormalizationTable MakeTable() {
  NormalizationTable table = {};
  table.rows[static_cast<int>(DTypeNumber::kFloat32)] = FloatRows;
  table.rows[static_cast<int>(DTypeNumber::kFloat64)] = Rows<double>;
  table.channels[static_cast<int>(DTypeNumber::kFloat32)] = Channels<float>;
  table.channels[static_cast<int>(DTypeNumber::kFloat64)] = Channels<double>;
  return table;
}

}  // namespace

const NormalizationTable& SIGNET_ISA_NAME(NormalizationTable)() {
  static constexpr NormalizationTable table = MakeTable();
  return table;
}

}  // namespace signet
