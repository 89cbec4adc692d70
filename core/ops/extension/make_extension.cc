// make_extension: makes a value of an extension type from its components.

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/extension/extension_ops.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandMakeExtension(OpBuilder& build, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  // C1: `type` is the name of an extension type, without parameters.
  SIGNET_ASSIGN_OR_RETURN(std::string name, WithConstraint("C1", call.attributes.String("type")));
  // C2: `statics` is a dict of literals and nests of literals.
  TypeSpec given = call.attributes.Lookup("statics");
  const auto* dict = given.As<DictSpec>();
  if (dict == nullptr || !IsStatic(given)) {
    return WithConstraint(
        "C2", InvalidArgument("statics: expected a dict of plain values, found `", given, "`"));
  }
  NamedTypes statics;
  for (size_t i = 0; i < dict->keys().size(); ++i) {
    statics.emplace_back(dict->keys()[i], given.children()[i]);
  }
  // C3: the components and statics match the declaration of the type.
  auto made = build.MakeExtensionValue(name, statics, inputs);
  if (!made.ok()) return made.status();
  return std::vector<GraphValue>{*std::move(made)};
}

}  // namespace

OpDef MakeExtension() {
  return {
      .name = "make_extension",
      .summary = "Creates a value of an extension type",
      .description =
          "Creates a value of the extension type that `type` names, from its components in their "
          "declared order. `statics` is a dict with the static attributes, which are literals. The "
          "invariants of the type are checked, at once where they are known and otherwise when the "
          "function runs.",
      .inputs = {"components..."},
      .attributes = {{"type"}, {"statics", *MakeDictType({})}},
      .result = "The extension value.",
      .constraints = {"`type` is a name.",
                      "`statics` is a dict of literals, or of nests of literals.",
                      "The number of components is the number that the type declares."},
      .composites = "The components are values of any type.",
      .expand = ExpandMakeExtension,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
