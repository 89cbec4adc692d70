#include "core/formats/arrow/arrow_batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/formats/arrow/arrow_runs.h"

namespace signet {
namespace {

using Kind = ArrowField::Kind;

constexpr char kZeros[arrow::kBufferAlignment] = {};

size_t Padding(size_t size) { return -size % arrow::kBufferAlignment; }

// Appends elements [begin, end) of arrays to a batch.
class Slicer {
 public:
  explicit Slicer(ArrowBatch& out) : out_(out) {}

  Status Add(const ArrowArray& array, int64_t begin, int64_t end) {
    const ArrowField& field = *array.field;
    bool is_indices = array.dictionary != nullptr;
    if (field.kind == Kind::kOther && !is_indices) {
      return Unimplemented("unsupported column type `", field.type_name, "`");
    }
    SIGNET_RETURN_IF_ERROR(AddNode(array, begin, end));
    if (is_indices) return AddElements(array.data, field.index->width, begin, end);
    switch (field.kind) {
      case Kind::kBool:
        return AddBits(array.data, begin, end).status();
      case Kind::kNumber:
        return AddElements(array.data, SizeOf(field.dtype), begin, end);
      case Kind::kText: {
        if (field.width == 0) {
          return AddElements(array.data, static_cast<size_t>(field.size), begin, end);
        }
        auto size = static_cast<int64_t>(array.data.size());
        SIGNET_ASSIGN_OR_RETURN(auto inside, AddOffsets(array, begin, end, size));
        return AddElements(array.data, 1, inside.first, inside.second);
      }
      case Kind::kList: {
        const ArrowArray& child = array.children[0];
        SIGNET_ASSIGN_OR_RETURN(auto inside, AddOffsets(array, begin, end, child.length));
        return Add(child, inside.first, inside.second);
      }
      case Kind::kFixedList:
        return Add(array.children[0], begin * field.size, end * field.size);
      case Kind::kStruct:
        for (const ArrowArray& child : array.children) {
          SIGNET_RETURN_IF_ERROR(Add(child, begin, end));
        }
        return absl::OkStatus();
      case Kind::kNull:
      case Kind::kOther:
        break;
    }
    return absl::OkStatus();
  }

 private:
  Status AddNode(const ArrowArray& array, int64_t begin, int64_t end) {
    ArrowBatch::Node node;
    node.length = end - begin;
    size_t number = out_.nodes.size();
    out_.nodes.push_back(node);
    bool is_null = array.field->kind == Kind::kNull && array.dictionary == nullptr;
    if (is_null) {
      out_.nodes[number].nulls = node.length;
    } else if (array.has_nulls) {
      SIGNET_ASSIGN_OR_RETURN(int64_t values, AddBits(array.validity, begin, end));
      out_.nodes[number].nulls = node.length - values;
    } else {
      out_.buffers.emplace_back();
    }
    return absl::OkStatus();
  }

  // Returns the number of bits that are set.
  StatusOr<int64_t> AddBits(const Buffer& bits, int64_t begin, int64_t end) {
    auto size = static_cast<size_t>(end - begin + 7) / 8;
    SIGNET_ASSIGN_OR_RETURN(Buffer out, Buffer::Allocate(size));
    if (size > 0) std::memset(out.mutable_data(), 0, size);
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) {
      if (!BitAt(bits, i)) continue;
      out.mutable_data()[(i - begin) / 8] |= std::byte{1} << ((i - begin) % 8);
      ++count;
    }
    out_.buffers.push_back(std::move(out));
    return count;
  }

  Status AddElements(const Buffer& data, size_t width, int64_t begin, int64_t end) {
    out_.buffers.push_back(
        data.Slice(static_cast<size_t>(begin) * width, static_cast<size_t>(end - begin) * width));
    return absl::OkStatus();
  }

