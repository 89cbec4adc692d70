#include "core/model/language/op_parts.h"

namespace signet {

std::string_view PlainInput(std::string_view input) {
  if (input.ends_with("...")) input.remove_suffix(3);
  if (input.ends_with("?")) input.remove_suffix(1);
  return input;
}

bool IsVariadic(const OpDef& op) { return !op.inputs.empty() && op.inputs.back().ends_with("..."); }

const AttributeDef* LookupAttribute(const OpDef& op, std::string_view name) {
  for (const AttributeDef& attribute : op.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::optional<size_t> InputNamed(const OpDef& op, std::string_view name) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (PlainInput(op.inputs[i]) == name && !op.inputs[i].ends_with("...")) return i;
  }
  return std::nullopt;
}

std::string_view NamesAttributeOf(const OpDef& op) {
  if (!IsVariadic(op)) return {};
  for (std::string_view name : {"names", "keywords"}) {
    if (LookupAttribute(op, name) != nullptr) return name;
  }
  return {};
}

}  // namespace signet
