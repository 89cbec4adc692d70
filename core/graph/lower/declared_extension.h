// DeclaredExtension: an extension type whose checks, overrides, and conversions are functions of a
// model.
//
//   override {family: BINARY_ELEMENTWISE, function: "masked_binary",
//             inputs: ["masked.MaskedTensor", "tensor"]}
//   mul(m, 2.0)  =>  masked_binary(m, 2.0, op="mul", attributes={})
//
// The function of an override receives the inputs by position. Its keyword-only parameters `op` and
// `attributes` receive the name of the op and a dict of its attributes; other keyword-only
// parameters receive the attribute of the same name. The function declines a call if the inputs do
// not bind, if constraints of parameters do not hold, or if it calls `decline`. If it returns a
// tuple, the elements are the outputs.
//
// Conversions form a graph of types: v1 -> v2 -> v3, v3 -> v2. If several conversions accept a
// value, the one on the shortest path to the wanted type is used. Immutable.

#pragma once

#include <string>
#include <vector>

#include "core/graph/body/graph.h"
#include "core/graph/lower/extension_types.h"

namespace signet {

struct OverrideDef {
  std::string op = {};  // or
  OpFamily family = OpFamily::kNone;
  std::string function;
  // The kind of each input: `tensor` (also plain numbers), `ragged`, `sparse`, `structured`,
  // `literal`, `any`, or an extension type. The last entry applies to all further inputs. If the
  // list is empty, each input is this type or a tensor.
  std::vector<std::string> inputs = {};
};

struct ConversionDef {
  // A tensor or ragged type, or a form of an extension type. A form without components is matched
  // by its name and static attributes.
  TypeSpec from;
  std::string function;
};

struct ExtensionFunctions {
  std::vector<std::string> invariants = {};  // (value) -> bool[]; the error is the first doc line
  std::vector<OverrideDef> overrides = {};   // in the order in which they are tried
  std::vector<ConversionDef> conversions = {};
};

// Returns the name of a family in overrides, such as `UNARY_ELEMENTWISE`.
std::string_view NameOf(OpFamily family);

class DeclaredExtension final : public ExtensionProtocol {
 public:
  // The functions are looked up in the library of the expander when they are called.
  DeclaredExtension(ExtensionDeclaration declaration, ExtensionFunctions functions)
      : ExtensionProtocol(std::move(declaration)), functions_(std::move(functions)) {}

  Status CheckValue(CallExpander& build, const GraphValue& value,
                    std::string_view where) const override;
  StatusOr<std::optional<std::vector<GraphValue>>> Override(
      CallExpander& build, const OpCall& call, std::span<const GraphValue> inputs,
      std::vector<std::string>& declined) const override;
  StatusOr<std::optional<Converted>> Convert(CallExpander& build, const GraphValue& from,
                                             const TypeSpec& wanted) const override;

 private:
  bool InputsFit(const CallExpander& build, const OverrideDef& override,
                 std::span<const GraphValue> inputs) const;
  // Returns the conversions that accept values of `type`, in declared order.
  std::vector<const ConversionDef*> ConversionsFrom(const TypeSpec& type) const;
  // Returns the first conversion of the shortest path from `type` to a subtype of `wanted`, or null
  // if there is no path. Specializes conversions to find their result types.
  const ConversionDef* FirstStep(const CallExpander& build, const TypeSpec& type,
                                 const TypeSpec& wanted) const;

  const ExtensionFunctions functions_;
};

}  // namespace signet
