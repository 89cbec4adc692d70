#include "core/frontends/savedmodel/import/graph_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>

namespace signet {
namespace {

namespace pb = google::protobuf;

constexpr size_t kMaxBytes = size_t{1} << 30;
constexpr int64_t kMaxOtherBytes = 64 << 20;  // without the elements of tensors
constexpr int64_t kMaxParts = 8'000'000;      // messages, texts, and numbers
constexpr int kMaxMessageDepth = 100;

// Counts the parts of a message before it is parsed, because two bytes of a file may stand for a
// message of hundreds of bytes in memory.
class PartCounter {
 public:
  // Returns false if the bytes are not a message, or if there are too many parts.
  bool Count(const pb::Descriptor* type, std::string_view bytes, int depth) {
    if (depth > kMaxMessageDepth) return false;
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    pb::io::CodedInputStream in(data, static_cast<int>(bytes.size()));
    while (uint32_t tag = in.ReadTag()) {
      if (++num_parts_ > kMaxParts) return false;
      const auto* field = type == nullptr ? nullptr : type->FindFieldByNumber(tag >> 3);
      uint64_t number;
      uint32_t size;
      switch (tag & 7) {
        case 0:
          if (!in.ReadVarint64(&number)) return false;
          break;
        case 1:
          if (!in.Skip(8)) return false;
          break;
        case 5:
          if (!in.Skip(4)) return false;
          break;
        case 2: {
          if (!in.ReadVarint32(&size) || size > bytes.size()) return false;
          const auto at = static_cast<size_t>(in.CurrentPosition());
          if (size > bytes.size() - at || !in.Skip(static_cast<int>(size))) return false;
          const std::string_view content = bytes.substr(at, size);
          if (field != nullptr && field->type() == pb::FieldDescriptor::TYPE_MESSAGE) {
            if (!Count(field->message_type(), content, depth + 1)) return false;
          } else if (type != nullptr && type->name() == "TensorProto") {
            num_parts_ += field != nullptr && field->is_packable() ? size / 16 : 0;
          } else {
            num_other_bytes_ += size;
          }
          break;
        }
        default:
          return false;
      }
      if (num_parts_ > kMaxParts || num_other_bytes_ > kMaxOtherBytes) return false;
    }
    return in.CurrentPosition() == static_cast<int>(bytes.size());
  }

  bool is_too_much() const { return num_parts_ > kMaxParts || num_other_bytes_ > kMaxOtherBytes; }

 private:
  int64_t num_parts_ = 0;
  int64_t num_other_bytes_ = 0;
};

}  // namespace

Status ParseGraphMessage(std::string_view bytes, std::string_view what, pb::Message& message) {
  if (bytes.size() > kMaxBytes) {
    return ResourceExhausted(bytes.size(), " bytes exceed the limit of ", kMaxBytes);
  }
  PartCounter counter;
  const bool counts = counter.Count(message.GetDescriptor(), bytes, 0);
  if (counter.is_too_much()) {
    return ResourceExhausted("more than ", kMaxParts, " nodes and attributes, or ", kMaxOtherBytes,
                             " bytes besides tensors");
  }
  if (!counts || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidArgument("expected ", what,
                           ", found bytes that do not parse; the file may be truncated");
  }
  return absl::OkStatus();
}

}  // namespace signet
