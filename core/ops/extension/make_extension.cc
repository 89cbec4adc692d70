// make_extension: makes a value of an extension type of its components. The constraints are those
// of docs/reference/ops.md.

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/extension/extension_ops.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandMakeExtension(OpBuilder& build, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  // C1: `type` names an extension type, by its name alone.
  SIGNET_ASSIGN_OR_RETURN(std::string name, Labelled("C1", call.attributes.String("type")));
  // C2: `statics` is a dict of literals and nests of them.
  TypeSpec given = call.attributes.Lookup("statics");
  const auto* dict = given.As<DictSpec>();
  if (dict == nullptr || !IsStatic(given)) {
    return InvalidArgument("C2 statics are `", given, "`; takes a dict of plain values");
  }
  NamedTypes statics;
  for (size_t i = 0; i < dict->keys().size(); ++i) {
    statics.emplace_back(dict->keys()[i], given.children()[i]);
  }
  // C3: components and statics are as the type declares them.
  auto made = build.MakeExtensionValue(name, statics, inputs);
  if (!made.ok()) return made.status();
  return std::vector<GraphValue>{*std::move(made)};
}

}  // namespace

OpDef MakeExtension() {
  return {
      .name = "make_extension",
      .summary = "Makes a value of an extension type of its components",
      .inputs = {"components..."},
      .attributes = {{"type"}, {"statics", *MakeDictType({})}},
      .expand = ExpandMakeExtension,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
