// GetModelStatus: the states of the versions of a model, as TensorFlow Serving names them.
//
//   Signet                             TensorFlow Serving
//   LOADING, AVAILABLE, UNLOADING      the same
//   NOT_LOADED, loaded at its first call   AVAILABLE
//   NOT_LOADED otherwise               END
//   FAILED                             END, with the reason
//
// Stateless; thread-safe.

#pragma once

#include <nlohmann/json.hpp>

#include "core/serving/repository/repository.h"
#include "core/serving/tensorflow/signatures.h"
#include "tensorflow_serving/get_model_status.pb.h"

namespace signet::tf {

// Returns the states of all versions, the newest first, or of the one that `target` names.
// NOT_FOUND if there is none, INVALID_ARGUMENT for an unknown label.
StatusOr<::tensorflow::serving::GetModelStatusResponse> GetModelStatus(const Repository& repository,
                                                                       const Target& target);

// Returns the list `model_version_status` of the REST API.
nlohmann::ordered_json StatusToJson(const ::tensorflow::serving::GetModelStatusResponse& status);

}  // namespace signet::tf
