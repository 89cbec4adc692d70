#include "client/cli/row_source.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "client/cli/csv.h"
#include "client/cli/input_file.h"
#include "core/formats/arrow/arrow.h"
#include "core/formats/arrow/arrow_batch.h"
#include "core/formats/arrow/flatbuffer.h"
#include "core/formats/common/mapped_file.h"

namespace signet {
namespace {

constexpr size_t kChunkBytes = size_t{4} << 20;
constexpr size_t kLargestRecord = size_t{1} << 30;  // bytes; more than a server accepts by default

// The base of all sources: the stream, and the position in it.
class FileSource : public RowSource {
 public:
  FileSource(std::string path, const RowSourceOptions& options)
      : path_(std::move(path)), options_(options) {}

  Status Open() {
    SIGNET_ASSIGN_OR_RETURN(file_, InputFile::Open(path_));
    size_ = file_.size();
    return absl::OkStatus();
  }

 protected:
  const std::string& path() const { return path_; }
  InputFile& file() { return file_; }
  std::istream& in() { return file_.stream(); }
  const RowSourceOptions& options() const { return options_; }

  // Starts a chunk. Returns false if the file is at its end and had a chunk before.
  bool Begin(v1::Encoded& chunk, v1::Encoded::Format format) {
    chunk = {};
    chunk.set_format(format);
    if (is_begun_ && is_at_end_) return false;
    is_begun_ = true;
    chunk_rows_ = 0;
    return true;
  }
  void End() { is_at_end_ = true; }
  // Ends the chunks if the file is at its end.
  Status EndWithFile() {
    if (in().peek() == std::istream::traits_type::eof()) End();
    return in().bad() ? Fault("cannot read the rest of the file") : absl::OkStatus();
  }
  bool is_at_end() const { return is_at_end_; }
  void CountRows(int64_t rows) {
    rows_ += rows;
    chunk_rows_ += rows;
  }
  bool IsFull(size_t bytes) const { return chunk_rows_ >= options_.rows || bytes >= kChunkBytes; }

  // Appends the next `size` bytes to `out`, in steps, because `size` may exceed the file.
  Status Read(uint64_t size, std::string& out) {
    if (size > kLargestRecord) return TooLarge(size);
    while (size > 0) {
      size_t step = std::min<uint64_t>(size, size_t{1} << 20);
      size_t before = out.size();
      out.resize(before + step);
      in().read(out.data() + before, static_cast<std::streamsize>(step));
      bytes_ += in().gcount();
      if (static_cast<size_t>(in().gcount()) < step) {
        return Fault(Cat("expected ", size, " more bytes of a message, found the end of the file"));
      }
      size -= step;
    }
    return absl::OkStatus();
  }
  Status TooLarge(uint64_t size) const {
    return Fault(Cat("at least ", size, " bytes exceed the limit of ", kLargestRecord));
  }
  Status Fault(std::string_view what) const {
    return InvalidArgument("`", Printable(path_), "`: byte ", bytes_, ": ", what);
  }

 private:
  const std::string path_;
  const RowSourceOptions options_;
  InputFile file_;
  int64_t chunk_rows_ = 0;
  bool is_begun_ = false;
  bool is_at_end_ = false;
};

class JsonLinesSource : public FileSource {
 public:
  using FileSource::FileSource;

  StatusOr<bool> Next(v1::Encoded& chunk) override {
    if (!Begin(chunk, v1::Encoded::JSON_LINES)) return false;
    std::string& text = *chunk.mutable_data();
    while (!IsFull(text.size())) {
      SIGNET_ASSIGN_OR_RETURN(bool more, ReadLine());
      if (!more) {
        End();
        break;
      }
      bytes_ += static_cast<int64_t>(line_.size()) + 1;
      if (line_.find_first_not_of(" \t\r") == std::string::npos) continue;
      text += line_;
      text += '\n';
      CountRows(1);
    }
    SIGNET_RETURN_IF_ERROR(EndWithFile());
    return true;
  }

