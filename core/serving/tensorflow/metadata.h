// SignaturesOf: the functions of a model as signatures of TensorFlow
// (proto/tensorflow/signature.proto).
//
// The signatures of an imported SavedModel are listed as the SavedModel has them. In other models,
// each public function is a signature, with the tensors of its flat form (core/serving/flat). The
// function that a call without signature_name means is also listed as `serving_default`.
// Stateless; thread-safe.

#pragma once

#include <string>

#include "core/model/loaded_model.h"
#include "tensorflow_serving/get_model_metadata.pb.h"

namespace signet::tf {

::tensorflow::serving::SignatureDefMap SignaturesOf(const LoadedModel& model);

// Returns the response of GetModelMetadata.
::tensorflow::serving::GetModelMetadataResponse MetadataOf(const LoadedModel& model);

// Returns the response of the REST API. As in TensorFlow Serving, the signatures are not in an Any.
std::string MetadataToJson(const LoadedModel& model);

}  // namespace signet::tf
