// Source names: the names of parameters and results in the format that a model was imported from.
//
// A model of ONNX has inputs such as `input:0`, whose parameters are called `input_0`. Clients of
// flat protocols use the names of the ONNX file (FunctionDef.source_parameters). The metadata keep
// these names if the model is written in another form:
//
//   source.FUNCTION.input.PARAMETER = input:0
//   source.FUNCTION.output.KEY      = output:0
//   source.FUNCTION.output          = output:0, if the result is one tensor
//
// Stateless; thread-safe.

#pragma once

#include "core/model/model_def.h"

namespace signet {

// Adds the source names of all functions to the metadata.
void AddSourceNames(ModelDef& model);

// Reads the source names of all functions from the metadata. Ignores names of parameters that do
// not exist, and functions that have source names already.
void ReadSourceNames(ModelDef& model);

}  // namespace signet
