// InputFile: a file that a command reads, all at once or piece by piece; `-` is standard input.
//
//   auto file = InputFile::Open("orders.json");
//   auto text = file->ReadAll(limit);
//
// The only place where the command line opens files for reading: plain files, pipes and devices.
// What is a folder, is not there or may not be read is refused by its name. One thread.

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

  // At its end it is eof(), or bad() where it could not be read on.
  std::istream& stream();
  int64_t size() const { return size_; }  // bytes; -1: not known, as of a pipe
  // From here to the end. Refuses more than `max_bytes`.
  StatusOr<std::string> ReadAll(size_t max_bytes);

 private:
  std::ifstream file_;  // not open: standard input
  int64_t size_ = -1;
};

}  // namespace signet
