// IsaLevel: the instruction-set levels that the files of simd/ are compiled for, and the one in
// use.
//
// A family of arithmetic is a table of functions over plain arrays. Its header in simd/ declares
// the table and SIGNET_ISA_TABLE(Table); its source there defines `const Table&
// SIGNET_ISA_NAME(Table)()`, once a level; a kernel asks for SIGNET_ACTIVE_TABLE(Table) when it is
// made. Thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace signet {

enum class IsaLevel : uint8_t { kBaseline, kV3, kV4 };

// `baseline`, `v3` (AVX2, FMA) or `v4` (AVX-512).
std::string_view NameOf(IsaLevel level);

// Levels that this program has and this processor runs, lowest first.
std::span<const IsaLevel> AvailableIsaLevels();

// The level of kernels made from now on: the highest available, unless the environment variable
// SIGNET_ISA names a lower one when the program starts, or SetIsaLevel said so.
IsaLevel ActiveIsaLevel();

// For tests. `level` is available.
void SetIsaLevel(IsaLevel level);

#define SIGNET_ISA_TABLE(Table)    \
  const Table& Table##_baseline(); \
  const Table& Table##_v3();       \
  const Table& Table##_v4()

#define SIGNET_ISA_JOIN_INNER(name, level) name##_##level
#define SIGNET_ISA_JOIN(name, level) SIGNET_ISA_JOIN_INNER(name, level)
#define SIGNET_ISA_NAME(name) SIGNET_ISA_JOIN(name, SIGNET_ISA)

#ifdef SIGNET_ISA_LEVELS
#define SIGNET_ACTIVE_TABLE(Table)                                        \
  (::signet::ActiveIsaLevel() == ::signet::IsaLevel::kV4   ? Table##_v4() \
   : ::signet::ActiveIsaLevel() == ::signet::IsaLevel::kV3 ? Table##_v3() \
                                                           : Table##_baseline())
#else
#define SIGNET_ACTIVE_TABLE(Table) Table##_baseline()
#endif

}  // namespace signet