  // Appends offsets that start at 0. Returns where the elements begin and end, of which there are
  // `count`. The offsets between are not checked here.
  StatusOr<std::pair<int64_t, int64_t>> AddOffsets(const ArrowArray& array, int64_t begin,
                                                   int64_t end, int64_t count) {
    size_t width = array.field->width;
    auto size = static_cast<size_t>(end - begin + 1) * width;
    SIGNET_ASSIGN_OR_RETURN(Buffer out, Buffer::Allocate(size));
    std::pair<int64_t, int64_t> inside;
    if (begin == end) {
      std::memset(out.mutable_data(), 0, size);
    } else {
      VisitOffsets(array, [&](auto offset) {
        inside = {offset(begin), offset(end)};
        for (int64_t i = begin; i <= end; ++i) {
          auto moved = static_cast<uint64_t>(offset(i)) - static_cast<uint64_t>(inside.first);
          std::memcpy(out.mutable_data() + static_cast<size_t>(i - begin) * width, &moved, width);
        }
      });
    }
    auto [first, last] = inside;
    if (first < 0 || last < first || last > count) {
      return InvalidArgument("expected offsets within ", count, " elements, found ", first, " to ",
                             last);
    }
    out_.buffers.push_back(std::move(out));
    return inside;
  }

  ArrowBatch& out_;
};

}  // namespace

std::string ArrowMessage(arrow::HeaderType type, int64_t body_length,
                         const std::function<size_t(FlatWriter&)>& add_header) {
  using arrow::MessageTable;
  FlatWriter out;
  size_t message = out.AddTable({{MessageTable::kVersion, 2, arrow::kV5},
                                 {MessageTable::kHeaderType, 1, type},
                                 {MessageTable::kHeader, 4},
                                 {MessageTable::kBodyLength, 8, body_length}});
  out.Link(message, MessageTable::kHeader, add_header(out));
  std::string metadata = std::move(out).Finish();
  const uint32_t prefix[] = {arrow::kContinuation, static_cast<uint32_t>(metadata.size())};
  return std::string(reinterpret_cast<const char*>(prefix), sizeof(prefix)) + metadata;
}

std::vector<Buffer> ArrowBatchMessage(const ArrowBatch& batch) {
  using arrow::BatchTable;
  size_t body = 0;
  for (const Buffer& buffer : batch.buffers) body += buffer.size() + Padding(buffer.size());
  std::string message =
      ArrowMessage(arrow::kRecordBatchHeader, static_cast<int64_t>(body), [&](FlatWriter& out) {
        size_t table = out.AddTable({{BatchTable::kLength, 8, batch.rows},
                                     {BatchTable::kNodes, 4},
                                     {BatchTable::kBuffers, 4}});
        size_t nodes = out.AddVector(batch.nodes.size(), arrow::kPairSize);
        out.Link(table, BatchTable::kNodes, nodes);
        for (size_t i = 0; i < batch.nodes.size(); ++i) {
          out.SetInt64(nodes, 2 * i, batch.nodes[i].length);
          out.SetInt64(nodes, 2 * i + 1, batch.nodes[i].nulls);
        }
        size_t buffers = out.AddVector(batch.buffers.size(), arrow::kPairSize);
        out.Link(table, BatchTable::kBuffers, buffers);
        size_t at = 0;
        for (size_t i = 0; i < batch.buffers.size(); ++i) {
          size_t size = batch.buffers[i].size();
          out.SetInt64(buffers, 2 * i, static_cast<int64_t>(at));
          out.SetInt64(buffers, 2 * i + 1, static_cast<int64_t>(size));
          at += size + Padding(size);
        }
        return table;
      });
  std::vector<Buffer> pieces = {Buffer::Copy(message)};
  for (const Buffer& buffer : batch.buffers) {
    if (!buffer.empty()) pieces.push_back(buffer);
    if (Padding(buffer.size()) > 0) {
      pieces.push_back(
          Buffer::View(std::as_bytes(std::span(kZeros).first(Padding(buffer.size())))));
    }
  }
  return pieces;
}

StatusOr<ArrowBatch> SliceArrowBatch(const ArrowArray& rows, int64_t begin, int64_t end) {
  ArrowBatch out;
  out.rows = end - begin;
  for (const ArrowArray& column : rows.children) {
    Status status = Slicer(out).Add(column, begin, end);
    if (!status.ok()) return AtColumn(WithField(column.field->name, std::move(status)));
  }
  return out;
}

}  // namespace signet
