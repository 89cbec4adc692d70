// OpRegistry: ops by name. Filled once, then read-only; thread-safe.

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
  // Refuses an op whose name, summary, inputs or attributes are not in order, or a second of a
  // name.
  Status Add(OpDef op);
  StatusOr<const OpDef*> Find(std::string_view name) const;  // NOT_FOUND names the nearest
  const OpDef* Lookup(std::string_view name) const;
  std::vector<const OpDef*> All() const;  // sorted by name

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<OpDef>> ops_;
};

// `given` with defaults filled in. Refuses names that `op` does not have and required ones left
// out.
StatusOr<Attributes> CompleteAttributes(const OpDef& op, const Attributes& given);

// Whether input `i` is one of op.own_dtypes.
bool HasOwnDType(const OpDef& op, size_t i);

// Whether `count` inputs fit op.inputs; the refusal shows them.
Status CheckArity(const OpDef& op, size_t count);

}  // namespace signet
