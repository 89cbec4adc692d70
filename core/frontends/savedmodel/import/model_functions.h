// AddSignatures, AddObjectFunctions: add the functions of a SavedModel to a model. Functions that
// cannot be imported are described in the metadata of the model. Not thread-safe.

#pragma once

#include "core/frontends/savedmodel/import/function_import.h"

namespace signet {

// A signature, and the name of its function.
struct SignatureName {
  std::string key;
  std::string name;
};
// A function of the object graph: its name, and its object.
struct ObjectFunctionName {
  std::string name;
  int object = 0;
};

// Return the functions to add, with names that nothing else in the model has. Without signatures
// and functions of the root, the functions of layers are added.
StatusOr<std::vector<SignatureName>> NameSignatures(ModelImport& model);
std::vector<ObjectFunctionName> NameObjectFunctions(ModelImport& model, bool has_signatures);

// Only DATA_LOSS is an error: the values of the model are damaged.
Status AddSignatures(ModelImport& model, const std::vector<SignatureName>& functions);
Status AddObjectFunctions(ModelImport& model, const std::vector<ObjectFunctionName>& functions);

// Adds the functions of `importer`, or the reason why there is none to the metadata. Returns true
// if they were added.
StatusOr<bool> AddFunctions(ModelImport& model, FunctionImporter& importer, const Status& imported);

}  // namespace signet
