// FunctionType: a signature in the style of Python, with TypeSpecs.
//
//   auto vector = signet::TensorType(signet::DType::kFloat32, {signet::kUnknownDim});
//   auto type = signet::FunctionType::Make({{.name = "x", .type = vector}});
//   std::string text = type->ToString();  // (x: float32[?])
//
//   (recipes: [{title: string[]}], user: float32[16], /, top_k = 3, *, low = 1.0) -> string[?]
//
// A function type has ordered parameters, captures (name -> type), and an output type. Whether a
// parameter may be left out is part of the type. Its default value is not; it is stored with the
// captures. A type is monomorphic if every parameter is required and typed. Calls have monomorphic
// types, and concrete functions are built for them. The parameters of a signature have different
// names. The parameters of a call are identified by position and kind, so two of them may have the
// same name:
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

enum class ParameterKind : uint8_t {  // numbered by rank, which never decreases along a signature
  kPositionalOnly,
  kPositionalOrKeyword,
  kVarPositional,
  kKeywordOnly,
  kVarKeyword,
};

// Returns the kind as text for an error: "positional-only".
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
  FunctionType() = default;  // a function without parameters

  // Reasons of errors: WRONG_PARAMETER_ORDER, REQUIRED_AFTER_OPTIONAL, DUPLICATE_PARAMETER,
  // INVALID_PARAMETER_NAME, VARIADIC_OPTIONAL, VARIADIC_TYPED.
  static StatusOr<FunctionType> Make(std::vector<Parameter> parameters,
                                     std::vector<Capture> captures = {}, TypeSpec output = {});
  // Returns a type without the checks of Make: the type of a call, or parts that were checked
  // before.
  static FunctionType MakeUnchecked(std::vector<Parameter> parameters,
                                    std::vector<Capture> captures = {}, TypeSpec output = {});

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Capture>& captures() const { return captures_; }
  const TypeSpec& output() const { return output_; }
  const Parameter* LookupParameter(std::string_view name) const;  // null if there is none
  bool IsMonomorphic() const;
  FunctionType WithOutput(TypeSpec output) const;

  // Returns a hash of parameters and captures (in any order). Like equality, it ignores the output.
  uint64_t fingerprint() const { return fingerprint_; }
  // Returns a hash of the parameters without shapes. Types related by IsSupertype have the same
  // one.
  uint64_t structure() const { return structure_; }
  bool operator==(const FunctionType& other) const;
  // Returns the signature without default values: `(x: float32[?], y = ...) -> int64[]`.
  std::string ToString() const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Capture> captures_;
  TypeSpec output_;
  uint64_t fingerprint_ = 0;
  uint64_t structure_ = 0;
};

// Returns true if `b` can be used wherever `a` is expected: the numbers, names, kinds, and
// optionality of the parameters agree, each parameter type of `a` is a subtype of the one of `b`,
// and `b` has every capture of `a`, with a supertype. Returns PARTIAL_TYPE if an unconstrained
// parameter had to be compared.
StatusOr<bool> IsSupertype(const FunctionType& a, const FunctionType& b);

// Returns the type that accepts what any of `types` (at least one) accepts, or null if there is
// none. It has the captures of all types; captures of the same name are joined. Returns
// PARTIAL_TYPE as above.
StatusOr<std::optional<FunctionType>> MostSpecificCommonSubtype(
    std::span<const FunctionType> types);
// Does the same for two types. Also returns null if one of them is partial.
std::optional<FunctionType> MostSpecificCommonSubtype(const FunctionType& a, const FunctionType& b);

// Returns the first difference, with both sides, that makes `target` reject `request`. Empty if
// `target` accepts it.
//   parameter `x` is `float32[3, 3]`; the candidate takes `float32[?, 2]`
std::string ExplainMismatch(const FunctionType& request, const FunctionType& target);

}  // namespace signet
