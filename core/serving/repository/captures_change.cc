#include "core/serving/repository/captures_change.h"

#include <filesystem>

#include "core/model/native/model_files.h"
#include "core/serving/repository/manifest.h"

namespace signet {
namespace {

// Returns `stamp` without captures.safetensors and the manifest, and sets `captures` to the former.
FolderStamp WithoutCaptures(const FolderStamp& stamp, FolderStamp& captures) {
  FolderStamp out;
  for (const FolderStamp::Item& item : stamp.items) {
    const std::filesystem::path path(item.path);
    const bool is_top = path.parent_path() == stamp.items.front().path;
    if (is_top && path.filename() == kCapturesFile) {
      captures.items.push_back(item);
    } else if (!is_top || path.filename() != kManifestFile) {
      out.items.push_back(item);
    }
  }
  return out;
}

}  // namespace

bool OnlyCapturesChanged(const FolderStamp& before, const FolderStamp& now) {
  FolderStamp old_captures, new_captures;
  const FolderStamp old_files = WithoutCaptures(before, old_captures);
  const FolderStamp new_files = WithoutCaptures(now, new_captures);
  return old_captures.items.size() == 1 && new_captures.items.size() == 1 &&
         !(old_captures.items == new_captures.items) && old_files.HasSameFiles(new_files);
}

}  // namespace signet
