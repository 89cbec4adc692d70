// Reading types: the messages of types.proto under a cursor (see wire.h). Stateless.

#pragma once

#include <optional>
#include <string>

#include "core/formats/wire_cursor.h"
#include "core/types/literal.h"

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

}  // namespace signet::wire
