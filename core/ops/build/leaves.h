// Leaves: an op on nests as the same op on their leaves.
//
//   stack({a: x, b: "k"}, {a: y, b: "k"})  =>  {a: stack(x, y), b: "k"}
//   unstack({a: x, b: "k"})                =>  {a: x0, b: "k"}, {a: x1, b: "k"}
//
// Lists, tuples, dicts and named tuples are taken apart; everything else is a leaf, and plain
// values stay as they are. Stateless.

#pragma once

#include <vector>

#include <absl/functional/function_ref.h>

#include "core/ops/def/op_def.h"

namespace signet {

bool IsNest(const TypeSpec& spec);

// Returns how many of the `count` inputs of a call, starting with the first, `op` processes leaf by
// leaf. Each leaf is passed together with the other inputs.
size_t InputsByLeaf(const OpDef& op, size_t count);

// What values have in the same place, for results: each time as many.
using ChangeLeaves =
    absl::FunctionRef<StatusOr<std::vector<GraphValue>>(std::span<const GraphValue> leaves)>;

// `values` are one container (a nest or extension value) but for the types of what is in it, and
// have the same plain values. Result i is made of all results i of `change`. INVALID_ARGUMENT for
// other containers, and where there is nothing to change.
StatusOr<std::vector<GraphValue>> MapChildren(std::span<const GraphValue> values,
                                              ChangeLeaves change);

// The call of the op, on nests, as calls on their leaves.
StatusOr<std::vector<GraphValue>> CallOnLeaves(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs);

// `value` with each leaf replaced; plain values stay.
using ChangeLeaf = absl::FunctionRef<StatusOr<GraphValue>(const GraphValue& leaf)>;
StatusOr<GraphValue> MapLeaves(const GraphValue& value, ChangeLeaf change);

}  // namespace signet
