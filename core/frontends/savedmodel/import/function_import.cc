#include "core/frontends/savedmodel/import/function_import.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/cleanup/cleanup.h>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/op_registry.h"
#include "core/values/zero_scalar.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxListed = 200;  // operators in an error

}  // namespace

GraphFunction::GraphFunction(std::string name, const Captures& captures)
    : graph(BuiltinOps(), captures) {
  def.name = std::move(name);
}

bool FunctionImporter::PassesInputs(std::string_view op) {
  return IsOneOf(op, {"Identity",
                      "IdentityN",
                      "StopGradient",
                      "PreventGradient",
                      "Snapshot",
                      "DeepCopy",
                      "GuaranteeConst",
                      "RefIdentity",
                      "Enter",
                      "RefEnter",
                      "DisableCopyOnRead",
                      "Switch",
                      "RefSwitch",
                      "NextIteration",
                      "RefNextIteration",
                      "LoopCond",
                      "PlaceholderWithDefault",
                      "Print",
                      "_EagerConst",
                      "XlaSharding",
                      "DebugIdentity",
                      "DebugIdentityV2",
                      "DebugIdentityV3",
                      "DebugGradientIdentity",
                      "Copy",
                      "CopyHost"});
}

FunctionImporter::FunctionImporter(ModelImport& model, std::string name) : model_(model) {
  functions_.push_back(std::make_unique<GraphFunction>(std::move(name), model.out.captures));
}

Bound FunctionImporter::AddParameter(const std::string& name, TypeSpec type, ParameterKind kind,
                                     bool optional) {
  GraphFunction& own = function();
  own.parameters.push_back(
      {.name = name, .kind = kind, .optional = optional, .type = std::move(type)});
  return {.kind = Bound::Kind::kValue, .edge = own.graph.AddParameter(name)};
}

Bound FunctionImporter::LiteralOf(const Literal& literal) {
  return {.kind = Bound::Kind::kValue, .edge = function().graph.AddLiteral(literal)};
}

Bound FunctionImporter::AddNode(std::string_view name, std::string_view op, const BoundList& inputs,
                                NamedTypes attributes) {
  return AddNode(function(), name, op, inputs, std::move(attributes));
}

Bound FunctionImporter::AddNode(GraphFunction& function, std::string_view name, std::string_view op,
                                const BoundList& inputs, NamedTypes attributes) {
  if (&function == functions_[0].get()) NoteUses(op, inputs);
  GraphBuilder::Edges edges;
  edges.reserve(inputs.size());
  for (const Bound& input : inputs) edges.push_back(EdgeOf(function, input));
  return {.kind = Bound::Kind::kValue,
          .edge = function.graph.AddNode(model_.names.Make(name), op, std::move(edges),
                                         std::move(attributes))};
}

GraphEdge FunctionImporter::EdgeOf(GraphFunction& function, const Bound& value) {
  switch (value.kind) {
    case Bound::Kind::kValue:
      return value.edge;
    case Bound::Kind::kCapture:
      return function.graph.AddCapture(value.text);
    case Bound::Kind::kAsset: {
      const std::string_view name = value.text;
      return EdgeOf(function, Capture("asset", CapturedValue(Tensor::Strings({}, {&name, 1}))));
    }
    default:
      return function.graph.AddLiteral(Literal());
  }
}

Bound FunctionImporter::Capture(std::string_view name, CapturedValue value) {
  std::string unique = model_.names.Make(name);
  model_.out.captures.emplace(unique, std::move(value));
  return {.kind = Bound::Kind::kCapture, .text = std::move(unique)};
}

void FunctionImporter::AddFault(std::string text) {
  if (std::find(faults_.begin(), faults_.end(), text) == faults_.end() &&
      faults_.size() < kMaxListed) {
    faults_.push_back(std::move(text));
  }
}

