// struct_get: returns a field of a structure.
//
//   struct_get(x, field="steps.text")   x: [{steps: [{text: string[]}]}]   =>  ragged string[?,
//   (?)]
// The op is an expansion. The result consists of components of the structure, so no kernel runs.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/field_paths.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandStructGet(OpBuilder&, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: `field` is a path, and each name exists in the value to which the names before it lead.
  SIGNET_ASSIGN_OR_RETURN(FieldPath path,
                          WithConstraint("C1", PathAttribute(call.attributes, "field")));
  return OneOutput(WithConstraint("C1", ValueAt(inputs[0], path)));
}

}  // namespace

OpDef StructGet() {
  return {
      .name = "struct_get",
      .summary = "Returns a field of a structure",
      .description =
          "Returns a field by its path through structures, dicts, named tuples, and extension "
          "values. A path is names joined by dots, or a list of names: `list(\"steps\", "
          "\"text\")`. The empty path leads to x. Taking a field costs nothing at run time.",
      .inputs = {"x"},
      .attributes = {{"field"}},
      .result =
          "The field, with the dimensions of its structure: `text` of `[{steps: [{text: "
          "string[]}]}]` is `ragged string[?, (?)]`.",
      .constraints = {"`field` is a path, and each of its names exists (NOT_FOUND)."},
      .composites = "The input is a structure, a dict, a named tuple, or an extension value.",
      .expand = ExpandStructGet,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
