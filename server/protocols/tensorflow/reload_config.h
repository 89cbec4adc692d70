// ReloadConfig: changes the models, versions, and labels that a repository serves, as a
// ReloadConfigRequest of TensorFlow Serving states them (model_service.h has the rules).
//
// Not thread-safe: one call at a time.

#pragma once

#include <functional>

#include "core/serving/repository/repository.h"
#include "tensorflow_serving/model_management.pb.h"

namespace signet::tf {

// Waits until the selected versions are available. Returns the error of the first one that cannot
// be loaded; the others are served. `check_wanted` is called while it waits, and ends the wait with
// its error; the loads continue.
Status ReloadConfig(Repository& repository,
                    const ::tensorflow::serving::ReloadConfigRequest& request,
                    const std::function<Status()>& check_wanted);

}  // namespace signet::tf
