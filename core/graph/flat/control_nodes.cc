#include "core/graph/flat/control_nodes.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/base/checked_math.h"
#include "core/base/constraint.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr std::string_view kRules[] = {"concat", "splits", "sum"};
constexpr std::string_view kBackward = "_backward";

std::string NameOf(const Collected& collected) {
  std::string name(kRules[static_cast<size_t>(collected.rule)]);
  return collected.backward ? name.append(kBackward) : name;
}

const TypeSpec& TypeOf(const FlatGraph& graph, int edge) {
  return graph.edges[static_cast<size_t>(edge)].spec;
}

// Input `i` of a body receives the node's input `edge`.
Status CheckPassed(const FlatGraph& graph, int edge, const FlatGraph& body, int i) {
  if (edge == kNoEdge) return Internal("input ", i, " of a body is left out");
  if (IsSubtype(TypeOf(graph, edge), TypeOf(body, i))) return absl::OkStatus();
  return Internal("input ", i, " of a body is `", TypeOf(body, i), "`; given `",
                  TypeOf(graph, edge), "`");
}

StatusOr<std::vector<TypeSpec>> InferSwitch(const FlatGraph& graph, const FlatNode& node) {
  std::vector<TypeSpec> outputs;
  for (const auto& body : node.bodies) {
    if (static_cast<size_t>(body->num_inputs) + 1 != node.inputs.size()) {
      return Internal("a body has ", body->num_inputs, " inputs");
    }
    for (int i = 0; i < body->num_inputs; ++i) {
      SIGNET_RETURN_IF_ERROR(CheckPassed(graph, node.inputs[static_cast<size_t>(i) + 1], *body, i));
    }
    if (body != node.bodies[0] && body->results.size() != outputs.size()) {
      return Internal("a body gives ", body->results.size(), " results; body 0 ", outputs.size());
    }
    for (size_t i = 0; i < body->results.size(); ++i) {
      const TypeSpec& type = TypeOf(*body, body->results[i]);
      if (i == outputs.size()) {
        outputs.push_back(type);
      } else {
        outputs[i] = MostSpecificCommonSupertype(outputs[i], type);
        if (!outputs[i]) return Internal("result ", i, " of bodies has no common type");
      }
    }
  }
  return outputs;
}

StatusOr<std::vector<TypeSpec>> InferFail(const OpCall& call) {
  const TypeSpec types = call.attributes.Lookup("types");
  return std::vector<TypeSpec>(types.children().begin(), types.children().end());
}

// The type of what `rounds` rounds, which may be kUnknownDim, collect of values of `piece`.
TypeSpec JoinedType(const Collected& collected, const TypeSpec& piece, int64_t rounds) {
  const auto& tensor = *piece.As<TensorSpec>();
  if (collected.rule == JoinRule::kSum || !tensor.shape().has_rank()) return piece;
  int64_t rows = tensor.shape().dim(0);
  bool splits = collected.rule == JoinRule::kSplits;
  if (rows != kUnknownDim && rounds != kUnknownDim) {
    auto joined = CheckedMultiply(splits ? rows - 1 : rows, rounds);
    rows = joined ? *joined + (splits ? 1 : 0) : kUnknownDim;
  } else {
    rows = kUnknownDim;
  }
  return TensorType(tensor.dtype(), tensor.shape().WithDim(0, rows));
}