 private:
  // Reads the next line. Returns false at the end of the file.
  StatusOr<bool> ReadLine() {
    line_.clear();
    while (true) {
      char part[4096];
      in().getline(part, sizeof(part));
      auto size = static_cast<size_t>(in().gcount());
      bool is_cut = in().fail() && size > 0;  // the line continues
      bool has_end = !in().eof() && !is_cut;  // the line break was counted but not stored
      line_.append(part, size - (has_end && size > 0 ? 1 : 0));
      if (!is_cut) return size > 0 || !line_.empty();
      in().clear();
      if (line_.size() > kLargestRecord) return TooLarge(line_.size());
    }
  }

  std::string line_;
};

// Sends each row as a JSON record.
class CsvSource : public FileSource {
 public:
  using FileSource::FileSource;

  void SetType(const TypeSpec& rows, const FieldNames& names) override {
    type_ = rows;
    names_ = names;
  }
  StatusOr<bool> Next(v1::Encoded& chunk) override {
    if (!Begin(chunk, v1::Encoded::JSON_LINES)) return false;
    std::string& text = *chunk.mutable_data();
    while (!IsFull(text.size())) {
      if (parsed_.empty() && !is_parsed_) {
        SIGNET_RETURN_IF_ERROR(ParseMore());
        continue;
      }
      if (parsed_.empty()) break;
      SIGNET_RETURN_IF_ERROR(TakeRow(text));
    }
    if (parsed_.empty() && is_parsed_) End();
    return true;
  }

 private:
  static constexpr size_t kStep = size_t{64} << 10;

  Status ParseMore() {
    std::string bytes(kStep, '\0');
    in().read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(in().gcount()));
    if (in().bad()) return Fault("cannot read the rest of the file");
    // Some programs write a byte order mark before UTF-8 text. It is not part of the first name.
    if (bytes_ == 0 && bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
    bytes_ += in().gcount();
    Status status = parser_.Parse(bytes, parsed_);
    if (status.ok() && in().eof()) {
      is_parsed_ = true;
      status = parser_.Finish(parsed_);
    }
    if (!status.ok()) return RowFault(static_cast<int64_t>(parsed_.size()), status);
    return parser_.pending_bytes() > kLargestRecord ? TooLarge(kLargestRecord) : absl::OkStatus();
  }

  Status TakeRow(std::string& text) {
    CsvRow row = std::move(parsed_.front());
    parsed_.pop_front();
    if (columns_.empty()) {
      for (auto& cell : row) {
        if (Status checked = CheckCsvText(cell); !checked.ok()) return RowFault(0, checked);
        std::string column = std::move(cell).value_or("");
        auto field = names_.find(column);
        columns_.push_back(field == names_.end() ? std::move(column) : field->second);
      }
      return absl::OkStatus();
    }
    auto record = JsonFromCsvRow(row, columns_, type_);
    if (!record.ok()) return RowFault(0, record.status());
    text += *record;
    text += '\n';
    CountRows(1);
    return absl::OkStatus();
  }

  // Returns the error of a row. `ahead` is the number of parsed rows before it that are not used
  // yet.
  Status RowFault(int64_t ahead, const Status& status) const {
    bool in_header = columns_.empty() && ahead == 0;
    int64_t row = rows() + ahead + (columns_.empty() ? 0 : 1);
    return At(Cat("`", Printable(path()), "`: ", in_header ? "header" : Cat("row ", row)), status);
  }

  TypeSpec type_;
  FieldNames names_;
  CsvParser parser_;
  std::deque<CsvRow> parsed_;  // rows that are not used yet
  bool is_parsed_ = false;     // the whole file is parsed
  std::vector<std::string> columns_;
};

class JsonSource : public FileSource {
 public:
  using FileSource::FileSource;

