// IsForPrograms: which metadata of a model people need not read.
//
//   savedmodel.FUNCTION.signature_def   a whole SignatureDef as text, for clients of TensorFlow
//                                       Serving (core/serving/tensorflow/signatures.h)
//   source.FUNCTION.input.PARAMETER     names in the format of the model, which the documentation
//                                       of parameters shows (core/model/source_names.h)
//
// Descriptions for people leave it out. Programs find it in GetModel. Stateless.

#pragma once

#include <string_view>

namespace signet {

inline bool IsForPrograms(std::string_view metadata_key) {
  return metadata_key.starts_with("source.") ||
         (metadata_key.starts_with("savedmodel.") && metadata_key.ends_with(".signature_def"));
}

}  // namespace signet