StatusOr<std::vector<TypeSpec>> InferLoop(const FlatGraph& graph, const FlatNode& node) {
  LoopForm form = LoopForm::Of(node.attributes);
  const FlatGraph& body = *node.bodies[0];
  const size_t tests = form.tests ? 1 : 0;
  const auto carried = static_cast<size_t>(form.carried);
  if (node.bodies.size() != 1 || static_cast<size_t>(body.num_inputs) + 1 != node.inputs.size() ||
      body.results.size() != tests + carried + form.collected.size() ||
      static_cast<size_t>(body.num_inputs) < carried + 1) {
    return Internal("a loop of ", node.inputs.size(), " inputs with a body of ", body.num_inputs,
                    " inputs and ", body.results.size(), " results");
  }
  for (int i = 1; i < body.num_inputs; ++i) {
    SIGNET_RETURN_IF_ERROR(CheckPassed(graph, node.inputs[static_cast<size_t>(i) + 1], body, i));
  }
  std::vector<TypeSpec> outputs;
  for (size_t i = 0; i < carried; ++i) {
    const TypeSpec& taken = TypeOf(body, static_cast<int>(i) + 1);
    const TypeSpec& given = TypeOf(body, body.results[tests + i]);
    if (!IsSubtype(given, taken)) {
      return Internal("expected a round to return `", taken, "`, found `", given, "`");
    }
    outputs.push_back(taken);
  }
  int64_t rounds = kUnknownDim;
  bool stops = form.tests || node.inputs[1] != kNoEdge;
  if (node.inputs[0] != kNoEdge && !stops) {
    const Tensor& limit = graph.edges[static_cast<size_t>(node.inputs[0])].constant;
    if (limit.has_value()) rounds = std::max<int64_t>(limit.scalar<int64_t>(), 0);
  }
  for (size_t i = 0; i < form.collected.size(); ++i) {
    outputs.push_back(
        JoinedType(form.collected[i], TypeOf(body, body.results[tests + carried + i]), rounds));
  }
  return outputs;
}

// `items` without those that `kept` does not name.
template <class T>
std::vector<T> Kept(const std::vector<T>& items, const std::vector<bool>& kept) {
  std::vector<T> out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (kept[i]) out.push_back(items[i]);
  }
  return out;
}

// Which of the graph's inputs a node or a result reads.
std::vector<bool> InputsRead(const FlatGraph& graph) {
  std::vector<bool> read(static_cast<size_t>(graph.num_inputs), false);
  auto mark = [&](int edge) {
    if (edge != kNoEdge && edge < graph.num_inputs) read[static_cast<size_t>(edge)] = true;
  };
  for (const FlatNode& node : graph.nodes) {
    for (int edge : node.inputs) mark(edge);
  }
  for (int edge : graph.results) mark(edge);
  return read;
}

// The graph without the inputs that `kept` does not name; nothing reads them.
FlatGraph WithInputs(FlatGraph graph, const std::vector<bool>& kept) {
  std::vector<int> moved(graph.edges.size(), kNoEdge);
  std::vector<FlatEdge> edges;
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    if (i < kept.size() && !kept[i]) continue;
    moved[i] = static_cast<int>(edges.size());
    edges.push_back(std::move(graph.edges[i]));
  }
  auto move = [&](int& edge) {
    if (edge != kNoEdge) edge = moved[static_cast<size_t>(edge)];
  };
  for (FlatNode& node : graph.nodes) {
    for (int& edge : node.inputs) move(edge);
    for (int& edge : node.outputs) move(edge);
  }
  for (int& edge : graph.results) move(edge);
  graph.num_inputs = static_cast<int>(std::count(kept.begin(), kept.end(), true));
  graph.edges = std::move(edges);
  return graph;
}

void PruneSwitch(FlatNode& node, const std::vector<bool>& outputs) {
  std::vector<bool> inputs(node.inputs.size() - 1, false);
  std::vector<FlatGraph> bodies;
  for (const auto& body : node.bodies) {
    bodies.push_back(*body);
    bodies.back().results = Kept(bodies.back().results, outputs);
    PruneDead(bodies.back());
    std::vector<bool> read = InputsRead(bodies.back());
    for (size_t i = 0; i < read.size(); ++i) inputs[i] = inputs[i] || read[i];
  }
  node.bodies.clear();
  for (FlatGraph& body : bodies) {
    node.bodies.push_back(std::make_shared<const FlatGraph>(WithInputs(std::move(body), inputs)));
  }
  inputs.insert(inputs.begin(), true);  // the index
  node.inputs = Kept(node.inputs, inputs);
  node.outputs = Kept(node.outputs, outputs);
}

