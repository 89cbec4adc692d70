#include "core/frontends/onnx/import/onnx_file.h"

#include <cstring>
#include <optional>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace signet {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;

constexpr size_t kLeastKeptBytes = 4096;      // smaller tensors are parsed as they are
constexpr int kMaxDepth = 64;                 // of graphs within graphs
constexpr int64_t kMaxOtherBytes = 64 << 20;  // of texts and of types of values
constexpr int64_t kMaxParts = 8'000'000;      // messages and texts
constexpr size_t kMaxTakenBytes = size_t{1} << 30;
constexpr int64_t kMaxMessageBytes = 256 << 20;  // of a model without its large tensors
constexpr size_t kMaxFileBytes = size_t{1} << 38;

// The messages on the way from a model to its tensors.
enum class Message : uint8_t { kModel, kFunction, kGraph, kNode, kAttribute, kTensor };

// The message that field `number` of `outer` holds, if tensors may be in it.
std::optional<Message> Within(Message outer, uint32_t number) {
  switch (outer) {
    case Message::kModel:
      if (number == onnx::ModelProto::kGraphFieldNumber) return Message::kGraph;
      if (number == onnx::ModelProto::kFunctionsFieldNumber) return Message::kFunction;
      break;
    case Message::kFunction:
      if (number == onnx::FunctionProto::kNodeFieldNumber) return Message::kNode;
      break;
    case Message::kGraph:
      if (number == onnx::GraphProto::kNodeFieldNumber) return Message::kNode;
      if (number == onnx::GraphProto::kInitializerFieldNumber) return Message::kTensor;
      break;
    case Message::kNode:
      if (number == onnx::NodeProto::kAttributeFieldNumber) return Message::kAttribute;
      break;
    case Message::kAttribute:
      if (number == onnx::AttributeProto::kTFieldNumber) return Message::kTensor;
      if (number == onnx::AttributeProto::kGFieldNumber) return Message::kGraph;
      break;
    case Message::kTensor:
      break;
  }
  return std::nullopt;
}

// Copies a message without the bytes of its large tensors, and rejects a message that would require
// far more memory than the file: two bytes of a file may stand for a node of hundreds of bytes.
class Thinner {
 public:
  explicit Thinner(std::string_view file) : file_(file) {}

  // Appends the copy of `bytes`, a message of `kind`, to `out`. Returns false if the bytes are not
  // such a message, or if `is_too_much`.
  bool Thin(Message kind, std::string_view bytes, int depth, std::string& out) {
    if (depth > kMaxDepth) return false;
    const char* at = bytes.data();
    const char* end = at + bytes.size();
    // Where a tensor says that its bytes are. Dropped if it has large raw_data, which then counts.
    std::string location;
    bool has_place = false;
    while (at < end) {
      const char* field = at;
      uint64_t tag;
      if (!ReadVarint(at, end, tag)) return false;
      const auto number = static_cast<uint32_t>(tag >> 3);
      if (number == 0) return false;  // no message has it; a file of zeros consists of it
      const bool is_location =
          kind == Message::kTensor && (number == onnx::TensorProto::kExternalDataFieldNumber ||
                                       number == onnx::TensorProto::kDataLocationFieldNumber);
      uint64_t size;
      switch (tag & 7) {
        case 0:
          if (!ReadVarint(at, end, size)) return false;
          break;
        case 1:
          if (end - at < 8) return false;
          at += 8;
          break;
        case 5:
          if (end - at < 4) return false;
          at += 4;
          break;
        case 2: {
          if (!ReadVarint(at, end, size) || size > static_cast<size_t>(end - at)) return false;
          ++num_parts_;
          std::string_view content(at, static_cast<size_t>(size));
          at += size;
          if (kind == Message::kTensor && number == onnx::TensorProto::kRawDataFieldNumber &&
              size >= kLeastKeptBytes) {
            AppendPlace(content, out);
            has_place = true;
            continue;
          }
          if (is_location && IsThisFile(content)) return false;
          auto inner = Within(kind, number);
          if (!inner) {
            if (kind == Message::kTensor) break;
            num_other_bytes_ += static_cast<int64_t>(size);
            if (is_too_much() || IsThisFile(content)) return false;
            break;
          }
          std::string thin;
          if (!Thin(*inner, content, depth + 1, thin)) return false;
          AppendVarint(tag, out);
          AppendVarint(thin.size(), out);
          out += thin;
          continue;
        }
        default:
          return false;  // groups: there are none
      }
      num_bytes_ += at - field;
      if (is_too_much()) return false;
      (is_location ? location : out).append(field, at);
    }
    if (!has_place) out += location;
    return true;
  }

