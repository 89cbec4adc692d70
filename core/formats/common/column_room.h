// ColumnRoom: reserves memory in the columns of a batch, up to a limit in bytes.
//
//   if (!column.HasRoom(8)) SIGNET_RETURN_IF_ERROR(room.Grow(column, 8));
//   column.Put(value);
//   ...
//   SIGNET_RETURN_IF_ERROR(room.EndRow(row.size()));
//
// Appending to a column counts nothing. The total size is computed when a column grows, before the
// memory is allocated, and also after each row while more than the limit is reserved. Not
// thread-safe.

#pragma once

#include <vector>

#include "core/values/builders/builder_node.h"

namespace signet {

class ColumnRoom {
 public:
  // Uses all needed columns below `root`, which must outlive this object.
  ColumnRoom(BuilderNode& root, int64_t max_bytes) : max_bytes_(max_bytes) { AddColumns(root); }

  // States the size of all rows together. Columns then grow to the size that the rows so far
  // predict.
  void Expect(size_t bytes) { expected_ = bytes; }
  // Reserves `more` bytes in a column. Returns RESOURCE_EXHAUSTED above the limit.
  Status Grow(GrowingBuffer& column, size_t more);
  // Returns RESOURCE_EXHAUSTED if the columns have more bytes than the limit.
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
  int64_t capacity_ = 0;  // bytes reserved in all columns
  size_t read_ = 0;       // bytes of rows
  size_t expected_ = 0;   // 0: unknown
};

}  // namespace signet
