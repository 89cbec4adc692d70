// NullInputs: finds the value that replaces a missing element of an input, as the graph itself
// says.
//
//   age: float32[?, 1] -> Concat -> ai.onnx.ml.Imputer(replaced_value_float=nan)
//   =>  age: (float32[?, 1] = nan)
//
// Rules:
//   1. The elements of an input may go through nodes that only move them, such as Concat.
//   2. If all readers replace one value, this value stands for a missing element. The readers are
//      Imputer, `Where(IsNaN(x), fill, x)`, and `Where(Equal(x, "missing"), fill, x)` for text.
//   3. An input that no node reads accepts any value: NaN, 0, or empty text.
//   4. Any other input has no value for missing elements, because nothing says that the model
//      accepts one. Neither has an input with an initializer, which is its default as a whole.
//
// Stateless; thread-safe.

#pragma once

#include <map>
#include <string>

#include <onnx/onnx_pb.h>

#include "signet/literal.h"

namespace signet {

// By the name of the input.
std::map<std::string, Literal> FindNullInputs(const onnx::GraphProto& graph);

}  // namespace signet
