// CompleteModel: the last step of every reader of models.
//
// The native reader, ModelBuilder, and the importers of other formats make a ModelDef. Every model
// passes the same checks. Stateless; thread-safe.

#pragma once

#include "core/graph/lower/extension_types.h"
#include "core/model/loaded_model.h"
#include "core/model/model_def.h"

namespace signet {

// Verifies all functions (core/model/verify_functions.h), checks the functions of extension types,
// reads the names of the source format (core/model/source_names.h), and casts default values
// (core/model/default_values.h). `registry` contains the types of the model and of the program;
// `types` are the types of the program. Errors start with the place: "function `f`: ...".
Status CompleteModel(ModelDef& model, const TypeRegistry& registry,
                     const ExtensionProtocols& types);

// Returns the model without the functions that cannot be specialized for the types of their
// signatures, and without the functions that call them. The metadata says why they are missing.
// Returns the first error if no public function is left.
StatusOr<ModelDef> WithoutFaultyFunctions(LoadedModel& model);

// Adds the parameters that contain rows, by function, of functions that declare no batch. Checks
// that the functions and parameters exist, that no parameter is named twice, and that no such
// function has *args or **kwargs.
Status AddBatches(ModelDef& model, const std::map<std::string, std::vector<std::string>>& batches);

}  // namespace signet
