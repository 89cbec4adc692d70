#include "client/cli/row_sink.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "client/cli/csv.h"
#include "client/cli/table.h"
#include "core/formats/arrow/arrow.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

class FileSink : public RowSink {
 public:
  FileSink(std::string path, v1::Encoded::Format format) : path_(std::move(path)) {
    format_.set_format(format);
  }

  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override {
    std::error_code ignored;
    if (!part_.empty() && !has_bytes_) fs::remove(part_, ignored);
  }

  v1::ResultFormat format() const override { return format_; }
  Status Open() {
    if (path_ == "-") return absl::OkStatus();
    std::error_code is_new, ignored;
    whole_ = fs::canonical(path_, is_new);
    if (is_new) whole_ = path_;
    if (is_new || fs::is_regular_file(whole_, ignored)) part_ = whole_.string() + ".part";
    bool may_write = is_new || access(whole_.c_str(), W_OK) == 0;
    errno = may_write ? 0 : EACCES;
    if (may_write) file_.open(part_.empty() ? whole_ : part_, std::ios::binary | std::ios::trunc);
    if (file_.is_open()) return absl::OkStatus();
    part_.clear();
    return OpenError(errno);
  }
  Status Write(const v1::Encoded& result) override { return Put(result.data()); }
  Status Finish() final {
    SIGNET_RETURN_IF_ERROR(Put(End()));
    if (path_ == "-") return absl::OkStatus();
    file_.close();
    if (!file_) return FailWrite();
    if (part_.empty()) return absl::OkStatus();
    std::error_code fault;
    fs::file_status before = fs::status(whole_, fault);
    if (fs::exists(before)) fs::permissions(part_, before.permissions(), fault);
    fs::rename(part_, whole_, fault);
    if (fault) return OpenError(fault.value());
    part_.clear();
    return absl::OkStatus();
  }

 protected:
  v1::ResultFormat format_;

  // The text that follows the last result.
  virtual std::string End() { return ""; }
  Status Put(std::string_view bytes) {
    std::ostream& out = path_ == "-" ? std::cout : file_;
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    has_bytes_ = has_bytes_ || !bytes.empty();
    return out ? absl::OkStatus() : FailWrite();
  }

 private:
  // Removes the part, which is incomplete and uses space on a full disk, and returns the error.
  Status FailWrite() {
    int error = errno;
    has_bytes_ = false;
    return ResourceExhausted("`", Printable(path_), "`: cannot write the results: ",
                             std::generic_category().message(error));
  }
  Status OpenError(int error) const {
    return FailedPrecondition("`", Printable(path_),
                              "`: cannot write the file: ", std::generic_category().message(error));
  }

  const std::string path_;
  fs::path whole_;  // `path_` with symbolic links resolved
  fs::path part_;   // empty if the file is written directly
  bool has_bytes_ = false;
  std::ofstream file_;
};

class LinesSink : public FileSink {
 public:
  explicit LinesSink(std::string path) : FileSink(std::move(path), v1::Encoded::JSON_LINES) {}
};

class CsvSink : public FileSink {
 public:
  explicit CsvSink(std::string path) : FileSink(std::move(path), v1::Encoded::JSON_LINES) {}

  Status Write(const v1::Encoded& result) override {
    SIGNET_ASSIGN_OR_RETURN(std::string text, writer_.Write(result.data()));
    return Put(text);
  }

 private:
  CsvWriter writer_;
};

// Prints records as rows and columns. The first records determine the widths of the columns.
class TableSink : public FileSink {
 public:
  TableSink() : FileSink("-", v1::Encoded::JSON_LINES) {}

  Status Write(const v1::Encoded& result) override { return Put(table_.Add(result.data())); }

 protected:
  std::string End() override { return table_.Finish(); }

 private:
  JsonTable table_;
};

class JsonSink : public FileSink {
 public:
  explicit JsonSink(std::string path) : FileSink(std::move(path), v1::Encoded::JSON) {}

