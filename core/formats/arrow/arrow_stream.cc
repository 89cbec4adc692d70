#include "core/formats/arrow/arrow_stream.h"

#include <map>
#include <utility>

#include "core/base/checked_math.h"
#include "core/formats/arrow/arrow_metadata.h"

namespace signet {
namespace {

using Kind = ArrowField::Kind;
using arrow::BatchTable;
using arrow::MessageTable;

// The current dictionaries. In a file, an array of indices may come before its dictionary.
class Dictionaries {
 public:
  explicit Dictionaries(std::deque<ArrowDictionary>& all) : all_(all) {}

  ArrowDictionary& At(int64_t id) {
    ArrowDictionary*& dictionary = in_force_[id];
    if (dictionary == nullptr) dictionary = &all_.emplace_back();
    return *dictionary;
  }
  // Later indices refer to these values, which are appended to the current ones if `is_delta` is
  // true.
  void Add(int64_t id, ArrowArray values, bool is_delta) {
    if (!is_delta && !At(id).parts.empty()) in_force_.erase(id);
    ArrowDictionary& dictionary = At(id);
    int64_t before = dictionary.ends.empty() ? 0 : dictionary.ends.back();
    dictionary.ends.push_back(before + values.length);
    dictionary.parts.push_back(std::move(values));
  }

 private:
  std::deque<ArrowDictionary>& all_;
  std::map<int64_t, ArrowDictionary*> in_force_;
};

// Consumes the nodes and buffers of a batch in order, along the schema.
class BatchReader {
 public:
  BatchReader(const FlatTable& batch, const Buffer& body, int version, Dictionaries& dictionaries,
              Allowance& allowance)
      : nodes_(batch.Vector(BatchTable::kNodes, arrow::kPairSize)),
        buffers_(batch.Vector(BatchTable::kBuffers, arrow::kPairSize)),
        further_(batch.Vector(BatchTable::kFurtherCounts, sizeof(int64_t))),
        body_(body),
        version_(version),
        dictionaries_(dictionaries),
        allowance_(allowance) {}

  // Reads the next array. For a column of indices, reads the indices, or the values of a dictionary
  // if `as_values` is true.
  StatusOr<ArrowArray> Read(const ArrowField& field, int64_t least_length, bool as_values = false) {
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(sizeof(ArrowArray)));
    if (next_node_ == nodes_.size()) return InvalidArgument("the batch has too few columns");
    ArrowArray out;
    out.field = &field;
    out.length = nodes_.Number<int64_t>(next_node_, 0);
    auto nulls = nodes_.Number<int64_t>(next_node_, sizeof(int64_t));
    ++next_node_;
    if (out.length < least_length) {
      return InvalidArgument("expected at least ", least_length, " elements, found ", out.length);
    }
    SIGNET_RETURN_IF_ERROR(allowance_.CheckElements(out.length));
    if (field.index && !as_values) {
      SIGNET_RETURN_IF_ERROR(ReadValidity(out, nulls));
      SIGNET_RETURN_IF_ERROR(ReadData(out, field.index->width));
      out.dictionary = &dictionaries_.At(field.index->id);
      return out;
    }
    SIGNET_RETURN_IF_ERROR(ReadBuffers(out, nulls));
    SIGNET_ASSIGN_OR_RETURN(int64_t child_length, ChildLength(out));
    for (const ArrowField& child : field.children) {
      auto array = Read(child, child_length);
      if (!array.ok()) return WithField(child.name, std::move(array).status());
      out.children.push_back(*std::move(array));
    }
    return out;
  }

 private:
  // Returns the minimum number of elements of each child, as far as it is known without offsets.
  static StatusOr<int64_t> ChildLength(const ArrowArray& array) {
    if (array.field->kind == Kind::kStruct) return array.length;
    if (array.field->kind != Kind::kFixedList) return 0;
    auto length = CheckedMultiply(array.length, array.field->size);
    if (!length) return InvalidArgument("more elements than an int64 counts");
    return *length;
  }

