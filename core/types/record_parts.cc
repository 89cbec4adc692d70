#include "core/types/record_parts.h"

#include <algorithm>
#include <numeric>

#include "core/base/hash.h"
#include "core/types/identifier.h"
#include "signet/literal.h"

namespace signet {

StatusOr<RecordParts> SplitInOrder(std::string_view what, NamedTypes named) {
  std::vector<std::string_view> sorted;
  for (const auto& [name, type] : named) sorted.push_back(name);
  std::sort(sorted.begin(), sorted.end());
  if (auto twin = std::adjacent_find(sorted.begin(), sorted.end()); twin != sorted.end()) {
    return InvalidArgument("duplicate ", what, " `", Printable(*twin), "`");
  }
  RecordParts parts;
  for (auto& [name, type] : named) {
    parts.names.push_back(std::move(name));
    parts.types.push_back(std::move(type));
  }
  return parts;
}

StatusOr<RecordParts> SplitSorted(std::string_view what, NamedTypes named) {
  auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (std::is_sorted(named.begin(), named.end(), by_name)) {
    return SplitInOrder(what, std::move(named));
  }
  std::vector<uint32_t> sorted(named.size());  // the index in `named` of each name
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(),
            [&](uint32_t a, uint32_t b) { return by_name(named[a], named[b]); });
  std::vector<uint32_t> order(named.size());
  NamedTypes in_order;
  for (uint32_t i = 0; i < sorted.size(); ++i) {
    order[sorted[i]] = i;
    in_order.push_back(std::move(named[sorted[i]]));
  }
  SIGNET_ASSIGN_OR_RETURN(RecordParts parts, SplitInOrder(what, std::move(in_order)));
  parts.order = std::move(order);
  return parts;
}

NamedTypes ZipNames(std::span<const std::string> names, std::vector<TypeSpec> types) {
  NamedTypes named;
  for (size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], std::move(types[i]));
  return named;
}

NamedTypes ZipWritten(const TypeSpecRep& rep, std::span<const std::string> names,
                      std::vector<TypeSpec> types) {
  NamedTypes named;
  for (size_t i = 0; i < names.size(); ++i) {
    size_t child = rep.WrittenChild(i);
    named.emplace_back(names[child], std::move(types[child]));
  }
  return named;
}

uint64_t HashNames(std::span<const std::string> names) {
  uint64_t hash = names.size();
  for (const std::string& name : names) hash = MixHash(hash, HashBytes(name));
  return hash;
}

void AppendNamed(std::string& out, std::span<const std::string> names, const TypeSpecRep& rep) {
  out.append("(");
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out.append(", ");
    size_t child = rep.WrittenChild(i);
    out.append(IsIdentifier(names[child]) ? names[child] : Quote(names[child])).append(": ");
    rep.children()[child].rep().AppendTo(out);
  }
  out.append(")");
}

}  // namespace signet
