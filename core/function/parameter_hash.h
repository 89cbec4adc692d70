// ParameterHash: the parts of a FunctionType's fingerprint, for whoever knows the types of a call
// and looks for a function of them without making the FunctionType.

#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/hash.h"
#include "signet/function_type.h"

namespace signet {

// Of what a parameter is but for its type.
inline uint64_t HashRole(std::string_view name, ParameterKind kind, bool optional) {
  auto role = static_cast<uint64_t>(kind) * 2 + (optional ? 1 : 0);
  return MixHash(HashBytes(name), role);
}

// The fingerprint of parameters, of which `fingerprint` has those before this one.
inline uint64_t AddParameter(uint64_t fingerprint, uint64_t role, uint64_t type) {
  return MixHash(fingerprint, MixHash(role, type));
}

// The fingerprint of a type whose parameters have `fingerprint`; `captures`: 0 when it has none.
inline uint64_t WithCaptures(uint64_t fingerprint, uint64_t captures) {
  return MixHash(fingerprint, captures);
}

}  // namespace signet
