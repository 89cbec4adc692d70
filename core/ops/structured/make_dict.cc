// make_dict: returns a dict of its inputs.

#include <algorithm>

#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandMakeDict(OpBuilder&, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  // C1: `names` has one name per input.
  SIGNET_ASSIGN_OR_RETURN(auto names, WithConstraint("C1", call.attributes.Strings("names")));
  if (names.size() != inputs.size()) {
    return WithConstraint("C1", InvalidArgument("names: expected ", inputs.size(),
                                                " names, one per input, found ", names.size()));
  }
  std::vector<std::pair<std::string, GraphValue>> items;
  for (size_t i = 0; i < names.size(); ++i) items.emplace_back(names[i], inputs[i]);
  NamedTypes types;
  for (const auto& [name, value] : items) types.emplace_back(name, value.spec);
  // C2: no name occurs twice.
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, WithConstraint("C2", MakeDictType(std::move(types))));
  // Components are in the order of the names.
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GraphValue> values;
  for (auto& [name, value] : items) values.push_back(std::move(value));
  return std::vector<GraphValue>{Joined(std::move(spec), values)};
}

}  // namespace

OpDef MakeDict() {
  return {
      .name = "make_dict",
      .summary = "Creates a dict",
      .description = "Creates a dict whose values are the inputs, with the names in `names`.",
      .inputs = {"items..."},
      .attributes = {{"names"}},
      .result = "A dict.",
      .constraints = {"`names` has one name per input.", "No name occurs twice."},
      .composites = "The inputs are values of any type.",
      .expand = ExpandMakeDict,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
