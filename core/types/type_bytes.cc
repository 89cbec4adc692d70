#include "core/types/type_bytes.h"

#include <span>
#include <string>

#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

constexpr size_t kTypeBytes = 128;  // roughly the size of a type without names and text

size_t BytesOf(std::span<const std::string> names) {
  size_t bytes = 0;
  for (const std::string& name : names) bytes += sizeof(std::string) + name.size();
  return bytes;
}

}  // namespace

void TypeBytes::Add(const TypeSpec& spec) {
  if (!spec || !counted_.insert(&spec.rep()).second) return;
  total_ += kTypeBytes;
  if (const auto* literal = spec.As<LiteralSpec>()) {
    const Literal& value = literal->literal();
    if (value.kind() == Literal::Kind::kString) total_ += value.string_value().size();
  } else if (const auto* dict = spec.As<DictSpec>()) {
    total_ += BytesOf(dict->keys());
  } else if (const auto* tuple = spec.As<NamedTupleSpec>()) {
    total_ += tuple->name().size() + BytesOf(tuple->field_names());
  } else if (const auto* structured = spec.As<StructuredSpec>()) {
    total_ += BytesOf(structured->field_names());
  } else if (const auto* extension = spec.As<ExtensionSpec>()) {
    total_ += extension->name().size() + BytesOf(extension->component_names());
    for (const auto& [name, type] : extension->statics()) {
      total_ += name.size();
      Add(type);
    }
  }
  for (const TypeSpec& child : spec.children()) Add(child);
}

}  // namespace signet
