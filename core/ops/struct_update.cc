// struct_update: adds or replaces fields of a structure. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/field_paths.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

void Put(StructureParts& parent, const std::string& name, const GraphValue& value) {
  for (FieldPart& field : parent.fields) {
    if (field.name != name) continue;
    field = {name, value};
    return;
  }
  parent.fields.push_back({name, value});
}

StatusOr<std::vector<GraphValue>> ExpandStructUpdate(Expander& expander, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  // C1: `names` has a path for each value; no path is there twice or leads through another.
  SIGNET_ASSIGN_OR_RETURN(auto names, Labelled("C1", call.attributes.Strings("names")));
  if (names.size() + 1 != inputs.size()) {
    return InvalidArgument("C1 ", names.size(), " names; there are ", inputs.size() - 1, " values");
  }
  SIGNET_RETURN_IF_ERROR(Labelled("C1", CheckApart(names)));
  // C2: input 0 is a structure, and so is what a path leads through.
  GraphValue structure = inputs[0];
  if (!structure.spec || !structure.spec.is(TypeKind::kStructured)) {
    return InvalidArgument("C2 input 0 is `", structure.spec ? structure.spec.ToString() : "None",
                           "`; takes a structure");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(auto path, Labelled("C1", SplitPath(names[i])));
    const GraphValue& value = inputs[i + 1];
    if (!value.spec)
      return InvalidArgument("C3 the value of `", Printable(names[i]), "` is left out");
    // C3: a value starts with the dimensions of the structure that it goes into, row by row.
    auto put = [&](StructureParts& parent, const std::string& name) {
      Put(parent, name, value);
      return absl::OkStatus();
    };
    auto changed = ChangeParent(expander, structure, path, put);
    if (!changed.ok()) {
      return Labelled(
          path.size() > 1 && changed.status().code() == absl::StatusCode::kNotFound ? "C2" : "C3",
          changed.status());
    }
    structure = *std::move(changed);
  }
  return std::vector<GraphValue>{structure};
}

}  // namespace

OpDef StructUpdate() {
  return {
      .name = "struct_update",
      .summary = "Adds or replaces fields of a structure",
      .inputs = {"x", "values..."},
      .attributes = {{"names"}},
      .expand = ExpandStructUpdate,
      .own_dtypes = {"values"},
  };
}

}  // namespace signet
