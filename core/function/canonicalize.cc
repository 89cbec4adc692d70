#include "core/function/canonicalize.h"

#include <algorithm>

#include <absl/container/inlined_vector.h>

#include "core/function/cast.h"
#include "core/types/child_path.h"

namespace signet {
namespace {

// Makes one call canonical: each step updates `parameters_` and `values_`.
class Canonicalizer {
 public:
  Canonicalizer(const FunctionType& type, const CallArguments& given, const Defaults& defaults)
      : type_(type), given_(given), defaults_(defaults) {
    for (const Parameter& parameter : type.parameters()) {
      has_var_positional_ |= parameter.kind == ParameterKind::kVarPositional;
    }
    parameters_.reserve(type.parameters().size());
    values_.reserve(type.parameters().size());
  }

  // Puts the values in signature order, including defaults.
  Status Arrange(const Binding& binding) {
    for (size_t i = 0; i < binding.parameters.size(); ++i) {
      const Parameter& parameter = type_.parameters()[i];
      const BoundParameter& bound = binding.parameters[i];
      switch (bound.source) {
        case BoundParameter::Source::kPositional:
          Add(parameter, given_.positional[bound.index]);
          break;
        case BoundParameter::Source::kKeyword:
          Add(parameter, given_.keyword[bound.index].second);
          break;
        case BoundParameter::Source::kAbsent: {
          SIGNET_ASSIGN_OR_RETURN(const Value* value, FindDefault(defaults_, parameter));
          Add(parameter, *value);
          break;
        }
        case BoundParameter::Source::kVariadic:
          if (parameter.kind == ParameterKind::kVarPositional) {
            AddVarPositional(parameter, bound);
          } else {
            AddVarKeyword(binding);
          }
          break;
      }
    }
    return absl::OkStatus();
  }

  // Casts to the constraints, which are then replaced by the types of the arguments.
  Status CastAll(const Converter* converter) {
    for (size_t i = 0; i < values_.size(); ++i) {
      const auto& [name, kind, optional, constraint] = parameters_[i];
      Value& value = values_[i];
      if (!value) {
        return WithField(name, InvalidWithReason("TYPE_MISMATCH", "argument `", name,
                                                 "`: expected a value, found none"));
      }
      if (!constraint) continue;
      SIGNET_ASSIGN_OR_RETURN(value, CastTo(std::move(value), constraint, name, converter));
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      auto& [name, kind, optional, type] = parameters_[i];
      const TypeSpec& spec = values_[i].spec();
      if (type && !Satisfies(spec, type)) {
        return WithField(
            name, InvalidWithReason("TYPE_MISMATCH", "argument `", name, "`: expected `",
                                    BriefOf(type), "`, found `", Printable(spec.ToString()), "`"));
      }
      // Results are written in the order of the signature, not in the order that a caller writes.
      type = ArrangedLike(spec, type);
    }
    return absl::OkStatus();
  }

  // Kinds are in order because the signature was checked. Names are not compared, because an
  // element of *args or **kwargs may have the name of another parameter.
  // *args or **kwargs may have the name of another parameter.
  StatusOr<CanonicalCall> Build(std::vector<Capture> captures) && {
    if (!captures.empty()) {
      SIGNET_RETURN_IF_ERROR(FunctionType::Make({}, captures).status());
    }
    return CanonicalCall{FunctionType::MakeUnchecked(std::move(parameters_), std::move(captures)),
                         std::move(values_)};
  }

 private:
  void Add(const Parameter& parameter, Value value) {
    bool turns = has_var_positional_ && parameter.kind == ParameterKind::kPositionalOrKeyword;
    ParameterKind kind = turns ? ParameterKind::kPositionalOnly : parameter.kind;
    Add(parameter.name, kind, parameter.type, std::move(value));
  }
  void Add(std::string name, ParameterKind kind, TypeSpec constraint, Value value) {
    parameters_.push_back({std::move(name), kind, false, std::move(constraint)});
    values_.push_back(std::move(value));
  }

  void AddVarPositional(const Parameter& parameter, const BoundParameter& bound) {
    for (size_t i = 0; i < bound.count; ++i) {
      Add(Cat(parameter.name, "_", i), ParameterKind::kPositionalOnly, TypeSpec(),
          given_.positional[bound.index + i]);
    }
  }

  void AddVarKeyword(const Binding& binding) {
    for (size_t i : SortedByName(binding.extra_keywords, given_.keyword)) {
      const auto& [name, value] = given_.keyword[i];
      Add(name, ParameterKind::kKeywordOnly, TypeSpec(), value);
    }
  }

  const FunctionType& type_;
  const CallArguments& given_;
  const Defaults& defaults_;
  bool has_var_positional_ = false;
  std::vector<Parameter> parameters_;  // of the monomorphic type; at first with the constraints
  std::vector<Value> values_;          // one per parameter
};

}  // namespace

std::vector<size_t> SortedByName(std::vector<size_t> indices, const NamedValues& keyword) {
  std::sort(indices.begin(), indices.end(),
            [&](size_t a, size_t b) { return keyword[a].first < keyword[b].first; });
  return indices;
}

StatusOr<const Value*> FindDefault(const Defaults& defaults, const Parameter& parameter) {
  auto found = defaults.find(parameter.name);
  if (found != defaults.end()) return &found->second;
  return WithField(parameter.name,
                   InvalidWithReason("MISSING_DEFAULT", "no argument for `", parameter.name,
                                     "`, and its default value is not stored; pass one"));
}

StatusOr<Binding> BindArguments(const FunctionType& type, const CallArguments& arguments,
                                std::string_view signature) {
  absl::InlinedVector<std::string_view, 8> keywords;
  for (const auto& [name, value] : arguments.keyword) keywords.push_back(name);
  return BindArguments(type, arguments.positional.size(), {keywords.data(), keywords.size()},
                       signature);
}

StatusOr<CanonicalCall> CanonicalizeBound(const FunctionType& type, const Binding& binding,
                                          const CallArguments& arguments, const Defaults& defaults,
                                          std::vector<Capture> captures,
                                          const Converter* converter) {
  Canonicalizer call(type, arguments, defaults);
  SIGNET_RETURN_IF_ERROR(call.Arrange(binding));
  SIGNET_RETURN_IF_ERROR(call.CastAll(converter));
  return std::move(call).Build(std::move(captures));
}

StatusOr<CanonicalCall> Canonicalize(const FunctionType& type, const CallArguments& arguments,
                                     const Defaults& defaults, std::vector<Capture> captures,
                                     std::string_view signature, const Converter* converter) {
  SIGNET_ASSIGN_OR_RETURN(Binding binding, BindArguments(type, arguments, signature));
  return CanonicalizeBound(type, binding, arguments, defaults, std::move(captures), converter);
}

}  // namespace signet
