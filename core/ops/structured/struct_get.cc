// struct_get: takes a field out of a structure. The constraints are those of docs/reference/ops.md.
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
      .summary = "Takes a field out of a structure, by its path",
      .inputs = {"x"},
      .attributes = {{"field"}},
      .expand = ExpandStructGet,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