void FunctionImporter::AddUnsupported(const Scope& scope, int node, std::string what) {
  Unsupported& entry = unsupported_[std::move(what)];
  if (entry.count++ == 0) {
    entry.first = Cat("`", Printable(scope.graph->node(node).name()), "`");
    if (const auto* function = scope.graph->function()) {
      entry.first += Cat(" in `", Printable(function->signature().name()), "`");
    }
  }
}

StatusOr<std::vector<FunctionDef>> FunctionImporter::Finish() && {
  std::vector<std::string> lines;
  if (!unsupported_.empty()) {
    std::vector<std::string> operators;
    for (const auto& [op, entry] : unsupported_) {
      if (operators.size() == kMaxListed) break;
      operators.push_back(
          Cat(op, " (", entry.count, entry.count == 1 ? " node; " : " nodes; ", entry.first, ")"));
    }
    lines.push_back(Cat("unsupported operators: ", Join(operators, ", ")));
  }
  lines.insert(lines.end(), faults_.begin(), faults_.end());
  if (!lines.empty()) return Unimplemented(Join(lines, "; "));
  std::vector<FunctionDef> out;
  for (auto& imported : functions_) {
    const std::string place =
        imported == functions_[0] ? "" : Cat("function `", imported->def.name, "`");
    auto type = FunctionType::Make(std::move(imported->parameters));
    if (!type.ok()) return place.empty() ? type.status() : At(place, type.status());
    imported->def.type = *std::move(type);
    auto graph = std::move(imported->graph).Finish(imported->result);
    if (!graph.ok()) return place.empty() ? graph.status() : At(place, graph.status());
    imported->def.graph = *std::move(graph);
    out.push_back(std::move(imported->def));
  }
  return out;
}

// --- evaluation ---------------------------------------------------------------------------------

StatusOr<BoundList> FunctionImporter::ImportFromGraph(
    const std::vector<std::pair<NodeReference, Bound>>& fed,
    const std::vector<NodeReference>& outputs) {
  const NodeGraph& graph = model_.library.graph();
  std::set<std::pair<int, int>> cut;
  for (const auto& [reference, value] : fed) cut.insert({reference.index, reference.output});
  std::vector<int> nodes;
  for (const NodeReference& output : outputs) {
    if (!cut.contains({output.index, output.output})) nodes.push_back(output.index);
  }
  SIGNET_RETURN_IF_ERROR(NoteEffect(EffectOf(graph, nodes, cut, 0), outputs.size()));
  return ImportNodes(graph, {}, fed, outputs);
}

StatusOr<BoundList> FunctionImporter::ImportNodes(
    const NodeGraph& graph, BoundList arguments,
    const std::vector<std::pair<NodeReference, Bound>>& fed,
    const std::vector<NodeReference>& outputs) {
  Scope scope{.graph = &graph, .function = &function(), .arguments = std::move(arguments)};
  for (const auto& [reference, value] : fed) {
    scope.values[{reference.index, reference.output}] = value;
  }
  return Evaluate(scope, outputs);
}

StatusOr<BoundList> FunctionImporter::ImportFromFunction(const std::string& name,
                                                         BoundList arguments) {
  SIGNET_ASSIGN_OR_RETURN(const NodeGraph* body, model_.library.FindBody(name));
  SIGNET_RETURN_IF_ERROR(
      NoteEffect(EffectOfFunction(name, 0),
                 static_cast<size_t>(body->function()->signature().output_arg_size())));
  std::vector<int> outputs;
  for (int i = 0; i < body->function()->signature().output_arg_size(); ++i) outputs.push_back(i);
  Scope none;
  return ImportInline(none, function(), name, std::move(arguments), nullptr, outputs);
}