  bool is_too_much() const {
    return num_parts_ > kMaxParts || num_other_bytes_ > kMaxOtherBytes ||
           num_bytes_ > kMaxMessageBytes;
  }

 private:
  static bool ReadVarint(const char*& at, const char* end, uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && at < end; shift += 7) {
      auto byte = static_cast<uint8_t>(*at++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  static void AppendVarint(uint64_t value, std::string& out) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }

  // Whether `bytes` hold the location that AppendPlace uses, which no file may name itself.
  static bool IsThisFile(std::string_view bytes) {
    return bytes.find(ExternalFiles::kThisFile) != std::string_view::npos;
  }

  // Fields of a TensorProto that say where `content` is.
  void AppendPlace(std::string_view content, std::string& out) const {
    onnx::TensorProto place;
    place.set_data_location(onnx::TensorProto::EXTERNAL);
    auto add = [&](const char* key, std::string value) {
      auto& entry = *place.add_external_data();
      entry.set_key(key);
      entry.set_value(std::move(value));
    };
    add("location", std::string(ExternalFiles::kThisFile));
    add("offset", std::to_string(content.data() - file_.data()));
    add("length", std::to_string(content.size()));
    out += place.SerializeAsString();
  }

  const std::string_view file_;
  int64_t num_parts_ = 0;        // messages and strings
  int64_t num_bytes_ = 0;        // that are kept
  int64_t num_other_bytes_ = 0;  // of messages that are not looked into
};

Status NoModel() {
  return InvalidArgument(
      "expected an ONNX model, found bytes that do not parse; the file may be truncated");
}

Status ParseModel(std::string_view bytes, onnx::ModelProto& model) {
  std::string thin;
  Thinner thinner(bytes);
  bool is_message = thinner.Thin(Message::kModel, bytes, 0, thin);
  if (thinner.is_too_much()) {
    return ResourceExhausted("more than ", kMaxParts, " nodes, tensors and texts, or ",
                             kMaxMessageBytes, " bytes besides large tensors");
  }
  if (!is_message) return NoModel();
  pb::io::ArrayInputStream stream(thin.data(), static_cast<int>(thin.size()));
  pb::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(static_cast<int>(2 * kMaxMessageBytes));
  bool parsed = model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  return parsed ? absl::OkStatus() : NoModel();
}

bool IsWithin(const fs::path& folder, const fs::path& path) {
  auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

}  // namespace

StatusOr<OnnxFile> ReadOnnxFile(const fs::path& path) {
  OnnxFile out;
  out.folder = path.parent_path();
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (!error && size > kMaxFileBytes) {
    return ResourceExhausted("a file of ", size, " bytes exceeds the limit of ", kMaxFileBytes,
                             "; external data may be larger");
  }
  SIGNET_ASSIGN_OR_RETURN(out.file, MappedFile::Map(path));
  auto bytes = out.file->bytes();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  SIGNET_RETURN_IF_ERROR(ParseModel(text, out.model));
  return out;
}

Status ExternalFiles::TakeMemory(size_t bytes) {
  if (bytes > kMaxTakenBytes - taken_) {
    return ResourceExhausted("sparse tensors of more than ", kMaxTakenBytes, " bytes when dense");
  }
  taken_ += bytes;
  return absl::OkStatus();
}

StatusOr<std::shared_ptr<const MappedFile>> ExternalFiles::Map(const std::string& location) {
  if (location == kThisFile) return main_.file;
  if (location.empty()) {
    return InvalidArgument("external data: missing `location`; expected the name of a file in the ",
                           "model's folder");
  }
  if (auto found = files_.find(location); found != files_.end()) return found->second;
  std::error_code error;
  fs::path folder = fs::weakly_canonical(main_.folder, error);
  fs::path path = fs::weakly_canonical(main_.folder / location, error);
  if (error || location.find('\0') != std::string::npos || fs::path(location).is_absolute() ||
      !IsWithin(folder, path)) {
    return InvalidArgument("external data: expected a file in the directory of the model, found `",
                           Printable(location), "`");
  }
  auto mapped = MappedFile::Map(path);
  if (!mapped.ok()) return At(Cat("external data in `", Printable(location), "`"), mapped.status());
  return files_[location] = *std::move(mapped);
}

}  // namespace signet
