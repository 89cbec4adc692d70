// InputNamed, LookupAttribute: find the inputs and the attributes of an op by their names.
//
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <string_view>

#include "core/ops/def/op_def.h"

namespace signet {

// Returns the name of an input without `?` and `...`.
std::string_view PlainInput(std::string_view input);
// Returns true if the op has any number of inputs.
bool IsVariadic(const OpDef& op);
const AttributeDef* LookupAttribute(const OpDef& op, std::string_view name);  // null if unknown
std::optional<size_t> InputNamed(const OpDef& op, std::string_view name);

// Returns the attribute with the names of the last inputs of `op`: `names` of struct_make,
// make_dict, and struct_update, or `keywords` of calls. Keyword arguments that the op does not
// declare are such inputs. Empty if there is none.
std::string_view NamesAttributeOf(const OpDef& op);

}  // namespace signet
