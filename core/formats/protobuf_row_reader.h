// ProtobufRowReader: reads one row, a serialised message, into the columns of tables.
//
// Internal to ProtobufRows, which makes one a row; it keeps the first fault.

#pragma once

#include <string_view>

#include "core/formats/protobuf_table.h"

namespace signet {

class ProtobufRowReader {
 public:
  // `bytes`: of all columns so far, at most `max_bytes`.
  ProtobufRowReader(std::string_view row, int64_t& bytes, int64_t max_bytes)
      : row_(row.empty() ? "" : row), bytes_(bytes), max_bytes_(max_bytes) {}

  Status Read(ProtobufTable& root);
  // Where the fault is: `, byte 17`, or nothing.
  std::string Place() const;

 private:
  // Parses return where they stopped, or null after a fault.
  const char* ReadMessage(ProtobufTable& table, const char* at, const char* end, uint32_t end_tag);
  const char* ReadField(ProtobufTable& table, const ProtobufSlot& slot, const char* at,
                        const char* end);
  const char* ReadChild(ProtobufTable& table, ProtobufTarget& target, const char* at,
                        const char* end, uint32_t end_tag);
  const char* ReadText(ProtobufTable& table, ProtobufTarget& target, const char* at,
                       const char* end);
  const char* ReadPacked(ProtobufTarget& target, ProtobufOp op, const char* at, const char* end);
  template <class T, class Decode>
  bool AppendPackedVarints(ProtobufTarget& target, const char* at, const char* end, Decode decode);
  bool AppendPackedFixed(ProtobufTarget& target, const char* at, size_t size);
  const char* ReadTag(const char* at, const char* end, uint32_t& tag);
  const char* ReadVarint(const char* at, const char* end, uint64_t& value);
  const char* ReadLongVarint(const char* at, const char* end, uint64_t& value);
  const char* ReadBytes(const char* at, const char* end, std::string_view& bytes);
  const char* Skip(const char* start, const char* at, const char* end, uint32_t tag);
  const char* SkipGroup(const char* start, const char* at, const char* end, uint32_t tag);

  // An object of a table: what one message adds to its columns.
  void BeginObject(ProtobufTable& table);
  bool EndObject(ProtobufTable& table);
  // Takes back what EndObject did, to read more of the same message.
  void ReopenObject(ProtobufTable& table);
  bool EndTarget(ProtobufTable& table, ProtobufTarget& target);
  bool FillMaps(ProtobufTable& table);
  bool FillMap(ProtobufMap& map);
  bool FillMapEntry(ProtobufTable& entry, std::string_view bytes);
  bool ReadKey(const ProtobufMap& map, std::string_view entry, ProtobufKey& key);
  bool FillCasts(ProtobufTable& table);

  // Makes room for a value that replaces an earlier one, or those of other members of its oneof.
  void NoteSingular(ProtobufTable& table, ProtobufTarget& target);
  bool AppendDefault(ProtobufTarget& target);
  template <class T>
  bool Append(ProtobufTable& table, ProtobufTarget& target, T value);

  bool TakeBytes(int64_t bytes);
  bool Keep(Status status);                             // false when it is a fault
  const char* Fault(const char* place, Status status);  // null
  bool FaultIfMissing(const ProtobufTable& table);

  const std::string_view row_;  // somewhere, even when it is empty
  int64_t& bytes_;
  const int64_t max_bytes_;
  const char* place_ = nullptr;  // of the fault; null: the row as a whole
  Status status_;
};

// Drops all objects from the `objects`th on, with what they have in columns.
void TruncateObjects(ProtobufTable& table, int64_t objects);

}  // namespace signet
