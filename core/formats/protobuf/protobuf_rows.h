// ProtobufRows: reads serialized messages directly into the columns of their type, one message per
// row.
//
//   auto value = ValueFromProtobufRows(rows, *schema, "shop.Recipe", spec, limits);
//
// Reads the wire format like protobuf, but without message objects:
//
// - If an optional field occurs twice, the last one is used. Copies of a sub-message are merged. A
//   member of a oneof clears the other members.
// - Packed and unpacked numbers are equivalent.
// - Unknown fields and groups, and known fields of another wire type, are skipped.
// - The entries of a map are sorted by key. The last of equal keys is used.
// - Text is not checked for UTF-8, and numbers of closed enums may be unknown.
//
// Rules: docs/reference/protobuf.md.
//
// If a row is malformed, the whole batch is rejected: `row 3, byte 17: ..`. Sizes are checked
// before memory is allocated. The functions are stateless; a ProtobufRows is for one thread and one
// batch.

#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/formats/common/column_room.h"
#include "core/formats/common/limits.h"
#include "core/formats/protobuf/protobuf_selection.h"
#include "core/formats/protobuf/protobuf_table.h"
#include "signet/value.h"

namespace signet {

class ProtobufRows {
 public:
  // `spec` is a structure of rank 1, or of rank 0 for a single row, with exactly the fields of
  // `selection`. `needs` states for each component of `spec` (in the order of ComponentsOf) whether
  // it is needed. In the other columns, rows are empty and numbers are 0. If `needs` is empty, all
  // are needed.
  static StatusOr<ProtobufRows> Make(const SelectedMessage& selection, const TypeSpec& spec,
                                     const Limits& limits, const std::vector<bool>& needs = {});

  // Sets the number of bytes of all rows, if it is known, so that columns grow less often.
  void Expect(size_t bytes) { room_->Expect(bytes); }
  // Reads one row. After an error, the object must not be used.
  Status Read(std::string_view row);
  StatusOr<Value> Finish();

 private:
  ProtobufRows(const TypeSpec& spec, const Limits& limits) : spec_(spec), limits_(limits) {}

  TypeSpec spec_;
  Limits limits_;
  BuilderTree tree_;
  ProtobufTables tables_;
  int64_t rows_ = 0;
  std::optional<ColumnRoom> room_;
};

// Reads all rows. If `spec` is null, the type has all fields of the message type. Errors in rows
// state their index, and errors in the type state the path of the field.
StatusOr<Value> ValueFromProtobufRows(std::span<const std::string_view> rows,
                                      const ProtobufSchema& schema, std::string_view message_type,
                                      const TypeSpec& spec, const Limits& limits,
                                      const ProtobufOptions& options = {},
                                      const std::vector<bool>& needs = {});

}  // namespace signet
