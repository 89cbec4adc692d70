#include "core/formats/common/needed_columns.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"

namespace signet {
namespace {

using Kind = BuilderNode::Kind;

class Marker {
 public:
  explicit Marker(const std::vector<bool>& needs) : needs_(needs) {}

  // Visits nodes in the order in which BuilderTree returns components. `outer` is the rank of the
  // structure.
  bool Visit(BuilderNode& node, size_t outer) {
    size_t rank = outer + node.axes.size();
    size_t first_split = std::max<size_t>(outer, 1);
    bool any = node.kind == Kind::kLiteral || node.spec.is(TypeKind::kSparse);
    if (node.kind == Kind::kColumn) {
      auto last = static_cast<size_t>(node.ragged_rank);
      any = Take(1 + (last >= first_split ? last - first_split + 1 : 0));
    } else {
      if (outer == 0 && rank > 0) any |= Take(1);
      if (rank > first_split) any |= Take(rank - first_split);
      for (BuilderNode* child : node.children) any |= Visit(*child, rank);
    }
    if (node.spec.is(TypeKind::kSparse)) {
      for (BuilderNode* child : node.children) child->is_needed = true;
    }
    return node.is_needed = any;
  }

 private:
  bool Take(size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; ++i) any |= needs_[next_++];
    return any;
  }

  const std::vector<bool>& needs_;
  size_t next_ = 0;
};

class Filler {
 public:
  explicit Filler(int64_t& bytes_left) : bytes_left_(bytes_left) {}

  // Finds columns that are not needed. There are `objects` parents of `node`.
  Status Visit(BuilderNode& node, int64_t objects) {
    if (!node.is_needed) return Fill(node, objects);
    if (node.kind == Kind::kColumn) return absl::OkStatus();
    if (!node.axes.empty()) objects = node.axes.back().count;
    for (BuilderNode* child : node.children) SIGNET_RETURN_IF_ERROR(Visit(*child, objects));
    return absl::OkStatus();
  }

 private:
  Status Fill(BuilderNode& node, int64_t objects) {
    for (BuilderAxis& axis : node.axes) {
      int64_t length = axis.declared == kUnknownDim ? 0 : axis.declared;
      auto count = CheckedMultiply(objects, length);
      if (!count) return ResourceExhausted("more elements than an int64 counts");
      axis.length = length;
      axis.count = *count;
      if (axis.has_splits) {
        SIGNET_RETURN_IF_ERROR(Zero(axis.splits, objects, sizeof(int64_t)));
        if (length > 0) SIGNET_RETURN_IF_ERROR(Count(axis.splits, objects, length));
      }
      objects = axis.count;
    }
    for (BuilderNode* child : node.children) SIGNET_RETURN_IF_ERROR(Fill(*child, objects));
    if (node.kind != Kind::kColumn) return absl::OkStatus();
    return Zero(node.data, objects,
                node.dtype == DType::kString ? sizeof(int64_t) : SizeOf(node.dtype));
  }

  // Fills `column` with `count` zeros. All columns share the memory.
  Status Zero(GrowingBuffer& column, int64_t count, size_t width) {
    SIGNET_RETURN_IF_ERROR(Take(count, width));
    size_t bytes = static_cast<size_t>(count) * width;
    if (zeros_.empty() || bytes > num_zeros_) {
      num_zeros_ = bytes;
      SIGNET_ASSIGN_OR_RETURN(zeros_, GrowingBuffer::Zeros(bytes));
    }
    column = GrowingBuffer::Share(zeros_, bytes);
    return absl::OkStatus();
  }

  // Fills `ends` with the ends of `count` rows of the same length.
  static Status Count(GrowingBuffer& ends, int64_t count, int64_t length) {
    ends = GrowingBuffer();
    SIGNET_RETURN_IF_ERROR(ends.Reserve(static_cast<size_t>(count) * sizeof(int64_t)));
    for (int64_t i = 1; i <= count; ++i) ends.Put(i * length);
    return absl::OkStatus();
  }

  Status Take(int64_t count, size_t width) {
    auto bytes = CheckedMultiply(count, static_cast<int64_t>(width));
    if (!bytes || *bytes > bytes_left_) {
      return ResourceExhausted(
          "columns that are not read exceed the rest of the limit (--max_expanded_bytes)");
    }
    bytes_left_ -= *bytes;
    return absl::OkStatus();
  }

  int64_t& bytes_left_;
  Buffer zeros_;
  size_t num_zeros_ = 0;  // bytes of zeros_
};

}  // namespace

Status MarkNeeded(BuilderNode& root, const std::vector<bool>& needs) {
  if (needs.empty()) return absl::OkStatus();
  if (needs.size() != root.spec.num_components()) {
    return Internal(needs.size(), " needs; `", root.spec, "` has ", root.spec.num_components(),
                    " components");
  }
  Marker(needs).Visit(root, 0);
  root.is_needed = true;
  return absl::OkStatus();
}

Status FillUnneeded(BuilderNode& root, int64_t& bytes_left) {
  return Filler(bytes_left).Visit(root, 1);
}

}  // namespace signet
