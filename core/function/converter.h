// Converter: converts values whose type is neither plain nor a subtype of the constraint.
//
// A model declares the conversions to its types (docs/reference/extension-types.md); core/graph
// implements them.

#pragma once

#include <optional>
#include <string>

#include "signet/value.h"

namespace signet {

struct ConvertedValue {
  Value value;
  std::string by;  // the functions that converted it: `upgrade_1, upgrade_2`
};

class Converter {
 public:
  virtual ~Converter() = default;
  // Converts `value` to a subtype of `wanted`; converts a placeholder to a placeholder. Returns
  // nothing if no conversion is declared.
  virtual StatusOr<std::optional<ConvertedValue>> Convert(const Value& value,
                                                          const TypeSpec& wanted) const = 0;
};

}  // namespace signet
