// Limits of native models. They bound the time and memory of loading any file, and are far above
// the needs of real models. Further limits are in core/graph/body/graph_builder.h and
// core/model/verify_functions.h.

#pragma once

#include <cstddef>
#include <cstdint>

namespace signet {

inline constexpr int64_t kMaxModelBytes = int64_t{64}
                                          << 20;     // of any file except captures.safetensors
inline constexpr int64_t kMaxFileParts = 1'000'000;  // functions and nodes in one file
inline constexpr int kMaxNodeOutput = 255;           // highest output in a reference
inline constexpr size_t kMaxReferenceLength = 4096;  // characters
inline constexpr int kMaxReferenceDepth = 64;        // fields of a reference, lists within lists
inline constexpr size_t kMaxNameLength = 128;        // of functions and nodes

}  // namespace signet
