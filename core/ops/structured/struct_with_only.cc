// struct_with_only: keeps some fields of a structure.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/field_paths.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

// Returns `structure` with only the fields of `paths`, which exist. A path to a structure keeps all
// of its fields.
StatusOr<GraphValue> Keep(OpBuilder& build, const GraphValue& structure,
                          std::span<const FieldNames> paths) {
  StructureParts parts = StructurePartsOf(structure);
  std::vector<FieldPart> kept;
  for (FieldPart& field : parts.fields) {
    std::vector<FieldNames> inside;
    bool whole = false;
    for (FieldNames path : paths) {
      if (path[0] != field.name) continue;
      whole = whole || path.size() == 1;
      inside.push_back(path.subspan(1));
    }
    if (inside.empty()) continue;
    if (!whole) {
      SIGNET_ASSIGN_OR_RETURN(field.value, Keep(build, field.value, inside));
    }
    kept.push_back(std::move(field));
  }
  parts.fields = std::move(kept);
  return MakeStructureValue(build, std::move(parts));
}

StatusOr<std::vector<GraphValue>> ExpandStructWithOnly(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<FieldPath> paths, ListedFields(call, inputs[0]));
  std::vector<FieldNames> names(paths.begin(), paths.end());
  return OneOutput(Keep(build, inputs[0], names));
}

}  // namespace

OpDef StructWithOnly() {
  return {
      .name = "struct_with_only",
      .summary = "Keeps some fields of a structure",
      .description =
          "Returns the structure with only the fields at the paths `names`. A path to a structure "
          "keeps all of it.",
      .inputs = {"x"},
      .attributes = {{"names"}},
      .result = "A structure with the same rows.",
      .constraints = {"The input is a structure.", "Each name is the path of a field (NOT_FOUND)."},
      .composites = "The input is a structure.",
      .expand = ExpandStructWithOnly,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
