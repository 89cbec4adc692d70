#include "core/function/binding.h"

#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/base/nearest_name.h"

namespace signet {
namespace {

using Source = BoundParameter::Source;

// Finds a keyword in the call. Uses a hash table if there are many.
class KeywordIndex {
 public:
  explicit KeywordIndex(std::span<const std::string_view> keywords) : keywords_(keywords) {
    if (keywords.size() <= kFew) return;
    for (size_t i = 0; i < keywords.size(); ++i) {
      if (!many_.emplace(keywords[i], i).second && !repeated_) repeated_ = keywords[i];
    }
  }

  std::optional<size_t> Lookup(std::string_view name) const {
    if (keywords_.size() > kFew) {
      auto found = many_.find(name);
      return found == many_.end() ? std::nullopt : std::optional<size_t>(found->second);
    }
    for (size_t i = 0; i < keywords_.size(); ++i) {
      if (keywords_[i] == name) return i;
    }
    return std::nullopt;
  }

  // Returns the first keyword that repeats an earlier one.
  std::optional<std::string_view> Repeated() const {
    if (keywords_.size() > kFew) return repeated_;
    for (size_t i = 0; i < keywords_.size(); ++i) {
      if (*Lookup(keywords_[i]) != i) return keywords_[i];
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kFew = 16;
  std::span<const std::string_view> keywords_;
  absl::flat_hash_map<std::string_view, size_t> many_;
  std::optional<std::string_view> repeated_;
};

// Binds one call, in the order of the steps in docs/reference/function-types.md.
class Binder {
 public:
  Binder(const FunctionType& type, size_t num_positional,
         std::span<const std::string_view> keywords, std::string_view signature)
      : type_(type),
        num_positional_(num_positional),
        keywords_(keywords),
        signature_(signature),
        index_(keywords) {}

  StatusOr<Binding> Bind() && {
    if (auto repeated = index_.Repeated()) {
      return Fault(*repeated, "DUPLICATE_KEYWORD", "argument `", Printable(*repeated),
                   "` is given more than once");
    }
    const auto& parameters = type_.parameters();
    has_var_keyword_ = !parameters.empty() && parameters.back().kind == ParameterKind::kVarKeyword;
    binding_.parameters.resize(parameters.size());
    taken_.resize(keywords_.size());
    SIGNET_RETURN_IF_ERROR(BindPositional());
    SIGNET_RETURN_IF_ERROR(BindKeywords());
    SIGNET_RETURN_IF_ERROR(BindExtraKeywords());
    return std::move(binding_);
  }

 private:
  template <class... Parts>
  Status Fault(std::string_view name, std::string_view reason, const Parts&... parts) {
    Status status = InvalidWithReason(reason, parts..., ", in `", RelevantSignature(name), "`");
    return name.empty() ? status : WithField(Printable(name), std::move(status));
  }

  // Returns the signature, or if it is long, only the type of the parameter at fault.
  std::string RelevantSignature(std::string_view at_fault) const {
    constexpr size_t kMaxSignature = 120;
    std::string text = signature_.empty() ? type_.ToString() : std::string(signature_);
    if (text.size() <= kMaxSignature) return text;
    std::vector<Parameter> parameters = type_.parameters();
    for (Parameter& parameter : parameters) {
      if (parameter.name != at_fault) parameter.type = TypeSpec();
    }
    auto relevant = FunctionType::Make(std::move(parameters));
    if (!relevant.ok()) return text;
    std::string shown = Cat(text.substr(0, text.find('(')), *relevant);
    if (shown.size() <= 2 * kMaxSignature) return shown;
    return Cat(shown.substr(0, shown.find_last_of(" ,", 2 * kMaxSignature)), "..");
  }

  // Also lists the keywords that match no parameter, because one of them may be a misspelling.
  Status Missing(const Parameter& parameter) {
    absl::flat_hash_set<std::string_view> known;
    for (const Parameter& other : type_.parameters()) known.insert(other.name);
    std::vector<std::string> unknown;
    for (std::string_view keyword : keywords_) {
      if (!has_var_keyword_ && !known.contains(keyword)) unknown.emplace_back(keyword);
    }
    return Fault(parameter.name, "MISSING_REQUIRED", "no argument for `", parameter.name, "`",
                 unknown.empty() ? "" : Cat(", and no parameter ", ListNames(unknown)));
  }

  // Returns a hint for a caller that passes keyword-only arguments by position.
  std::string HintOfKeywords() const {
    for (const Parameter& parameter : type_.parameters()) {
      const bool is_open = parameter.kind == ParameterKind::kKeywordOnly &&
                           !index_.Lookup(parameter.name).has_value();
      if (!is_open) continue;
      return Cat("; `", parameter.name, "` is passed by name: `", parameter.name, "=...`");
    }
    return {};
  }

  // Step 1: bind positional arguments, from the left.
  Status BindPositional() {
    const auto& parameters = type_.parameters();
    for (size_t i = 0; i < num_positional_; ++i, ++next_) {
      if (next_ == parameters.size() || parameters[next_].kind > ParameterKind::kVarPositional) {
        return Fault("", "TOO_MANY_POSITIONAL", "expected ",
                     next_ == 0 ? "no" : Cat("at most ", next_), " positional argument",
                     next_ == 1 ? "" : "s", ", found ", num_positional_, HintOfKeywords());
      }
      const Parameter& parameter = parameters[next_];
      if (parameter.kind == ParameterKind::kVarPositional) {
        binding_.parameters[next_++] = {Source::kVariadic, i, num_positional_ - i};
        return absl::OkStatus();
      }
      if (parameter.kind == ParameterKind::kPositionalOrKeyword && index_.Lookup(parameter.name)) {
        return Fault(parameter.name, "MULTIPLE_VALUES", "argument `", parameter.name,
                     "` is given by position and by name");
      }
      binding_.parameters[next_] = {Source::kPositional, i, 1};
    }
    return absl::OkStatus();
  }

  // A keyword that names a positional-only parameter goes to **kwargs if there is such a parameter.
  Status CheckNotByName(const Parameter& parameter) {
    if (has_var_keyword_ || !index_.Lookup(parameter.name)) return absl::OkStatus();
    return Fault(parameter.name, "POSITIONAL_ONLY_AS_KEYWORD", "argument `", parameter.name,
                 "` is given by name; it is taken by position only");
  }

  // Step 2: bind the other parameters by name.
  Status BindKeywords() {
    for (; next_ < type_.parameters().size(); ++next_) {
      const Parameter& parameter = type_.parameters()[next_];
      BoundParameter& bound = binding_.parameters[next_];
      if (IsVariadic(parameter.kind)) {
        bound.source = Source::kVariadic;
        continue;
      }
      if (parameter.kind == ParameterKind::kPositionalOnly) {
        SIGNET_RETURN_IF_ERROR(CheckNotByName(parameter));
      } else if (auto keyword = index_.Lookup(parameter.name)) {
        bound = {Source::kKeyword, *keyword, 1};
        taken_[*keyword] = true;
        continue;
      }
      if (!parameter.optional) return Missing(parameter);
    }
    return absl::OkStatus();
  }

  // Step 3: assign the keywords that match no parameter.
  Status BindExtraKeywords() {
    for (size_t i = 0; i < keywords_.size(); ++i) {
      if (taken_[i]) continue;
      if (!has_var_keyword_) return Unexpected(keywords_[i]);
      binding_.extra_keywords.push_back(i);
    }
    return absl::OkStatus();
  }

  Status Unexpected(std::string_view keyword) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < type_.parameters().size(); ++i) {
      const Parameter& parameter = type_.parameters()[i];
      bool by_name = parameter.kind == ParameterKind::kPositionalOrKeyword ||
                     parameter.kind == ParameterKind::kKeywordOnly;
      if (by_name && binding_.parameters[i].source == Source::kAbsent) {
        names.push_back(parameter.name);
      }
    }
    return Fault(keyword, "UNEXPECTED_KEYWORD", "no parameter `", Printable(keyword), "`",
                 NearestHint(keyword, names));
  }

