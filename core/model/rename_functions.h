// AddPrefix: renames the functions of a model, so that they can be part of another model.
//
//   AddPrefix(resnet, "_resnet_", "resnet.")   =>  function `_resnet_main`, capture
//   `resnet.fc.weight`
//
// Stateless; thread-safe.

#pragma once

#include <string_view>

#include "core/model/model_def.h"

namespace signet {

// Adds `prefix` to the names of the functions, also where they call one another, and
// `capture_prefix` to the names of the captures. Returns UNIMPLEMENTED if the model declares
// extension types, whose declarations name functions.
Status AddPrefix(ModelDef& model, std::string_view prefix, std::string_view capture_prefix);

}  // namespace signet
