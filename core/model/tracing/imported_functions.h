// ImportFunctions: makes the functions of a model available to functions that are traced.
//
//   ImportFunctions(resnet.def(), "_resnet_")   =>  {"_resnet_main"}, which a trace may call
//
// Stateless; thread-safe.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/model/tracing/trace_library.h"

namespace signet {

// Returns the functions with `prefix` before their names, also where they call one another. Returns
// UNIMPLEMENTED if the model declares extension types.
StatusOr<std::vector<std::shared_ptr<const TracedFunction>>> ImportFunctions(
    ModelDef model, std::string_view prefix);

}  // namespace signet
