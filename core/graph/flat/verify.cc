#include "core/graph/flat/verify.h"

#include "core/graph/flat/control_nodes.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

class Verifier {
 public:
  explicit Verifier(const FlatGraph& graph) : graph_(graph), written_(graph.edges.size(), false) {}

  Status Run() {
    SIGNET_RETURN_IF_ERROR(CheckSources());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const FlatNode& node = graph_.nodes[i];
      if (node.op == nullptr) return Internal("node ", i, ": expected an op, found none");
      SIGNET_RETURN_IF_ERROR(At(Cat("node ", i, " (`", node.op->name, "`)"), CheckNode(node)));
    }
    for (size_t i = 0; i < graph_.results.size(); ++i) {
      if (IsWritten(graph_.results[i])) continue;
      return Internal("result ", i, ": expected an edge that is written, found %",
                      graph_.results[i]);
    }
    return absl::OkStatus();
  }

 private:
  bool IsInRange(int edge) const {
    return edge >= 0 && static_cast<size_t>(edge) < graph_.edges.size();
  }
  bool IsWritten(int edge) const { return IsInRange(edge) && written_[static_cast<size_t>(edge)]; }

  // Inputs and constants, which no node writes.
  Status CheckSources() {
    if (graph_.num_inputs < 0 || static_cast<size_t>(graph_.num_inputs) > graph_.edges.size()) {
      return Internal("expected an edge for each of ", graph_.num_inputs, " inputs, found ",
                      graph_.edges.size(), " edges");
    }
    for (size_t i = 0; i < graph_.edges.size(); ++i) {
      const FlatEdge& edge = graph_.edges[i];
      if (!edge.spec || !edge.spec.is(TypeKind::kTensor)) {
        return Internal("edge %", i, ": expected the type of a tensor, found `",
                        edge.spec ? edge.spec.ToString() : "", "`");
      }
      written_[i] = i < static_cast<size_t>(graph_.num_inputs) || edge.constant.has_value();
      if (edge.constant.has_value() && !IsSubtype(edge.constant.spec(), edge.spec)) {
        return Internal("edge %", i, ": expected a constant of type `", edge.spec, "`, found `",
                        edge.constant.spec(), "`");
      }
    }
    return absl::OkStatus();
  }

  Status CheckNode(const FlatNode& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoEdge || IsWritten(node.inputs[i])) continue;
      return Internal("input ", i, ": expected an edge that is written before, found %",
                      node.inputs[i]);
    }
    SIGNET_RETURN_IF_ERROR(CheckCall(node));
    for (size_t i = 0; i < node.bodies.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(At(Cat("body ", i), Verify(*node.bodies[i])));
    }
    auto types = InferTypes(node);
    if (!types.ok()) return Internal("inference fails: ", MessageOf(types.status()));
    if (types->size() != node.outputs.size()) {
      return Internal("expected ", types->size(), " outputs, found ", node.outputs.size());
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(At(Cat("output ", i), WriteOutput(node.outputs[i], (*types)[i])));
    }
    return absl::OkStatus();
  }

  // Checks the number of inputs and the attributes.
  static Status CheckCall(const FlatNode& node) {
    if (Status arity = CheckArity(*node.op, node.inputs.size()); !arity.ok()) {
      return Internal(MessageOf(arity));
    }
    auto complete = CompleteAttributes(*node.op, node.attributes);
    if (!complete.ok()) return Internal(MessageOf(complete.status()));
    if (*complete == node.attributes) return absl::OkStatus();
    return Internal("expected the attributes `", complete->ToString(), "`, found `",
                    node.attributes.ToString(), "`");
  }

  StatusOr<std::vector<TypeSpec>> InferTypes(const FlatNode& node) const {
    if (HasBodies(node)) return InferControl(graph_, node);
    if (node.op->infer == nullptr) return Internal("expected an op on tensors");
    NodeInputs inputs = InputsOf(graph_, node.inputs);
    return node.op->infer({*node.op, inputs.specs, node.attributes, inputs.constants});
  }

  Status WriteOutput(int edge, const TypeSpec& type) {
    if (!IsInRange(edge) || IsWritten(edge)) {
      return Internal("expected an edge that is not written yet, found %", edge);
    }
    const TypeSpec& declared = graph_.edges[static_cast<size_t>(edge)].spec;
    if (!IsSubtype(type, declared)) {
      return Internal("expected an edge of type `", type, "`, found %", edge, " of type `",
                      declared, "`");
    }
    written_[static_cast<size_t>(edge)] = true;
    return absl::OkStatus();
  }

  const FlatGraph& graph_;
  std::vector<bool> written_;  // by edge
};

}  // namespace

Status Verify(const FlatGraph& graph) { return Verifier(graph).Run(); }

}  // namespace signet
