#include "core/frontends/savedmodel/import/function_import.h"

#include <algorithm>
#include <optional>

#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/graph_tensor.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/op_registry.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int64_t kMaxSteps = 20'000'000;  // nodes that are followed
constexpr size_t kMaxListed = 200;         // operators in an error

bool Is(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

bool ReadsVariable(std::string_view op) {
  return Is(op, {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape"});
}
bool ReadsTable(std::string_view op) {
  return Is(op, {"LookupTableFind", "LookupTableFindV2", "LookupTableSize", "LookupTableSizeV2",
                 "LookupTableExport", "LookupTableExportV2"});
}

}  // namespace

GraphFunction::GraphFunction(std::string name, const Captures& captures)
    : graph(BuiltinOps(), captures) {
  def.name = std::move(name);
}

bool FunctionImporter::PassesInputs(std::string_view op) {
  return Is(op, {"Identity", "IdentityN", "StopGradient", "PreventGradient", "Snapshot", "DeepCopy",
                 "GuaranteeConst", "RefIdentity", "Enter", "RefEnter", "DisableCopyOnRead",
                 "Switch", "RefSwitch", "NextIteration", "PlaceholderWithDefault", "LoopCond"});
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

// --- examples -----------------------------------------------------------------------------------

void FunctionImporter::NoteUses(std::string_view op, const BoundList& inputs) {
  const bool parses = op == "tf.ParseExample" || op == "tf.ParseExampleV2";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_parameter =
        inputs[i].kind == Bound::Kind::kValue && inputs[i].edge.kind == GraphEdge::Kind::kParameter;
    if (is_parameter && !(parses && i == 0)) other_uses_.insert(inputs[i].edge.index);
  }
}

StatusOr<Tensor> FunctionImporter::ConstantOf(const Bound& value) const {
  auto found = value.kind == Bound::Kind::kCapture ? model_.out.captures.find(value.text)
                                                   : model_.out.captures.end();
  if (found == model_.out.captures.end()) return Unimplemented("expected a constant");
  SIGNET_ASSIGN_OR_RETURN(Value known, found->second.Get());
  return known.tensor();
}

Status FunctionImporter::NoteFeatures(const Scope& scope, const tensorflow::NodeDef& node,
                                      const BoundList& inputs) {
  if (inputs.empty() || inputs[0].kind != Bound::Kind::kValue ||
      inputs[0].edge.kind != GraphEdge::Kind::kParameter || scope.function != functions_[0].get()) {
    return absl::OkStatus();
  }
  const int parameter = inputs[0].edge.index;
  const bool is_new = node.op() == "ParseExampleV2";
  auto list = [&](const char* name) -> const tensorflow::AttrValue::ListValue& {
    const auto* value = Attribute(scope, node, name);
    return value == nullptr ? tensorflow::AttrValue::ListValue::default_instance() : value->list();
  };
  // The keys of the kinds of features: sparse, dense, and ragged.
  std::vector<std::string> keys[3];
  size_t next = 2;
  auto read = [&](std::vector<std::string>& out) -> Status {
    if (next >= inputs.size()) return InvalidArgument("missing input ", next);
    SIGNET_ASSIGN_OR_RETURN(Tensor texts, ConstantOf(inputs[next++]));
    if (!texts.is_string()) return InvalidArgument("expected names of features");
    for (int64_t i = 0; i < texts.num_elements(); ++i) out.emplace_back(texts.string_at(i));
    return absl::OkStatus();
  };
  if (is_new) {
    for (auto& kind : keys) SIGNET_RETURN_IF_ERROR(read(kind));
  } else {
    const int64_t counts[] = {IntAttributeOr(node, "Nsparse", 0),
                              IntAttributeOr(node, "Ndense", 0)};
    for (size_t kind = 0; kind < 2; ++kind) {
      for (int64_t i = 0; i < counts[kind]; ++i) SIGNET_RETURN_IF_ERROR(read(keys[kind]));
    }
  }
  const auto& dense_types = list("Tdense").type();
  const auto& shapes = list("dense_shapes").shape();
  const auto& sparse_types = list("sparse_types").type();
  const auto& ragged_types = list("ragged_value_types").type();
  if (keys[0].size() != static_cast<size_t>(sparse_types.size()) ||
      keys[1].size() != static_cast<size_t>(dense_types.size()) ||
      keys[1].size() != static_cast<size_t>(shapes.size()) ||
      keys[2].size() != static_cast<size_t>(ragged_types.size()) ||
      inputs.size() != next + keys[1].size()) {
    return InvalidArgument("expected one dtype and one shape per feature");
  }
  std::vector<ExampleFeature>& features = features_[parameter];
  for (size_t kind : {size_t{0}, size_t{2}}) {
    const auto& types = kind == 0 ? sparse_types : ragged_types;
    for (size_t i = 0; i < keys[kind].size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(DType dtype,
                              tf::StoredDTypeFromNumber(types.Get(static_cast<int>(i))));
      features.push_back({keys[kind][i], dtype});
    }
  }
  for (size_t i = 0; i < keys[1].size(); ++i) {
    const int at = static_cast<int>(i);
    SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(dense_types.Get(at)));
    if (shapes.Get(at).unknown_rank()) return Unimplemented("unknown rank");
    std::vector<int64_t> shape;
    for (const auto& dim : shapes.Get(at).dim()) shape.push_back(dim.size());
    auto constant = ConstantOf(inputs[next + i]);
    features.push_back(
        {keys[1][i], dtype, std::move(shape), !constant.ok() || constant->num_elements() > 0});
  }
  return absl::OkStatus();
}

std::optional<std::vector<ExampleFeature>> FunctionImporter::FeaturesOf(int parameter) const {
  auto found = features_.find(parameter);
  if (found == features_.end() || other_uses_.contains(parameter)) return std::nullopt;
  std::vector<ExampleFeature> out;
  for (const ExampleFeature& feature : found->second) {
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const ExampleFeature& other) { return other.key == feature.key; });
    if (same == out.end()) {
      out.push_back(feature);
    } else if (same->dtype != feature.dtype || same->shape != feature.shape ||
               same->has_default != feature.has_default) {
      return std::nullopt;
    }
  }
  return out;
}

