#include "server/observability/request_capture.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <grpcpp/support/proto_buffer_reader.h>

#include "core/formats/signet_wire/recorded_calls.h"

namespace signet {
namespace {

constexpr size_t kCaptureQueueBytes = size_t{32} << 20;
constexpr size_t kCallBytes = 256;  // counted for a call in addition to its bytes

template <class Message>
bool Parse(const grpc::ByteBuffer& buffer, Message& out) {
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&buffer));
  return reader.status().ok() && out.ParseFromZeroCopyStream(&reader);
}

bool ParseRequest(const grpc::ByteBuffer& buffer, bool is_stream, v1::CallRequest& out) {
  if (!is_stream) return Parse(buffer, out);
  v1::CallStreamRequest request;
  if (!Parse(buffer, request)) return false;
  out = std::move(*request.mutable_call());
  return true;
}

bool ParseResponse(const grpc::ByteBuffer& buffer, bool is_stream, v1::CallResponse& out) {
  if (!is_stream) return Parse(buffer, out);
  v1::CallStreamResponse response;
  if (!Parse(buffer, response)) return false;
  out = std::move(*response.mutable_response());
  return true;
}

// Returns false if not all bytes could be written.
bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

StatusOr<std::unique_ptr<RequestCapture>> RequestCapture::Open(const std::filesystem::path& path,
                                                               int64_t max_bytes) {
  std::unique_ptr<RequestCapture> capture(new RequestCapture(path, max_bytes));
  SIGNET_RETURN_IF_ERROR(capture->Rotate());
  return capture;
}

RequestCapture::RequestCapture(std::filesystem::path path, int64_t max_bytes)
    : path_(std::move(path)),
      max_bytes_(max_bytes),
      queue_(kCaptureQueueBytes, 64, std::chrono::milliseconds(0),
             [this](std::vector<Captured> calls) {
               size_t lost = 0;
               for (const Captured& call : calls) lost += WriteRecord(call) ? 0 : 1;
               return lost;
             }) {}

RequestCapture::~RequestCapture() {
  queue_.Stop();
  if (descriptor_ >= 0) close(descriptor_);
}

Status RequestCapture::Rotate() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  std::error_code error;
  std::filesystem::path old = path_;
  old += ".1";
  if (std::filesystem::exists(path_, error)) std::filesystem::rename(path_, old, error);
  if (!error) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor_ < 0) error = {errno, std::generic_category()};
  }
  bytes_ = 0;
  if (!error) return absl::OkStatus();
  return FailedPrecondition("--capture_requests: cannot write `", path_.string(),
                            "`: ", error.message());
}

void RequestCapture::Write(ObservedCall& call, const Status& status) {
  const size_t bytes = call.request.Length() + call.response.Length() + kCallBytes;
  queue_.Push({call.arrival, std::string_view(call.rpc) == "CallStream", status.code(),
               std::move(call.request), std::move(call.response)},
              bytes);
}

bool RequestCapture::WriteRecord(const Captured& call) {
  v1::RecordedCall record;
  record.set_arrival_unix_nano(
      std::chrono::duration_cast<std::chrono::nanoseconds>(call.arrival.time_since_epoch())
          .count());
  record.set_code(static_cast<int>(call.code));
  if (!ParseRequest(call.request, call.is_stream, *record.mutable_request())) return false;
  v1::CallResponse response;
  if (call.code == absl::StatusCode::kOk) {
    if (!ParseResponse(call.response, call.is_stream, response)) return false;
    record.set_response_hash(HashOfResponse(std::move(response)));
  }
  const std::string bytes = RecordOf(record);
  const auto size = static_cast<int64_t>(bytes.size());
  if (size > max_bytes_) return false;
  if (descriptor_ < 0 || bytes_ + size > max_bytes_) {
    if (!Rotate().ok()) return false;
  }
  if (!WriteAll(descriptor_, bytes)) {
    // An incomplete record would make the rest of the file unreadable.
    if (ftruncate(descriptor_, bytes_) != 0)
      close(std::exchange(descriptor_, -1));
    else
      lseek(descriptor_, bytes_, SEEK_SET);
    return false;
  }
  bytes_ += size;
  num_written_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace signet
