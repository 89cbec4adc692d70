#include "core/serving/repository/folder_stamp.h"

#include <algorithm>
#include <optional>
#include <sys/stat.h>

#include "core/serving/repository/model_folders.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using Item = FolderStamp::Item;

constexpr size_t kMostItems = 20'000;
constexpr int kDeepestStamp = 17;

// Returns nothing if the path does not exist. Follows links.
std::optional<Item> ItemOf(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  Item item;
  item.path = path;
  item.is_folder = S_ISDIR(info.st_mode);
  item.device = info.st_dev;
  item.inode = info.st_ino;
  item.size = item.is_folder ? 0 : int64_t{info.st_size};
  item.modified = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + int64_t{info.st_mtim.tv_nsec};
  return item;
}

void AddItems(const fs::path& folder, int depth, std::vector<Item>& items) {
  if (depth > kDeepestStamp) return;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end;
       !error && it != end && items.size() < kMostItems; it.increment(error)) {
    const std::string name = it->path().filename().native();
    if (name.starts_with(".") || name == kSettingsFile) continue;
    auto item = ItemOf(it->path().native());
    if (!item) continue;
    bool is_folder = item->is_folder;
    items.push_back(*std::move(item));
    if (is_folder) AddItems(it->path(), depth + 1, items);
  }
}

}  // namespace

bool FolderStamp::IsCurrent() const {
  return std::all_of(items.begin(), items.end(),
                     [](const Item& item) { return ItemOf(item.path) == item; });
}

bool FolderStamp::HasSameFiles(const FolderStamp& other) const {
  return std::equal(items.begin(), items.end(), other.items.begin(), other.items.end(),
                    [](const Item& a, const Item& b) {
                      if (a.is_folder && b.is_folder) return a.path == b.path;
                      return a == b;
                    });
}

int64_t FolderStamp::TotalBytes() const {
  int64_t bytes = 0;
  for (const Item& item : items) bytes += item.size;
  return bytes;
}

int64_t FolderStamp::LastModified() const {
  int64_t last = 0;
  for (const Item& item : items) last = std::max(last, item.modified);
  return last;
}

void FolderStamp::Append(const FolderStamp& other) {
  items.insert(items.end(), other.items.begin(), other.items.end());
}

FolderStamp StampOf(const fs::path& folder) {
  FolderStamp out = StampOfEntry(folder);
  AddItems(folder, 1, out.items);
  std::sort(out.items.begin(), out.items.end(),
            [](const Item& a, const Item& b) { return a.path < b.path; });
  return out;
}

FolderStamp StampOfEntry(const fs::path& path) {
  FolderStamp out;
  if (auto item = ItemOf(path.native())) out.items.push_back(*std::move(item));
  return out;
}

}  // namespace signet
