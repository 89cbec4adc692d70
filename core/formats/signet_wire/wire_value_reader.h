// ValueReader: reads Value messages under a cursor (see wire.h).
//
// A refusal carries the path below the value (FieldOf); where() is that path but for what the
// refusal's sentence already names. One thread; of no more use after a refusal.

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

  // A value that stands `depth` values deep.
  StatusOr<Value> Read(WireCursor cursor, int depth);
  // A whole argument: a value, or else data in another format and an empty value.
  Status ReadArgument(WireCursor cursor, Value& value, std::optional<EncodedArgument>& encoded);

  // Puts `status` below `step`.
  Status Under(std::string_view step, Status status);
  const std::string& where() const { return where_; }

 private:
  // What a field adds to its structure; of an outermost value, its type and components.
  struct Column {
    TypeSpec spec;
    Components components;
  };

  // Columns: wire_columns.cc. A field of a structure of rank r passes it as `outer_rank`: its rows,
  // and the row splits that it shares with the structure, are left out.
  static StatusOr<Value> Checked(StatusOr<Column> column);
  StatusOr<Tensor> ReadPart(std::string_view step, WireCursor cursor);
  Status ReadSplits(WireCursor cursor, Components& splits);
  StatusOr<Column> ReadRagged(WireCursor cursor, int outer_rank);
  StatusOr<Column> ReadSparse(WireCursor cursor);
  StatusOr<Column> ReadStructured(WireCursor cursor, int depth, int outer_rank);
  StatusOr<Column> ReadField(WireCursor cursor, int depth, int outer_rank);

  // Everything else: wire_value_reader.cc.
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
  // Set if the next value may be data in another format, which is then stored there.
  std::optional<EncodedArgument>* encoded_ = nullptr;
  std::string where_;
};

}  // namespace signet::wire
