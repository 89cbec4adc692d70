// Source names: the names of parameters, results, and functions in the format that a model was
// imported from.
//
// A model of ONNX has inputs such as `input:0`, whose parameters are called `input_0`. Clients of
// flat protocols use the names of the file (FunctionDef.source_parameters). The metadata have them:
//
//   source.FUNCTION.input.PARAMETER = input:0
//   source.FUNCTION.output.KEY      = output:0
//   source.FUNCTION.output          = output:0, if the result is one tensor
//   source.FUNCTION.output.KEY.FIELD   the label of the class that a field of a result has
//
// An imported SavedModel has `savedmodel` in place of `source`, and `savedmodel.FUNCTION.signature`
// is the name of the function.
//
// The source names of parameters are ignored if two parameters have the same one. Stateless;
// thread-safe.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/model/model_def.h"

namespace signet {

// Adds the source names of all functions to the metadata.
void AddSourceNames(ModelDef& model);

// Reads the source names of all functions from the metadata. Ignores names of parameters that do
// not exist, and functions that have source names already.
void ReadSourceNames(ModelDef& model);

// Returns the source names of the parameters of a function, by parameter, as the metadata of a
// model have them.
std::map<std::string, std::string> SourceParametersIn(
    const std::map<std::string, std::string>& metadata, std::string_view function);
// Returns the names of functions by their names in the source format.
std::map<std::string, std::string, std::less<>> SourceFunctions(const ModelDef& model);
// Returns the name of the function in the source format, which is its own name if it has no other.
const std::string& SourceNameOfFunction(const std::map<std::string, std::string>& metadata,
                                        const std::string& function);
inline const std::string& SourceNameOf(const ModelDef& model, const FunctionDef& function) {
  return SourceNameOfFunction(model.metadata, function.name);
}

}  // namespace signet
