// MappedFile: a file in memory, mapped and not read, that outlives what becomes of the file.
//
// The mapping is private and read-only. A file that is cut short in place takes the pages behind
// its new end with it, and touching one would end the process with SIGBUS: a handler, installed
// with the first mapping, puts a page of zeros there instead, and from then on the mapping is known
// as damaged. Faults elsewhere go to the handler that was there before. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "signet/status.h"

namespace signet {

class MappedFile {
 public:
  // Refuses what is no ordinary file. A file of 0 bytes is an empty span.
  static StatusOr<std::shared_ptr<const MappedFile>> Map(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  // Gives the memory of what was read back; it is read again when it is asked for.
  void Release() const;
  // Some of the bytes that were read were not the file's any more, but zeros.
  bool is_damaged() const { return is_damaged_.load(std::memory_order_relaxed); }

 private:
  MappedFile() = default;

  std::span<const std::byte> bytes_;
  std::atomic<bool> is_damaged_ = false;
};

}  // namespace signet
