// Canonicalize: converts the arguments of a call to values under a monomorphic FunctionType.
//
// Steps: bind, fill in defaults, cast each constrained argument (core/function/cast.h), determine
// the type of each value, and check it against the constraint. The result is in signature order:
//
// 1. *args is replaced by positional-only parameters `NAME_0`, `NAME_1`, ...
// 2. The entries of **kwargs follow as keyword-only parameters, sorted by name.
// 3. In a signature with *args, every positional parameter is positional-only.
//
// Parameters of the result are identified by position and kind: their names may repeat, and the
// name of a **kwargs entry may be any text. Rules: docs/reference/function-types.md.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/function/binding.h"
#include "core/function/converter.h"
#include "signet/function_type.h"
#include "signet/value.h"

namespace signet {

struct CallArguments {
  std::vector<Value> positional;
  NamedValues keyword;  // in call order; a repeated name is an error
};

using Defaults = absl::flat_hash_map<std::string, Value>;  // by parameter name

struct CanonicalCall {
  FunctionType type;             // monomorphic
  std::vector<Value> arguments;  // one per parameter of `type`
};

// Reasons of errors, in addition to those of binding and casting: MISSING_DEFAULT, TYPE_MISMATCH,
// and those of FunctionType::Make for captures. FieldOf the status is the path of the argument at
// fault. `signature` is as in BindArguments, and `converter` as in CastTo.
StatusOr<CanonicalCall> Canonicalize(const FunctionType& type, const CallArguments& arguments,
                                     const Defaults& defaults, std::vector<Capture> captures = {},
                                     std::string_view signature = {},
                                     const Converter* converter = nullptr);

// Does the same for arguments that `binding` assigns to the parameters of `type`.
StatusOr<CanonicalCall> CanonicalizeBound(const FunctionType& type, const Binding& binding,
                                          const CallArguments& arguments, const Defaults& defaults,
                                          std::vector<Capture> captures = {},
                                          const Converter* converter = nullptr);

// Binds `arguments` by their number and names. `signature` is as in BindArguments.
StatusOr<Binding> BindArguments(const FunctionType& type, const CallArguments& arguments,
                                std::string_view signature = {});

// Returns `indices`, which are indices of `keyword`, in byte order of the names. This is the order
// of the entries of **kwargs in the type of a call.
std::vector<size_t> SortedByName(std::vector<size_t> indices, const NamedValues& keyword);

// Returns the default value of `parameter`, valid as long as `defaults`, or a MISSING_DEFAULT
// error.
StatusOr<const Value*> FindDefault(const Defaults& defaults, const Parameter& parameter);

}  // namespace signet
