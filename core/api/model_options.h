// ModelOptionsOf: returns the options of LoadedModel for those of the public API.

#pragma once

#include "core/model/loaded_model.h"
#include "signet/model.h"

namespace signet {

ModelOptions ModelOptionsOf(const LoadOptions& options);

}  // namespace signet
