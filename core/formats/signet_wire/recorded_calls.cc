#include "core/formats/signet_wire/recorded_calls.h"

#include <system_error>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "core/base/hash.h"

namespace signet {
namespace {

constexpr int kLongestSize = 10;  // bytes

template <class Message>
std::string DeterministicBytesOf(const Message& message) {
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return out;
}

}  // namespace

StatusOr<RecordedCallReader> RecordedCallReader::Open(const std::filesystem::path& path) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) {
    return NotFound("`", path.string(), "`: expected a readable file of recorded calls",
                    error ? Cat(": ", error.message()) : "");
  }
  return RecordedCallReader(std::move(file), size);
}

StatusOr<std::optional<v1::RecordedCall>> RecordedCallReader::Next() {
  if (position_ >= size_) return std::optional<v1::RecordedCall>();
  const uint64_t start = position_;
  auto fail = [&](const auto&... parts) {
    position_ = size_;
    return DataLoss("byte ", start, ": ", parts...);
  };
  uint64_t bytes = 0;
  for (int i = 0;; ++i) {
    const int next = i < kLongestSize ? file_.get() : -1;
    if (next < 0) return fail("expected the size of a recorded call; the file may be truncated");
    ++position_;
    bytes |= static_cast<uint64_t>(next & 127) << (7 * i);
    if (next < 128) break;
  }
  if (bytes > size_ - position_) {
    return fail("expected a recorded call of ", bytes, " bytes, found ", size_ - position_,
                "; the file may be truncated");
  }
  std::string buffer(bytes, '\0');
  file_.read(buffer.data(), static_cast<std::streamsize>(bytes));
  v1::RecordedCall call;
  if (!file_ || !call.ParseFromString(buffer)) {
    return fail("expected a serialized `signet.v1.RecordedCall`, found bytes that do not parse");
  }
  if (!call.has_request()) return fail("expected a recorded call with a request, found none");
  position_ += bytes;
  return std::optional(std::move(call));
}

std::string RecordOf(const v1::RecordedCall& call) {
  std::string out;
  for (uint64_t size = call.ByteSizeLong();; size >>= 7) {
    out += static_cast<char>(size < 128 ? size : (size & 127) | 128);
    if (size < 128) break;
  }
  call.AppendToString(&out);
  return out;
}

uint64_t HashOfResponse(v1::CallResponse response) {
  response.clear_model_version();
  return HashBytes(DeterministicBytesOf(response));
}

}  // namespace signet
