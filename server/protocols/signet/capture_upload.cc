#include "server/protocols/signet/capture_upload.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace signet {
namespace {

std::string LastError() { return std::strerror(errno); }

}  // namespace

StatusOr<CaptureUpload> CaptureUpload::Begin(const std::filesystem::path& directory,
                                             int64_t max_bytes) {
  std::string pattern = (directory / ".captures.safetensors.XXXXXX").string();
  const int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return FailedPrecondition("cannot make a file for the captures: ", LastError());
  }
  return CaptureUpload(pattern, descriptor, max_bytes);
}

CaptureUpload::CaptureUpload(CaptureUpload&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      max_bytes_(other.max_bytes_),
      num_bytes_(other.num_bytes_) {}

CaptureUpload::~CaptureUpload() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove(path_, error);
}

Status CaptureUpload::Append(std::string_view chunk) {
  if (static_cast<int64_t>(chunk.size()) > max_bytes_ - num_bytes_) {
    return ResourceExhausted("captures.safetensors: more than the ", max_bytes_,
                             " bytes that the captures of the model need");
  }
  num_bytes_ += static_cast<int64_t>(chunk.size());
  while (!chunk.empty()) {
    const ssize_t written = ::write(descriptor_, chunk.data(), chunk.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return ResourceExhausted("cannot write the file of captures: ", LastError());
    }
    chunk.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

Status CaptureUpload::MoveTo(const std::filesystem::path& target) {
  // mkostemp makes files that only the owner may read.
  constexpr mode_t kReadable = 0644;
  if (::fchmod(descriptor_, kReadable) != 0 || ::fsync(descriptor_) != 0 ||
      ::rename(path_.c_str(), target.c_str()) != 0) {
    return FailedPrecondition("cannot write ", target.filename().string(), ": ", LastError());
  }
  path_.clear();
  return absl::OkStatus();
}

}  // namespace signet
