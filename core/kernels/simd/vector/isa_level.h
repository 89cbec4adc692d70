// IsaLevel: the instruction-set levels for which the files of simd/ are compiled, and the active
// level.
//
// A family of arithmetic is a table of functions over plain arrays. Its header in simd/ declares
// the table and SIGNET_ISA_TABLE(Table). Its source file, which is compiled once per level, defines
// `const Table& SIGNET_ISA_NAME(Table)()`. A kernel calls SIGNET_ACTIVE_TABLE(Table) when it is
// made. Thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace signet {

enum class IsaLevel : uint8_t { kBaseline, kV3, kV4 };

// Returns `baseline`, `v3` (AVX2, FMA), or `v4` (AVX-512).
std::string_view NameOf(IsaLevel level);

// Returns the levels that this program contains and this processor supports, lowest first.
std::span<const IsaLevel> AvailableIsaLevels();

// Returns the level of kernels that are made from now on: the highest available level, unless the
// environment variable SIGNET_ISA specifies a lower one when the program starts, or SetIsaLevel was
// called.
IsaLevel ActiveIsaLevel();

// Sets the active level, for tests. `level` must be available.
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
