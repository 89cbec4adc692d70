// Control nodes: `switch` and `loop`, the two flat nodes with bodies, which all control flow
// becomes, and `refuse`, which ends a call.
//
//   switch(index, inputs...)                     body k: (inputs...) -> (outputs...)
//     runs body `index` (int32[] or int64[]); the last where there is none of that number. Of a
//     bool[], True is body 0 and False body 1.
//   loop(limit?, going?, carried..., fixed...)   body: (round, carried..., fixed...)
//                                                      -> (going?, carried..., collected...)
//     runs its body, with round: int64[] from 0 on, `limit: int64[]` times or until `going: bool[]`
//     is False, which the body may give anew. The outputs are what is carried, as the last round
//     left it, then what all rounds collected, joined once, at the end.
//
//   refuse()                                     no body
//     refuses the call with `message`: the whole body of a branch that nothing but its own run may
//     refuse. Outputs of the types in `types`, which are never made.
//
// A body sees nothing but its inputs and constants of its own. An If of ONNX is a switch of two
// bodies, a Loop a loop whose body tests, a Scan a loop with a limit. Stateless; thread-safe.

#pragma once

#include <string_view>
#include <vector>

#include "core/graph/flat/flat_graph.h"

namespace signet {

const OpDef& SwitchOp();
const OpDef& LoopOp();
const OpDef& RefuseOp();
inline bool HasBodies(const FlatNode& node) { return !node.bodies.empty(); }

// A node that refuses with `message`, where outputs of `types` are asked for.
FlatNode MakeRefusal(std::string_view message, std::vector<TypeSpec> types);

// How what each round collects becomes one tensor.
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

// The types of the node's outputs, as its bodies give them. INTERNAL when inputs, bodies and
// attributes do not fit together.
StatusOr<std::vector<TypeSpec>> InferControl(const FlatGraph& graph, const FlatNode& node);

// Drops what no reader of `node` needs: outputs (but for effects), nodes of bodies, inputs that no
// body reads. `needed` says so by edge.
void PruneControl(FlatNode& node, const std::vector<bool>& needed);

// Whether a node of the graph, or of a body in it, is there for its effect.
bool HasEffect(const FlatGraph& graph);
inline bool HasEffect(const FlatNode& node) {
  for (const auto& body : node.bodies) {
    if (HasEffect(*body)) return true;
  }
  return node.op->effect;
}

}  // namespace signet
