// JsonTypes: the type of a JSON text in which extension values say what they are.
//
//   {"$type": "shop.Money", "currency": "USD", "amount": [1, 2]}
//   =>  shop.Money<currency="USD">(amount: float64[?])      amount is declared as float64[?]
//
// An object with the key `$type` is a value of that type: the keys that the type declares as static
// attributes are these, those that it declares as components are read under their constraints. A
// component without a constraint is read as what it shows (core/values/builders/type_inference.h).
// Keys of a dict that are `$type` themselves have a `$` more. Rules: docs/reference/json.md.
// Stateless; thread-safe.

#pragma once

#include <string_view>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/formats/common/limits.h"
#include "core/types/registry/type_registry.h"
#include "signet/type_spec.h"

namespace signet {

// Whether `text` may have a value that says its type; cheap.
bool MayHaveTypeKeys(std::string_view text);

// The other types that a value of an extension type may be written as, in the order in which they
// are tried: its older forms, and the types that convert to it.
using FindForms = absl::FunctionRef<std::vector<TypeSpec>(const TypeSpec& type)>;

// The type under which to read such a text (ValueFromJson), where a value of `expected` is wanted;
// null: anything. The type need not be below `expected`: what is sent may be converted. In lists,
// tuples, and dicts, `any` is the type that the text shows there, and an extension type is the
// first of its forms as which the text reads, if the text does not read as the type itself.
StatusOr<TypeSpec> TypeOfJson(std::string_view text, const TypeSpec& expected,
                              const TypeRegistry& types, FindForms forms, const Limits& limits);

}  // namespace signet
