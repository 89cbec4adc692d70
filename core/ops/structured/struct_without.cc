// struct_without: removes fields of a structure.

#include <algorithm>

#include "core/ops/build/rows/field_paths.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandStructWithout(OpBuilder& build, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<FieldPath> paths, ListedFields(call, inputs[0]));
  // A field that is named twice, or that is part of another removed field, is removed once.
  std::sort(paths.begin(), paths.end());
  GraphValue structure = inputs[0];
  const FieldPath* last = nullptr;
  for (const FieldPath& path : paths) {
    if (last != nullptr && LeadsTo(*last, path)) continue;
    last = &path;
    SIGNET_ASSIGN_OR_RETURN(structure, ChangeParent(build, structure, path, DropField));
  }
  return std::vector<GraphValue>{structure};
}

}  // namespace

OpDef StructWithout() {
  return {
      .name = "struct_without",
      .summary = "Removes fields of a structure",
      .description =
          "Returns the structure without the fields at the paths `names`. Its rows stay, even if "
          "no field is left.",
      .inputs = {"x"},
      .attributes = {{"names"}},
      .result = "A structure with the same rows.",
      .constraints = {"The input is a structure.",
                      "Each name is the path of a field (NOT_FOUND). A path may occur twice, or "
                      "lead to a field inside another removed field."},
      .composites = "The input is a structure.",
      .expand = ExpandStructWithout,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
