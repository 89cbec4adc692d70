#include "signet/json.h"

#include "core/formats/json/json.h"

namespace signet {

StatusOr<Value> ParseJson(std::string_view text, const TypeSpec& type) {
  return ValueFromJson(text, type, Limits());
}

StatusOr<std::string> FormatJson(const Value& value) { return JsonFromValue(value, Limits()); }

}  // namespace signet
