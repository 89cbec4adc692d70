// AcceptedForms: lists the types that an encoded argument may have instead of its parameter's type.
//
//   parameter app.Rows<version=2>; the model converts app.Rows<version=1> and int64[?] to it
//   => app.Rows<version=1>, int64[?]
//
// Text and messages do not state their type. A text that cannot be read as the parameter's type is
// read as the first of these types that accepts it, and casting converts the value. Stateless;
// thread-safe.

#pragma once

#include <vector>

#include "core/model/model_def.h"

namespace signet {

// Returns the types that convert to `wanted`, in declared order. Empty unless `wanted` is an
// extension type that the model declares.
std::vector<TypeSpec> AcceptedForms(const TypeSpec& wanted, const ModelDef& model);

// Returns true if `type` is a nest with parts that may have several types.
bool HasOpenParts(const TypeSpec& type, const ModelDef& model);

}  // namespace signet
