// Signature: parses and writes signatures in the notation, including default values.
//
//   score(x: float32[?], /, top_k = 3, *rest, scale: float32[] = 1.0, **kw) -> float32[?]
//
// As in Python, `/` ends the positional-only parameters, and a bare `*` begins the keyword-only
// ones. A parameter without a type accepts any argument. A default is a value in the notation
// (core/values/builders/value_notation.h), or plain data that is cast to the constraint: `[1.0,
// 2.0]`, `(1, "a")`, `{a: 1}`. `...` stands for a default that is stored elsewhere. Dimensions of a
// tensor may have names (dimension_names.h). Captures follow the parameters: `(x: float32[?]) with
// (table: float32[?, 3]) -> string[?]`. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "core/function/canonicalize.h"
#include "core/function/dimension_names.h"
#include "core/types/notation/notation.h"
#include "signet/function_type.h"

namespace signet {

struct Signature {
  std::string name = {};  // may be empty
  FunctionType type = {};
  // Cast to their constraints, except for those that only a conversion of the model's types can
  // cast.
  Defaults defaults = {};
  DimensionNames dimension_names = {};
};

// Errors state a column, or have a reason of FunctionType::Make or of casting. The name of one of
// `types` alone is accepted as a type.
StatusOr<Signature> ParseSignature(std::string_view text, const TypesByName* types = nullptr);

// Writes a signature in the notation. A default that is long or not stored is written as `...`.
std::string FormatSignature(std::string_view name, const FunctionType& type,
                            const Defaults& defaults, const DimensionNames& dimension_names = {});

}  // namespace signet
