// ParameterHash: computes the fingerprint of a FunctionType from its parts, without building the
// FunctionType.

#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/hash.h"
#include "signet/function_type.h"

namespace signet {

// Returns a hash of a parameter without its type.
inline uint64_t HashRole(std::string_view name, ParameterKind kind, bool optional) {
  auto role = static_cast<uint64_t>(kind) * 2 + (optional ? 1 : 0);
  return MixHash(HashBytes(name), role);
}

// Returns the fingerprint of some parameters and one more; `fingerprint` is the one of the
// parameters before it.
inline uint64_t AddParameter(uint64_t fingerprint, uint64_t role, uint64_t type) {
  return MixHash(fingerprint, MixHash(role, type));
}

// Returns the fingerprint of a type from the `fingerprint` of its parameters; `captures` is 0 if it
// has none.
inline uint64_t WithCaptures(uint64_t fingerprint, uint64_t captures) {
  return MixHash(fingerprint, captures);
}

}  // namespace signet
