// ProtobufRowReader: reads one row, a serialized message, into the columns of tables.
//
// Internal to ProtobufRows, which creates one per row. Stores the first fault.

#pragma once

#include <string_view>

#include "core/formats/common/column_room.h"
#include "core/formats/protobuf/protobuf_table.h"
#include "core/formats/protobuf/protobuf_wire_reader.h"

namespace signet {

class ProtobufRowReader : public ProtobufWireReader {
 public:
  ProtobufRowReader(std::string_view row, ColumnRoom& room, bool rejects_unknown_fields = false)
      : ProtobufWireReader(row), room_(room), rejects_unknown_fields_(rejects_unknown_fields) {}

  Status Read(ProtobufTable& root);

 private:
  // Parsing functions return the position after the parsed bytes, or null after a fault.
  const char* ReadMessage(ProtobufTable& table, const char* at, const char* end, uint32_t end_tag);
  const char* ReadField(ProtobufTable& table, const ProtobufSlot& slot, const char* at,
                        const char* end);
  const char* ReadRareField(ProtobufTable& table, const ProtobufSlot& slot, const char* at,
                            const char* end);
  template <class Decode>
  const char* ReadVarintField(ProtobufTable& table, ProtobufTarget& target, const char* at,
                              const char* end, Decode decode);
  template <class T>
  const char* ReadFixedField(ProtobufTable& table, ProtobufTarget& target, const char* at,
                             const char* end);
  const char* ReadChild(ProtobufTable& table, ProtobufTarget& target, const char* at,
                        const char* end, uint32_t end_tag);
  const char* ReadText(ProtobufTable& table, ProtobufTarget& target, const char* at,
                       const char* end);
  const char* ReadPackedFixed(ProtobufTarget& target, const char* at, const char* end);
  const char* ReadPacked(ProtobufTarget& target, ProtobufOp op, const char* at, const char* end);
  template <class T, class Decode>
  bool AppendPacked(ProtobufTarget& target, const char* at, const char* end, Decode decode);

  // An object of a table is what one message adds to its columns.
  static void BeginObject(ProtobufTable& table) {
    ++table.object;
    ++table.objects;
  }
  bool EndObject(ProtobufTable& table);
  // Reverses EndObject, to read more of the same message.
  void ReopenObject(ProtobufTable& table);
  bool EndTarget(ProtobufTable& table, ProtobufTarget& target);
  void FindMissing(ProtobufTable& table);
  bool FaultIfMissing(const ProtobufTable& table);

  // Implemented in protobuf_late_fields.cc.
  bool FillMaps(ProtobufTable& table);
  bool FillMap(ProtobufMap& map);
  bool FillMapEntry(ProtobufTable& entry, std::string_view bytes);
  bool ReadKey(const ProtobufMap& map, std::string_view entry, ProtobufKey& key);
  bool FillCasts(ProtobufTable& table);

  // Drops the earlier value of a field, or of other members of its oneof, before a new value is
  // read.
  void NoteSingular(ProtobufTable& table, ProtobufTarget& target);
  bool AppendDefault(ProtobufTarget& target);
  template <class T>
  bool Append(GrowingBuffer& column, T value) {
    if (!MakeRoom(column, sizeof value)) return false;
    column.Put(value);
    return true;
  }
  // Appends bytes of the row, at least one.
  bool AppendBytes(GrowingBuffer& column, std::string_view bytes);
  bool MakeRoom(GrowingBuffer& column, size_t bytes) {
    return column.HasRoom(bytes) || Keep(room_.Grow(column, bytes));
  }

  ColumnRoom& room_;
  const bool rejects_unknown_fields_;
};

// Drops all objects from number `objects` on, including their elements in columns.
void TruncateObjects(ProtobufTable& table, int64_t objects);

}  // namespace signet