  bool is_whole() const override { return true; }
  StatusOr<bool> Next(v1::Encoded& chunk) override {
    if (!Begin(chunk, v1::Encoded::JSON)) return false;
    if (size() > static_cast<int64_t>(kLargestRecord)) {
      return TooLarge(static_cast<uint64_t>(size()));
    }
    auto text = file().ReadAll(kLargestRecord);
    if (!text.ok()) return Fault(MessageOf(text.status()));
    chunk.set_data(*std::move(text));
    bytes_ = static_cast<int64_t>(chunk.data().size());
    End();
    return true;
  }
};

class MessageSource : public FileSource {
 public:
  using FileSource::FileSource;

  StatusOr<bool> Next(v1::Encoded& chunk) override {
    if (!Begin(chunk, v1::Encoded::PROTOBUF)) return false;
    chunk.set_message_type(options().message_type);
    size_t bytes = 0;
    while (!IsFull(bytes) && in().peek() != std::istream::traits_type::eof()) {
      SIGNET_ASSIGN_OR_RETURN(uint64_t size, ReadVarint());
      SIGNET_RETURN_IF_ERROR(Read(size, *chunk.add_rows()));
      bytes += size;
      CountRows(1);
    }
    SIGNET_RETURN_IF_ERROR(EndWithFile());
    return true;
  }

 private:
  StatusOr<uint64_t> ReadVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      std::string byte;
      SIGNET_RETURN_IF_ERROR(Read(1, byte));
      auto bits = static_cast<unsigned char>(byte[0]);
      value |= static_cast<uint64_t>(bits & 0x7f) << shift;
      if (bits < 0x80) return value;
    }
    return Fault("expected a varint of at most 64 bits, found a longer one");
  }
};

// Copies whole messages. Each chunk is a complete stream: the schema, the dictionaries so far, and
// some record batches.
class ArrowSource : public FileSource {
 public:
  using FileSource::FileSource;

  StatusOr<bool> Next(v1::Encoded& chunk) override {
    if (!Begin(chunk, v1::Encoded::ARROW_IPC)) return false;
    std::string& out = *chunk.mutable_data();
    if (size_ < 0) return Fault("expected a regular file for Arrow, found a pipe or a device");
    if (bytes_ == 0) SIGNET_RETURN_IF_ERROR(ReadFileParts());
    out = start_ + schema_;
    for (const Dictionary& dictionary : dictionaries_) out += dictionary.message;
    for (size_t start = out.size(); !is_at_end() && !IsFull(out.size() - start);) {
      if (parts_) {
        SIGNET_RETURN_IF_ERROR(AddPart(out));
        continue;
      }
      SIGNET_ASSIGN_OR_RETURN(Message message, ReadMessage());
      out += message.bytes;
      if (message.type == arrow::kSchemaHeader) schema_ = std::move(message.bytes);
      if (message.type == arrow::kDictionaryBatchHeader) Keep(std::move(message));
    }
    if (!is_at_end() && !parts_) {
      SIGNET_ASSIGN_OR_RETURN(next_size_, ReadSize());
      if (next_size_ == 0) End();
    }
    if (is_at_end() && schema_.empty() && end_.empty())
      return Fault("expected an Arrow stream or file, found other bytes");
    out += ArrowEnd();
    out += end_;
    return true;
  }

 private:
  struct Message {
    uint8_t type = 0;
    int64_t id = 0;  // for a dictionary
    bool is_delta = false;
    std::string bytes;  // empty at the end, and for a batch that is split
  };
  struct Dictionary {
    int64_t id;
    std::string message;
  };
  // A batch that is too large for one chunk.
  struct Parts {
    std::shared_ptr<const MappedFile> file;
    ArrowStream stream;
    int64_t rows = 0;       // number of rows per part
    int64_t next = 0;       // first row of the next part
    int64_t row_bytes = 0;  // approximate size of a row
    int64_t end = 0;        // position in the file after the batch

    const ArrowArray& batch() const { return stream.batches()[0]; }
  };

