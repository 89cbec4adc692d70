// struct_get: takes a field out of a structure.
//
//   struct_get(x, field="steps.text")   x: [{steps: [{text: string[]}]}]   =>  ragged string[?,
//   (?)]
//
// Expansion only: the result is some of the structure's own components, so nothing runs.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/field_paths.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandStructGet(OpBuilder&, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: `field` is a path; each name exists in what the names before it lead to.
  SIGNET_ASSIGN_OR_RETURN(FieldPath path, Labelled("C1", PathAttribute(call.attributes, "field")));
  return OneOutput(Labelled("C1", ValueAt(inputs[0], path)));
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
