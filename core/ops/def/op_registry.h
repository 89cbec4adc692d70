// OpRegistry: finds ops by name. It is filled once and then read-only; thread-safe.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/ops/def/op_def.h"

namespace signet {

class OpRegistry {
 public:
  // Rejects an op whose name is taken, whose inputs or attributes contradict one another, or whose
  // documentation is incomplete. Internal ops, and ops of the set `onnx.*`, require a summary only.
  Status Add(OpDef op);
  // The error for an unknown name, NOT_FOUND, names the nearest op that models can call.
  StatusOr<const OpDef*> Find(std::string_view name) const;
  // Like `Find`, but an internal op is an error, too: for names that models contain.
  StatusOr<const OpDef*> FindCallable(std::string_view name) const;
  const OpDef* Lookup(std::string_view name) const;
  std::vector<const OpDef*> All() const;  // sorted by name

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<OpDef>> ops_;
};

// Returns `given` with defaults added. Returns an error for a name that `op` does not have, and for
// a missing attribute without a default.
StatusOr<Attributes> CompleteAttributes(const OpDef& op, const Attributes& given);

// Returns true if input `i` is one of op.own_dtypes.
bool HasOwnDType(const OpDef& op, size_t i);

// Checks that the number of inputs is valid for op.inputs. The error shows these inputs.
Status CheckArity(const OpDef& op, size_t count);

}  // namespace signet
