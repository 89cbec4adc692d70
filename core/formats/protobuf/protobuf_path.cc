#include "core/formats/protobuf/protobuf_path.h"

#include <algorithm>

namespace signet {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsNameCharacter);
}

// Returns true for names joined by dots.
bool IsFullName(std::string_view text) {
  while (true) {
    size_t dot = text.find('.');
    if (!IsName(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

Status NoStep(std::string_view text) {
  return InvalidArgument(
      "expected a step `name`, `name[key]`, `(extension.name)`, `(host/type.Name)`, or `*` at the "
      "end, found `",
      Printable(text), "`");
}

// Returns the end of the first step: a dot outside of parentheses and brackets.
size_t EndOfStep(std::string_view text) {
  char closing = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (closing != 0) {
      if (c == closing) closing = 0;
    } else if (c == '(') {
      closing = ')';
    } else if (c == '[') {
      closing = ']';
    } else if (c == '.') {
      return i;
    }
  }
  return text.size();
}

}  // namespace

StatusOr<ProtobufStep> ParseProtobufStep(std::string_view text) {
  using Kind = ProtobufStep::Kind;
  if (text == "*") return ProtobufStep{Kind::kWildcard, {}, {}};
  if (IsName(text)) return ProtobufStep{Kind::kField, text, {}};
  if (text.empty()) return NoStep(text);
  if (text.front() == '(' && text.back() == ')') {
    std::string_view name = text.substr(1, text.size() - 2);
    size_t slash = name.rfind('/');
    if (slash == std::string_view::npos) {
      if (!IsFullName(name)) return NoStep(text);
      return ProtobufStep{Kind::kExtension, name, {}};
    }
    std::string_view host = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (!IsFullName(name) || host.find_first_of("()") != std::string_view::npos) {
      return NoStep(text);
    }
    return ProtobufStep{Kind::kAnyCast, name, {}};
  }
  size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || text.back() != ']') return NoStep(text);
  std::string_view name = text.substr(0, bracket);
  std::string_view key = text.substr(bracket + 1, text.size() - bracket - 2);
  if (!IsName(name) || key.find(']') != std::string_view::npos) return NoStep(text);
  return ProtobufStep{Kind::kMapLookup, name, key};
}

StatusOr<ProtobufPath> ParseProtobufPath(std::string_view text) {
  ProtobufPath path;
  if (text.empty()) return path;
  for (std::string_view rest = text;;) {
    size_t end = EndOfStep(rest);
    std::string_view step = rest.substr(0, end);
    auto parsed = ParseProtobufStep(step);
    if (!parsed.ok()) return At(Cat("path `", Printable(text), "`"), parsed.status());
    path.emplace_back(step);
    if (end == rest.size()) return path;
    rest.remove_prefix(end + 1);
    if (parsed->kind == ProtobufStep::Kind::kWildcard) {
      return InvalidArgument("path `", Printable(text), "`: expected `*` only as the last step");
    }
  }
}

std::string ToText(const ProtobufPath& path) { return Join(path, "."); }

}  // namespace signet
