// FolderStamp: the sizes, times, and inodes of files, to find out whether any of them has changed.
//
//   FolderStamp stamp = StampOf(files, "models/recipes/3");
//   ...
//   if (!stamp.IsCurrent(files)) ...   // a file was changed, added, or removed
//
// A stamp reads no content. Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/serving/environment/file_system.h"

namespace signet {

struct FolderStamp {
  struct Item {
    std::string path;
    bool is_folder = false;
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t size = 0;      // in bytes; 0 for a folder
    int64_t modified = 0;  // nanoseconds since 1970
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;  // sorted by path

  // Returns true if every item is as it was, which takes one system call per item.
  bool IsCurrent(const FileSystem& files) const;
  // Returns true if the files of both stamps are equal. Folders may differ in their times.
  bool HasSameFiles(const FolderStamp& other) const;
  int64_t TotalBytes() const;    // of the files
  int64_t LastModified() const;  // nanoseconds since 1970; 0 if there are no items
  void Append(const FolderStamp& other);
};

// Stamps `folder` and everything below it, except for entries that begin with a point and
// settings.textproto. Stops after 10,000 files and 16 levels, which FindModelFolders rejects.
FolderStamp StampOf(const FileSystem& files, const std::filesystem::path& folder);
// Stamps one file or folder, without its content. Without items if it does not exist.
FolderStamp StampOfEntry(const FileSystem& files, const std::filesystem::path& path);

}  // namespace signet
