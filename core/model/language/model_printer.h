// PrintModel: writes any model in the model language (docs/reference/model-language.md).
//
// ModelDefFromLanguage returns a model with equal functions. Stateless; thread-safe.

#pragma once

#include <string>

#include "core/model/model_def.h"

namespace signet {

struct PrintedModel {
  std::string text;  // of model.signet
  Captures tensors;  // for captures.safetensors; the others are in the text
};

// UNIMPLEMENTED, with the place, for a value or a type that the notation cannot state.
StatusOr<PrintedModel> PrintModel(const ModelDef& model);

}  // namespace signet
