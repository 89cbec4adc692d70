// struct_map: computes a field from other fields. The header field_map.h describes the op, and
// core/graph executes its control flow.

#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {

OpDef StructMap() {
  return {
      .name = "struct_map",
      .summary = "Creates a field from other fields by an op or a function",
      .description =
          "Creates the field `name` in the structure at `parent` from the `fields` of that "
          "structure, by an op with `attributes`, or by a function of the model. The op or "
          "function receives the flat values of each field, which are vectors of the same length, "
          "and returns one value per element. The results are in the rows of the fields. A "
          "function that computes whole rows is called as usual, between `struct_get` and "
          "`struct_update`.",
      .inputs = {"x"},
      .attributes = {{"fields"},
                     {"name"},
                     {"parent", AttributeOf("")},
                     {"op", NoneAttribute()},
                     {"attributes", *MakeDictType({})},
                     {"function", NoneAttribute()}},
      .result = "The structure with the new field.",
      .constraints =
          {"x is a structure.",
           "`parent` leads to a structure, which has the `fields`, at least one.",
           "The fields are tensors or ragged values of the same rank and with the same rows.",
           "Either `op` or `function` is given. An op has one output, does not call functions, and "
           "is one that models can call.",
           "The result has the same number of values as the fields.",
           "`name` is a valid name of a field."},
      .composites = "The input is a structure.",
      .literals_as_tensors = false,
      .control = Control::kMapFields,
  };
}

}  // namespace signet
