// struct_update: adds, replaces, or removes fields of a structure.

#include "core/ops/build/rows/field_paths.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// Checks that every name of `path` except the last leads to a structure.
Status CheckStructures(const GraphValue& structure, FieldNames path) {
  for (size_t n = 0; n < path.size(); ++n) {
    SIGNET_RETURN_IF_ERROR(StructureAt(structure, path.first(n)).status());
  }
  return absl::OkStatus();
}

StatusOr<std::vector<GraphValue>> ExpandStructUpdate(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  // C1: `names` has one path per value. No path in `names` and `without` occurs twice or leads
  // through another one.
  SIGNET_ASSIGN_OR_RETURN(auto paths,
                          WithConstraint("C1", PathsAttribute(call.attributes, "names")));
  SIGNET_ASSIGN_OR_RETURN(auto dropped,
                          WithConstraint("C1", PathsAttribute(call.attributes, "without")));
  size_t num_values = inputs.size() - 1;
  if (paths.size() != num_values) {
    return WithConstraint("C1", InvalidArgument("names: expected ", num_values,
                                                " paths, one per value, found ", paths.size()));
  }
  paths.insert(paths.end(), dropped.begin(), dropped.end());
  SIGNET_RETURN_IF_ERROR(WithConstraint("C1", CheckApart(paths)));
  // C2: input 0 is a structure, each path leads through structures, and the removed fields exist.
  GraphValue structure = inputs[0];
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", StructureAt(structure, {}).status()));
  for (size_t i = 0; i < paths.size(); ++i) {
    const FieldPath& path = paths[i];
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckStructures(structure, path)));
    // C3: the first dimensions of a value are those of the structure that receives it, row by row.
    if (i < num_values && !inputs[i + 1].spec) {
      return WithConstraint(
          "C3", InvalidArgument("field `", PathText(path), "`: expected a value, found none"));
    }
    SIGNET_ASSIGN_OR_RETURN(
        structure,
        i < num_values
            ? WithConstraint("C3",
                             ChangeParent(build, structure, path,
                                          [&](StructureParts& parent, const std::string& name) {
                                            PutField(parent, {name, inputs[i + 1]});
                                            return absl::OkStatus();
                                          }))
            : WithConstraint("C2", ChangeParent(build, structure, path, DropField)));
  }
  return std::vector<GraphValue>{structure};
}

}  // namespace

OpDef StructUpdate() {
  return {
      .name = "struct_update",
      .summary = "Adds, replaces, and removes fields",
      .description =
          "Adds the values at the paths `names`, replaces the fields that are there, and removes "
          "the fields at the paths `without`, all at once. The rows stay the same.",
      .inputs = {"x", "values..."},
      .attributes = {{"names", ListType({})}, {"without", ListType({})}},
      .result = "The structure with the changed fields.",
      .constraints =
          {"`names` has one path per value. No path is empty, occurs twice, or leads through "
           "another one.",
           "x is a structure, and so is each value through which a path leads. These, and the "
           "fields to remove, exist (NOT_FOUND).",
           "A value starts with the dimensions of the structure that receives it, row by row."},
      .composites = "The input is a structure.",
      .expand = ExpandStructUpdate,
      .own_dtypes = {"values"},
  };
}

}  // namespace signet
