// Reading types: the messages of types.proto under a cursor (see wire.h). Stateless.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/signet_wire/wire_cursor.h"
#include "signet/literal.h"
#include "signet/record_spec.h"

namespace signet::wire {

// A TypeSpec that stands `depth` types or values deep.
StatusOr<TypeSpec> ReadType(WireSource& source, WireCursor cursor, int depth);
StatusOr<PartialShape> ReadShape(WireSource& source, WireCursor cursor);
StatusOr<Literal> ReadLiteral(WireSource& source, WireCursor cursor);
// Sizes, packed or one by one, at a field of either kind; appended to `dims`.
Status ReadDims(WireSource& source, uint32_t tag, WireCursor& cursor, Dims& dims);
StatusOr<DType> DTypeFromNumber(uint64_t number);

// A map entry or NamedX message: its name, and where its other field lies.
struct NamedEntry {
  std::string name;
  std::optional<WireCursor> content;
};
StatusOr<NamedEntry> ReadNamed(WireSource& source, WireCursor cursor);

// How the author of a structure or dict wrote it: its field_order, or key_order, and
// optional_fields. Names of fields that do not exist are ignored, and fields that are not named
// come behind the others, by name.
struct WrittenForm {
  std::vector<std::string> order;
  std::vector<std::string> optional;
};
Status ReadName(WireSource& source, WireCursor& cursor, std::vector<std::string>& out);
StatusOr<TypeSpec> MakeStructuredType(PartialShape shape, NamedTypes fields,
                                      const WrittenForm& written);
// The positions of names in the order in which they are written; entries of a map come in any.
std::vector<size_t> PositionsInOrder(std::span<const std::string_view> names,
                                     std::span<const std::string> order);
template <class T>
void PutInOrder(std::vector<std::pair<std::string, T>>& named, std::span<const std::string> order) {
  std::vector<std::string_view> names;
  for (const auto& [name, what] : named) names.push_back(name);
  std::vector<std::pair<std::string, T>> sorted;
  for (size_t i : PositionsInOrder(names, order)) sorted.push_back(std::move(named[i]));
  named = std::move(sorted);
}

}  // namespace signet::wire