  StatusOr<Message> ReadMessage() {
    Message message;
    if (!next_size_) {
      SIGNET_ASSIGN_OR_RETURN(next_size_, ReadSize());
    }
    uint32_t size = *std::exchange(next_size_, std::nullopt);
    if (size == 0) {
      End();
      return message;
    }
    const uint32_t prefix[] = {arrow::kContinuation, size};
    message.bytes.assign(reinterpret_cast<const char*>(prefix), sizeof(prefix));
    SIGNET_RETURN_IF_ERROR(Read(size, message.bytes));
    FlatSource source(std::as_bytes(std::span(message.bytes)).subspan(sizeof(prefix)));
    FlatTable table = source.Root();
    FlatTable header = table.Table(arrow::MessageTable::kHeader);
    auto body = table.Number<int64_t>(arrow::MessageTable::kBodyLength, 0);
    message.type = table.Number<uint8_t>(arrow::MessageTable::kHeaderType, 0);
    if (source.ok() && message.type == arrow::kRecordBatchHeader) {
      auto rows = header.Number<int64_t>(arrow::BatchTable::kLength, 0);
      if (body > static_cast<int64_t>(kChunkBytes) && BeginParts(message.bytes, body)) {
        message.bytes.clear();
        return message;
      }
      CountRows(rows);
    } else if (message.type == arrow::kDictionaryBatchHeader) {
      message.id = header.Number<int64_t>(arrow::DictionaryBatchTable::kId, 0);
      message.is_delta = header.Number<uint8_t>(arrow::DictionaryBatchTable::kIsDelta, 0) != 0;
    }
    if (!source.ok() || body < 0) return Fault("expected an Arrow message, found other bytes");
    SIGNET_RETURN_IF_ERROR(Read(static_cast<uint64_t>(body), message.bytes));
    return message;
  }

  // Begins to split the batch whose body is next and whose message begins with `metadata`. Returns
  // false if it cannot be split; it is then sent as a whole.
  bool BeginParts(const std::string& metadata, int64_t body) {
    auto file = MappedFile::Map(path());
    int64_t start = bytes_ - static_cast<int64_t>(metadata.size());
    if (!file.ok() || body > static_cast<int64_t>((*file)->bytes().size()) - bytes_) return false;
    Limits limits;  // the file is the user's own, so no limit applies
    limits.tensor_elements = int64_t{1} << 48;
    limits.expanded_bytes = limits.message_bytes = INT64_MAX;
    limits.names = INT32_MAX;
    auto bytes = (*file)->bytes().subspan(static_cast<size_t>(start),
                                          metadata.size() + static_cast<size_t>(body));
    auto stream = ArrowStream::Read(Buffer::Copy(start_ + schema_ + std::string(ArrowEnd()) + end_),
                                    limits, Buffer::Borrow(bytes, *file));
    if (!stream.ok() || stream->batches().size() != 1) return false;
    int64_t rows = stream->batches()[0].length;
    if (rows < 2 || !SliceArrowBatch(stream->batches()[0], 0, 0).ok()) return false;
    int64_t row_bytes = std::max(body / rows, int64_t{1});
    int64_t part =
        std::clamp(static_cast<int64_t>(kChunkBytes) / row_bytes, int64_t{1}, options().rows);
    parts_.emplace(Parts{*std::move(file), *std::move(stream), part, 0, row_bytes, bytes_ + body});
    in().seekg(parts_->end);
    return true;
  }

  Status AddPart(std::string& out) {
    Parts& parts = *parts_;
    int64_t rows = std::min(parts.rows, parts.batch().length - parts.next);
    auto batch = SliceArrowBatch(parts.batch(), parts.next, parts.next + rows);
    if (!batch.ok()) return Fault(MessageOf(batch.status()));
    for (const Buffer& piece : ArrowBatchMessage(*batch)) out += piece.text();
    parts.file->Release();
    CountRows(rows);
    parts.next += rows;
    bytes_ = std::min(bytes_ + rows * parts.row_bytes, parts.end);
    if (parts.next < parts.batch().length) return absl::OkStatus();
    bytes_ = parts.end;
    parts_.reset();
    return absl::OkStatus();
  }

