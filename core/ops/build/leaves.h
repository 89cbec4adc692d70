// Leaves: expands an op on nests to the same op on their leaves.
//
//   stack({a: x, b: "k"}, {a: y, b: "k"})  =>  {a: stack(x, y), b: "k"}
//   unstack({a: x, b: "k"})                =>  {a: x0, b: "k"}, {a: x1, b: "k"}
// Lists, tuples, dicts, and named tuples are nests. Plain values stay as they are, and all other
// values are leaves. Stateless.

#pragma once

#include <vector>

#include <absl/functional/function_ref.h>

#include "core/ops/def/op_def.h"

namespace signet {

bool IsNest(const TypeSpec& spec);

// Returns how many of the `count` inputs of a call, starting with the first, `op` processes leaf by
// leaf. Each leaf is passed together with the other inputs.
size_t InputsByLeaf(const OpDef& op, size_t count);

// Maps the leaves at the same position of several values to results. All calls return the same
// number of results.
using ChangeLeaves =
    absl::FunctionRef<StatusOr<std::vector<GraphValue>>(std::span<const GraphValue> leaves)>;

// Calls `change` for each child of `values`. The values are nests or extension values of the same
// form with the same plain values. Only the types of their leaves may differ. Result i consists of
// result i of each call. INVALID_ARGUMENT if the forms differ, or if there is no leaf.
StatusOr<std::vector<GraphValue>> MapChildren(std::span<const GraphValue> values,
                                              ChangeLeaves change);

// Expands a call of an op on nests to calls on their leaves.
StatusOr<std::vector<GraphValue>> CallOnLeaves(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs);

// Replaces each leaf of `value`. Plain values stay as they are.
using ChangeLeaf = absl::FunctionRef<StatusOr<GraphValue>(const GraphValue& leaf)>;
StatusOr<GraphValue> MapLeaves(const GraphValue& value, ChangeLeaf change);

}  // namespace signet
