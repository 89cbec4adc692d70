// Control nodes: `switch` and `loop`, the flat nodes with bodies that implement all control flow,
// and a node that fails a call.
//
//   switch(index, inputs...)                     body k: (inputs...) -> (outputs...)
//     runs body `index` (int32[] or int64[]), or the last body if no body has that number. If the
//     index is bool[], True is body 0 and False is body 1.
//   loop(limit?, going?, carried..., fixed...)   body: (round, carried..., fixed...)
//                                                      -> (going?, carried..., collected...)
//     runs its body `limit: int64[]` times, or until `going: bool[]` is False. The body may return
//     a new `going`. `round: int64[]` counts from 0. The outputs are the carried values of the last
//     round, then the values that all rounds collected, which are joined once, at the end.
//
//   fail()                                       no body
//     fails the call with `message`. It is the whole body of a branch that fails only if it runs.
//     Its outputs have the types in `types` and are never computed.
//
// A body reads only its inputs and its own constants. An If of ONNX is a switch with two bodies, a
// Loop is a loop whose body returns `going`, and a Scan is a loop with a limit. Stateless;
// thread-safe.

#pragma once

#include <vector>

#include "core/graph/flat/flat_graph.h"

namespace signet {

const OpDef& SwitchOp();
const OpDef& LoopOp();
const OpDef& FailOp();
inline bool HasBodies(const FlatNode& node) { return !node.bodies.empty(); }

// Returns a node that fails with the message of `error` and has outputs of the types `types`.
FlatNode MakeFailure(const Status& error, std::vector<TypeSpec> types);

// How the pieces that the rounds collect are joined to one tensor.
enum class JoinRule : uint8_t {
  kConcat,  // along dimension 0
  kSplits,  // row splits, one set after the other
  kSum,     // int64[]: numbers of rows
};

struct Collected {
  JoinRule rule = JoinRule::kConcat;
  bool backward = false;  // the last round comes first
  bool operator==(const Collected&) const = default;
};

// What the attributes of a loop node say.
struct LoopForm {
  int carried = 0;
  bool tests = false;  // the body's first result says whether another round follows
  std::vector<Collected> collected = {};

  Attributes ToAttributes() const;
  static LoopForm Of(const Attributes& attributes);  // of ToAttributes
};

// Returns the types of the node's outputs, which its bodies determine. Returns INTERNAL if inputs,
// bodies, and attributes do not fit together.
StatusOr<std::vector<TypeSpec>> InferControl(const FlatGraph& graph, const FlatNode& node);

// Drops outputs that are not needed (except those with effects), nodes of bodies that compute only
// such outputs, and inputs that no body reads. `needed` has one element per edge.
void PruneControl(FlatNode& node, const std::vector<bool>& needed);

// Returns true if a node of the graph, or of a body in it, has an effect.
bool HasEffect(const FlatGraph& graph);
inline bool HasEffect(const FlatNode& node) {
  for (const auto& body : node.bodies) {
    if (HasEffect(*body)) return true;
  }
  return node.op->effect;
}

}  // namespace signet
