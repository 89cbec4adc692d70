// ImportSavedModel, ImportFrozenGraph: import a SavedModel or a frozen graph of TensorFlow as
// functions with graphs.
//
//   saved_model.pb, variables/, assets/  =>  ModelDef: functions, captures, metadata
//
//   1. Each signature becomes a function. Its parameters are the inputs, sorted by key, and its
//      result is a dict of the outputs. A single parameter may be passed by position.
//   2. The functions of the object graph (TensorFlow 2) keep their parameters, kinds, defaults, and
//      nests. Each trace becomes a function `_name_0`; the function calls the one that accepts the
//      arguments.
//   3. An operator is the op `tf.<Operator>` (core/frontends/savedmodel/lower). Variables, tables,
//      and constants become captures.
//   4. A function that cannot be imported is left out. The metadata `unavailable.NAME` says why. A
//      model without any function is rejected.
//
// docs/guide/savedmodel.md describes this for users. A parser of untrusted input. Stateless;
// thread-safe.

#pragma once

#include <filesystem>

#include "core/graph/lower/extension_types.h"
#include "core/model/model_def.h"

namespace signet {

// `folder` is the directory of the version. `types` are extension types that the program defines.
// Errors do not name the folder.
StatusOr<ModelDef> ImportSavedModel(const std::filesystem::path& folder,
                                    const ExtensionProtocols& types = {});

// Imports a frozen graph, whose signature frozen_graph.h describes. Errors name the file without
// its folder.
StatusOr<ModelDef> ImportFrozenGraph(const std::filesystem::path& file,
                                     const ExtensionProtocols& types = {});

}  // namespace signet
