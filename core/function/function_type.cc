#include "signet/function_type.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include "core/function/parameter_hash.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

bool IsPositional(ParameterKind kind) {
  return kind == ParameterKind::kPositionalOnly || kind == ParameterKind::kPositionalOrKeyword;
}

// Returns an error about the parameter or capture called `name`.
template <class... Parts>
Status InvalidParameter(std::string_view name, std::string_view reason, const Parts&... parts) {
  return WithField(name, InvalidWithReason(reason, parts...));
}

// The names so far; uses a hash table if there are many.
class SeenNames {
 public:
  // Returns true if `name` is new. The text must outlive this object.
  bool Add(std::string_view name) {
    if (few_.size() < kFew) {
      if (std::find(few_.begin(), few_.end(), name) != few_.end()) return false;
      few_.push_back(name);
      return true;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    return many_.insert(name).second;
  }

 private:
  static constexpr size_t kFew = 16;
  absl::InlinedVector<std::string_view, kFew> few_;
  absl::flat_hash_set<std::string_view> many_;
};

// Checks a parameter by itself.
Status CheckParameter(const Parameter& parameter) {
  const std::string& name = parameter.name;
  bool is_keyword = IsPythonKeyword(name) && parameter.kind != ParameterKind::kPositionalOnly;
  if (!IsIdentifier(name) || is_keyword) {
    return InvalidParameter(
        Printable(name), "INVALID_PARAMETER_NAME", "parameter `", Printable(name),
        is_keyword ? "`: expected an identifier, found a reserved word of Python"
                   : "`: expected a letter or `_`, then letters, digits, or `_`");
  }
  if (!IsVariadic(parameter.kind)) return absl::OkStatus();
  if (parameter.optional) {
    return InvalidParameter(name, "VARIADIC_OPTIONAL", "parameter `", name,
                            "`: expected no default for a ", NameOf(parameter.kind), " parameter");
  }
  if (parameter.type) {
    return InvalidParameter(name, "VARIADIC_TYPED", "parameter `", name,
                            "`: expected no type for a ", NameOf(parameter.kind),
                            " parameter, found `", parameter.type, "`");
  }
  return absl::OkStatus();
}

// Checks the parameters together.
Status CheckParameters(std::span<const Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    SIGNET_RETURN_IF_ERROR(CheckParameter(parameter));
  }
  SeenNames names;
  const Parameter* previous = nullptr;
  const Parameter* optional = nullptr;  // the first optional one among the positional parameters
  for (const Parameter& parameter : parameters) {
    const std::string& name = parameter.name;
    if (previous != nullptr && (parameter.kind < previous->kind ||
                                (parameter.kind == previous->kind && IsVariadic(parameter.kind)))) {
      return InvalidParameter(name, "WRONG_PARAMETER_ORDER", "parameter `", name, "` is ",
                              NameOf(parameter.kind), "; it follows `", previous->name,
                              "`, which is ", NameOf(previous->kind));
    }
    if (IsPositional(parameter.kind)) {
      if (!parameter.optional && optional != nullptr) {
        return InvalidParameter(name, "REQUIRED_AFTER_OPTIONAL", "parameter `", name,
                                "` has no default; it follows `", optional->name,
                                "`, which has one");
      }
      if (parameter.optional && optional == nullptr) optional = &parameter;
    }
    if (!names.Add(name)) {
      return InvalidParameter(name, "DUPLICATE_PARAMETER", "two parameters are called `", name,
                              "`");
    }
    previous = &parameter;
  }
  return absl::OkStatus();
}

Status CheckCaptures(std::span<const Capture> captures) {
  SeenNames names;
  for (const Capture& capture : captures) {
    if (!capture.type) {
      return InvalidParameter(capture.name, "PARTIAL_TYPE", "capture `", Printable(capture.name),
                              "` has no type");
    }
    if (!names.Add(capture.name)) {
      return InvalidParameter(capture.name, "DUPLICATE_PARAMETER", "two captures are called `",
                              Printable(capture.name), "`");
    }
  }
  return absl::OkStatus();
}

