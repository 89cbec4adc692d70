// ModelChanges: loads and unloads models for clients of the Open Inference Protocol, and returns
// the settings of the server that they may ask for.
//
// The caller has checked the permission of administration. Thread-safe.

#pragma once

#include <functional>
#include <map>
#include <string>

#include "server/call/serving.h"
#include "server/protocols/inference/inference_options.h"

namespace signet {

// Loads the newest version of a model in the directories of the server, or loads it again. Calls
// `done` once, on any thread. `has_parameters` is true if the client sends files or a
// configuration, which is not supported.
void LoadForClient(ServerContext& server, const InferenceOptions& options, const std::string& model,
                   bool has_parameters, std::function<void(Status)> done);
Status UnloadForClient(ServerContext& server, const InferenceOptions& options,
                       const std::string& model);

// Returns the settings under the names of Triton. They are flags, which clients cannot change.
std::map<std::string, std::string> TraceSettings(const ServerContext& server);
std::map<std::string, bool> LoggedLevels();
Status CheckNoSettings(int count);

}  // namespace signet
