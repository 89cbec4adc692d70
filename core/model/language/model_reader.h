// ModelDefFromLanguage: reads a model in the model language (docs/reference/model-language.md).
//
//   model.signet:3:15: name `oders` not found; did you mean `orders`?
//       amounts = oders.items.price
//                 ^
//
// The text may come from outside. Its size, tokens, depth, names, and nodes are limited. Types in a
// body are checked when it is specialized, not here. Stateless; thread-safe.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "core/model/model_name.h"

namespace signet {

// The files that belong to a source file.
struct LanguageFiles {
  Captures tensors = {};            // of captures.safetensors
  std::string descriptor_set = {};  // bytes of descriptors.pb
  // Returns the model in a file that the text imports. Empty: a text cannot import files.
  std::function<StatusOr<ModelDef>(std::string_view file)> import = {};
  // Returns a version of another model that the text imports.
  std::function<StatusOr<ModelDef>(const ModelReference& reference)> import_model = {};
};

// Errors contain the position, and there may be several, one after another.
StatusOr<ModelDef> ModelDefFromLanguage(std::string_view text, LanguageFiles files,
                                        const ExtensionProtocols& types = {});

// Adds the position in `text` to an error that starts with the function, or with the function and
// the node: "function `score`: node `q`: ...". Returns other errors unchanged.
Status WithSourcePosition(std::string_view text, const Status& status);

// Returns the name in the model of the function `name` that is nested in the function `outer`.
std::string NestedFunctionName(std::string_view outer, std::string_view name);

}  // namespace signet
