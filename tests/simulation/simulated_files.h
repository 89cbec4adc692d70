// SimulatedFiles: a file system in memory, in which ManualTimers is the clock. For one thread.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/serving/environment/file_system.h"
#include "tests/support/manual_timers.h"

namespace signet {

class SimulatedFiles final : public FileSystem {
 public:
  explicit SimulatedFiles(const ManualTimers& timers) : timers_(timers) {}

  std::optional<Entry> FindText(const std::string& path) const override;
  bool IsLink(const Path& path) const override;
  StatusOr<std::vector<std::string>> List(const Path& folder, size_t most) const override;
  StatusOr<Path> Resolve(const Path& path) const override;
  Status Read(const Path& path, absl::FunctionRef<void(std::string_view)> take) const override;

  // Changes of an operator. Folders that lead to a path are made. A path that does not exist is
  // ignored.
  void MakeFolder(const Path& path);
  void Write(const Path& path, std::string content);
  void Link(const Path& target, const Path& path);  // replaces what is there
  void Remove(const Path& path);
  // Replaces what is at `to`.
  void Rename(const Path& from, const Path& to);

  // Returns the content of a file; empty if there is none.
  std::string Content(const Path& path) const;

 private:
  struct Node {
    Kind kind = Kind::kFolder;
    uint64_t inode = 0;
    int64_t modified = 0;
    std::string content;
    std::string target;  // of a link, which has kind kOther; absolute
    std::map<std::string, std::shared_ptr<Node>, std::less<>> children;
    bool is_link() const { return !target.empty(); }
  };

  int64_t Time() const;
  std::shared_ptr<Node> NewNode(Kind kind);
  // Returns the node at an absolute path, or null. Sets `real` to the path without links.
  Node* Walk(std::string_view path, bool follows_last, std::string* real = nullptr,
             int depth = 0) const;
  Node& FolderAt(const Path& path);

  const ManualTimers& timers_;
  uint64_t next_inode_ = 1;
  std::shared_ptr<Node> root_ = NewNode(Kind::kFolder);
};

}  // namespace signet