  Status ReadBuffers(ArrowArray& out, int64_t nulls) {
    const ArrowField& field = *out.field;
    if (field.kind == Kind::kOther) {
      int count = field.num_buffers;
      if (field.type_name == "Union" && version_ == arrow::kV4) ++count;
      if (field.has_further_buffers) {
        auto further = further_.Number<int64_t>(next_further_++);
        if (further < 0 || static_cast<uint64_t>(further) > buffers_.size()) {
          return InvalidArgument("expected 0 to ", buffers_.size(), " further buffers, found ",
                                 further);
        }
        count += static_cast<int>(further);
      }
      for (int i = 0; i < count; ++i) SIGNET_RETURN_IF_ERROR(TakeBuffer().status());
      return absl::OkStatus();
    }
    if (field.kind == Kind::kNull) return absl::OkStatus();
    SIGNET_RETURN_IF_ERROR(ReadValidity(out, nulls));
    switch (field.kind) {
      case Kind::kBool: {
        SIGNET_ASSIGN_OR_RETURN(out.data, TakeBuffer());
        return CheckSize(out.data, (out.length + 7) / 8);
      }
      case Kind::kNumber:
        return ReadData(out, SizeOf(field.dtype));
      case Kind::kText: {
        if (field.width == 0) return ReadData(out, static_cast<size_t>(field.size));
        SIGNET_RETURN_IF_ERROR(ReadOffsets(out));
        SIGNET_ASSIGN_OR_RETURN(out.data, TakeBuffer());
        return absl::OkStatus();
      }
      case Kind::kList:
        return ReadOffsets(out);
      default:
        return absl::OkStatus();
    }
  }

  Status ReadValidity(ArrowArray& out, int64_t nulls) {
    SIGNET_ASSIGN_OR_RETURN(Buffer bits, TakeBuffer());
    // negative: not counted
    if (nulls == 0 || (nulls < 0 && bits.empty())) return absl::OkStatus();
    SIGNET_RETURN_IF_ERROR(CheckSize(bits, (out.length + 7) / 8));
    out.has_nulls = true;
    out.validity = std::move(bits);
    return absl::OkStatus();
  }

  // Older writers omit the offsets if there are no elements.
  Status ReadOffsets(ArrowArray& out) {
    SIGNET_ASSIGN_OR_RETURN(out.offsets, TakeBuffer());
    if (out.length == 0) return absl::OkStatus();
    return CheckSize(out.offsets, (out.length + 1) * static_cast<int64_t>(out.field->width));
  }

  Status ReadData(ArrowArray& out, size_t width) {
    SIGNET_ASSIGN_OR_RETURN(out.data, TakeBuffer());
    auto size = CheckedMultiply(out.length, static_cast<int64_t>(width));
    if (!size) return InvalidArgument("more bytes than an int64 counts");
    return CheckSize(out.data, *size);
  }

  static Status CheckSize(const Buffer& buffer, int64_t least) {
    if (static_cast<int64_t>(buffer.size()) >= least) return absl::OkStatus();
    return InvalidArgument("expected a buffer of at least ", least, " bytes, found ",
                           buffer.size());
  }

  StatusOr<Buffer> TakeBuffer() {
    if (next_buffer_ == buffers_.size()) return InvalidArgument("the batch has too few buffers");
    auto offset = buffers_.Number<int64_t>(next_buffer_, 0);
    auto length = buffers_.Number<int64_t>(next_buffer_, sizeof(int64_t));
    ++next_buffer_;
    auto size = static_cast<int64_t>(body_.size());
    if (offset < 0 || length < 0 || offset > size || length > size - offset) {
      return InvalidArgument("expected a buffer within the ", size, " bytes of the body, found ",
                             length, " bytes from byte ", offset, " on");
    }
    if (length > 0) {
      if (offset < taken_) {
        return InvalidArgument("expected a buffer after byte ", taken_,
                               ", where the previous buffer ends, found one at byte ", offset);
      }
      taken_ = offset + length;
    }
    return body_.Slice(static_cast<size_t>(offset), static_cast<size_t>(length));
  }

  FlatVector nodes_;
  FlatVector buffers_;
  FlatVector further_;
  const Buffer& body_;
  const int version_;
  Dictionaries& dictionaries_;
  Allowance& allowance_;
  size_t next_node_ = 0;
  size_t next_buffer_ = 0;  // buffers follow one another
  size_t next_further_ = 0;
  int64_t taken_ = 0;  // bytes of the body
};

Status CheckUncompressed(const FlatTable& batch) {
  FlatTable compression = batch.Table(BatchTable::kCompression);
  if (!compression) return absl::OkStatus();
  bool is_zstd = compression.Number<int8_t>(0, 0) == 1;
  return Unimplemented("expected uncompressed buffers, found ", is_zstd ? "ZSTD" : "LZ4",
                       " compression");
}

}  // namespace

