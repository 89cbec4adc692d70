#include "core/kernels/simd/vector/isa_level.h"

#include <atomic>
#include <cstdlib>

namespace signet {
namespace {

constexpr IsaLevel kLevels[] = {IsaLevel::kBaseline, IsaLevel::kV3, IsaLevel::kV4};

size_t NumAvailable() {
#ifdef SIGNET_ISA_LEVELS
  __builtin_cpu_init();
  // The instructions of Haswell (v3) and Skylake-X (v4). The operating system must save the
  // registers.
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? 3 : v3 ? 2 : 1;
#else
  return 1;
#endif
}

std::atomic<IsaLevel>& Active() {
  static std::atomic<IsaLevel> active = [] {
    IsaLevel level = AvailableIsaLevels().back();
    const char* wanted = std::getenv("SIGNET_ISA");
    for (IsaLevel available : AvailableIsaLevels()) {
      if (wanted != nullptr && NameOf(available) == wanted) level = available;
    }
    return level;
  }();
  return active;
}

}  // namespace

std::string_view NameOf(IsaLevel level) {
  switch (level) {
    case IsaLevel::kBaseline:
      return "baseline";
    case IsaLevel::kV3:
      return "v3";
    case IsaLevel::kV4:
      return "v4";
  }
  __builtin_unreachable();
}

std::span<const IsaLevel> AvailableIsaLevels() {
  static const size_t available = NumAvailable();
  return std::span(kLevels).first(available);
}

IsaLevel ActiveIsaLevel() { return Active().load(std::memory_order_relaxed); }

void SetIsaLevel(IsaLevel level) { Active().store(level, std::memory_order_relaxed); }

}  // namespace signet
