#include "core/function/constrain.h"

#include <algorithm>

namespace signet {
namespace {

bool HasVarPositional(const FunctionType& type) {
  return std::any_of(
      type.parameters().begin(), type.parameters().end(),
      [](const Parameter& parameter) { return parameter.kind == ParameterKind::kVarPositional; });
}

}  // namespace

StatusOr<FunctionType> ConstrainParameters(const FunctionType& type,
                                           std::span<const TypeSpec> constraints,
                                           const Defaults& defaults) {
  bool has_var_positional = HasVarPositional(type);
  std::vector<Parameter> parameters;
  for (Parameter parameter : type.parameters()) {
    if (has_var_positional && parameter.kind == ParameterKind::kPositionalOrKeyword) {
      parameter.kind = ParameterKind::kPositionalOnly;
    }
    if (parameter.name == "self") {
      parameter.type = TypeSpec();
      parameters.push_back(std::move(parameter));
      continue;
    }
    if (parameter.kind == ParameterKind::kVarKeyword) continue;
    if (parameter.kind == ParameterKind::kVarPositional) {
      for (size_t i = 0; i < constraints.size(); ++i) {
        parameters.push_back(
            {Cat(parameter.name, "_", i), ParameterKind::kPositionalOnly, false, constraints[i]});
      }
      constraints = {};
      continue;
    }
    auto found = defaults.find(parameter.name);
    if (parameter.kind == ParameterKind::kKeywordOnly && found == defaults.end()) {
      return WithField(
          parameter.name,
          InvalidWithReason("KEYWORD_ONLY_WITHOUT_DEFAULT", "parameter `", parameter.name,
                            "` is keyword-only and has no default; constraints go to "
                            "parameters that have a position or a default"));
    }
    if (!constraints.empty()) {
      parameter.type = constraints.front();
      constraints = constraints.subspan(1);
    } else if (found != defaults.end()) {
      parameter.type = found->second.spec();
    } else {
      return WithField(parameter.name,
                       InvalidWithReason("MISSING_CONSTRAINT", "no constraint for parameter `",
                                         parameter.name, "`, which has no default"));
    }
    parameters.push_back(std::move(parameter));
  }
  if (!constraints.empty()) {
    return InvalidWithReason("EXTRA_CONSTRAINTS", constraints.size(),
                             " constraints beyond the parameters of `", type, "`");
  }
  return FunctionType::Make(std::move(parameters), type.captures(), type.output());
}

}  // namespace signet
