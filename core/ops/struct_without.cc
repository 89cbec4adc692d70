// struct_without: leaves fields of a structure out. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/field_paths.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandStructWithout(Expander& expander, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  // C1: input 0 is a structure.
  GraphValue structure = inputs[0];
  if (!structure.spec || !structure.spec.is(TypeKind::kStructured)) {
    return InvalidArgument("C1 input 0 is `", structure.spec ? structure.spec.ToString() : "None",
                           "`; takes a structure");
  }
  // C2: each of `names` is the path of a field; none is there twice or leads through another.
  SIGNET_ASSIGN_OR_RETURN(auto names, Labelled("C2", call.attributes.Strings("names")));
  SIGNET_RETURN_IF_ERROR(Labelled("C2", CheckApart(names)));
  for (const std::string& text : names) {
    SIGNET_ASSIGN_OR_RETURN(auto path, Labelled("C2", SplitPath(text)));
    auto drop = [](StructureParts& parent, const std::string& name) -> Status {
      SIGNET_ASSIGN_OR_RETURN(size_t i, FindField(parent, name));
      parent.fields.erase(parent.fields.begin() + static_cast<std::ptrdiff_t>(i));
      return absl::OkStatus();
    };
    SIGNET_ASSIGN_OR_RETURN(structure,
                            Labelled("C2", ChangeParent(expander, structure, path, drop)));
  }
  return std::vector<GraphValue>{structure};
}

}  // namespace

OpDef StructWithout() {
  return {
      .name = "struct_without",
      .summary = "Leaves fields of a structure out",
      .inputs = {"x"},
      .attributes = {{"names"}},
      .expand = ExpandStructWithout,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
