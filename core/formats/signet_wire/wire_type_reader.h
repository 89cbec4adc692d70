// WireTypeReader: reads the messages of types.proto with a cursor (see wire.h). Stateless.

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

// Reads a TypeSpec at depth `depth` of nested types or values.
StatusOr<TypeSpec> ReadType(WireSource& source, WireCursor cursor, int depth);
StatusOr<PartialShape> ReadShape(WireSource& source, WireCursor cursor);
StatusOr<Literal> ReadLiteral(WireSource& source, WireCursor cursor);
// Reads sizes, packed or not, from a field of either kind, and appends them to `dims`.
Status ReadDims(WireSource& source, uint32_t tag, WireCursor& cursor, Dims& dims);
StatusOr<DType> DTypeFromNumber(uint64_t number);

// A map entry or NamedX message: its name, and the position of its other field.
struct NamedEntry {
  std::string name;
  std::optional<WireCursor> content;
};
StatusOr<NamedEntry> ReadNamed(WireSource& source, WireCursor cursor);

// The order in which the author of a structure or dict wrote it: its field_order or key_order, and
// optional_fields. Names of fields that do not exist are ignored, and fields that are not listed
// follow the others, sorted by name.
struct WrittenForm {
  std::vector<std::string> order;
  std::vector<std::string> optional;
};
Status ReadName(WireSource& source, WireCursor& cursor, std::vector<std::string>& out);
StatusOr<TypeSpec> MakeStructuredType(PartialShape shape, NamedTypes fields,
                                      const WrittenForm& written);
// Returns the positions of names in the order in which they are written. Entries of a map may be in
// any order.
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
