// Null inputs: what stands for a missing element of an input, as the graph itself says.
//
//   age: float32[?, 1] -> Concat -> ai.onnx.ml.Imputer(replaced_value_float=nan)
//   =>  age: (float32[?, 1] = nan)
//
// An input whose elements all go to Imputers, at most by way of nodes that only move them, has the
// value that these replace. Nothing else is known to treat a value as missing. Stateless;
// thread-safe.

#pragma once

#include <map>
#include <string>

#include <onnx/onnx_pb.h>

#include "core/types/literal.h"

namespace signet {

// By the name of the input.
std::map<std::string, Literal> FindNullInputs(const onnx::GraphProto& graph);

}  // namespace signet
