#include "core/model/language/syntax/source_errors.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/model/language/syntax/limits.h"

namespace signet {
namespace {

constexpr size_t kMaxShownLine = 160;  // bytes of a source line in an error

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return count;
}

// Returns `file:line:column: message`, the line, and a caret.
std::string Describe(std::string_view file, std::string_view source, size_t offset,
                     std::string_view message) {
  offset = std::min(offset, source.size());
  const SourcePosition at = PositionOf(source, offset);
  const size_t newline = offset == 0 ? source.npos : source.rfind('\n', offset - 1);
  size_t begin = newline == source.npos ? 0 : newline + 1;
  size_t end = std::min(source.find('\n', offset), source.size());
  if (end > begin && source[end - 1] == '\r') --end;
  if (end < offset) end = offset;
  // Of a long line, show the part around the position.
  if (offset - begin > kMaxShownLine / 2) begin = offset - kMaxShownLine / 2;
  end = std::min(end, begin + kMaxShownLine);
  std::string line = AsUtf8(source.substr(begin, end - begin));
  std::replace(line.begin(), line.end(), '\t', ' ');
  const size_t before = CountCharacters(AsUtf8(source.substr(begin, offset - begin)));
  return Cat(file, ":", at.line, ":", at.column, ": ", message, "\n    ", line, "\n    ",
             std::string(before, ' '), "^");
}

}  // namespace

SourcePosition PositionOf(std::string_view source, size_t offset) {
  const std::string_view before = source.substr(0, std::min(offset, source.size()));
  const size_t newline = before.rfind('\n');
  return {.line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          .column = CountCharacters(before.substr(newline == before.npos ? 0 : newline + 1)) + 1};
}

Status ErrorInSource(std::string_view file, std::string_view source, size_t offset,
                     std::string_view message) {
  return InvalidArgument(Describe(file, source, offset, message));
}

void SourceErrors::Add(size_t offset, std::string message) {
  if (!is_full()) errors_.emplace(offset, std::move(message));
}

std::vector<size_t> SourceErrors::Offsets() const {
  std::vector<size_t> offsets;
  for (const auto& [offset, message] : errors_) offsets.push_back(offset);
  return offsets;
}

bool SourceErrors::is_full() const { return errors_.size() >= kMaxSourceErrors; }

Status SourceErrors::ToStatus() const {
  if (errors_.empty()) return absl::OkStatus();
  std::vector<std::string> texts;
  for (const auto& [offset, message] : errors_) {
    texts.push_back(Describe(file_, source_, offset, message));
  }
  return InvalidArgument(Join(texts, "\n"));
}

}  // namespace signet
