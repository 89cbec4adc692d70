#include "core/serving/tensorflow/named_arguments.h"

#include <utility>

#include <absl/container/flat_hash_map.h>

namespace signet::tf {

void NamedArguments::Move(Item& item, bool is_keyword, CallRequest& call) {
  item.is_moved = true;
  auto& [positional, keyword] = call.arguments;
  if (item.is_encoded) {
    item.encoded.is_keyword = is_keyword;
    item.encoded.index = is_keyword ? keyword.size() : positional.size();
    call.encoded.push_back(std::move(item.encoded));
  }
  if (is_keyword) {
    keyword.emplace_back(std::move(item.name), std::move(item.value));
  } else {
    positional.push_back(std::move(item.value));
  }
}

Status NamedArguments::MoveTo(const FunctionType& type, const Limits& limits, CallRequest& call) {
  if (items_.size() > static_cast<size_t>(limits.names)) {
    return ResourceExhausted("expected at most ", limits.names, " arguments, found ",
                             items_.size());
  }
  absl::flat_hash_map<std::string, size_t> places;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (places.emplace(items_[i].name, i).second) continue;
    return InvalidArgument("duplicate argument `", Printable(items_[i].name), "`");
  }
  std::string_view missing;  // the first parameter without an argument
  for (const Parameter& parameter : type.parameters()) {
    if (parameter.kind >= ParameterKind::kVarPositional) break;
    auto place = places.find(parameter.name);
    if (place == places.end()) {
      if (missing.empty()) missing = parameter.name;
    } else if (missing.empty()) {
      Move(items_[place->second], /*is_keyword=*/false, call);
    } else if (parameter.kind == ParameterKind::kPositionalOnly) {
      return InvalidWithReason("MISSING_REQUIRED", "missing argument for parameter `", missing,
                               "`, which precedes the positional-only parameter `", parameter.name,
                               "`");
    }
  }
  for (Item& item : items_) {
    if (!item.is_moved) Move(item, /*is_keyword=*/true, call);
  }
  return absl::OkStatus();
}

}  // namespace signet::tf
