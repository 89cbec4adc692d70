// ProtobufRows: serialised messages straight into the columns of their type, a row each.
//
//   auto value = ValueFromProtobufRows(rows, *schema, "shop.Recipe", spec, limits);
//
// Reads the wire format as protobuf does, without a message object: of an optional field sent twice
// the last counts, copies of a sub-message are merged, a member of a oneof clears the others,
// packed and unpacked numbers are one; unknown fields and groups, and known fields of another wire
// type, are passed over. Maps become entries sorted by key, of equal keys the last. Text is not
// checked for UTF-8, nor are numbers of closed enums for being known. Rules:
// docs/reference/protobuf.md.
//
// Malformed bytes refuse the whole batch: `row 3, byte 17: ..`. Sizes are checked before memory is
// taken. Stateless functions; a ProtobufRows is for one thread and one batch.

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
  // `selection`. `needs` says of each component of `spec` (in the order of ComponentsOf) whether
  // somebody reads it; of a column that nobody does, rows are empty and numbers 0. Empty: all.
  static StatusOr<ProtobufRows> Make(const SelectedMessage& selection, const TypeSpec& spec,
                                     const Limits& limits, const std::vector<bool>& needs = {});

  // Bytes of all rows to come, if they are known: columns then grow less often.
  void Expect(size_t bytes) { room_->Expect(bytes); }
  // After a refusal it is of no more use.
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

// The whole of it. `spec` null: the type of all that the messages have. Refusals of rows have their
// index; of the type, the path of the field.
StatusOr<Value> ValueFromProtobufRows(std::span<const std::string_view> rows,
                                      const ProtobufSchema& schema, std::string_view message_type,
                                      const TypeSpec& spec, const Limits& limits,
                                      const ProtobufOptions& options = {},
                                      const std::vector<bool>& needs = {});

}  // namespace signet
