// LoadFunction: reads one function of a model file and builds its graph.

#pragma once

#include "core/formats/common/limits.h"
#include "core/graph/body/graph.h"
#include "core/model/native/stated_function.h"
#include "signet/v1/model.pb.h"

namespace signet {

// The signature is a text, or a type and default values. Errors start with the place: "default of
// `scale`: ..." or "node `q`: ...".
StatusOr<FunctionDef> LoadFunction(const v1::Function& proto, const ModelScope& model,
                                   const Limits& limits);

}  // namespace signet
