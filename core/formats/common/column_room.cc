#include "core/formats/common/column_room.h"

#include <algorithm>

namespace signet {

// The fraction of all rows that predicts the total size, and the fraction that is added for safety.
constexpr size_t kSample = 64;
constexpr double kMargin = 1.0 / 16;

void ColumnRoom::AddColumns(BuilderNode& node) {
  if (!node.is_needed) return;
  for (BuilderAxis& axis : node.axes) columns_.push_back(&axis.splits);
  columns_.push_back(&node.data);
  columns_.push_back(&node.text);
  for (BuilderNode* child : node.children) AddColumns(*child);
}

int64_t ColumnRoom::NumBytes() const {
  size_t bytes = 0;
  for (const GrowingBuffer* column : columns_) bytes += column->size();
  return static_cast<int64_t>(bytes);
}

Status ColumnRoom::CheckBytes(size_t more) const {
  if (static_cast<int64_t>(more) <= bytes_left()) return absl::OkStatus();
  return ResourceExhausted("more than ", max_bytes_,
                           " bytes in columns, which is the limit (--max_expanded_bytes)");
}

Status ColumnRoom::Grow(GrowingBuffer& column, size_t more) {
  SIGNET_RETURN_IF_ERROR(CheckBytes(more));
  size_t needed = column.size() + more;
  size_t capacity = std::max(size_t{64}, 2 * column.capacity());
  if (read_ > 0 && read_ >= expected_ / kSample) {
    double rest = static_cast<double>(expected_) / static_cast<double>(read_);
    double foreseen = static_cast<double>(needed) * rest * (1 + kMargin);
    capacity = std::max(capacity, static_cast<size_t>(std::min(foreseen, 1e18)));
  }
  capacity = std::max(needed, std::min(capacity, static_cast<size_t>(max_bytes_)));
  capacity_ -= static_cast<int64_t>(column.capacity());
  SIGNET_RETURN_IF_ERROR(column.GrowTo(capacity));
  capacity_ += static_cast<int64_t>(column.capacity());
  return absl::OkStatus();
}

}  // namespace signet
