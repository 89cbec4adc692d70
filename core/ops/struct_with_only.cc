// struct_with_only: keeps some fields of a structure. The constraints are those of docs/ops.md.

#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/field_paths.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

// `structure` with what `paths` lead to. A path to a structure keeps all of it.
StatusOr<GraphValue> Keep(Expander& expander, const GraphValue& structure,
                          const std::vector<std::vector<std::string>>& paths) {
  if (!structure.spec || !structure.spec.is(TypeKind::kStructured)) {
    return InvalidArgument("`", structure.spec ? structure.spec.ToString() : "None",
                           "`; takes a structure");
  }
  StructureParts parts = StructurePartsOf(structure);
  for (const auto& path : paths) SIGNET_RETURN_IF_ERROR(FindField(parts, path[0]).status());
  std::vector<FieldPart> kept;
  for (FieldPart& field : parts.fields) {
    std::vector<std::vector<std::string>> inside;
    bool named = false;
    bool whole = false;
    for (const auto& path : paths) {
      if (path[0] != field.name) continue;
      named = true;
      whole = whole || path.size() == 1;
      if (path.size() > 1) inside.emplace_back(path.begin() + 1, path.end());
    }
    if (!named) continue;
    // What leads through a field that is kept whole must still exist.
    if (!inside.empty()) {
      auto smaller = Keep(expander, field.value, std::move(inside));
      if (!smaller.ok()) return At(Cat("`", field.name, "`"), smaller.status());
      if (!whole) field.value = *std::move(smaller);
    }
    kept.push_back(std::move(field));
  }
  parts.fields = std::move(kept);
  return MakeStructureValue(expander, std::move(parts));
}

StatusOr<std::vector<GraphValue>> ExpandStructWithOnly(Expander& expander, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  // C1: input 0 is a structure; C2: each of `names` is the path of a field.
  SIGNET_ASSIGN_OR_RETURN(auto names, Labelled("C2", call.attributes.Strings("names")));
  std::vector<std::vector<std::string>> paths;
  for (const std::string& text : names) {
    SIGNET_ASSIGN_OR_RETURN(auto path, Labelled("C2", SplitPath(text)));
    paths.push_back(std::move(path));
  }
  const TypeSpec& spec = inputs[0].spec;
  const char* label = spec && spec.is(TypeKind::kStructured) ? "C2" : "C1";
  SIGNET_ASSIGN_OR_RETURN(GraphValue kept,
                          Labelled(label, Keep(expander, inputs[0], std::move(paths))));
  return std::vector<GraphValue>{kept};
}

}  // namespace

OpDef StructWithOnly() {
  return {
      .name = "struct_with_only",
      .summary = "Keeps some fields of a structure",
      .inputs = {"x"},
      .attributes = {{"names"}},
      .expand = ExpandStructWithOnly,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
