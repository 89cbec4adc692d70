#include "tests/simulation/simulated_files.h"

#include <algorithm>
#include <utility>

namespace signet {

constexpr int kMostLinks = 16;
// File systems store times in ticks.
constexpr int64_t kTick = 4'000'000;

int64_t SimulatedFiles::Time() const {
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(timers_.WallTime().time_since_epoch());
  return now.count() / kTick * kTick;
}

std::shared_ptr<SimulatedFiles::Node> SimulatedFiles::NewNode(Kind kind) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->inode = next_inode_++;
  node->modified = Time();
  return node;
}

SimulatedFiles::Node* SimulatedFiles::Walk(std::string_view path, bool follows_last,
                                           std::string* real, int depth) const {
  if (depth > kMostLinks) return nullptr;
  Node* node = root_.get();
  std::string walked;
  while (true) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    if (path.empty()) break;
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    const auto child = node->children.find(part);
    if (child == node->children.end()) return nullptr;
    node = child->second.get();
    if (real != nullptr) walked.append("/").append(part);
    if (node->is_link() && (follows_last || !path.empty())) {
      node =
          Walk(node->target, /*follows_last=*/true, real != nullptr ? &walked : nullptr, depth + 1);
      if (node == nullptr) return nullptr;
    }
  }
  if (real != nullptr) *real = std::move(walked);
  return node;
}

std::optional<FileSystem::Entry> SimulatedFiles::FindText(const std::string& path) const {
  const Node* node = Walk(path, /*follows_last=*/true);
  if (node == nullptr) return std::nullopt;
  return Entry{node->kind, 1, node->inode, static_cast<int64_t>(node->content.size()),
               node->modified};
}

bool SimulatedFiles::IsLink(const Path& path) const {
  const Node* node = Walk(path.native(), /*follows_last=*/false);
  return node != nullptr && node->is_link();
}

StatusOr<std::vector<std::string>> SimulatedFiles::List(const Path& folder, size_t most) const {
  const Node* node = Walk(folder.native(), /*follows_last=*/true);
  if (node == nullptr || node->kind != Kind::kFolder) return NotFound("no such directory");
  std::vector<std::string> names;
  for (const auto& [name, child] : node->children) {
    if (names.size() == most) break;
    names.push_back(name);
  }
  return names;
}

StatusOr<FileSystem::Path> SimulatedFiles::Resolve(const Path& path) const {
  std::string real;
  if (Walk(path.native(), /*follows_last=*/true, &real) == nullptr) return NotFound("no such file");
  return Path(std::move(real));
}

Status SimulatedFiles::Read(const Path& path,
                            absl::FunctionRef<void(std::string_view)> take) const {
  const Node* node = Walk(path.native(), /*follows_last=*/true);
  if (node == nullptr || node->kind != Kind::kFile) return NotFound("no such file");
  take(node->content);
  return absl::OkStatus();
}

SimulatedFiles::Node& SimulatedFiles::FolderAt(const Path& path) {
  Node* node = Walk(path.native(), /*follows_last=*/true);
  if (node != nullptr) return *node;
  Node& parent = FolderAt(path.parent_path());
  auto& child = parent.children[path.filename().native()];
  child = NewNode(Kind::kFolder);
  parent.modified = Time();
  return *child;
}

void SimulatedFiles::MakeFolder(const Path& path) { FolderAt(path); }

void SimulatedFiles::Write(const Path& path, std::string content) {
  Node& folder = FolderAt(path.parent_path());
  auto& file = folder.children[path.filename().native()];
  if (file == nullptr) {
    file = NewNode(Kind::kFile);
    folder.modified = Time();
  }
  file->content = std::move(content);
  file->modified = Time();
}

void SimulatedFiles::Link(const Path& target, const Path& path) {
  Node& folder = FolderAt(path.parent_path());
  auto link = NewNode(Kind::kOther);
  link->target = target.native();
  folder.children[path.filename().native()] = std::move(link);
  folder.modified = Time();
}

void SimulatedFiles::Remove(const Path& path) {
  Node* folder = Walk(path.parent_path().native(), /*follows_last=*/true);
  if (folder == nullptr || folder->children.erase(path.filename().native()) == 0) return;
  folder->modified = Time();
}

void SimulatedFiles::Rename(const Path& from, const Path& to) {
  Node* folder = Walk(from.parent_path().native(), /*follows_last=*/true);
  if (folder == nullptr) return;
  const auto found = folder->children.find(from.filename().native());
  if (found == folder->children.end()) return;
  const std::shared_ptr<Node> moved = found->second;
  folder->children.erase(found);
  folder->modified = Time();
  Node& target = FolderAt(to.parent_path());
  target.children[to.filename().native()] = moved;
  target.modified = Time();
}

std::string SimulatedFiles::Content(const Path& path) const {
  std::string content;
  Read(path, [&](std::string_view block) { content += block; }).IgnoreError();
  return content;
}

}  // namespace signet
