// Catalog: all ops. Only core/eager, the readers and importers of models, and the commands of the
// client use it.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/ops/def/op_registry.h"

namespace signet {

// The ops of all families. Created by the first call. Thread-safe.
const OpRegistry& BuiltinOps();

// The ops of one directory core/ops/<name>, or of a set such as `onnx.*`.
struct OpFamilyList {
  std::string_view name;          // "shape"
  std::string_view title;         // "Shapes"
  std::vector<const OpDef*> ops;  // sorted by name; includes internal ops
};
// All families, sorted by name; then `onnx` and `tf`. Thread-safe.
std::span<const OpFamilyList> OpFamilies();

}  // namespace signet
