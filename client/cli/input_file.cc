#include "client/cli/input_file.h"

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace signet {

namespace fs = std::filesystem;

StatusOr<InputFile> InputFile::Open(const std::string& path) {
  InputFile out;
  std::error_code ignored;
  const bool is_standard_input = path == "-";
  if (fs::is_directory(is_standard_input ? "/dev/stdin" : path, ignored)) {
    return InvalidArgument("`", Printable(path), "`: cannot read the file: it is a directory");
  }
  if (is_standard_input) return out;
  errno = 0;
  out.file_.open(path, std::ios::binary);
  if (!out.file_.is_open()) {
    return InvalidArgument("`", Printable(path),
                           "`: cannot read the file: ", std::generic_category().message(errno));
  }
  if (fs::is_regular_file(path, ignored)) {
    out.size_ = static_cast<int64_t>(fs::file_size(path, ignored));
  }
  return out;
}

std::istream& InputFile::stream() {
  return file_.is_open() ? static_cast<std::istream&>(file_) : std::cin;
}

StatusOr<std::string> InputFile::ReadAll(size_t max_bytes) {
  constexpr size_t kStep = size_t{1} << 20;
  std::string out;
  while (stream()) {
    if (out.size() > max_bytes) {
      return InvalidArgument("at least ", out.size(), " bytes exceed the limit of ", max_bytes);
    }
    size_t before = out.size();
    out.resize(before + kStep);
    stream().read(out.data() + before, kStep);
    out.resize(before + static_cast<size_t>(stream().gcount()));
  }
  if (stream().bad()) return InvalidArgument("cannot read the rest of the file");
  return out;
}

}  // namespace signet
