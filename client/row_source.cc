#include "client/row_source.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/formats/arrow.h"
#include "core/formats/arrow_metadata.h"
#include "core/formats/flatbuffer.h"

namespace signet {
namespace {

constexpr size_t kChunkBytes = size_t{4} << 20;
constexpr size_t kLargestRecord = size_t{1} << 30;  // bytes, and more than a server takes in a call

// What all files share: the stream, and how far it is read.
class FileSource : public RowSource {
 public:
  FileSource(std::string path, const RowSourceOptions& options)
      : path_(std::move(path)), options_(options) {}

  Status Open() {
    if (path_ == "-") return absl::OkStatus();
    file_.open(path_, std::ios::binary | std::ios::ate);
    if (!file_) return InvalidArgument("`", Printable(path_), "`: the file cannot be read");
    size_ = file_.tellg();
    file_.seekg(0);
    return absl::OkStatus();
  }

 protected:
  std::istream& in() { return path_ == "-" ? std::cin : file_; }
  const RowSourceOptions& options() const { return options_; }

  // Starts a chunk; false when the file is at its end and has had one.
  bool Begin(v1::Encoded& chunk, v1::Encoded::Format format) {
    chunk = {};
    chunk.set_format(format);
    if (is_begun_ && is_at_end_) return false;
    is_begun_ = true;
    chunk_rows_ = 0;
    return true;
  }
  void End() { is_at_end_ = true; }
  bool is_at_end() const { return is_at_end_; }
  void CountRows(int64_t rows) {
    rows_ += rows;
    chunk_rows_ += rows;
  }
  bool IsFull(size_t bytes) const { return chunk_rows_ >= options_.rows || bytes >= kChunkBytes; }

  // Appends the next `size` bytes to `out`; in steps, as the size is only claimed.
  Status Read(uint64_t size, std::string& out) {
    if (size > kLargestRecord) return TooLarge(size);
    while (size > 0) {
      size_t step = std::min<uint64_t>(size, size_t{1} << 20);
      size_t before = out.size();
      out.resize(before + step);
      in().read(out.data() + before, static_cast<std::streamsize>(step));
      bytes_ += in().gcount();
      if (static_cast<size_t>(in().gcount()) < step) {
        return Fault(Cat("ends within a message, of which ", size, " bytes were left"));
      }
      size -= step;
    }
    return absl::OkStatus();
  }
  Status TooLarge(uint64_t size) const {
    return Fault(Cat(size, " bytes or more in one piece; takes ", kLargestRecord));
  }
  Status Fault(std::string_view what) const {
    return InvalidArgument("`", Printable(path_), "`: byte ", bytes_, ": ", what);
  }

 private:
  const std::string path_;
  const RowSourceOptions options_;
  std::ifstream file_;
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
    if (in().peek() == std::istream::traits_type::eof()) End();
    return true;
  }

 private:
  // False at the end.
  StatusOr<bool> ReadLine() {
    line_.clear();
    while (true) {
      char part[4096];
      in().getline(part, sizeof(part));
      auto size = static_cast<size_t>(in().gcount());
      bool is_cut = in().fail() && size > 0;  // the line goes on
      bool has_end = !in().eof() && !is_cut;  // a byte that is counted and not there
      line_.append(part, size - (has_end && size > 0 ? 1 : 0));
      if (!is_cut) return size > 0 || !line_.empty();
      in().clear();
      if (line_.size() > kLargestRecord) return TooLarge(line_.size());
    }
  }

  std::string line_;
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
    chunk.mutable_data()->assign(std::istreambuf_iterator<char>(in()), {});
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
    if (in().peek() == std::istream::traits_type::eof()) End();
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
    return Fault("a length of more than 64 bits");
  }
};

// Copies whole messages: a chunk is a stream of its own, of the schema, the dictionaries so far and
// some record batches.
class ArrowSource : public FileSource {
 public:
  using FileSource::FileSource;

  StatusOr<bool> Next(v1::Encoded& chunk) override {
    if (!Begin(chunk, v1::Encoded::ARROW_IPC)) return false;
    std::string& out = *chunk.mutable_data();
    if (bytes_ == 0) SIGNET_RETURN_IF_ERROR(ReadFileParts());
    out = start_ + schema_;
    for (const Dictionary& dictionary : dictionaries_) out += dictionary.message;
    for (size_t start = out.size(); !is_at_end() && !IsFull(out.size() - start);) {
      SIGNET_ASSIGN_OR_RETURN(Message message, ReadMessage());
      if (message.bytes.empty()) break;
      out += message.bytes;
      if (message.type == arrow::kSchemaHeader) schema_ = std::move(message.bytes);
      if (message.type == arrow::kDictionaryBatchHeader) Keep(std::move(message));
    }
    if (is_at_end() && schema_.empty() && end_.empty()) return Fault("no Arrow stream or file");
    out += ArrowEnd();
    out += end_;
    return true;
  }

 private:
  struct Message {
    uint8_t type = 0;
    int64_t id = 0;  // of a dictionary
    bool is_delta = false;
    std::string bytes;  // empty: the end
  };
  struct Dictionary {
    int64_t id;
    std::string message;
  };

  StatusOr<Message> ReadMessage() {
    Message message;
    SIGNET_ASSIGN_OR_RETURN(uint32_t size, ReadSize());
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
    if (message.type == arrow::kRecordBatchHeader) {
      CountRows(header.Number<int64_t>(arrow::BatchTable::kLength, 0));
    } else if (message.type == arrow::kDictionaryBatchHeader) {
      message.id = header.Number<int64_t>(arrow::DictionaryBatchTable::kId, 0);
      message.is_delta = header.Number<uint8_t>(arrow::DictionaryBatchTable::kIsDelta, 0) != 0;
    }
    if (!source.ok() || body < 0) return Fault("no Arrow message");
    SIGNET_RETURN_IF_ERROR(Read(static_cast<uint64_t>(body), message.bytes));
    return message;
  }

  // A chunk of a file is a file, as its end may be the only place of the schema.
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

  // Of the next message's metadata; 0 at the end.
  StatusOr<uint32_t> ReadSize() {
    if (in().peek() == std::istream::traits_type::eof()) return 0;
    std::string bytes;
    SIGNET_RETURN_IF_ERROR(Read(8, bytes));
    uint32_t numbers[2];
    std::memcpy(numbers, bytes.data(), sizeof(numbers));
    if (numbers[0] != arrow::kContinuation)
      return Fault("no Arrow message of format 0.15 or later");
    return numbers[1];
  }

  // Later chunks need the dictionaries in force.
  void Keep(Message message) {
    if (!message.is_delta) {
      std::erase_if(dictionaries_, [&](const Dictionary& old) { return old.id == message.id; });
    }
    dictionaries_.push_back({message.id, std::move(message.bytes)});
  }

  std::string start_;  // of a file: what stands before and behind its stream
  std::string end_;
  std::string schema_;
  std::vector<Dictionary> dictionaries_;
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
  if (name.ends_with(".json")) return Open<JsonSource>(path, options);
  if (name.ends_with(".arrow") || name.ends_with(".arrows"))
    return Open<ArrowSource>(path, options);
  if (!name.ends_with(".pb")) {
    return InvalidArgument("`", Printable(path), "`: takes a file called .ndjson, .jsonl, .json, ",
                           ".arrow, .arrows or .pb, or -");
  }
  if (options.message_type.empty()) {
    return InvalidArgument("`", Printable(path), "`: messages need their type, --message_type");
  }
  return Open<MessageSource>(path, options);
}

}  // namespace signet