class ArrowStream::Reader {
 public:
  Reader(const Buffer& bytes, const Limits& limits) : bytes_(bytes), allowance_(limits) {}

  StatusOr<ArrowStream> Read(const Buffer& more) {
    SIGNET_RETURN_IF_ERROR(ReadWhole());
    if (!more.empty()) {
      bytes_ = more;
      at_ = 0;
      SIGNET_RETURN_IF_ERROR(ReadMessages());
    }
    return std::move(out_);
  }

 private:
  Status ReadWhole() {
    bool is_file = bytes_.text().starts_with(arrow::kFileMagic);
    if (is_file) {
      at_ = arrow::kFileMagic.size();
      Status status = ReadFooter();
      if (!status.ok()) return At("the footer", std::move(status));
    }
    SIGNET_RETURN_IF_ERROR(ReadMessages());
    if (!out_.rows_) return InvalidArgument("the Arrow stream has no schema");
    if (!is_file && at_ < bytes_.size()) {  // in a file, a table of contents follows
      return InvalidArgument("byte ", at_, ": unexpected bytes after the end of the stream");
    }
    return absl::OkStatus();
  }

  Status ReadMessages() {
    for (bool more = true; more;) {
      size_t start = at_;
      auto read = ReadMessage();
      if (!read.ok()) {
        return At(Cat("message ", number_, ", at byte ", start), std::move(read).status());
      }
      more = *read;
      ++number_;
    }
    return absl::OkStatus();
  }

  // Reads the schema of a file from its end, because some writers do not write it at the start.
  Status ReadFooter() {
    std::string_view text = bytes_.text();
    size_t room = text.size() - at_;
    if (room < arrow::kFileEnd || !text.ends_with(arrow::kFileMagic.substr(0, 6))) {
      return absl::OkStatus();  // truncated
    }
    uint32_t size;
    std::memcpy(&size, text.data() + text.size() - arrow::kFileEnd, sizeof(size));
    if (size > room - arrow::kFileEnd) {
      return InvalidArgument("expected ", size, " bytes, found ", room - arrow::kFileEnd);
    }
    size_t start = text.size() - arrow::kFileEnd - size;
    Buffer footer = bytes_.Slice(start, size);
    FlatSource source(footer.bytes());
    Status status = ReadSchema(source.Root().Table(arrow::FooterTable::kSchema));
    if (!source.ok()) return InvalidArgument("metadata that leads out of its ", size, " bytes");
    bytes_ = bytes_.Slice(0, start);
    has_footer_ = true;
    return status;
  }

  // Returns false at the end.
  StatusOr<bool> ReadMessage() {
    if (at_ == bytes_.size()) return false;
    SIGNET_ASSIGN_OR_RETURN(uint32_t size, TakeNumber());
    // Streams before 0.15 start with the size.
    if (size == arrow::kContinuation) {
      SIGNET_ASSIGN_OR_RETURN(size, TakeNumber());
    }
    if (size == 0) return false;
    SIGNET_ASSIGN_OR_RETURN(Buffer metadata, Take(size));
    FlatSource source(metadata.bytes());
    FlatTable message = source.Root();
    auto body_length = message.Number<int64_t>(MessageTable::kBodyLength, 0);
    if (!source.ok() || body_length < 0)
      return InvalidArgument("expected an Arrow message, found bytes that do not parse");
    SIGNET_ASSIGN_OR_RETURN(Buffer body, Take(static_cast<uint64_t>(body_length)));
    Status status = ReadHeader(message, body);
    if (!source.ok()) return InvalidArgument("metadata that leads out of its ", size, " bytes");
    SIGNET_RETURN_IF_ERROR(status);
    return true;
  }

  StatusOr<uint32_t> TakeNumber() {
    SIGNET_ASSIGN_OR_RETURN(Buffer bytes, Take(sizeof(uint32_t)));
    uint32_t number;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }

