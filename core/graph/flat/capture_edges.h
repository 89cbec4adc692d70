// Capture edges: the constants of a flat graph that are captures of the model, and how they get new
// values.
//
//   graph:  %2 = constant float32[4], capture `bias`        add(%0, %2)
//   WithoutCaptureValues(graph), WithCaptureValues(.., new values)
//   =>      the same graph with the new value of `bias`, which need not be specialized again
//
// This holds unless the graph depends on the value of a capture: a call on it was folded, a pass
// multiplied it by another constant, or it was used as an attribute. FoldedCaptures returns these
// captures. A kernel may pack the value, because kernels are made after the graph. Stateless.

#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/graph/flat/flat_graph.h"
#include "signet/value.h"

namespace signet {

// Returns true if a constant that a node or a result reads is a capture, in `graph` or in a body.
bool UsesCaptures(const FlatGraph& graph);

// Returns the captures whose values decided what `graph` and its bodies contain.
std::set<std::string> FoldedCaptures(const FlatGraph& graph);

// Infers the types of a call of `op` on edges of `graph`, and adds to `read` the captures whose
// values the inference used: those for which it returns other types if the value is not known, and
// all small ones that are not floats, because these are usually sizes, axes, or counts.
StatusOr<std::vector<TypeSpec>> InferWithCaptures(const FlatGraph& graph, const OpDef& op,
                                                  std::span<const int> inputs,
                                                  const Attributes& attributes,
                                                  std::set<std::string>& read);

// Returns a copy of `graph` without the values of captures, and without constants that nothing
// reads. Returns null if other constants of more than `max_constant_bytes` remain.
std::shared_ptr<const FlatGraph> WithoutCaptureValues(const FlatGraph& graph,
                                                      size_t max_constant_bytes);

// Returns a copy of `graph` with the values that `find` returns for the names of captures. Returns
// FAILED_PRECONDITION if a component has another type than the edge.
using FindCapture = absl::FunctionRef<StatusOr<Value>(const std::string& name)>;
StatusOr<FlatGraph> WithCaptureValues(const FlatGraph& graph, FindCapture find);

}  // namespace signet