  const FunctionType& type_;
  const size_t num_positional_;
  const std::span<const std::string_view> keywords_;
  const std::string_view signature_;
  const KeywordIndex index_;
  bool has_var_keyword_ = false;
  size_t next_ = 0;          // the first parameter that is not bound yet
  std::vector<bool> taken_;  // keywords that a parameter has received
  Binding binding_;
};

}  // namespace

StatusOr<Binding> BindArguments(const FunctionType& type, size_t num_positional,
                                std::span<const std::string_view> keywords,
                                std::string_view signature) {
  return Binder(type, num_positional, keywords, signature).Bind();
}

ReplayedCall ReplayBinding(const FunctionType& type, const Binding& binding,
                           std::span<const std::string_view> keywords, bool apply_defaults) {
  ReplayedCall call;
  bool by_name = false;
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    if (parameter.kind == ParameterKind::kVarKeyword) {
      for (size_t keyword : binding.extra_keywords) {
        call.keyword.push_back({std::string(keywords[keyword]), Source::kKeyword, keyword});
      }
    } else if (parameter.kind == ParameterKind::kVarPositional) {
      for (size_t j = 0; j < bound.count; ++j) {
        call.positional.push_back({parameter.name, Source::kPositional, bound.index + j});
      }
    } else {
      bool is_left_out = bound.source == Source::kAbsent && !apply_defaults;
      by_name |= is_left_out || parameter.kind == ParameterKind::kKeywordOnly;
      if (is_left_out) continue;
      (by_name ? call.keyword : call.positional)
          .push_back({parameter.name, bound.source, bound.index});
    }
  }
  return call;
}

}  // namespace signet
