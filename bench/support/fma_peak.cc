#include "bench/support/fma_peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace signet {
namespace {

constexpr int kSteps = 4096;
constexpr int kChains = 12;  // independent sums: more than latency times throughput

// A loop of kSteps * kChains multiply-adds on vectors of `width` floats. GCC's vector types keep
// the sums in registers; `attributes` selects the instruction set.
#define SIGNET_FMA_LOOP(name, width, attributes)                                                \
  using name##Vector [[gnu::vector_size(width * 4)]] = float;                                   \
  attributes void name() {                                                                      \
    name##Vector sums[kChains];                                                                 \
    for (int i = 0; i < kChains; ++i) sums[i] = name##Vector{} + static_cast<float>(i);         \
    name##Vector a = name##Vector{} + 0.999f;                                                   \
    name##Vector b = name##Vector{} + 0.001f;                                                   \
    for (int step = 0; step < kSteps; ++step) {                                                 \
      _Pragma("GCC unroll 12") for (int i = 0; i < kChains; ++i) { sums[i] = sums[i] * a + b; } \
      asm volatile("" : "+x"(a), "+x"(b));                                                      \
    }                                                                                           \
    for (int i = 0; i < kChains; ++i) Keep(sums[i]);                                            \
  }

#if defined(__x86_64__)
SIGNET_FMA_LOOP(Baseline, 4, )
SIGNET_FMA_LOOP(V3, 8, __attribute__((target("avx2,fma"))))
SIGNET_FMA_LOOP(V4, 16, __attribute__((target("avx512f,avx512vl,prefer-vector-width=512"))))
#else
SIGNET_FMA_LOOP(Baseline, 4, )
#endif
#undef SIGNET_FMA_LOOP

double Gflops(const BenchOptions& options, void (*loop)(), int width) {
  return 2.0 * kSteps * kChains * width / TimeOf(options, loop);
}

}  // namespace

double FmaPeak(const BenchOptions& options, IsaLevel level) {
  switch (level) {
#if defined(__x86_64__)
    case IsaLevel::kV3:
      return Gflops(options, V3, 8);
    case IsaLevel::kV4:
      return Gflops(options, V4, 16);
#else
    case IsaLevel::kV3:
    case IsaLevel::kV4:
#endif
    case IsaLevel::kBaseline:
      return Gflops(options, Baseline, 4);
  }
  __builtin_unreachable();
}

}  // namespace signet
