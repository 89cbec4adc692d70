// apply: calls the op whose name is an attribute.
//
//   apply(x, y; op="mul")  =>  mul(x, y)

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/extension/extension_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandApply(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  // C1: `op` is the name of an op that is not a control op.
  SIGNET_ASSIGN_OR_RETURN(std::string name, WithConstraint("C1", call.attributes.String("op")));
  SIGNET_RETURN_IF_ERROR(build.CheckCallable(name));
  // C2: `attributes` is a dict of attributes of the op.
  TypeSpec given = call.attributes.Lookup("attributes");
  const auto* dict = given.As<DictSpec>();
  if (dict == nullptr) {
    return WithConstraint(
        "C2", InvalidArgument("attributes: expected a dict of plain values, found `", given, "`"));
  }
  NamedTypes attributes;
  for (size_t i = 0; i < dict->keys().size(); ++i) {
    attributes.emplace_back(dict->keys()[i], given.children()[i]);
  }
  return build.Call(name, inputs, Attributes(std::move(attributes)));
}

}  // namespace

OpDef Apply() {
  return {
      .name = "apply",
      .summary = "Calls the op that an attribute names",
      .description =
          "Calls the op whose name is `op`, with the attributes of the dict `attributes`. An "
          "override of a group of ops receives the name and the attributes of the called op and "
          "can pass them on with `apply`.",
      .inputs = {"inputs..."},
      .attributes = {{"op"}, {"attributes", *MakeDictType({})}},
      .outputs = {"outputs..."},
      .result = "The outputs of the called op.",
      .constraints =
          {"`op` is the name of an op that models can call and that does not call functions.",
           "`attributes` is a dict of attributes of the op."},
      .composites = "The inputs are values of any type.",
      .expand = ExpandApply,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
