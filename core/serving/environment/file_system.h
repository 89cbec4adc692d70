// FileSystem: what the repository of models reads from directories and files.
//
//   const FileSystem& files = SystemFiles();
//   std::optional<FileSystem::Entry> entry = files.Find("models/recipes/3/model.signet");
//
// The repository takes it as a parameter, so that a simulation can pass files of its own
// (docs/internals/simulation.md). The contents of models are read elsewhere, by mapping.
// Thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "signet/status.h"

namespace signet {

class FileSystem {
 public:
  using Path = std::filesystem::path;
  enum class Kind : uint8_t { kFile, kFolder, kOther };
  struct Entry {
    Kind kind = Kind::kOther;
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t size = 0;      // in bytes; 0 for a folder
    int64_t modified = 0;  // nanoseconds since 1970

    bool is_file() const { return kind == Kind::kFile; }
    bool is_folder() const { return kind == Kind::kFolder; }
  };

  virtual ~FileSystem() = default;

  // Returns what the path leads to, through links; nothing if it does not exist.
  virtual std::optional<Entry> FindText(const std::string& path) const = 0;
  std::optional<Entry> Find(const Path& path) const { return FindText(path.native()); }
  virtual bool IsLink(const Path& path) const = 0;
  // Returns the names of the entries of a folder, but at most `most`, in no order. NOT_FOUND if it
  // cannot be read.
  virtual StatusOr<std::vector<std::string>> List(
      const Path& folder, size_t most = std::numeric_limits<size_t>::max()) const = 0;
  // Returns the path without links. NOT_FOUND if it does not exist.
  virtual StatusOr<Path> Resolve(const Path& path) const = 0;
  // Calls `take` with the content of a file, in blocks. NOT_FOUND if it cannot be read.
  virtual Status Read(const Path& path,
                      absl::FunctionRef<void(std::string_view block)> take) const = 0;

  bool IsFile(const Path& path) const;
  bool IsFolder(const Path& path) const;
  // Returns true if there is an entry, or a link that leads nowhere.
  bool Exists(const Path& path) const { return IsLink(path) || Find(path).has_value(); }
};

// Returns the files of the system.
const FileSystem& SystemFiles();

}  // namespace signet