StatusOr<BoundList> FunctionImporter::ImportInline(Scope& caller, GraphFunction& function,
                                                   const std::string& name, BoundList arguments,
                                                   const Attributes* attributes,
                                                   const std::vector<int>& outputs) {
  SIGNET_ASSIGN_OR_RETURN(const NodeGraph* body, model_.library.FindBody(name));
  for (const Scope* outer = &caller; outer != nullptr; outer = outer->caller) {
    if (outer->graph == body) {
      return Unimplemented("function `", Printable(name), "` calls itself");
    }
  }
  if (caller.depth >= kMaxCallDepth || depth_ >= kMaxCallDepth) {
    return ResourceExhausted("the depth of calls exceeds the limit of ", kMaxCallDepth);
  }
  const auto& signature = body->function()->signature();
  if (static_cast<size_t>(signature.input_arg_size()) != arguments.size()) {
    return InvalidArgument("function `", Printable(name), "`: expected ",
                           signature.input_arg_size(), " arguments, found ", arguments.size());
  }
  Scope scope{.graph = body,
              .function = &function,
              .caller = caller.graph == nullptr ? nullptr : &caller,
              .attributes = attributes,
              .depth = caller.depth + 1,
              .arguments = std::move(arguments)};
  std::vector<NodeReference> references;
  for (int output : outputs) {
    if (output >= signature.output_arg_size()) {
      return InvalidArgument("function `", Printable(name), "` has no output ", output);
    }
    auto ret = body->function()->ret().find(signature.output_arg(output).name());
    if (ret == body->function()->ret().end()) {
      return InvalidArgument("function `", Printable(name), "`: missing value of output `",
                             Printable(signature.output_arg(output).name()), "`");
    }
    auto reference = body->Resolve(ret->second);
    if (!reference.ok()) {
      return At(Cat("function `", Printable(name), "`"), reference.status());
    }
    references.push_back(*reference);
  }
  ++depth_;
  auto values = Evaluate(scope, references);
  --depth_;
  return values;
}

StatusOr<BoundList> FunctionImporter::Evaluate(Scope& scope,
                                               const std::vector<NodeReference>& outputs) {
  auto has_value = [&](const NodeReference& reference) {
    return scope.values.contains({reference.index, reference.output});
  };
  SIGNET_RETURN_IF_ERROR(MarkUsed(scope, outputs, has_value).status());
  SIGNET_ASSIGN_OR_RETURN(std::vector<Check> checks, FindChecks(scope));
  std::vector<NodeReference> needed = outputs;
  for (const Check& check : checks) needed.push_back(check.condition);
  SIGNET_RETURN_IF_ERROR(MarkUsed(scope, needed, has_value).status());
  SIGNET_ASSIGN_OR_RETURN(std::vector<int> order, OrderOf(scope, needed));
  for (int node : order) {
    if (++num_nodes_ > kMaxImportedNodes) {
      return ResourceExhausted("the nodes, with functions once per call, exceed the limit of ",
                               kMaxImportedNodes);
    }
    // Outputs that have a value, because they are fed or computed outside, keep it.
    std::vector<std::pair<std::pair<int, int>, Bound>> given;
    for (auto value = scope.values.lower_bound({node, 0});
         value != scope.values.end() && value->first.first == node; ++value) {
      given.emplace_back(*value);
    }
    Status status = CheckOrder(*scope.graph, node);
    if (status.ok()) status = ImportNode(scope, node);
    for (auto& [output, value] : given) scope.values[output] = std::move(value);
    if (!status.ok()) {
      const bool has_place = MessageOf(status).find("node `") != std::string_view::npos;
      return has_place ? status : At(scope.graph->PlaceOf(node), status);
    }
    if (!scope.function->graph.status().ok()) return scope.function->graph.status();
  }
  for (const Check& check : checks) {
    SIGNET_ASSIGN_OR_RETURN(Bound condition, Find(scope, check.condition));
    if (!condition.is_tensor()) continue;
    AddNode(*scope.function, "assert", "check_true", {condition},
            {{"message", AttributeOf(check.message)}});
  }
  BoundList values;
  for (const NodeReference& output : outputs) {
    SIGNET_ASSIGN_OR_RETURN(values.emplace_back(), Find(scope, output));
  }
  return values;
}

