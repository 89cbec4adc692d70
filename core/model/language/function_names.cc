#include "core/model/language/function_names.h"

#include "signet/status.h"

namespace signet {

const std::string* FunctionNames::Lookup(std::string_view name) const {
  for (const FunctionNames* scope = this; scope != nullptr; scope = scope->outer) {
    auto found = scope->names.find(absl::string_view(name.data(), name.size()));
    if (found != scope->names.end()) return &found->second;
  }
  return nullptr;
}

std::vector<std::string> FunctionNames::All() const {
  std::vector<std::string> all;
  for (const FunctionNames* scope = this; scope != nullptr; scope = scope->outer) {
    for (const auto& [name, function] : scope->names) all.push_back(name);
  }
  return all;
}

std::string DottedName(const Expression& expression) {
  if (expression.is_parenthesized) return {};
  if (expression.kind == Expression::Kind::kName) return std::string(expression.text);
  if (expression.kind != Expression::Kind::kField) return {};
  std::string base = DottedName(*expression.children[0]);
  return base.empty() ? base : Cat(base, ".", expression.text);
}

}  // namespace signet