  StatusOr<Buffer> Take(uint64_t size) {
    size_t left = bytes_.size() - at_;
    if (size > left) return InvalidArgument("expected ", size, " bytes, found ", left);
    at_ += size;
    return bytes_.Slice(at_ - size, size);
  }

  Status ReadHeader(const FlatTable& message, const Buffer& body) {
    version_ = message.Number<int16_t>(MessageTable::kVersion, 0);
    if (version_ < arrow::kV4) {
      return InvalidArgument("expected metadata version V4 or later, found V", version_ + 1);
    }
    auto type = message.Number<uint8_t>(MessageTable::kHeaderType, 0);
    FlatTable header = message.Table(MessageTable::kHeader);
    if (type == arrow::kSchemaHeader) {
      // the schema is known already
      if (std::exchange(has_footer_, false)) return absl::OkStatus();
      if (out_.rows_) return InvalidArgument("expected one schema, found a second one");
      return ReadSchema(header);
    }
    if (!out_.rows_) return InvalidArgument("expected a schema before the first batch");
    if (type == arrow::kDictionaryBatchHeader) return ReadDictionary(header, body);
    if (type == arrow::kRecordBatchHeader) return ReadBatch(header, body);
    return InvalidArgument("expected a message header of a schema or a batch, found type ", type);
  }

  Status ReadSchema(const FlatTable& schema) {
    SIGNET_ASSIGN_OR_RETURN(ArrowField rows, ReadArrowSchema(schema, allowance_));
    out_.rows_ = std::make_unique<const ArrowField>(std::move(rows));
    CollectDictionaries(*out_.rows_);
    return absl::OkStatus();
  }

  void CollectDictionaries(const ArrowField& field) {
    if (field.index) values_.emplace(field.index->id, &field);
    for (const ArrowField& child : field.children) CollectDictionaries(child);
  }

  Status ReadBatch(const FlatTable& batch, const Buffer& body) {
    SIGNET_RETURN_IF_ERROR(CheckUncompressed(batch));
    BatchReader reader(batch, body, version_, dictionaries_, allowance_);
    ArrowArray rows;
    rows.field = out_.rows_.get();
    rows.length = batch.Number<int64_t>(BatchTable::kLength, 0);
    if (rows.length < 0) return InvalidArgument("expected at least 0 rows, found ", rows.length);
    SIGNET_RETURN_IF_ERROR(allowance_.CheckElements(rows.length));
    for (const ArrowField& column : rows.field->children) {
      auto array = reader.Read(column, rows.length);
      if (!array.ok()) return AtColumn(WithField(column.name, std::move(array).status()));
      rows.children.push_back(*std::move(array));
    }
    out_.batches_.push_back(std::move(rows));
    return absl::OkStatus();
  }

  Status ReadDictionary(const FlatTable& header, const Buffer& body) {
    auto id = header.Number<int64_t>(arrow::DictionaryBatchTable::kId, 0);
    auto field = values_.find(id);
    if (field == values_.end()) return InvalidArgument("no column uses dictionary ", id);
    FlatTable batch = header.Table(arrow::DictionaryBatchTable::kData);
    SIGNET_RETURN_IF_ERROR(CheckUncompressed(batch));
    BatchReader reader(batch, body, version_, dictionaries_, allowance_);
    auto array = reader.Read(*field->second, 0, /*as_values=*/true);
    if (!array.ok()) {
      return AtColumn(WithField(field->second->name, std::move(array).status()));
    }
    dictionaries_.Add(id, *std::move(array),
                      header.Number<uint8_t>(arrow::DictionaryBatchTable::kIsDelta, 0) != 0);
    return absl::OkStatus();
  }

  Buffer bytes_;  // up to the footer
  Allowance allowance_;
  bool has_footer_ = false;  // and no schema was read since
  size_t at_ = 0;
  size_t number_ = 0;  // of the current message
  int version_ = 0;
  std::map<int64_t, const ArrowField*> values_;  // by dictionary
  ArrowStream out_;
  Dictionaries dictionaries_{out_.dictionaries_};
};

StatusOr<ArrowStream> ArrowStream::Read(const Buffer& bytes, const Limits& limits,
                                        const Buffer& more) {
  return Reader(bytes, limits).Read(more);
}

}  // namespace signet
