// BatchSettings: reads the settings of batching of a model (proto/signet/v1/settings.proto).
//
// Stateless; thread-safe.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/serving/batching/batcher.h"
#include "signet/v1/settings.pb.h"

namespace signet {

// Returns the limits, with the defaults for missing fields.
BatchLimits BatchLimitsOf(const v1::Batching& settings);

// Returns the parameters that contain rows, by function, for ModelOptions.batches.
std::map<std::string, std::vector<std::string>> BatchesOf(const v1::Batching& settings);

}  // namespace signet
