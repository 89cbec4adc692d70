// struct_map: makes a field of others. What it does is in field_map.h; its control is carried out
// by core/graph.

#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {

OpDef StructMap() {
  return {
      .name = "struct_map",
      .summary = "Makes a field of others, by an op or a function on their flat values",
      .inputs = {"x"},
      .attributes = {{"fields"},
                     {"name"},
                     {"parent", AttributeOf("")},
                     {"op", NoneAttribute()},
                     {"attributes", *MakeDictType({})},
                     {"function", NoneAttribute()}},
      .literals_as_tensors = false,
      .control = Control::kMapFields,
  };
}

}  // namespace signet
