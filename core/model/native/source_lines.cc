#include "core/model/native/source_lines.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/model/native/limits.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

constexpr size_t kMostPlaces = 4;  // in one error

// Splits `line` at tabs. Returns false unless it has four parts, the last of which is a number.
bool Split(std::string_view line, std::array<std::string_view, 4>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t tab = line.find('\t');
    const bool is_last = i + 1 == parts.size();
    if ((tab == std::string_view::npos) != is_last) return false;
    parts[i] = line.substr(0, tab);
    if (parts[i].empty()) return false;
    if (!is_last) line.remove_prefix(tab + 1);
  }
  return std::all_of(parts[3].begin(), parts[3].end(), [](char c) { return '0' <= c && c <= '9'; });
}

// Removes the text up to `mark` and then up to the next backquote, and returns the latter.
std::string_view TakeName(std::string_view& text, size_t mark) {
  text.remove_prefix(mark);
  const size_t end = std::min(text.find('`'), text.size());
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return name;
}

// Appends to the message, and keeps payloads.
Status WithSuffix(const Status& status, std::string_view suffix) {
  Status out = MakeStatus(status.code(), Cat(MessageOf(status), suffix));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace

StatusOr<std::shared_ptr<const SourceLines>> SourceLines::Parse(std::string text) {
  std::shared_ptr<SourceLines> out(new SourceLines(std::move(text)));
  std::string_view rest = out->text_;
  for (int number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::array<std::string_view, 4> parts;
    if (!Split(rest.substr(0, end), parts)) {
      return At(Cat("line ", number),
                InvalidArgument("expected a function, a node, a file, and the "
                                "number of a line, separated by tabs"));
    }
    out->places_.emplace(std::pair(parts[0], parts[1]), Place{parts[2], parts[3]});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

StatusOr<std::shared_ptr<const SourceLines>> SourceLines::Read(
    const std::filesystem::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(bool is_there, HasPlainFile(folder / kSourcesFile));
  if (!is_there) return nullptr;
  auto text = ReadPlainFile(folder / kSourcesFile, kMaxModelBytes);
  if (!text.ok()) return At(kSourcesFile, text.status());
  auto lines = Parse(*std::move(text));
  return lines.ok() ? lines : At(kSourcesFile, lines.status());
}

Status SourceLines::Write(const std::filesystem::path& folder, const SourceLines* lines) {
  if (lines != nullptr) return WriteFileAtomically(folder / kSourcesFile, lines->text_);
  std::error_code error;
  std::filesystem::remove(folder / kSourcesFile, error);
  return absl::OkStatus();
}

Status SourceLines::AddTo(std::string_view function, const Status& status) const {
  constexpr std::string_view kFunction = "function `";
  constexpr std::string_view kNode = "node `";
  std::vector<const Place*> found;
  std::string_view rest = MessageOf(status);
  while (true) {
    const size_t next_function = rest.find(kFunction);
    const size_t next_node = rest.find(kNode);
    if (next_node == std::string_view::npos) break;
    if (next_function < next_node) {
      function = TakeName(rest, next_function + kFunction.size());
      continue;
    }
    auto place = places_.find(std::pair(function, TakeName(rest, next_node + kNode.size())));
    if (place != places_.end()) found.push_back(&place->second);
  }
  std::string places;
  const size_t count = std::min(found.size(), kMostPlaces);
  for (size_t i = 0; i < count; ++i) {
    const Place& place = *found[found.size() - 1 - i];
    places += Cat(i == 0 ? "; at " : ", called at ", place.file, ":", place.line);
  }
  return places.empty() ? status : WithSuffix(status, places);
}

}  // namespace signet
