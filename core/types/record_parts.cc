#include "core/types/record_parts.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/types/identifier.h"
#include "core/types/literal.h"

namespace signet {

StatusOr<RecordParts> SplitInOrder(std::string_view what, NamedTypes named) {
  std::vector<std::string_view> sorted;
  for (const auto& [name, type] : named) sorted.push_back(name);
  std::sort(sorted.begin(), sorted.end());
  if (auto twin = std::adjacent_find(sorted.begin(), sorted.end()); twin != sorted.end()) {
    return InvalidArgument(what, " `", Printable(*twin), "` appears twice; takes each name once");
  }
  RecordParts parts;
  for (auto& [name, type] : named) {
    parts.names.push_back(std::move(name));
    parts.types.push_back(std::move(type));
  }
  return parts;
}

StatusOr<RecordParts> SplitSorted(std::string_view what, NamedTypes named) {
  std::sort(named.begin(), named.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return SplitInOrder(what, std::move(named));
}

NamedTypes ZipNames(std::span<const std::string> names, std::vector<TypeSpec> types) {
  NamedTypes named;
  for (size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], std::move(types[i]));
  return named;
}

uint64_t HashNames(std::span<const std::string> names) {
  uint64_t hash = names.size();
  for (const std::string& name : names) hash = MixHash(hash, HashBytes(name));
  return hash;
}

void AppendNamed(std::string& out, std::span<const std::string> names,
                 std::span<const TypeSpec> types) {
  out.append("(");
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out.append(", ");
    out.append(IsIdentifier(names[i]) ? names[i] : Quote(names[i])).append(": ");
    types[i].rep().AppendTo(out);
  }
  out.append(")");
}

}  // namespace signet
