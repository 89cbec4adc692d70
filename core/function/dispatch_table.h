// DispatchTable: targets in insertion order, and the one that a request's type chooses.
//
// The rules are FunctionCache's (core/runtime/function_cache.h), which adds bounds and single
// making; this is the search. Inexact answers are remembered, in bounded number, and always equal
// what a fresh search would give. Readers take no lock and never wait; writers exclude one another.

#pragma once

#include <memory>
#include <vector>

#include "core/function/function_type.h"

namespace signet {

// Something that a request's type chooses among; concrete functions derive from it.
struct DispatchTarget {
  explicit DispatchTarget(FunctionType target_type) : type(std::move(target_type)) {}
  virtual ~DispatchTarget() = default;
  const FunctionType type;  // monomorphic
};

}  // namespace signet
