// TypeBytes: counts the memory that types keep alive.
//
//   dict(a: "a long text ..")   =>   the text, the key, and a fixed number of bytes for each type
//
// Types are interned: a literal of 16 MiB exists as long as any type that contains it. Not
// thread-safe.

#pragma once

#include <cstddef>

#include <absl/container/flat_hash_set.h>

#include "signet/type_spec.h"

namespace signet {

class TypeBytes {
 public:
  // Counts `spec` and the types in it. A type that was counted before adds nothing.
  void Add(const TypeSpec& spec);
  size_t total() const { return total_; }

 private:
  absl::flat_hash_set<const TypeSpecRep*> counted_;
  size_t total_ = 0;
};

}  // namespace signet