void PruneLoop(FlatNode& node, const std::vector<bool>& outputs) {
  LoopForm form = LoopForm::Of(node.attributes);
  const auto carried = static_cast<size_t>(form.carried);
  // A carried value is needed when it is read outside, or by a round for something needed.
  std::vector<bool> kept = outputs;
  FlatGraph body;
  std::vector<bool> read;
  for (bool changed = true; changed;) {
    changed = false;
    body = *node.bodies[0];
    std::vector<bool> results = kept;
    if (form.tests) results.insert(results.begin(), true);
    body.results = Kept(body.results, results);
    PruneDead(body);
    read = InputsRead(body);
    for (size_t i = 0; i < carried; ++i) {
      if (!read[i + 1] || kept[i]) continue;
      kept[i] = true;
      changed = true;
    }
  }
  std::vector<bool> inputs = read;
  inputs[0] = true;  // the round
  for (size_t i = 0; i < carried; ++i) inputs[i + 1] = kept[i];
  node.bodies = {std::make_shared<const FlatGraph>(WithInputs(std::move(body), inputs))};
  inputs.insert(inputs.begin(), true);  // the limit; then `going`, where bodies have the round
  node.inputs = Kept(node.inputs, inputs);
  node.outputs = Kept(node.outputs, kept);
  form.carried = static_cast<int>(std::count(kept.begin(), kept.begin() + form.carried, true));
  form.collected = Kept(form.collected, {kept.begin() + static_cast<long>(carried), kept.end()});
  node.attributes = form.ToAttributes();
}

}  // namespace

const OpDef& SwitchOp() {
  static const auto* const op = new OpDef{
      .name = "switch",
      .summary = "Runs one of its bodies",
      .inputs = {"index", "inputs..."},
      .foldable = false,
  };
  return *op;
}

const OpDef& LoopOp() {
  static const auto* const op = new OpDef{
      .name = "loop",
      .summary = "Runs its body round after round",
      .inputs = {"limit", "going", "inputs..."},
      .attributes = {{"carried"}, {"tests"}, {"collected"}},
      .foldable = false,
  };
  return *op;
}

Attributes LoopForm::ToAttributes() const {
  std::vector<TypeSpec> names;
  for (const Collected& each : collected) names.push_back(AttributeOf(NameOf(each)));
  return Attributes({{"carried", AttributeOf(carried)},
                     {"tests", AttributeOf(tests)},
                     {"collected", ListType(std::move(names))}});
}

const OpDef& FailOp() {
  static const auto* const op = new OpDef{
      .name = "fail",
      .summary = "Fails the call",
      .inputs = {},
      .attributes = {{"message"}, {"constraint"}, {"types"}},
      .infer = InferFail,
      .foldable = false,
      .effect = true,
  };
  return *op;
}

FlatNode MakeFailure(const Status& error, std::vector<TypeSpec> types) {
  return {&FailOp(),
          {},
          Attributes({{"message", AttributeOf(MessageOf(error))},
                      {"constraint", AttributeOf(ConstraintOf(error))},
                      {"types", TupleType(std::move(types))}}),
          {}};
}

LoopForm LoopForm::Of(const Attributes& attributes) {
  LoopForm form{static_cast<int>(*attributes.Int("carried")), *attributes.Bool("tests")};
  const std::vector<std::string> names = *attributes.Strings("collected");
  for (const std::string& name : names) {
    for (JoinRule rule : {JoinRule::kConcat, JoinRule::kSplits, JoinRule::kSum}) {
      for (bool backward : {false, true}) {
        if (Collected each{rule, backward}; NameOf(each) == name) form.collected.push_back(each);
      }
    }
  }
  return form;
}

StatusOr<std::vector<TypeSpec>> InferControl(const FlatGraph& graph, const FlatNode& node) {
  if (node.op == &FailOp()) return InferFail({*node.op, {}, node.attributes});
  return node.op == &SwitchOp() ? InferSwitch(graph, node) : InferLoop(graph, node);
}

void PruneControl(FlatNode& node, const std::vector<bool>& needed) {
  std::vector<bool> outputs;
  for (int edge : node.outputs) outputs.push_back(needed[static_cast<size_t>(edge)]);
  if (node.op == &SwitchOp()) {
    PruneSwitch(node, outputs);
  } else {
    PruneLoop(node, outputs);
  }
}

bool HasEffect(const FlatGraph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const FlatNode& node) { return HasEffect(node); });
}

}  // namespace signet
