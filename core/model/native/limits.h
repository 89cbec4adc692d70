// Limits of a model in the native form. They keep loading bounded in time and memory, whatever the
// files hold; nobody who writes models by hand or by program comes near them.

#pragma once

#include <cstddef>
#include <cstdint>

namespace signet {

inline constexpr int64_t kMaxModelBytes = int64_t{64} << 20;  // of a file but captures.safetensors
inline constexpr int64_t kMaxFileParts = 1'000'000;           // functions and nodes in one file
inline constexpr int kMaxFunctions = 4096;
inline constexpr int kMaxNodes = 100'000;               // of a function, field references included
inline constexpr int kMaxNodeInputs = 4096;             // of a node
inline constexpr int kMaxNodeOutput = 255;              // the highest that a reference names
inline constexpr size_t kMaxReferenceLength = 4096;     // characters
inline constexpr int kMaxReferenceDepth = 64;           // fields of a reference, lists within lists
inline constexpr size_t kMaxNameLength = 128;           // of functions and nodes

}  // namespace signet
