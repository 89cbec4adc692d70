// RegisterTypes: checks the extension types that a model defines, from any reader.
//
//   extension type `app.Masked`: component `mask`: ...
//
// A reader makes one ExtensionTypeDef (core/model/model_def.h) per type, calls AddOlderTypes and
// RegisterTypes, reads the functions, and then calls CompleteModel (core/model/complete_model.h).
// Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_def.h"

namespace signet {

// Returns the place of a type in an error.
std::string PlaceOfType(std::string_view name);

// Checks the older types of a type. A conversion from another form of the type declares this form
// as an older type. Errors do not name the type.
Status AddOlderTypes(ExtensionTypeDef& type);

// Registers the types and returns them in the order in which parents precede the types that derive
// from them.
StatusOr<std::vector<ExtensionTypeDef>> RegisterTypes(std::vector<ExtensionTypeDef> types,
                                                      TypeRegistry& registry);

// Checks that the functions, ops, and types that `types` name exist, and that extension types may
// override these ops.
Status CheckFunctionsOfTypes(const std::vector<ExtensionTypeDef>& types,
                             const std::vector<FunctionDef>& functions,
                             const TypeRegistry& registry);

}  // namespace signet
