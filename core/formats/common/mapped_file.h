// MappedFile: a private, read-only mapping of a file, which survives changes of the file.
//
// A file of at most 64 KiB is copied, so that changes of the file have no effect, and thousands of
// small models do not use up the mappings that the system permits. A larger file is mapped: what is
// overwritten in place may change in the mapping.
//
// If a mapped file is truncated, its pages disappear from the mapping, and reading one would end
// the process with SIGBUS. A signal handler, installed with the first mapping, replaces such a page
// by zeros and marks the mapping as damaged. It passes other faults to the previous handler.
// Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "signet/status.h"

namespace signet {

// What identifies the content of a file that is replaced, not overwritten in place.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t modified = 0;  // nanoseconds since 1970
  bool operator==(const FileIdentity&) const = default;
  bool IsSameFile(const FileIdentity& other) const {
    return device == other.device && inode == other.inode;
  }
};

class MappedFile {
 public:
  // Returns an error if the path is not a regular file. A file of 0 bytes is an empty span.
  static StatusOr<std::shared_ptr<const MappedFile>> Map(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  const FileIdentity& identity() const { return identity_; }  // when it was mapped
  // Frees the memory of the pages read so far. They are read again when needed.
  void Release() const;
  // Returns true if some of the bytes were zeros instead of the bytes of the file.
  bool is_damaged() const { return is_damaged_.load(std::memory_order_relaxed); }

 private:
  MappedFile() = default;

  // Copies a file of `size` bytes to memory of its own.
  static StatusOr<std::shared_ptr<const MappedFile>> Copy(int descriptor, size_t size,
                                                          const std::string& name,
                                                          std::shared_ptr<MappedFile> out);

  std::span<const std::byte> bytes_;
  FileIdentity identity_;
  bool is_copy_ = false;
  std::atomic<bool> is_damaged_ = false;
};

}  // namespace signet