StatusOr<std::set<int>> FunctionImporter::MarkUsed(
    Scope& scope, std::vector<NodeReference> values,
    absl::FunctionRef<bool(const NodeReference&)> is_given) {
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted("the depth of calls exceeds the limit of ", kMaxCallDepth);
  }
  ++depth_;
  const absl::Cleanup leave = [this] { --depth_; };
  std::set<int> arguments;
  while (!values.empty()) {
    const NodeReference reference = values.back();
    values.pop_back();
    if (reference.kind == NodeReference::Kind::kArgument) arguments.insert(reference.index);
    if (reference.kind != NodeReference::Kind::kNode || is_given(reference) ||
        !scope.used[reference.index].insert(reference.output).second) {
      continue;
    }
    SIGNET_RETURN_IF_ERROR(CountSteps(1));
    SIGNET_ASSIGN_OR_RETURN(auto inputs, NeededInputs(scope, reference.index, reference.output));
    values.insert(values.end(), inputs.begin(), inputs.end());
  }
  return arguments;
}

StatusOr<std::vector<int>> FunctionImporter::OrderOf(Scope& scope,
                                                     const std::vector<NodeReference>& outputs) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::map<int, uint8_t> states;
  std::vector<int> order;
  struct Entry {
    int node;
    std::vector<int> inputs;
    size_t next = 0;
  };
  std::vector<Entry> stack;
  auto enter = [&](int node) -> Status {
    states[node] = kOpen;
    Entry entry{node, {}};
    for (int output : scope.used[node]) {
      SIGNET_ASSIGN_OR_RETURN(auto inputs, NeededInputs(scope, node, output));
      for (const NodeReference& input : inputs) {
        if (input.kind != NodeReference::Kind::kNode) continue;
        if (scope.values.contains({input.index, input.output})) continue;
        entry.inputs.push_back(input.index);
      }
    }
    stack.push_back(std::move(entry));
    return absl::OkStatus();
  };
  for (const NodeReference& output : outputs) {
    if (output.kind != NodeReference::Kind::kNode) continue;
    if (scope.values.contains({output.index, output.output})) continue;
    if (states[output.index] != kNew) continue;
    SIGNET_RETURN_IF_ERROR(enter(output.index));
    while (!stack.empty()) {
      Entry& entry = stack.back();
      if (entry.next == entry.inputs.size()) {
        states[entry.node] = kDone;
        order.push_back(entry.node);
        stack.pop_back();
        continue;
      }
      const int input = entry.inputs[entry.next++];
      const uint8_t state = states[input];
      if (state == kOpen) {
        return InvalidArgument("nodes use one another in a cycle: ", scope.graph->PlaceOf(input));
      }
      if (state == kNew) SIGNET_RETURN_IF_ERROR(enter(input));
    }
  }
  return order;
}

