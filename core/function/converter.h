// Converter: what casting asks when a value is not of the constraint's type, nor plain data.
//
// The types that a model declares say what converts to them (docs/reference/extension-types.md);
// core/graph implements it.

#pragma once

#include <optional>
#include <string>

#include "signet/value.h"

namespace signet {

struct ConvertedValue {
  Value value;
  std::string by;  // what converted it: `upgrade_1, upgrade_2`
};

class Converter {
 public:
  virtual ~Converter() = default;
  // `value` as one below `wanted`; a placeholder for a placeholder; nothing when nothing is
  // declared for it.
  virtual StatusOr<std::optional<ConvertedValue>> Convert(const Value& value,
                                                          const TypeSpec& wanted) const = 0;
};

}  // namespace signet
