#include "core/serving/environment/file_system.h"

#include <fstream>
#include <sys/stat.h>

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlockBytes = 1 << 20;

class RealFiles final : public FileSystem {
 public:
  std::optional<Entry> FindText(const std::string& path) const override {
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    Entry entry;
    if (S_ISDIR(info.st_mode)) entry.kind = Kind::kFolder;
    if (S_ISREG(info.st_mode)) entry.kind = Kind::kFile;
    entry.device = info.st_dev;
    entry.inode = info.st_ino;
    entry.size = entry.is_folder() ? 0 : int64_t{info.st_size};
    entry.modified = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + int64_t{info.st_mtim.tv_nsec};
    return entry;
  }

  bool IsLink(const Path& path) const override {
    struct stat info = {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  }

  StatusOr<std::vector<std::string>> List(const Path& folder, size_t most) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end && names.size() < most;
         it.increment(error)) {
      names.push_back(it->path().filename().native());
    }
    if (error) return NotFound(error.message());
    return names;
  }

  StatusOr<Path> Resolve(const Path& path) const override {
    std::error_code error;
    Path real = fs::canonical(path, error);
    if (error) return NotFound(error.message());
    return real;
  }

  Status Read(const Path& path, absl::FunctionRef<void(std::string_view)> take) const override {
    std::ifstream file(path, std::ios::binary);
    if (!file) return NotFound("cannot open the file for reading");
    std::vector<char> block(kBlockBytes);
    while (file) {
      file.read(block.data(), static_cast<std::streamsize>(block.size()));
      take({block.data(), static_cast<size_t>(file.gcount())});
    }
    return file.bad() ? NotFound("cannot read the whole file") : absl::OkStatus();
  }
};

}  // namespace

bool FileSystem::IsFile(const Path& path) const {
  const auto entry = Find(path);
  return entry && entry->is_file();
}

bool FileSystem::IsFolder(const Path& path) const {
  const auto entry = Find(path);
  return entry && entry->is_folder();
}

const FileSystem& SystemFiles() {
  static const RealFiles files;
  return files;
}

}  // namespace signet
