#include "core/serving/examples/example_files.h"

#include <algorithm>
#include <fstream>

namespace signet {

namespace fs = std::filesystem;

StatusOr<std::string> ReadFileIn(const fs::path& folder, const std::string& name,
                                 uintmax_t max_bytes) {
  const std::string where = Cat("`", Printable(name), "`");
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return NotFound(where, ": file not found");
  const fs::path path = fs::canonical(root / name, error);
  if (error) return NotFound(where, ": file not found");
  const bool is_inside =
      std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
  if (!is_inside || !fs::is_regular_file(path, error)) {
    return FailedPrecondition(where, ": expected a regular file in the directory of the version");
  }
  const uintmax_t size = fs::file_size(path, error);
  if (error) return NotFound(where, ": file not found");
  if (size > max_bytes) {
    return ResourceExhausted(where, ": ", size, " bytes exceed the limit of ", max_bytes, " bytes");
  }
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) {
    return FailedPrecondition(where, ": cannot read the whole file");
  }
  return text;
}

}  // namespace signet
