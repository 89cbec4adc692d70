// struct_get: takes a field out of a structure. The constraints are those of docs/ops.md.
//
//   struct_get(x, field="steps.text")   x: [{steps: [{text: string[]}]}]   =>  ragged string[?,
//   (?)]
//
// Expansion only: the result is some of the structure's own components, so nothing runs.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/nest_children.h"
#include "core/ops/parts.h"
#include "core/types/extension_spec.h"

namespace signet {
namespace {

StatusOr<GraphValue> Step(const GraphValue& value, std::string_view name) {
  if (value.spec.is(TypeKind::kStructured)) return FieldValue(value, name);
  if (const auto* extension = value.spec.As<ExtensionSpec>()) {
    if (TypeSpec attribute = extension->LookupStatic(name)) return GraphValue{attribute, {}};
  }
  SIGNET_ASSIGN_OR_RETURN(size_t child, FindChild(value.spec, name));
  return ChildOf(value, child);
}

StatusOr<std::vector<GraphValue>> ExpandStructGet(Expander&, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: `field` is names joined by dots; each exists in what the names before it lead to.
  SIGNET_ASSIGN_OR_RETURN(std::string path, Labelled("C1", call.attributes.String("field")));
  GraphValue value = inputs[0];
  size_t begin = 0;
  while (begin <= path.size()) {
    size_t end = std::min(path.find('.', begin), path.size());
    auto next = value.spec ? Step(value, std::string_view(path).substr(begin, end - begin))
                           : InvalidArgument("input 0 is left out; takes a structure");
    if (!next.ok()) {
      Status status = next.status();
      if (begin > 0) status = At(Cat("`", Printable(path.substr(0, begin - 1)), "`"), status);
      return Labelled("C1", status);
    }
    value = *std::move(next);
    begin = end + 1;
  }
  return std::vector<GraphValue>{value};
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
