// Canonicalize: a call's arguments made into values under a monomorphic FunctionType.
//
// Steps: bind, fill in defaults, cast each constrained argument (core/function/cast.h), type each
// value, check it against the constraint. The result is in signature order; *args becomes
// positional-only `NAME_0`, `NAME_1`, ..; **kwargs entries follow as keyword-only, sorted by name;
// a signature with *args makes every positional parameter positional-only
// (docs/reference/function-types.md). Parameters of the result are identified by position and kind:
// their names may repeat, and the name of a **kwargs entry may be any text.

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
  NamedValues keyword;  // in call order; a repeated name is refused
};

using Defaults = absl::flat_hash_map<std::string, Value>;  // by parameter name

struct CanonicalCall {
  FunctionType type;             // monomorphic
  std::vector<Value> arguments;  // one a parameter of `type`
};

// Besides the reasons of binding and casting: MISSING_DEFAULT, TYPE_MISMATCH, and those of
// FunctionType::Make for captures.
// FieldOf the status is the path of the argument at fault. `signature` as in BindArguments,
// `converter` as in CastTo.
StatusOr<CanonicalCall> Canonicalize(const FunctionType& type, const CallArguments& arguments,
                                     const Defaults& defaults, std::vector<Capture> captures = {},
                                     std::string_view signature = {},
                                     const Converter* converter = nullptr);

// The same for arguments that `binding` assigns to the parameters of `type`.
StatusOr<CanonicalCall> CanonicalizeBound(const FunctionType& type, const Binding& binding,
                                          const CallArguments& arguments, const Defaults& defaults,
                                          std::vector<Capture> captures = {},
                                          const Converter* converter = nullptr);

// Binds `arguments` by their number and names. `signature` as in BindArguments.
StatusOr<Binding> BindArguments(const FunctionType& type, const CallArguments& arguments,
                                std::string_view signature = {});

// Returns `indices`, which are indices of `keyword`, in the order of the bytes of the names: the
// order that entries of **kwargs have in the type of a call.
std::vector<size_t> SortedByName(std::vector<size_t> indices, const NamedValues& keyword);

// The default value of `parameter`, which lives as long as `defaults`; else MISSING_DEFAULT.
StatusOr<const Value*> FindDefault(const Defaults& defaults, const Parameter& parameter);

}  // namespace signet
