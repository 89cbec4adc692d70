// get_item: takes an element out of a nest. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/nest_children.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandGetItem(Expander&, const OpCall& call,
                                                std::span<const GraphValue> inputs) {
  // C1: exactly one of `index` and `key` is given.
  bool by_index = !IsNone(call.attributes, "index");
  bool by_key = !IsNone(call.attributes, "key");
  if (by_index == by_key) {
    return InvalidArgument("C1 ", by_key ? "both" : "neither", " of `index` and `key`; takes one");
  }
  // C2: the nest has such an element.
  size_t child = 0;
  if (by_index) {
    SIGNET_ASSIGN_OR_RETURN(int64_t index, Labelled("C2", call.attributes.Int("index")));
    SIGNET_ASSIGN_OR_RETURN(child, Labelled("C2", FindChild(inputs[0].spec, index)));
  } else {
    SIGNET_ASSIGN_OR_RETURN(std::string key, Labelled("C2", call.attributes.String("key")));
    SIGNET_ASSIGN_OR_RETURN(child, Labelled("C2", FindChild(inputs[0].spec, key)));
  }
  return std::vector<GraphValue>{ChildOf(inputs[0], child)};
}

}  // namespace

OpDef GetItem() {
  return {
      .name = "get_item",
      .summary = "Takes an element out of a list, tuple, dict or named tuple",
      .inputs = {"x"},
      .attributes = {{"index", NoneAttribute()}, {"key", NoneAttribute()}},
      .expand = ExpandGetItem,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