StatusOr<std::vector<NodeReference>> FunctionImporter::NeededInputs(const Scope& scope, int index,
                                                                    int output) {
  const NodeGraph& graph = *scope.graph;
  const tensorflow::NodeDef& node = graph.node(index);
  const std::string& op = node.op();
  if (op == "Const" || op == "Placeholder" || op == "PlaceholderV2" ||
      Initialization::MakesVariable(op) || Initialization::MakesTable(op)) {
    return std::vector<NodeReference>();
  }
  if (op == "Exit" || op == "RefExit") {
    SIGNET_ASSIGN_OR_RETURN(const FrameLoop loop, NeededLoop(scope, index));
    std::vector<NodeReference> inputs;
    for (const auto& variable : loop.variables) inputs.push_back(variable.start);
    for (int enter : loop.constants) {
      SIGNET_ASSIGN_OR_RETURN(auto entering, graph.InputsOf(enter));
      inputs.insert(inputs.end(), entering.begin(), entering.end());
    }
    return inputs;
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(index));
  if (op == "IdentityN" && static_cast<size_t>(output) < inputs.size()) {
    return std::vector<NodeReference>{inputs[static_cast<size_t>(output)]};
  }
  if (op == "Merge" || op == "RefMerge") {
    SIGNET_ASSIGN_OR_RETURN(MergeForm form, MergeFormOf(graph, index));
    if (auto known = KnownSide(scope, index, form.condition)) {
      if (output == 1) return std::vector<NodeReference>();
      return std::vector<NodeReference>{
          inputs[static_cast<size_t>(*known ? form.true_input : 1 - form.true_input)]};
    }
    SIGNET_ASSIGN_OR_RETURN(const auto* outside, OutsideOf(scope, index, form));
    std::vector<NodeReference> needed = *outside;
    needed.push_back(form.condition);
    return needed;
  }
  if (PassesInputs(op)) {
    if (inputs.empty()) return InvalidArgument(graph.PlaceOf(index), ": missing input 0");
    return std::vector<NodeReference>{inputs[0]};
  }
  const std::string called = CalledFunction(model_.library, node);
  if (called.empty()) return inputs;
  SIGNET_ASSIGN_OR_RETURN(const std::set<int>* needed, NeededArguments(called, output));
  std::vector<NodeReference> out;
  for (int argument : *needed) {
    if (static_cast<size_t>(argument) < inputs.size()) {
      out.push_back(inputs[static_cast<size_t>(argument)]);
    }
  }
  return out;
}

StatusOr<const std::set<int>*> FunctionImporter::NeededArguments(const std::string& name,
                                                                 int output) {
  auto [found, is_new] = needed_arguments_.try_emplace(std::pair(name, output), std::set<int>());
  if (!is_new) return &found->second;
  SIGNET_ASSIGN_OR_RETURN(const NodeGraph* body, model_.library.FindBody(name));
  const auto& function = *body->function();
  if (output >= function.signature().output_arg_size()) {
    return InvalidArgument("function `", Printable(name), "` has no output ", output);
  }
  auto ret = function.ret().find(function.signature().output_arg(output).name());
  if (ret == function.ret().end()) {
    return InvalidArgument("function `", Printable(name), "`: missing value of output ", output);
  }
  SIGNET_ASSIGN_OR_RETURN(NodeReference root, body->Resolve(ret->second));
  Scope scope{.graph = body};
  SIGNET_ASSIGN_OR_RETURN(auto arguments,
                          MarkUsed(scope, {root}, [](const NodeReference&) { return false; }));
  auto& kept = needed_arguments_[{name, output}];
  kept = std::move(arguments);
  return &kept;
}

StatusOr<Bound> FunctionImporter::Find(Scope& scope, const NodeReference& reference) {
  if (reference.kind == NodeReference::Kind::kArgument) {
    const auto index = static_cast<size_t>(reference.index);
    if (index < scope.arguments.size()) return scope.arguments[index];
    return InvalidArgument("missing argument ", reference.index);
  }
  auto value = scope.values.find({reference.index, reference.output});
  if (value != scope.values.end()) return value->second;
  auto node = scope.nodes.find(reference.index);
  if (node == scope.nodes.end()) return Bound();
  Bound out{.kind = Bound::Kind::kValue, .edge = node->second};
  out.edge.output = reference.output;
  return out;
}

StatusOr<BoundList> FunctionImporter::FindInputs(Scope& scope, int node) {
  SIGNET_ASSIGN_OR_RETURN(auto references, scope.graph->InputsOf(node));
  BoundList inputs;
  for (const NodeReference& reference : references) {
    SIGNET_ASSIGN_OR_RETURN(inputs.emplace_back(), Find(scope, reference));
  }
  return inputs;
}

}  // namespace signet
