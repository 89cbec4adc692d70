// FunctionType: a signature as Python has one, over TypeSpecs.
//
//   (recipes: [{title: string[]}], user: float32[16], /, top_k = 3, *, low = 1.0) -> string[?]
//
// Ordered parameters, captures (name -> type) and an output type. Whether a parameter may be left
// out is part of the type; its default value is not: that is kept with the captures. A type whose
// every parameter is required and typed is monomorphic: it is what a call has, and what a concrete
// function is made for. The parameters of a signature have different names. The parameters of a
// call are identified by their position and kind, so two of them may have the same name:
//
//   f(a, /, *args, **kw) called f(1, 2, a=3, args_0=4)
//     =>  (a: 1, args_0: 2, /, *, a: 3, args_0: 4)
//
// Immutable value; thread-safe.
// Sources: RFC FunctionType; rules in docs/reference/function-types.md.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

enum class ParameterKind : uint8_t {  // numbered by rank, which never goes down along a signature
  kPositionalOnly,
  kPositionalOrKeyword,
  kVarPositional,
  kKeywordOnly,
  kVarKeyword,
};

// As in a refusal: "positional-only".
std::string_view NameOf(ParameterKind kind);
inline bool IsVariadic(ParameterKind kind) {
  return kind == ParameterKind::kVarPositional || kind == ParameterKind::kVarKeyword;
}

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::kPositionalOrKeyword;
  bool optional = false;
  TypeSpec type = {};  // the constraint; null: any argument

  bool operator==(const Parameter&) const = default;
};

struct Capture {
  std::string name;
  TypeSpec type;

  bool operator==(const Capture&) const = default;
};

class FunctionType {
 public:
  FunctionType() = default;  // takes nothing

  // Refuses (reasons): WRONG_PARAMETER_ORDER, REQUIRED_AFTER_OPTIONAL, DUPLICATE_PARAMETER,
  // INVALID_PARAMETER_NAME, VARIADIC_OPTIONAL, VARIADIC_TYPED.
  static StatusOr<FunctionType> Make(std::vector<Parameter> parameters,
                                     std::vector<Capture> captures = {}, TypeSpec output = {});
  // Makes a type without the checks of Make: the type of a call, or parts that were checked before.
  static FunctionType MakeUnchecked(std::vector<Parameter> parameters,
                                    std::vector<Capture> captures = {}, TypeSpec output = {});

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Capture>& captures() const { return captures_; }
  const TypeSpec& output() const { return output_; }
  const Parameter* LookupParameter(std::string_view name) const;  // null when there is none
  bool IsMonomorphic() const;
  FunctionType WithOutput(TypeSpec output) const;

  // Over parameters and captures (unordered); the output plays no part, as in equality.
  uint64_t fingerprint() const { return fingerprint_; }
  // Over parameters, but blind to shapes: types related by IsSupertype share it.
  uint64_t structure() const { return structure_; }
  bool operator==(const FunctionType& other) const;
  // The signature in writing, without default values: `(x: float32[?], y = ...) -> int64[]`.
  // ParseSignature (core/function/signature.h) reads it back.
  std::string ToString() const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Capture> captures_;
  TypeSpec output_;
  uint64_t fingerprint_ = 0;
  uint64_t structure_ = 0;
};

// `b` can stand in wherever `a` is expected: parameter counts, names, kinds and optionality agree,
// each parameter type of `a` is below `b`'s, and every capture of `a` is in `b`, `a`'s type below
// `b`'s. PARTIAL_TYPE when an unconstrained parameter had to be compared.
StatusOr<bool> IsSupertype(const FunctionType& a, const FunctionType& b);

// The type that accepts what any of `types` (at least one) accepts; null when there is none.
// Captures are those of all, joined where they share a name. PARTIAL_TYPE as above.
StatusOr<std::optional<FunctionType>> MostSpecificCommonSubtype(
    std::span<const FunctionType> types);
// The same for two; null also where one is partial.
std::optional<FunctionType> MostSpecificCommonSubtype(const FunctionType& a, const FunctionType& b);

// Why `target` does not accept `request`: the first difference, both sides. Empty when it does.
//   parameter `x` is `float32[3, 3]`; the candidate takes `float32[?, 2]`
std::string ExplainMismatch(const FunctionType& request, const FunctionType& target);

}  // namespace signet
