// WatchedFile: a small configuration file, and whether it has changed since it was read.
//
//   WatchedFile file("--tokens_file", path);
//   if (file.HasChanged()) {
//     StatusOr<std::string> text = file.Read();   // errors begin with the flag
//   }
//
// A change of the device, inode, size, or time of modification counts as a change. The path may be
// a symbolic link, as in a mounted Kubernetes secret. Not thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "signet/status.h"

namespace signet {

class WatchedFile {
 public:
  static constexpr size_t kMaxBytes = size_t{4} << 20;

  // `flag` is the flag that names the file, for errors.
  WatchedFile(std::string flag, std::filesystem::path path)
      : flag_(std::move(flag)), path_(std::move(path)) {}

  const std::string& flag() const { return flag_; }
  const std::filesystem::path& path() const { return path_; }
  // Returns false if the flag is not set.
  bool is_set() const { return !path_.empty(); }

  // Returns whether the file differs from the file that Read read last, or that could not be read.
  bool HasChanged() const;
  // Returns the content. Returns FAILED_PRECONDITION if the file cannot be read, is not a regular
  // file, or is larger than kMaxBytes.
  StatusOr<std::string> Read();

 private:
  using Stamp = std::array<int64_t, 5>;  // zeros: the file does not exist
  Stamp StampNow() const;

  std::string flag_;
  std::filesystem::path path_;
  Stamp stamp_ = {};
};

}  // namespace signet
