// Binding: which argument goes to which parameter, as a Python call decides it.
//
//   f(a, /, b, *args, c=1, **kw) called f(1, 2, 3, d=4)   =>   a: 0   b: 1   args: 2..3   kw: {d}
//
// Binding looks at names and counts only, never at values. Rules and the order in which faults are
// found: docs/reference/function-types.md (CPython's inspect.Signature.bind; a keyword with the
// name of a positional-only parameter goes to **kwargs, as in a real call). Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signet/function_type.h"

namespace signet {

struct BoundParameter {
  enum class Source : uint8_t { kAbsent, kPositional, kKeyword, kVariadic };
  Source source = Source::kAbsent;
  size_t index = 0;  // of the positional or keyword argument; *args: of the first
  size_t count = 0;  // *args: how many positional arguments, from `index` on
};

struct Binding {
  std::vector<BoundParameter> parameters;  // one a parameter, in signature order
  std::vector<size_t> extra_keywords;      // **kwargs: indices of keyword arguments, in call order
};

// Refuses (reasons): MISSING_REQUIRED, TOO_MANY_POSITIONAL, MULTIPLE_VALUES, UNEXPECTED_KEYWORD,
// POSITIONAL_ONLY_AS_KEYWORD, DUPLICATE_KEYWORD. The refusal shows the signature (as `signature`
// writes it, else as type.ToString() does), names the parameter (FieldOf the status) and, for an
// unknown keyword, the nearest name; where an argument is missing, the unknown keywords.
StatusOr<Binding> BindArguments(const FunctionType& type, size_t num_positional,
                                std::span<const std::string_view> keywords,
                                std::string_view signature = {});

// A call that binds the same way, as `args` and `kwargs` of Python's BoundArguments: by position up
// to the first parameter that is left out or keyword-only, by name from there on.
struct ReplayedCall {
  struct Argument {
    std::string name;               // of the parameter, or the keyword that **kwargs takes
    BoundParameter::Source source;  // kAbsent: the default value
    size_t index = 0;               // of the positional or keyword argument of the original call
  };
  std::vector<Argument> positional;
  std::vector<Argument> keyword;
};
// With `apply_defaults`, parameters without an argument are passed their defaults, else left out.
ReplayedCall ReplayBinding(const FunctionType& type, const Binding& binding,
                           std::span<const std::string_view> keywords, bool apply_defaults);

}  // namespace signet