  // Reads the beginning and the end of an Arrow file. Each chunk of a file is a file, because the
  // schema may be only at the end.
  Status ReadFileParts() {
    const std::string magic(arrow::kFileMagic);
    std::string start(magic.size(), '\0');
    in().read(start.data(), static_cast<std::streamsize>(start.size()));
    in().clear();
    if (start != magic) {
      in().seekg(0);
      return absl::OkStatus();
    }
    bytes_ = static_cast<int64_t>(magic.size());
    auto least = static_cast<int64_t>(magic.size() + arrow::kFileEnd);
    if (size_ < least) return absl::OkStatus();
    std::string end(arrow::kFileEnd, '\0');
    in().seekg(size_ - static_cast<int64_t>(end.size()));
    in().read(end.data(), static_cast<std::streamsize>(end.size()));
    uint32_t footer;
    std::memcpy(&footer, end.data(), sizeof(footer));
    if (end.ends_with(magic.substr(0, 6)) && footer <= size_ - least) {
      start_ = magic;
      end_.resize(footer + end.size());
      in().seekg(size_ - static_cast<int64_t>(end_.size()));
      in().read(end_.data(), static_cast<std::streamsize>(end_.size()));
    }
    in().clear();
    in().seekg(bytes_);
    return absl::OkStatus();
  }

  // Reads the size of the metadata of the next message; 0 at the end.
  StatusOr<uint32_t> ReadSize() {
    if (in().peek() == std::istream::traits_type::eof()) return 0;
    std::string bytes;
    SIGNET_RETURN_IF_ERROR(Read(8, bytes));
    uint32_t numbers[2];
    std::memcpy(numbers, bytes.data(), sizeof(numbers));
    if (numbers[0] != arrow::kContinuation)
      return Fault("expected an Arrow message of format 0.15 or later, found other bytes");
    return numbers[1];
  }

  // Keeps a dictionary for later chunks.
  void Keep(Message message) {
    if (!message.is_delta) {
      std::erase_if(dictionaries_, [&](const Dictionary& old) { return old.id == message.id; });
    }
    dictionaries_.push_back({message.id, std::move(message.bytes)});
  }

  std::string start_;  // of an Arrow file: the bytes before its stream
  std::string end_;    // of an Arrow file: the bytes after its stream
  std::string schema_;
  std::vector<Dictionary> dictionaries_;
  std::optional<uint32_t> next_size_;  // size of the next metadata, if it was read already
  std::optional<Parts> parts_;
};

template <class Source>
StatusOr<std::unique_ptr<RowSource>> Open(const std::string& path,
                                          const RowSourceOptions& options) {
  auto source = std::make_unique<Source>(path, options);
  SIGNET_RETURN_IF_ERROR(source->Open());
  return source;
}

}  // namespace

StatusOr<std::unique_ptr<RowSource>> OpenRowSource(const std::string& path,
                                                   const RowSourceOptions& options) {
  std::string_view name = path;
  if (path == "-" || name.ends_with(".ndjson") || name.ends_with(".jsonl")) {
    return Open<JsonLinesSource>(path, options);
  }
  if (name.ends_with(".csv")) return Open<CsvSource>(path, options);
  if (name.ends_with(".json")) return Open<JsonSource>(path, options);
  if (name.ends_with(".arrow") || name.ends_with(".arrows"))
    return Open<ArrowSource>(path, options);
  if (!name.ends_with(".pb")) {
    return InvalidArgument("`", Printable(path), "`: expected a file name that ends in .ndjson, ",
                           ".jsonl, .csv, .json, .arrow, .arrows, or .pb; `-` is standard input");
  }
  if (options.message_type.empty()) {
    return InvalidArgument("`", Printable(path),
                           "`: expected the type of the messages, --message_type");
  }
  return Open<MessageSource>(path, options);
}

}  // namespace signet
