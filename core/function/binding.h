// Binding: assigns the arguments of a call to parameters, as Python does.
//
//   f(a, /, b, *args, c=1, **kw) called f(1, 2, 3, d=4)   =>   a: 0   b: 1   args: 2..3   kw: {d}
//
// Binding uses only names and counts, never values. Rules and the order of the checks:
// docs/reference/function-types.md (CPython's inspect.Signature.bind; a keyword with the name of a
// positional-only parameter goes to **kwargs, as in a real call). Stateless; thread-safe.

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
  size_t index = 0;  // of the positional or keyword argument; for *args, of the first one
  size_t count = 0;  // for *args: number of positional arguments from `index` on
};

struct Binding {
  std::vector<BoundParameter> parameters;  // one per parameter, in signature order
  std::vector<size_t> extra_keywords;      // **kwargs: indices of keyword arguments, in call order
};

// Reasons of errors: MISSING_REQUIRED, TOO_MANY_POSITIONAL, MULTIPLE_VALUES, UNEXPECTED_KEYWORD,
// POSITIONAL_ONLY_AS_KEYWORD, DUPLICATE_KEYWORD. An error shows the signature (`signature`, or
// type.ToString() if that is empty) and names the parameter (FieldOf the status). For an unknown
// keyword, it suggests the nearest name; for a missing argument, it lists the unknown keywords.
// unknown keyword, the nearest name; where an argument is missing, the unknown keywords.
StatusOr<Binding> BindArguments(const FunctionType& type, size_t num_positional,
                                std::span<const std::string_view> keywords,
                                std::string_view signature = {});

// A call that binds in the same way, like `args` and `kwargs` of Python's BoundArguments: by
// position up to the first parameter that is left out or keyword-only, and by name after that.
struct ReplayedCall {
  struct Argument {
    std::string name;               // of the parameter, or the keyword in **kwargs
    BoundParameter::Source source;  // kAbsent: the default value
    size_t index = 0;               // of the positional or keyword argument of the original call
  };
  std::vector<Argument> positional;
  std::vector<Argument> keyword;
};
// If `apply_defaults` is true, parameters without an argument get their defaults; otherwise they
// are left out.
ReplayedCall ReplayBinding(const FunctionType& type, const Binding& binding,
                           std::span<const std::string_view> keywords, bool apply_defaults);

}  // namespace signet
