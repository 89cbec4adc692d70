// SourceLines: the lines of a program where the nodes of a model were written. Errors of calls name
// them, so that the author of a model finds the statement.
//
// They are in the file sources.tsv next to the model, which signet.Model.save writes. Each line has
// four parts, separated by tabs: function, node, file, line.
//   score	likeness	recipes.py	58
// The file may be missing, and its names may be unknown. Immutable; thread-safe.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "signet/status.h"

namespace signet {

inline constexpr char kSourcesFile[] = "sources.tsv";

class SourceLines {
 public:
  // INVALID_ARGUMENT with the number of the first line that is malformed.
  static StatusOr<std::shared_ptr<const SourceLines>> Parse(std::string text);
  // Reads the file of a version directory. Null if there is none.
  static StatusOr<std::shared_ptr<const SourceLines>> Read(const std::filesystem::path& folder);

  // Returns `status` with the places of the nodes that its message names, the innermost one first:
  // `...; at recipes.py:58, called at recipes.py:92`. `function` contains the first node; empty if
  // the message names it.
  Status AddTo(std::string_view function, const Status& status) const;

  // Writes the file of a version directory. If `lines` is null, removes it.
  static Status Write(const std::filesystem::path& folder, const SourceLines* lines);

 private:
  explicit SourceLines(std::string text) : text_(std::move(text)) {}

  struct Place {
    std::string_view file;
    std::string_view line;
  };
  const std::string text_;
  // By function and node. All parts refer to the text.
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, Place> places_;
};

}  // namespace signet
