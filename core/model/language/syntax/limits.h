// Limits of the model language. They bound the time and memory of reading any file, and are far
// above the needs of real models. Further limits are in core/graph/body/graph_builder.h and
// core/model/verify_functions.h.

#pragma once

#include <cstddef>

namespace signet {

inline constexpr size_t kMaxSourceBytes = size_t{16} << 20;
inline constexpr size_t kMaxTokens = 2'000'000;
inline constexpr int kMaxSyntaxDepth = 200;     // of brackets, expressions, and blocks
inline constexpr size_t kMaxMembers = 4096;     // components and declarations of a type
inline constexpr size_t kMaxSourceErrors = 20;  // that one attempt to read a file reports
inline constexpr size_t kMaxTakenNames = 64;    // that a nested function takes (closures.h)
inline constexpr size_t kMaxLocalName = 4096;   // characters of `locals["..."]`

}  // namespace signet
