// ModelChanges: loads and unloads models for clients of the Open Inference Protocol.
//
// The caller has checked the permission of administration. Thread-safe.

#pragma once

#include <functional>
#include <string>

#include "server/call/serving.h"
#include "server/protocols/inference/inference_options.h"

namespace signet {

// Models have no repositories with names: all directories of --models are one.
Status CheckRepositoryName(const std::string& name);

// Loads the versions of a model in the directories of the server that its policy selects. Calls
// `done` once, on any thread, with the first error. `has_parameters` is true if the client sends
// files or a configuration, which is not supported.
void LoadForClient(ServerContext& server, const InferenceOptions& options, const std::string& model,
                   bool has_parameters, std::function<void(Status)> done);
// Does nothing for an unknown model.
Status UnloadForClient(ServerContext& server, const InferenceOptions& options,
                       const std::string& model);

}  // namespace signet
