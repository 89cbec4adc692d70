// ColumnRoom: makes room in the columns of a batch, within the limit of their bytes.
//
//   if (!column.HasRoom(8)) SIGNET_RETURN_IF_ERROR(room.Grow(column, 8));
//   column.Put(value);
//   ...
//   SIGNET_RETURN_IF_ERROR(room.EndRow(row.size()));
//
// Appending counts nothing. What columns have is added up where one of them grows, which precedes
// taking memory, and after a row while there is room for more than the limit. One thread.

#pragma once

#include <vector>

#include "core/values/builders/builder_node.h"

namespace signet {

class ColumnRoom {
 public:
  // Of all columns below `root` that are needed; they must outlive this.
  ColumnRoom(BuilderNode& root, int64_t max_bytes) : max_bytes_(max_bytes) { AddColumns(root); }

  // All rows together; columns then grow to what the rows so far foretell.
  void Expect(size_t bytes) { expected_ = bytes; }
  // Makes room for `more` bytes in a column that has none. RESOURCE_EXHAUSTED beyond the limit.
  Status Grow(GrowingBuffer& column, size_t more);
  // RESOURCE_EXHAUSTED when columns have more than the limit.
  Status EndRow(size_t bytes) {
    read_ += bytes;
    return capacity_ <= max_bytes_ ? absl::OkStatus() : CheckBytes(0);
  }
  int64_t bytes_left() const { return max_bytes_ - NumBytes(); }

 private:
  void AddColumns(BuilderNode& node);
  int64_t NumBytes() const;
  Status CheckBytes(size_t more) const;

  std::vector<GrowingBuffer*> columns_;
  int64_t max_bytes_;
  int64_t capacity_ = 0;  // of all columns, in bytes: at least what they have
  size_t read_ = 0;       // bytes of rows
  size_t expected_ = 0;   // 0: not known
};

}  // namespace signet