const Capture* LookupCapture(std::span<const Capture> captures, std::string_view name) {
  for (const Capture& capture : captures) {
    if (capture.name == name) return &capture;
  }
  return nullptr;
}

bool SameRole(const Parameter& a, const Parameter& b) {
  return a.name == b.name && a.kind == b.kind && a.optional == b.optional;
}

Status PartialTypeError(const Parameter& parameter) {
  return InvalidParameter(parameter.name, "PARTIAL_TYPE", "parameter `", parameter.name,
                          "` has no type; only typed parameters compare");
}

}  // namespace

std::string_view NameOf(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kPositionalOnly:
      return "positional-only";
    case ParameterKind::kPositionalOrKeyword:
      return "positional-or-keyword";
    case ParameterKind::kVarPositional:
      return "variadic positional";
    case ParameterKind::kKeywordOnly:
      return "keyword-only";
    case ParameterKind::kVarKeyword:
      return "variadic keyword";
  }
  __builtin_unreachable();
}

StatusOr<FunctionType> FunctionType::Make(std::vector<Parameter> parameters,
                                          std::vector<Capture> captures, TypeSpec output) {
  SIGNET_RETURN_IF_ERROR(CheckParameters(parameters));
  SIGNET_RETURN_IF_ERROR(CheckCaptures(captures));
  return MakeUnchecked(std::move(parameters), std::move(captures), std::move(output));
}

FunctionType FunctionType::MakeUnchecked(std::vector<Parameter> parameters,
                                         std::vector<Capture> captures, TypeSpec output) {
  FunctionType type;
  type.parameters_ = std::move(parameters);
  type.captures_ = std::move(captures);
  type.output_ = std::move(output);
  for (const Parameter& parameter : type.parameters_) {
    uint64_t role = HashRole(parameter.name, parameter.kind, parameter.optional);
    uint64_t fingerprint = parameter.type ? parameter.type.fingerprint() : 0;
    uint64_t structure = parameter.type ? parameter.type.structure() : 0;
    type.fingerprint_ = AddParameter(type.fingerprint_, role, fingerprint);
    type.structure_ = AddParameter(type.structure_, role, structure);
  }
  uint64_t unordered = 0;
  for (const Capture& capture : type.captures_) {
    unordered += MixHash(HashBytes(capture.name), capture.type.fingerprint());
  }
  type.fingerprint_ = WithCaptures(type.fingerprint_, unordered);
  return type;
}

const Parameter* FunctionType::LookupParameter(std::string_view name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool FunctionType::IsMonomorphic() const {
  return std::all_of(parameters_.begin(), parameters_.end(), [](const Parameter& parameter) {
    return parameter.type && !parameter.optional && !IsVariadic(parameter.kind);
  });
}

FunctionType FunctionType::WithOutput(TypeSpec output) const {
  FunctionType type = *this;
  type.output_ = std::move(output);
  return type;
}

bool FunctionType::operator==(const FunctionType& other) const {
  if (fingerprint_ != other.fingerprint_ || parameters_ != other.parameters_ ||
      captures_.size() != other.captures_.size()) {
    return false;
  }
  for (size_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i] == other.captures_[i]) continue;
    const Capture* same = LookupCapture(other.captures_, captures_[i].name);
    if (same == nullptr || same->type != captures_[i].type) return false;
  }
  return true;
}

