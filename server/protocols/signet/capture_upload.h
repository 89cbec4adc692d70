// CaptureUpload: a file that a client sends in chunks, until a model maps it.
//
//   SIGNET_ASSIGN_OR_RETURN(CaptureUpload upload, CaptureUpload::Begin(directory, max_bytes));
//   SIGNET_RETURN_IF_ERROR(upload.Append(chunk));
//   ... ReplaceCaptures(model, upload.path()) ...
//   SIGNET_RETURN_IF_ERROR(upload.MoveTo(folder / "captures.safetensors"));   // or it is removed
//
// The name of the file begins with a point, so that it is not part of a model. Not thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "signet/status.h"

namespace signet {

class CaptureUpload {
 public:
  // Makes a file in `directory`. FAILED_PRECONDITION if that is not possible.
  static StatusOr<CaptureUpload> Begin(const std::filesystem::path& directory, int64_t max_bytes);
  ~CaptureUpload();  // removes the file, unless it was moved
  CaptureUpload(CaptureUpload&& other) noexcept;
  CaptureUpload& operator=(CaptureUpload&&) = delete;

  // Returns RESOURCE_EXHAUSTED if there are more than `max_bytes` in all, or no space is left.
  Status Append(std::string_view chunk);
  // Writes the bytes to the disk and renames the file. `target` is in the same directory.
  Status MoveTo(const std::filesystem::path& target);

  const std::filesystem::path& path() const { return path_; }
  int64_t num_bytes() const { return num_bytes_; }

 private:
  CaptureUpload(std::filesystem::path path, int descriptor, int64_t max_bytes)
      : path_(std::move(path)), descriptor_(descriptor), max_bytes_(max_bytes) {}

  std::filesystem::path path_;  // empty after a move
  int descriptor_ = -1;
  int64_t max_bytes_ = 0;
  int64_t num_bytes_ = 0;
};

}  // namespace signet
