#include "core/graph/lower/call_struct_map.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/field_map.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

// Calls op `name`, which must have one output, and returns its result.
StatusOr<GraphValue> Applied(OpBuilder& build, const TypeSpec& name, const TypeSpec& attributes,
                             std::span<const GraphValue> vectors) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs,
                          build.Apply(vectors, {.op = name, .attributes = attributes}));
  if (outputs.size() == 1) return std::move(outputs[0]);
  return WithConstraint(
      "C4", InvalidArgument("op `", name, "`: expected one output, found ", outputs.size()));
}

}  // namespace

StatusOr<std::vector<GraphValue>> CallStructMap(Inliner& inliner, const OpDef& op,
                                                std::span<const GraphValue> inputs,
                                                const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(CheckArity(op, inputs.size()));
  SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(op, attributes));
  FieldMap map;
  SIGNET_ASSIGN_OR_RETURN(map.parent, WithConstraint("C2", PathAttribute(complete, "parent")));
  SIGNET_ASSIGN_OR_RETURN(map.fields, WithConstraint("C2", complete.Strings("fields")));
  SIGNET_ASSIGN_OR_RETURN(map.name, WithConstraint("C6", complete.String("name")));
  // C4: an op with one output, or a function.
  bool by_op = !IsNone(complete, "op");
  if (by_op != IsNone(complete, "function")) {
    return WithConstraint(
        "C4", InvalidArgument("expected `op` or `function`, found ", by_op ? "both" : "neither"));
  }
  auto made =
      MapFields(inliner.expander(), inputs[0], map,
                [&](std::span<const GraphValue> vectors) -> StatusOr<GraphValue> {
                  if (by_op) {
                    return Applied(inliner.expander(), complete.Lookup("op"),
                                   complete.Lookup("attributes"), vectors);
                  }
                  SIGNET_ASSIGN_OR_RETURN(std::string function, complete.String("function"));
                  return inliner.CallNamed(function, vectors);
                });
  SIGNET_RETURN_IF_ERROR(made.status());
  return std::vector<GraphValue>{*std::move(made)};
}

}  // namespace signet
