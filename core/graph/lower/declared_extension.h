// DeclaredExtension: an extension type as a model declares it: its checks, overrides and
// conversions are functions of the model.
//
//   override {family: BINARY_ELEMENTWISE, function: "masked_binary",
//             inputs: ["masked.MaskedTensor", "tensor"]}
//   mul(m, 2.0)  =>  masked_binary(m, 2.0, op="mul", attributes={})
//
// An override's function gets the inputs by position; its keyword-only parameters `op` and
// `attributes` get the op's name and a dict of its attributes, others the attribute of their name.
// It declines by not binding, by constraints that do not hold, and by calling `decline`. A tuple
// that it returns is the outputs one by one.
//
// Conversions form a graph of types: v1 -> v2 -> v3, v3 -> v2. Where several conversions accept a
// value, the one on the shortest way to the wanted type is taken. Immutable; thread-safe.

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
  // What each input must be: `tensor` (plain numbers too), `ragged`, `sparse`, `structured`,
  // `literal`, `any`, or an extension type; the last is for all further ones. Empty: this type or a
  // tensor.
  std::vector<std::string> inputs = {};
};

struct ConversionDef {
  // A tensor or ragged type, or a form of an extension type; without components, by its name and
  // static attributes alone.
  TypeSpec from;
  std::string function;
};

struct ExtensionFunctions {
  std::vector<std::string> invariants = {};  // (value) -> bool[]; the first line of its doc refuses
  std::vector<OverrideDef> overrides = {};   // in the order that they are tried
  std::vector<ConversionDef> conversions = {};
};

// What overrides call a family: `UNARY_ELEMENTWISE`.
std::string_view NameOf(OpFamily family);

class DeclaredExtension final : public ExtensionProtocol {
 public:
  // Functions are those of the expander's library whenever they are called.
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
  // The conversions that accept values of `type`, in declared order.
  std::vector<const ConversionDef*> ConversionsFrom(const TypeSpec& type) const;
  // The first of the fewest conversions that lead from `type` to a type below `wanted`, found by
  // specializing them for types; null if none lead there.
  const ConversionDef* FirstStep(const CallExpander& build, const TypeSpec& type,
                                 const TypeSpec& wanted) const;

  const ExtensionFunctions functions_;
};

}  // namespace signet
