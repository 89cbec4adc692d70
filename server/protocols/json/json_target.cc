#include "server/protocols/json/json_target.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/model/model_name.h"
#include "server/protocols/http/url.h"

namespace signet {
namespace {

// Returns the parts of the path, decoded.
StatusOr<std::vector<std::string>> PartsOf(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t slash = std::min(path.find('/'), path.size());
    SIGNET_ASSIGN_OR_RETURN(std::string part, DecodePercent(path.substr(0, slash)));
    parts.push_back(std::move(part));
    path.remove_prefix(slash);
  }
  if (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

bool IsAction(std::string_view name) {
  return name == "explain" || name == "profile" || name == "concrete_functions";
}

}  // namespace

StatusOr<std::optional<JsonTarget>> ParseJsonTarget(std::string_view path) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> parts, PartsOf(path));
  if (parts.empty()) return JsonTarget();
  JsonTarget target{.model = parts[0]};
  size_t next = 1;
  if (next + 1 < parts.size() && parts[next] == "versions") {
    target.version = ParseVersion(parts[next + 1]);
    if (!target.version) {
      return InvalidArgument("path: expected a version of at least 1, found `",
                             Printable(parts[next + 1]), "`");
    }
    next += 2;
  } else if (next + 1 < parts.size() && parts[next] == "labels") {
    target.label = parts[next + 1];
    next += 2;
  }
  if (next + 1 == parts.size() && parts[next] == "functions") {
    target.lists_functions = true;
    ++next;
  }
  if (next + 1 < parts.size() && parts[next] == "functions") {
    target.function = parts[next + 1];
    next += 2;
    if (next + 1 == parts.size() && IsAction(parts[next])) target.action = parts[next++];
  }
  if (next != parts.size()) return std::nullopt;
  return target;
}

}  // namespace signet
