// AddSignatures, AddObjectFunctions: add the functions of a SavedModel to a model. Functions that
// cannot be imported are described in the metadata of the model. Not thread-safe.

#pragma once

#include "core/frontends/savedmodel/import/function_import.h"

namespace signet {

// Only DATA_LOSS is an error: the values of the model are damaged.
Status AddSignatures(ModelImport& model);
Status AddObjectFunctions(ModelImport& model);

// Adds the functions of `importer`, or the reason why there is none to the metadata. Returns true
// if they were added.
StatusOr<bool> AddFunctions(ModelImport& model, FunctionImporter& importer, const Status& imported);

}  // namespace signet
