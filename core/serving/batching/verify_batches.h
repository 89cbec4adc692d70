// VerifyBatches: checks, when a model is loaded, that calls of its functions can be joined.
//
//   function `score`: batch: example `[[1], [2]]`: alone and joined with other calls, the results
//   differ: `[0].weight`: element 3: 0.25 alone, 0.5 joined
//
// For each function that declares a batch:
//
//   1. The parameters and the result have rows, and their types can be joined.
//   2. Each example runs alone, in parts, and with other values. The results are compared with
//      results of the same calls, joined. Floats may differ as much as another order of additions
//      explains.
//   3. Without an example that runs, a few values of the stated types are used instead.
//
// Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/formats/common/limits.h"
#include "core/model/loaded_model.h"

namespace signet {

// Returns FAILED_PRECONDITION with the place and the difference. Examples whose files do not exist,
// relative to the working directory or to `folder`, and examples that fail are not compared.
Status VerifyBatches(const LoadedModel& model, const std::filesystem::path& folder,
                     const Limits& limits);

// Returns the first difference of two values, or nothing. Floats are equal if their difference is
// small compared with the largest number of the component.
std::optional<std::string> FirstDifference(const Value& alone, const Value& joined);

}  // namespace signet
