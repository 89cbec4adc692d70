#include "core/formats/needed_columns.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"

namespace signet {
namespace {

using Kind = BuilderNode::Kind;

class Marker {
 public:
  explicit Marker(const std::vector<bool>& needs) : needs_(needs) {}

  // In the order in which BuilderTree gives components; `outer`: dimensions of the structure.
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

  // Finds what is not needed; there are `objects` of what `node` is part of.
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
        SIGNET_RETURN_IF_ERROR(Take(objects, sizeof(int64_t)));
        SIGNET_RETURN_IF_ERROR(axis.splits.Reserve(static_cast<size_t>(objects) * sizeof(int64_t)));
        // Of empty rows and texts, BuilderTree reads no ends.
        auto* end = reinterpret_cast<int64_t*>(axis.splits.end());
        for (int64_t i = 1; length > 0 && i <= objects; ++i) *end++ = i * length;
        axis.splits.Extend(static_cast<size_t>(objects) * sizeof(int64_t));
      }
      objects = axis.count;
    }
    for (BuilderNode* child : node.children) SIGNET_RETURN_IF_ERROR(Fill(*child, objects));
    if (node.kind != Kind::kColumn) return absl::OkStatus();
    size_t width = node.dtype == DType::kString ? sizeof(int64_t) : SizeOf(node.dtype);
    SIGNET_RETURN_IF_ERROR(Take(objects, width));
    size_t bytes = static_cast<size_t>(objects) * width;
    SIGNET_RETURN_IF_ERROR(node.data.Reserve(bytes));
    if (bytes > 0 && node.dtype != DType::kString) std::memset(node.data.end(), 0, bytes);
    node.data.Extend(bytes);
    return absl::OkStatus();
  }

  Status Take(int64_t count, size_t width) {
    auto bytes = CheckedMultiply(count, static_cast<int64_t>(width));
    if (!bytes || *bytes > bytes_left_) {
      return ResourceExhausted("columns that are not read take more than is left of the limit ",
                               "(--max_expanded_bytes)");
    }
    bytes_left_ -= *bytes;
    return absl::OkStatus();
  }

  int64_t& bytes_left_;
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
