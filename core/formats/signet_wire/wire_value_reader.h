// ValueReader: reads Value messages with a cursor (see wire.h).
//
// An error carries the path below the value (FieldOf). where() is the part of that path that the
// message does not name already. Not thread-safe; must not be used after an error.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/formats/signet_wire/wire_cursor.h"
#include "signet/value.h"

namespace signet::wire {

// Returns the format that has this number in the schema. A later schema may have more formats.
StatusOr<DataFormat> DataFormatFromNumber(uint64_t number);

class ValueReader {
 public:
  explicit ValueReader(WireSource& source) : source_(source) {}

  // Reads a value at depth `depth` of nested values.
  StatusOr<Value> Read(WireCursor cursor, int depth);
  // Reads a whole argument: a value, or data in another format and an empty value.
  Status ReadArgument(WireCursor cursor, Value& value, std::optional<EncodedArgument>& encoded);

  // Adds `step` to the path of an error.
  Status Under(std::string_view step, Status status);
  const std::string& where() const { return where_; }

 private:
  // The components that a field adds to its structure. For an outermost value, its type and all
  // components.
  struct Column {
    TypeSpec spec;
    Components components;
  };

  // Columns are implemented in wire_columns.cc. A field of a structure of rank r passes r as
  // `outer_rank`: the field does not repeat the rows and row splits of the structure.
  static StatusOr<Value> Checked(StatusOr<Column> column);
  StatusOr<Tensor> ReadPart(std::string_view step, WireCursor cursor);
  Status ReadSplits(WireCursor cursor, Components& splits);
  StatusOr<Column> ReadRagged(WireCursor cursor, int outer_rank);
  StatusOr<Column> ReadSparse(WireCursor cursor);
  StatusOr<Column> ReadStructured(WireCursor cursor, int depth, int outer_rank);
  StatusOr<Column> ReadField(WireCursor cursor, int depth, int outer_rank);

  // All other kinds are implemented in wire_value_reader.cc.
  StatusOr<Value> ReadLiteralValue(WireCursor cursor);
  StatusOr<Value> ReadPlaceholder(WireCursor cursor, int depth);
  StatusOr<Value> ReadSequence(TypeKind kind, WireCursor cursor, int depth);
  Status ReadNamedValue(WireCursor cursor, int depth, NamedValues& out);
  StatusOr<Value> ReadDict(WireCursor cursor, int depth);
  StatusOr<Value> ReadNamedTuple(WireCursor cursor, int depth);
  StatusOr<Value> ReadExtension(WireCursor cursor, int depth);
  // Fills `out` and returns an empty value.
  StatusOr<Value> ReadEncoded(WireCursor cursor, std::optional<EncodedArgument>* out);

  WireSource& source_;
  // Not null if the next value may be data in another format, which is then stored there.
  std::optional<EncodedArgument>* encoded_ = nullptr;
  std::string where_;
};

}  // namespace signet::wire
