// MaxOutputs: returns the largest number of outputs of an op, for inputs of any type.
//
//   MaxOutputs("add")    =>  1
//   MaxOutputs("top_k")  =>  2
//   MaxOutputs("split")  =>  nothing: the number depends on the attributes and the types
//
// HasSeveralOutputs: returns whether there may be several for the attributes of a call.
//
// The model loader uses them to check models before types are known. Stateless; thread-safe.

#pragma once

#include <optional>
#include <string_view>

#include <absl/functional/function_ref.h>

#include "core/ops/def/op_def.h"

namespace signet {

// Returns true for the op of an operator of another format, such as `onnx.Conv` or `tf.Conv2D`.
// These ops, their inputs, and their attributes have the names of that format. They have only
// expansions, and the documentation of the frontend describes them.
inline bool IsFrontendOp(std::string_view name) { return name.find('.') != std::string_view::npos; }

// Returns true if a call of `op` with `num_inputs` inputs returns several outputs, so that an index
// of the call selects one, as in Python. `is_set` returns whether an attribute is True.
bool HasSeveralOutputs(const OpDef& op, size_t num_inputs,
                       absl::FunctionRef<bool(std::string_view)> is_set);

// Returns the largest number of outputs of a call of `op` with `num_inputs` inputs, or nothing if
// it is not known.
std::optional<size_t> MaxOutputs(const OpDef& op, size_t num_inputs);

}  // namespace signet
