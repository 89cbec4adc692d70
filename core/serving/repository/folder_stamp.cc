#include "core/serving/repository/folder_stamp.h"

#include <algorithm>
#include <optional>

#include "core/serving/repository/model_folders.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using Item = FolderStamp::Item;

constexpr size_t kMostItems = 20'000;
constexpr int kDeepestStamp = 17;

// Returns nothing if the path does not exist. Follows links.
std::optional<Item> ItemOf(const FileSystem& files, const std::string& path) {
  const auto entry = files.FindText(path);
  if (!entry) return std::nullopt;
  return Item{path, entry->is_folder(), entry->device, entry->inode, entry->size, entry->modified};
}

void AddItems(const FileSystem& files, const fs::path& folder, int depth,
              std::vector<Item>& items) {
  if (depth > kDeepestStamp) return;
  const auto names = files.List(folder, kMostItems);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (items.size() >= kMostItems) return;
    if (name.starts_with(".") || name == kSettingsFile) continue;
    const fs::path path = folder / name;
    auto item = ItemOf(files, path.native());
    if (!item) continue;
    bool is_folder = item->is_folder;
    items.push_back(*std::move(item));
    if (is_folder) AddItems(files, path, depth + 1, items);
  }
}

}  // namespace

bool FolderStamp::IsCurrent(const FileSystem& files) const {
  return std::all_of(items.begin(), items.end(),
                     [&](const Item& item) { return ItemOf(files, item.path) == item; });
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

FolderStamp StampOf(const FileSystem& files, const fs::path& folder) {
  FolderStamp out = StampOfEntry(files, folder);
  AddItems(files, folder, 1, out.items);
  std::sort(out.items.begin(), out.items.end(),
            [](const Item& a, const Item& b) { return a.path < b.path; });
  return out;
}

FolderStamp StampOfEntry(const FileSystem& files, const fs::path& path) {
  FolderStamp out;
  if (auto item = ItemOf(files, path.native())) out.items.push_back(*std::move(item));
  return out;
}

}  // namespace signet
