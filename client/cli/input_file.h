// InputFile: a file that a command reads, as a whole or in pieces; `-` is standard input.
//
//   auto file = InputFile::Open("orders.json");
//   auto text = file->ReadAll(limit);
//
// The command line opens all files for reading here: regular files, pipes, and devices. The error
// for a directory or a file that cannot be read contains its name. Not thread-safe.

#pragma once

#include <fstream>
#include <istream>
#include <string>

#include "signet/status.h"

namespace signet {

class InputFile {
 public:
  InputFile() = default;  // standard input

  static StatusOr<InputFile> Open(const std::string& path);

  // Returns the stream. After the last byte, it is eof(), or bad() if reading failed.
  std::istream& stream();
  int64_t size() const { return size_; }  // in bytes; -1 if it is unknown, as for a pipe
  // Reads the remaining bytes. Returns INVALID_ARGUMENT if there are more than `max_bytes`.
  StatusOr<std::string> ReadAll(size_t max_bytes);

 private:
  std::ifstream file_;  // not open for standard input
  int64_t size_ = -1;
};

}  // namespace signet