 protected:
  std::string End() override { return "\n"; }
};

// Writes JSON lines as the elements of one list.
class JsonListSink : public FileSink {
 public:
  explicit JsonListSink(std::string path) : FileSink(std::move(path), v1::Encoded::JSON_LINES) {}

  Status Write(const v1::Encoded& result) override {
    std::string_view lines = result.data();
    std::string out;
    while (!lines.empty()) {
      size_t end = lines.find('\n');
      out += is_empty_ ? "[\n" : ",\n";
      is_empty_ = false;
      out += lines.substr(0, end);
      lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
    }
    return Put(out);
  }

 protected:
  std::string End() override { return is_empty_ ? "[]\n" : "\n]\n"; }

 private:
  bool is_empty_ = true;
};

// Writes one stream with the batches of all results, which must have the same schema.
class ArrowSink : public FileSink {
 public:
  explicit ArrowSink(std::string path) : FileSink(std::move(path), v1::Encoded::ARROW_IPC) {}

  Status Write(const v1::Encoded& result) override {
    std::string_view stream = result.data();
    if (!stream.ends_with(ArrowEnd()))
      return DataLoss("expected an Arrow stream as the result, found other bytes");
    stream.remove_suffix(ArrowEnd().size());
    if (!schema_.empty()) {
      if (!stream.starts_with(schema_)) {
        return FailedPrecondition(
            "the columns of result ", results_,
            " have other types than the earlier results; use .ndjson for them");
      }
      stream.remove_prefix(schema_.size());
    } else if (stream.size() >= 8) {  // the first message is the schema, without a body
      uint32_t size;
      std::memcpy(&size, stream.data() + 4, sizeof(size));
      schema_ = stream.substr(0, 8 + size_t{size});
    }
    ++results_;
    return Put(stream);
  }

 protected:
  std::string End() override { return std::string(ArrowEnd()); }

 private:
  std::string schema_;
  int64_t results_ = 0;
};

class MessageSink : public FileSink {
 public:
  MessageSink(std::string path, const std::string& message_type)
      : FileSink(std::move(path), v1::Encoded::PROTOBUF) {
    format_.set_message_type(message_type);
  }

  Status Write(const v1::Encoded& result) override {
    std::string out;
    for (const std::string& row : result.rows()) {
      size_t size = row.size();
      for (; size >= 0x80; size >>= 7) out += static_cast<char>(size | 0x80);
      out += static_cast<char>(size);
      out += row;
    }
    return Put(out);
  }
};

template <class Sink, class... Parts>
StatusOr<std::unique_ptr<RowSink>> Open(const Parts&... parts) {
  auto sink = std::make_unique<Sink>(parts...);
  SIGNET_RETURN_IF_ERROR(sink->Open());
  return sink;
}

}  // namespace

std::unique_ptr<RowSink> MakeTableSink() { return std::make_unique<TableSink>(); }

StatusOr<std::unique_ptr<RowSink>> OpenRowSink(const std::string& path,
                                               const RowSinkOptions& options) {
  std::string_view name = path;
  if (path == "-" || name.ends_with(".ndjson") || name.ends_with(".jsonl")) {
    return Open<LinesSink>(path);
  }
  if (name.ends_with(".csv")) return Open<CsvSink>(path);
  if (name.ends_with(".json"))
    return options.is_single ? Open<JsonSink>(path) : Open<JsonListSink>(path);
  if (name.ends_with(".arrow") || name.ends_with(".arrows")) return Open<ArrowSink>(path);
  if (!name.ends_with(".pb")) {
    return InvalidArgument("`", Printable(path), "`: expected a file name that ends in .ndjson, ",
                           ".jsonl, .csv, .json, .arrow, .arrows, or .pb; `-` is standard output");
  }
  if (options.message_type.empty()) {
    return InvalidArgument("`", Printable(path),
                           "`: expected the type of the messages, --message_type");
  }
  return Open<MessageSink>(path, options.message_type);
}

}  // namespace signet