// --- evaluation ---------------------------------------------------------------------------------

StatusOr<BoundList> FunctionImporter::ImportFromGraph(
    const std::vector<std::pair<NodeReference, Bound>>& fed,
    const std::vector<NodeReference>& outputs) {
  Scope scope{.graph = &model_.library.graph(), .function = &function()};
  std::set<std::pair<int, int>> cut;
  for (const auto& [reference, value] : fed) {
    scope.values[{reference.index, reference.output}] = value;
    cut.insert({reference.index, reference.output});
  }
  std::vector<int> nodes;
  for (const NodeReference& output : outputs) {
    if (!cut.contains({output.index, output.output})) nodes.push_back(output.index);
  }
  SIGNET_RETURN_IF_ERROR(NoteEffect(EffectOf(*scope.graph, nodes, cut, 0), outputs.size()));
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
  SIGNET_RETURN_IF_ERROR(MarkUsed(scope, outputs));
  SIGNET_ASSIGN_OR_RETURN(std::vector<Check> checks, FindChecks(scope));
  std::vector<NodeReference> needed = outputs;
  for (const Check& check : checks) needed.push_back(check.condition);
  SIGNET_RETURN_IF_ERROR(MarkUsed(scope, needed));
  SIGNET_ASSIGN_OR_RETURN(std::vector<int> order, OrderOf(scope, needed));
  for (int node : order) {
    if (++num_nodes_ > kMaxImportedNodes) {
      return ResourceExhausted("the nodes, with functions once per call, exceed the limit of ",
                               kMaxImportedNodes);
    }
    Status status = CheckOrder(*scope.graph, node);
    if (status.ok()) status = ImportNode(scope, node);
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

Status FunctionImporter::MarkUsed(Scope& scope, const std::vector<NodeReference>& outputs) {
  std::vector<NodeReference> open(outputs.rbegin(), outputs.rend());
  while (!open.empty()) {
    const NodeReference reference = open.back();
    open.pop_back();
    if (reference.kind != NodeReference::Kind::kNode) continue;
    if (scope.values.contains({reference.index, reference.output})) continue;
    if (!scope.used[reference.index].insert(reference.output).second) continue;
    if (++num_steps_ > kMaxSteps) return ResourceExhausted("the graph is too large");
    SIGNET_ASSIGN_OR_RETURN(auto inputs, NeededInputs(scope, reference.index, reference.output));
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return absl::OkStatus();
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
    SIGNET_ASSIGN_OR_RETURN(const FrameLoop* loop, LoopOf(graph, index));
    std::vector<NodeReference> inputs;
    for (const auto& variable : loop->variables) inputs.push_back(variable.start);
    for (int enter : loop->constants) {
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
    if (auto known = KnownBool(scope, form.condition)) {
      if (output == 1) return std::vector<NodeReference>();
      return std::vector<NodeReference>{
          inputs[static_cast<size_t>(*known ? form.true_input : 1 - form.true_input)]};
    }
    inputs.push_back(form.condition);
    return inputs;
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
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted("the depth of calls exceeds the limit of ", kMaxCallDepth);
  }
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
  std::set<int> arguments;
  std::vector<NodeReference> open = {root};
  ++depth_;
  while (!open.empty()) {
    const NodeReference reference = open.back();
    open.pop_back();
    if (reference.kind == NodeReference::Kind::kArgument) {
      arguments.insert(reference.index);
      continue;
    }
    if (reference.kind != NodeReference::Kind::kNode ||
        !scope.used[reference.index].insert(reference.output).second) {
      continue;
    }
    if (++num_steps_ > kMaxSteps) return ResourceExhausted("the graph is too large");
    SIGNET_ASSIGN_OR_RETURN(auto inputs, NeededInputs(scope, reference.index, reference.output));
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  --depth_;
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

// --- nodes --------------------------------------------------------------------------------------

Status FunctionImporter::ImportNode(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string& op = node.op();
  const std::string called = CalledFunction(model_.library, node);
  if (!called.empty()) {
    const auto* f = LookupAttribute(node, "f");
    const bool is_named = model_.library.Lookup(op) != nullptr;
    return ImportCall(scope, index, called,
                      is_named || f == nullptr ? &node.attr() : &f->func().attr());
  }
  const bool is_top = scope.graph == &model_.library.graph();
  if (is_top && Is(op, {"Const", "Placeholder", "PlaceholderWithDefault"})) {
    const std::string asset = model_.initialization.AssetOf(node.name());
    if (!asset.empty()) {
      scope.values[{index, 0}] = {.kind = Bound::Kind::kAsset, .text = asset};
      return absl::OkStatus();
    }
  }
  if (op == "Const") return ImportConstant(scope, index);
  if (op == "Placeholder" || op == "PlaceholderV2") {
    scope.values[{index, 0}] = {};
    const auto* dtype = LookupAttribute(node, "dtype");
    if (dtype == nullptr ||
        (dtype->type() != tensorflow::DT_RESOURCE && dtype->type() != tensorflow::DT_VARIANT)) {
      AddFault(Cat("no input has the value of placeholder `", Printable(node.name()), "`"));
    }
    return absl::OkStatus();
  }
  if (Initialization::MakesVariable(op)) {
    const int variable = model_.initialization.VariableOf(node);
    if (op == "VarHandleOp") {
      scope.values[{index, 0}] = {.kind = Bound::Kind::kVariable, .index = variable};
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(auto value, ReadVariable(variable));
    scope.values[{index, 0}] = value;
    return absl::OkStatus();
  }
  if (Initialization::MakesTable(op)) {
    scope.values[{index, 0}] = {.kind = Bound::Kind::kTable,
                                .index = model_.initialization.TableOf(node)};
    return absl::OkStatus();
  }
  if (Is(op, {"VarIsInitializedOp", "IsVariableInitialized"})) {
    scope.values[{index, 0}] = Capture(node.name(), CapturedValue(Tensor::Scalar(true)));
    return absl::OkStatus();
  }
  if (op == "Merge" || op == "RefMerge") return ImportMerge(scope, index);
  if (op == "Exit" || op == "RefExit") return ImportExit(scope, index);
  if (Is(op, {"If", "StatelessIf"})) return ImportIf(scope, index);
  if (Is(op, {"Case", "StatelessCase"})) return ImportCase(scope, index);
  if (Is(op, {"While", "StatelessWhile"})) return ImportWhile(scope, index);
  if (PassesInputs(op)) {
    SIGNET_ASSIGN_OR_RETURN(auto references, scope.graph->InputsOf(index));
    for (int output : scope.used[index]) {
      const size_t input = op == "IdentityN" ? static_cast<size_t>(output) : 0;
      if (input >= references.size()) return InvalidArgument("missing input ", input);
      SIGNET_ASSIGN_OR_RETURN(auto value, Find(scope, references[input]));
      scope.values[{index, output}] = value;
    }
    return absl::OkStatus();
  }
  if (op == "DeviceIndex") {
    const auto* names = LookupAttribute(node, "device_names");
    int position = names == nullptr ? 0 : names->list().s_size();
    for (int i = 0; names != nullptr && i < names->list().s_size(); ++i) {
      if (names->list().s(i) == "CPU") position = i;
    }
    scope.values[{index, 0}] = Capture(node.name(), CapturedValue(Tensor::Scalar(position)));
    return absl::OkStatus();
  }
  bool done = false;
  SIGNET_RETURN_IF_ERROR(ImportResource(scope, index, done));
  if (!done) SIGNET_RETURN_IF_ERROR(ImportArray(scope, index, done));
  return done ? absl::OkStatus() : ImportOperator(scope, index);
}

Status FunctionImporter::ImportConstant(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const auto* value = Attribute(scope, node, "value");
  if (value == nullptr || !value->has_tensor()) return InvalidArgument("missing value");
  auto found = model_.constants.find(value);
  if (found == model_.constants.end()) {
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorFromGraph(value->tensor()));
    model_.constant_bytes += static_cast<int64_t>(tensor.num_bytes());
    if (model_.constant_bytes > kMaxConstantBytes) {
      return ResourceExhausted("constants exceed the limit of ", kMaxConstantBytes, " bytes");
    }
    const Bound made = Capture(node.name(), CapturedValue(std::move(tensor)));
    found = model_.constants.emplace(value, made.text).first;
  }
  scope.values[{index, 0}] = {.kind = Bound::Kind::kCapture, .text = found->second};
  return absl::OkStatus();
}

Status FunctionImporter::ImportCall(Scope& scope, int index, const std::string& function,
                                    const Attributes* attributes) {
  SIGNET_ASSIGN_OR_RETURN(auto arguments, FindInputs(scope, index));
  std::vector<int> outputs(scope.used[index].begin(), scope.used[index].end());
  SIGNET_ASSIGN_OR_RETURN(auto values, ImportInline(scope, *scope.function, function,
                                                    std::move(arguments), attributes, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) scope.values[{index, outputs[i]}] = values[i];
  return absl::OkStatus();
}

StatusOr<Bound> FunctionImporter::ReadVariable(int index) {
  const ModelVariable& variable = model_.initialization.variable(index);
  std::string key = Cat(variable.value.key, "\n");
  for (const auto& range : variable.value.ranges) key += Cat(range.start, ",", range.size, ":");
  if (variable.value.key.empty()) key = Cat(reinterpret_cast<uintptr_t>(variable.value.constant));
  auto found = model_.variables.find(key);
  if (found != model_.variables.end()) {
    return Bound{.kind = Bound::Kind::kCapture, .text = found->second};
  }
  auto value = model_.initialization.Read(variable);
  if (!value.ok()) {
    if (absl::IsDataLoss(value.status())) return value.status();
    AddFault(std::string(MessageOf(value.status())));
    return Bound();
  }
  Bound capture = Capture(variable.name, *std::move(value));
  model_.variables[key] = capture.text;
  return capture;
}

StatusOr<std::pair<Bound, Bound>> FunctionImporter::ReadTable(int index) {
  auto found = model_.tables.find(index);
  if (found == model_.tables.end()) {
    const ModelTable& table = model_.initialization.table(index);
    auto contents = model_.initialization.Read(table);
    if (!contents.ok()) {
      if (absl::IsDataLoss(contents.status())) return contents.status();
      AddFault(std::string(MessageOf(contents.status())));
      return std::pair<Bound, Bound>();
    }
    const Bound keys = Capture(Cat(table.name, "_keys"), CapturedValue(contents->first));
    const Bound values = Capture(Cat(table.name, "_values"), CapturedValue(contents->second));
    found = model_.tables.emplace(index, std::pair(keys.text, values.text)).first;
  }
  return std::pair(Bound{.kind = Bound::Kind::kCapture, .text = found->second.first},
                   Bound{.kind = Bound::Kind::kCapture, .text = found->second.second});
}

// Imports operators on the handles of variables and tables.
Status FunctionImporter::ImportResource(Scope& scope, int index, bool& done) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string& op = node.op();
  const bool reads_variable = ReadsVariable(op);
  if (!reads_variable && !ReadsTable(op)) return absl::OkStatus();
  done = true;
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (inputs.empty()) return InvalidArgument("missing input 0");
  if (reads_variable) {
    if (inputs[0].kind != Bound::Kind::kVariable) {
      AddUnsupported(scope, index, Cat(op, " of a handle that is not known"));
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(inputs[0], ReadVariable(inputs[0].index));
    if (op == "ReadVariableOp") {
      scope.values[{index, 0}] = inputs[0];
      return absl::OkStatus();
    }
    const std::string_view plain = op == "ResourceGather"     ? "tf.ResourceGather"
                                   : op == "ResourceGatherNd" ? "tf.GatherNd"
                                                              : "tf.Shape";
    for (const Bound& input : inputs) {
      if (!input.is_tensor()) return absl::OkStatus();
    }
    NamedTypes attributes;
    if (op == "ResourceGather") {
      attributes.emplace_back("batch_dims", AttributeOf(IntAttributeOr(node, "batch_dims", 0)));
    }
    if (const auto* type = op == "VariableShape" ? Attribute(scope, node, "out_type") : nullptr) {
      SIGNET_ASSIGN_OR_RETURN(auto dtype, ConvertAttribute(scope, *type));
      attributes.emplace_back("out_type", dtype);
    }
    scope.nodes[index] =
        AddNode(*scope.function, node.name(), plain, inputs, std::move(attributes)).edge;
    return absl::OkStatus();
  }
  if (inputs[0].kind != Bound::Kind::kTable) {
    AddUnsupported(scope, index, Cat(op, " of a handle that is not known"));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(auto table, ReadTable(inputs[0].index));
  if (!table.first.is_tensor()) return absl::OkStatus();
  if (op.starts_with("LookupTableExport")) {
    scope.values[{index, 0}] = table.first;
    scope.values[{index, 1}] = table.second;
    return absl::OkStatus();
  }
  const bool finds = op.starts_with("LookupTableFind");
  BoundList given = {table.first, table.second};
  if (finds) {
    given.insert(given.begin(), inputs.begin() + 1, inputs.end());
    if (given.size() != 4 || !given[0].is_tensor() || !given[1].is_tensor()) {
      return given.size() == 4 ? absl::OkStatus() : InvalidArgument("expected 3 inputs");
    }
  }
  scope.nodes[index] = AddNode(*scope.function, node.name(),
                               finds ? "tf.LookupTableFind" : "tf.LookupTableSize", given)
                           .edge;
  return absl::OkStatus();
}

// Imports operators on a TensorArray, whose elements are in the value `flow`.
Status FunctionImporter::ImportArray(Scope& scope, int index, bool& done) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string& op = node.op();
  if (!op.starts_with("TensorArray") || !op.ends_with("V3")) return absl::OkStatus();
  if (op == "TensorArrayGradV3") return absl::OkStatus();
  done = true;
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (op == "TensorArrayV3") {
    scope.values[{index, 0}] = {.kind = Bound::Kind::kArray};
    if (inputs.size() != 1 || !inputs[0].is_tensor()) return absl::OkStatus();
    NamedTypes attributes;
    for (const char* name : {"dtype", "element_shape"}) {
      if (const auto* value = Attribute(scope, node, name)) {
        SIGNET_ASSIGN_OR_RETURN(auto converted, ConvertAttribute(scope, *value));
        attributes.emplace_back(name, converted);
      }
    }
    scope.values[{index, 1}] =
        AddNode(*scope.function, node.name(), "tf.TensorArrayV3", inputs, std::move(attributes));
    return absl::OkStatus();
  }
  if (inputs.empty() || inputs[0].kind != Bound::Kind::kArray) {
    AddUnsupported(scope, index, Cat(op, " of a handle that is not known"));
    return absl::OkStatus();
  }
  if (op == "TensorArrayCloseV3") return absl::OkStatus();
  inputs.erase(inputs.begin());
  for (const Bound& input : inputs) {
    if (!input.is_tensor()) return absl::OkStatus();
  }
  const std::string name = Cat("tf.", op);
  if (BuiltinOps().Lookup(name) == nullptr) {
    AddUnsupported(scope, index, Printable(op));
    return absl::OkStatus();
  }
  scope.nodes[index] = AddNode(*scope.function, node.name(), name, inputs).edge;
  return absl::OkStatus();
}

const tensorflow::AttrValue* FunctionImporter::Attribute(const Scope& scope,
                                                         const tensorflow::NodeDef& node,
                                                         const std::string& name) const {
  const auto* value = LookupAttribute(node, name);
  for (const Scope* at = &scope;
       value != nullptr && value->value_case() == tensorflow::AttrValue::kPlaceholder;
       at = at->caller) {
    if (at->attributes == nullptr) return nullptr;
    auto found = at->attributes->find(value->placeholder());
    if (found == at->attributes->end()) return nullptr;
    value = &found->second;
    if (at->caller == nullptr) break;
  }
  return value;
}

StatusOr<TypeSpec> FunctionImporter::ConvertAttribute(const Scope&,
                                                      const tensorflow::AttrValue& value) {
  auto dtype_of = [](int type) -> TypeSpec {
    auto dtype = tf::StoredDTypeFromNumber(type);
    return dtype.ok() ? AttributeOf(*dtype) : AttributeOf(tf::DataTypeName(type));
  };
  auto shape_of = [](const tensorflow::TensorShapeProto& shape) -> TypeSpec {
    if (shape.unknown_rank()) return LiteralType(Literal());
    std::vector<int64_t> dims;
    for (const auto& dim : shape.dim()) dims.push_back(dim.size());
    return AttributeListOf(dims);
  };
  switch (value.value_case()) {
    case tensorflow::AttrValue::kS:
      return AttributeOf(value.s());
    case tensorflow::AttrValue::kI:
      return AttributeOf(static_cast<int64_t>(value.i()));
    case tensorflow::AttrValue::kF:
      return AttributeOf(double{value.f()});
    case tensorflow::AttrValue::kB:
      return AttributeOf(value.b());
    case tensorflow::AttrValue::kType:
      return dtype_of(value.type());
    case tensorflow::AttrValue::kShape:
      return shape_of(value.shape());
    case tensorflow::AttrValue::kList: {
      const auto& list = value.list();
      std::vector<TypeSpec> items;
      for (const auto& item : list.s()) items.push_back(AttributeOf(item));
      for (int64_t item : list.i()) items.push_back(AttributeOf(item));
      for (float item : list.f()) items.push_back(AttributeOf(double{item}));
      for (bool item : list.b()) items.push_back(AttributeOf(item));
      for (int item : list.type()) items.push_back(dtype_of(item));
      for (const auto& item : list.shape()) items.push_back(shape_of(item));
      return ListType(std::move(items));
    }
    default:
      return Unimplemented("unsupported kind of attribute");
  }
}

Status FunctionImporter::ImportOperator(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string name = Cat("tf.", node.op());
  const OpDef* op = BuiltinOps().Lookup(name);
  if (op == nullptr && ChangesState(node.op())) return absl::OkStatus();  // a fault already
  if (op == nullptr) {
    AddUnsupported(scope, index, Printable(node.op()));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_tensor()) continue;
    if (inputs[i].kind == Bound::Kind::kNone) return absl::OkStatus();
    // A generator of random numbers is a variable whose state is not used.
    if (inputs[i].kind == Bound::Kind::kVariable && i == 0) {
      SIGNET_ASSIGN_OR_RETURN(inputs[i], ReadVariable(inputs[i].index));
      continue;
    }
    AddUnsupported(scope, index, Cat(node.op(), " of a handle"));
    return absl::OkStatus();
  }
  if (node.op() == "ParseExample" || node.op() == "ParseExampleV2") {
    // A feature that is not understood only means that there are no records.
    if (!NoteFeatures(scope, node, inputs).ok() && !inputs.empty()) {
      other_uses_.insert(inputs[0].edge.index);
    }
  }
  std::map<std::string, TypeSpec> attributes;
  for (const AttributeDef& def : op->attributes) {
    if (def.name == "node") {
      attributes.insert_or_assign("node", AttributeOf(num_nodes_));
      continue;
    }
    const auto* value = Attribute(scope, node, def.name);
    if (value == nullptr) continue;
    auto converted = ConvertAttribute(scope, *value);
    if (!converted.ok()) return At(Cat("attribute `", def.name, "`"), converted.status());
    attributes.insert_or_assign(def.name, *std::move(converted));
  }
  const Bound made =
      AddNode(*scope.function, node.name(), name, inputs, {attributes.begin(), attributes.end()});
  scope.nodes[index] = made.edge;
  if (node.op() == "TensorListReserve" && inputs.size() == 2) {
    list_sizes_[{scope.function, made.edge.index}] = inputs[1];
  }
  return absl::OkStatus();
}

}  // namespace signet