StatusOr<bool> IsSupertype(const FunctionType& a, const FunctionType& b) {
  if (a.parameters().size() != b.parameters().size()) return false;
  for (size_t i = 0; i < a.parameters().size(); ++i) {
    const Parameter& mine = a.parameters()[i];
    const Parameter& theirs = b.parameters()[i];
    if (!mine.type) return PartialTypeError(mine);
    if (!theirs.type) return PartialTypeError(theirs);
    if (!SameRole(mine, theirs) || !IsSubtype(mine.type, theirs.type)) return false;
  }
  for (const Capture& capture : a.captures()) {
    const Capture* theirs = LookupCapture(b.captures(), capture.name);
    if (theirs == nullptr || !IsSubtype(capture.type, theirs->type)) return false;
  }
  return true;
}

StatusOr<std::optional<FunctionType>> MostSpecificCommonSubtype(
    std::span<const FunctionType> types) {
  const FunctionType& first = types[0];
  for (const FunctionType& type : types) {
    if (type.parameters().size() != first.parameters().size()) return std::nullopt;
  }
  std::vector<Parameter> parameters = first.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    for (const FunctionType& type : types) {
      if (!type.parameters()[i].type) return PartialTypeError(type.parameters()[i]);
    }
    for (const FunctionType& type : types.subspan(1)) {
      const Parameter& other = type.parameters()[i];
      if (!SameRole(parameters[i], other)) return std::nullopt;
      parameters[i].type = MostSpecificCommonSupertype(parameters[i].type, other.type);
      if (!parameters[i].type) return std::nullopt;
    }
  }
  std::vector<Capture> captures = first.captures();
  for (const FunctionType& type : types.subspan(1)) {
    for (const Capture& capture : type.captures()) {
      auto mine = std::find_if(captures.begin(), captures.end(),
                               [&](const Capture& c) { return c.name == capture.name; });
      if (mine == captures.end()) {
        captures.push_back(capture);
        continue;
      }
      mine->type = MostSpecificCommonSupertype(mine->type, capture.type);
      if (!mine->type) return std::nullopt;
    }
  }
  return FunctionType::MakeUnchecked(std::move(parameters), std::move(captures));
}

std::optional<FunctionType> MostSpecificCommonSubtype(const FunctionType& a,
                                                      const FunctionType& b) {
  const FunctionType both[] = {a, b};
  auto joined = MostSpecificCommonSubtype(both);
  return joined.ok() ? *std::move(joined) : std::nullopt;
}

std::string ExplainMismatch(const FunctionType& request, const FunctionType& target) {
  const auto& given = request.parameters();
  const auto& taken = target.parameters();
  for (size_t i = 0; i < std::min(given.size(), taken.size()); ++i) {
    const Parameter& a = given[i];
    const Parameter& b = taken[i];
    if (a.name != b.name) {
      return Cat("parameter ", i, " is `", a.name, "`; the candidate has `", b.name, "` there");
    }
    if (a.kind != b.kind) {
      return Cat("parameter `", a.name, "` is ", NameOf(a.kind), "; that of the candidate is ",
                 NameOf(b.kind));
    }
    if (a.optional != b.optional) {
      return Cat("parameter `", a.name, "` is ", a.optional ? "optional" : "required",
                 "; that of the candidate is ", b.optional ? "optional" : "required");
    }
    if (!a.type || !b.type) {
      return Cat("parameter `", a.name, "` has no type in the ", a.type ? "candidate" : "request");
    }
    if (!IsSubtype(a.type, b.type)) {
      return Cat("parameter `", a.name, "` is `", a.type, "`; the candidate expects `", b.type,
                 "`");
    }
  }
  if (given.size() != taken.size()) {
    return Cat(given.size(), " parameters; the candidate has ", taken.size());
  }
  for (const Capture& capture : request.captures()) {
    const Capture* theirs = LookupCapture(target.captures(), capture.name);
    if (theirs == nullptr) {
      return Cat("capture `", capture.name, "` is not among the candidate's");
    }
    if (!IsSubtype(capture.type, theirs->type)) {
      return Cat("capture `", capture.name, "` is `", capture.type, "`; the candidate has `",
                 theirs->type, "`");
    }
  }
  return "";
}

}  // namespace signet
