// ListModels: returns every model with the states of its versions. Thread-safe.

#pragma once

#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Returns the description of one model.
v1::ModelInfo ModelInfoOf(const Repository& repository, const ModelStatus& status);

v1::ListModelsResponse ListModels(const ServerContext& server, const Access& access);

}  // namespace signet
