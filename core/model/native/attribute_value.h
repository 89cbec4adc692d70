// AttributeFromProto: converts an attribute of a node from its message.
//
//   {ints: {values: [0, 1]}}  =>  `list(0, 1)`      {type: "float32"}  =>  `"float32"`

#pragma once

#include <string_view>

#include "core/types/notation/notation.h"
#include "signet/type_spec.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Do not call it for `from`, which has no value yet. A dtype is converted to its name.
StatusOr<TypeSpec> AttributeFromProto(const v1::Attribute& proto);

// Returns the attribute for a dtype or a type in the notation: `float32`, `float32[?, 3]`.
StatusOr<TypeSpec> TypeAttributeOf(std::string_view text);

// Parses a type in the notation and removes the names of tensors. The name of one of `types` alone
// is accepted as a type.
StatusOr<TypeSpec> ParsePlainType(std::string_view text, const TypesByName* types = nullptr);

// Removes the names of tensors from `spec`: `(float32[?]@x, 1)` => `(float32[?], 1)`.
StatusOr<TypeSpec> WithoutTensorNames(const TypeSpec& spec);

}  // namespace signet
