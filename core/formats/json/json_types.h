// JsonTypes: determines the type of a JSON text in which extension values state their types.
//
//   {"$type": "shop.Money", "currency": "USD", "amount": [1, 2]}
//   =>  shop.Money<currency="USD">(amount: float64[?])      amount is declared as float64[?]
//
// An object with the key `$type` is a value of that type. The keys that the type declares as static
// attributes are attributes; those that it declares as components are read with their constraints.
// A component without a constraint is read with its inferred type
// (core/values/builders/type_inference.h). In a dict, the key `$type` itself is written with one
// more `$`. Rules: docs/reference/json.md. Stateless; thread-safe.

#pragma once

#include <string_view>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/formats/common/limits.h"
#include "core/types/registry/type_registry.h"
#include "signet/type_spec.h"

namespace signet {

// Returns true if `text` may have a value that states its type. Fast.
bool MayHaveTypeKeys(std::string_view text);

// Returns the other types in which a value of an extension type may be written, in the order of the
// attempts: its older forms, and the types that convert to it.
using FindForms = absl::FunctionRef<std::vector<TypeSpec>(const TypeSpec& type)>;

// Returns the type with which to read such a text (ValueFromJson) where a value of `expected` is
// required; null means any type. The type need not be a subtype of `expected`, because the value
// may be converted. In lists, tuples, and dicts, `any` is replaced by the inferred type. An
// extension type is replaced by the first of its forms that the text matches, if the text does not
// match the type itself.
StatusOr<TypeSpec> TypeOfJson(std::string_view text, const TypeSpec& expected,
                              const TypeRegistry& types, FindForms forms, const Limits& limits);

}  // namespace signet
