// Imports branches and loops: If, Case, and While of TensorFlow 2, whose bodies are functions, and
// the nodes Switch, Merge, Enter, Exit, and NextIteration of TensorFlow 1.
//
// A loop becomes `loop`, whose body ends with the condition of the next step:
//   While(c, b)(x)   =>   loop(None, c(x), x; body = (y = b(x); (c(y), y)))
// Both sides of a Merge are computed, and `cond` selects one of them.

#include <algorithm>
#include <optional>

#include "core/frontends/savedmodel/import/function_import.h"
#include "core/frontends/savedmodel/import/graph_tensor.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

bool IsIdentity(std::string_view op) {
  return op == "Identity" || op == "StopGradient" || op == "RefIdentity" || op == "Snapshot";
}

}  // namespace

// --- functions ----------------------------------------------------------------------------------

GraphFunction& FunctionImporter::AddFunction(std::string_view name) {
  functions_.push_back(
      std::make_unique<GraphFunction>(model_.names.Make(Cat("_", name)), model_.out.captures));
  return *functions_.back();
}

Bound FunctionImporter::AddFunctionParameter(GraphFunction& function, std::string_view name) {
  std::string unique = model_.names.Make(name);
  function.parameters.push_back({.name = unique});
  return {.kind = Bound::Kind::kValue, .edge = function.graph.AddParameter(unique)};
}

Bound FunctionImporter::AsCondition(GraphFunction& function, const Bound& value) {
  return AddNode(function, "condition", "tf.ToBool", {value});
}

Bound FunctionImporter::ResultItem(GraphFunction& function, const Bound& result, int i) {
  return AddNode(function, "item", "get_item", {result}, {{"key", AttributeOf(i)}});
}

NodeReference FunctionImporter::SkipIdentity(const NodeGraph& graph, NodeReference reference) {
  for (int i = 0; i < 1000 && reference.kind == NodeReference::Kind::kNode; ++i) {
    const auto& node = graph.node(reference.index);
    if (!IsIdentity(node.op()) && node.op() != "IdentityN") break;
    auto inputs = graph.InputsOf(reference.index);
    if (!inputs.ok() || static_cast<size_t>(reference.output) >= inputs->size()) break;
    reference = (*inputs)[static_cast<size_t>(reference.output)];
  }
  return reference;
}

int FunctionImporter::ArgumentOf(const NodeGraph& graph, NodeReference reference) {
  reference = SkipIdentity(graph, reference);
  return reference.kind == NodeReference::Kind::kArgument ? reference.index : -1;
}

bool FunctionImporter::IsZero(const Bound& value) const {
  if (value.kind != Bound::Kind::kCapture) return false;
  auto found = model_.out.captures.find(value.text);
  if (found == model_.out.captures.end()) return false;
  auto known = found->second.Get();
  if (!known.ok() || known->tensor().num_elements() != 1) return false;
  const DType dtype = known->tensor().dtype();
  return (dtype == DType::kInt32 || dtype == DType::kInt64) && IntsOf(known->tensor())[0] == 0;
}

// --- If and Case --------------------------------------------------------------------------------

Status FunctionImporter::ImportIf(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const auto* then = Attribute(scope, node, "then_branch");
  const auto* otherwise = Attribute(scope, node, "else_branch");
  if (then == nullptr || otherwise == nullptr) return InvalidArgument("missing branches");
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (inputs.empty()) return InvalidArgument("missing input 0");
  if (!inputs[0].is_tensor()) return absl::OkStatus();
  const Bound condition = AsCondition(*scope.function, inputs[0]);
  inputs.erase(inputs.begin());
  return ImportBranches(scope, index, condition, {&then->func(), &otherwise->func()}, inputs,
                        false);
}

Status FunctionImporter::ImportCase(Scope& scope, int index) {
  const auto* branches = Attribute(scope, scope.graph->node(index), "branches");
  if (branches == nullptr || branches->list().func_size() == 0) {
    return InvalidArgument("missing branches");
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (inputs.empty()) return InvalidArgument("missing input 0");
  if (!inputs[0].is_tensor()) return absl::OkStatus();
  std::vector<const tensorflow::NameAttrList*> functions;
  for (const auto& branch : branches->list().func()) functions.push_back(&branch);
  const Bound selector = inputs[0];
  inputs.erase(inputs.begin());
  return ImportBranches(scope, index, selector, functions, inputs, true);
}

Status FunctionImporter::ImportBranches(
    Scope& scope, int index, const Bound& selector,
    const std::vector<const tensorflow::NameAttrList*>& branches, const BoundList& arguments,
    bool is_case) {
  const std::set<int>& used = scope.used[index];
  const std::vector<int> outputs(used.begin(), used.end());
  std::vector<std::string> names;
  BoundList given = {selector};
  for (const Bound& argument : arguments) {
    if (argument.kind == Bound::Kind::kValue) given.push_back(argument);
  }
  for (const tensorflow::NameAttrList* branch : branches) {
    GraphFunction& function = AddFunction("branch");
    BoundList inner;
    for (const Bound& argument : arguments) {
      inner.push_back(argument.kind == Bound::Kind::kValue ? AddFunctionParameter(function, "value")
                                                           : argument);
    }
    SIGNET_ASSIGN_OR_RETURN(auto values, ImportInline(scope, function, branch->name(),
                                                      std::move(inner), &branch->attr(), outputs));
    for (const Bound& value : values) {
      // Handles cannot depend on a branch. Values that are missing are listed as unsupported.
      if (value.is_tensor()) continue;
      if (value.kind != Bound::Kind::kNone) AddUnsupported(scope, index, "handles of branches");
      return absl::OkStatus();
    }
    function.result = AddNode(function, "result", "make_tuple", values).edge;
    names.push_back(function.def.name);
  }
  NamedTypes attributes = {{"defer_errors", AttributeOf(true)}};
  if (is_case) {
    attributes.emplace_back("functions", AttributeListOf(names));
  } else {
    attributes.emplace_back("then", AttributeOf(names[0]));
    attributes.emplace_back("else", AttributeOf(names[1]));
  }
  const Bound results = AddNode(*scope.function, scope.graph->node(index).name(),
                                is_case ? "case" : "cond", given, std::move(attributes));
  for (size_t i = 0; i < outputs.size(); ++i) {
    scope.values[{index, outputs[i]}] = ResultItem(*scope.function, results, static_cast<int>(i));
  }
  return absl::OkStatus();
}

// --- While --------------------------------------------------------------------------------------

StatusOr<bool> FunctionImporter::OnlyCollects(const NodeGraph& condition, const NodeGraph& body,
                                              size_t list, const BoundList& starts,
                                              NodeReference& item) {
  const auto& function = *body.function();
  auto result_of = [&](size_t i) -> StatusOr<NodeReference> {
    auto ret = function.ret().find(function.signature().output_arg(static_cast<int>(i)).name());
    if (ret == function.ret().end()) return InvalidArgument("missing value of output ", i);
    SIGNET_ASSIGN_OR_RETURN(NodeReference reference, body.Resolve(ret->second));
    return SkipIdentity(body, reference);
  };
  SIGNET_ASSIGN_OR_RETURN(NodeReference written, result_of(list));
  if (written.kind != NodeReference::Kind::kNode ||
      body.node(written.index).op() != "TensorListSetItem") {
    return false;
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, body.InputsOf(written.index));
  if (inputs.size() != 3 || ArgumentOf(body, inputs[0]) != static_cast<int>(list)) return false;
  const int counter = ArgumentOf(body, inputs[1]);
  if (counter < 0 || static_cast<size_t>(counter) >= starts.size() ||
      !IsZero(starts[static_cast<size_t>(counter)])) {
    return false;
  }
  SIGNET_ASSIGN_OR_RETURN(NodeReference next, result_of(static_cast<size_t>(counter)));
  if (next.kind != NodeReference::Kind::kNode) return false;
  const std::string& op = body.node(next.index).op();
  if (op != "AddV2" && op != "Add") return false;
  SIGNET_ASSIGN_OR_RETURN(auto terms, body.InputsOf(next.index));
  if (terms.size() != 2 || ArgumentOf(body, terms[0]) != counter) return false;
  const NodeReference step = SkipIdentity(body, terms[1]);
  if (step.kind != NodeReference::Kind::kNode || body.node(step.index).op() != "Const") {
    return false;
  }
  const auto* one = LookupAttribute(body.node(step.index), "value");
  auto value =
      one == nullptr ? StatusOr<Tensor>(InvalidArgument("")) : TensorFromGraph(one->tensor());
  if (!value.ok() || value->num_elements() != 1 || !IsIndexDType(value->dtype()) ||
      IntsOf(*value)[0] != 1) {
    return false;
  }
  // Nothing else may read the list.
  auto reads = [&](const NodeGraph& graph, int except) {
    const std::string& name =
        graph.function()->signature().input_arg(static_cast<int>(list)).name();
    for (int i = 0; i < graph.num_nodes(); ++i) {
      if (i == except || IsIdentity(graph.node(i).op())) continue;
      for (const std::string& input : graph.node(i).input()) {
        if (input.starts_with('^')) continue;
        auto reference = graph.Resolve(input);
        if (reference.ok() && ArgumentOf(graph, *reference) == static_cast<int>(list)) return true;
      }
    }
    (void)name;
    return false;
  };
  if (reads(body, written.index) || reads(condition, -1)) return false;
  item = inputs[2];
  return true;
}

Status FunctionImporter::ImportWhile(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const auto* condition = Attribute(scope, node, "cond");
  const auto* body = Attribute(scope, node, "body");
  if (condition == nullptr || body == nullptr) return InvalidArgument("missing functions");
  SIGNET_ASSIGN_OR_RETURN(const NodeGraph* condition_graph,
                          model_.library.FindBody(condition->func().name()));
  SIGNET_ASSIGN_OR_RETURN(const NodeGraph* body_graph,
                          model_.library.FindBody(body->func().name()));
  SIGNET_ASSIGN_OR_RETURN(BoundList starts, FindInputs(scope, index));
  const auto& signature = body_graph->function()->signature();
  if (static_cast<size_t>(signature.output_arg_size()) != starts.size() ||
      static_cast<size_t>(signature.input_arg_size()) != starts.size() ||
      static_cast<size_t>(condition_graph->function()->signature().input_arg_size()) !=
          starts.size()) {
    return InvalidArgument("expected functions of ", starts.size(), " variables, found ",
                           signature.input_arg_size(), " arguments and ",
                           signature.output_arg_size(), " outputs of the body");
  }
  enum class Role : uint8_t { kConstant, kFixed, kCarried, kCollected };
  std::vector<Role> roles(starts.size(), Role::kCarried);
  std::vector<NodeReference> items(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    const std::string& name = signature.output_arg(static_cast<int>(i)).name();
    auto ret = body_graph->function()->ret().find(name);
    if (ret == body_graph->function()->ret().end()) return InvalidArgument("missing output ", i);
    SIGNET_ASSIGN_OR_RETURN(NodeReference reference, body_graph->Resolve(ret->second));
    const bool stays = ArgumentOf(*body_graph, reference) == static_cast<int>(i);
    if (stays) {
      roles[i] = starts[i].kind == Bound::Kind::kValue ? Role::kFixed : Role::kConstant;
    } else if (!starts[i].is_tensor()) {
      if (starts[i].kind != Bound::Kind::kNone) {
        AddUnsupported(scope, index, "While with a handle that changes");
      }
      return absl::OkStatus();
    } else if (starts[i].kind == Bound::Kind::kValue &&
               list_sizes_.contains({scope.function, starts[i].edge.index})) {
      SIGNET_ASSIGN_OR_RETURN(bool collects,
                              OnlyCollects(*condition_graph, *body_graph, i, starts, items[i]));
      if (collects) roles[i] = Role::kCollected;
    }
  }
  // The condition before the first step.
  auto check = [&](Scope& from, GraphFunction& function, BoundList values) -> StatusOr<Bound> {
    for (size_t i = 0; i < values.size(); ++i) {
      if (roles[i] == Role::kCollected) values[i] = Bound();
    }
    SIGNET_ASSIGN_OR_RETURN(
        auto result, ImportInline(from, function, condition->func().name(), std::move(values),
                                  &condition->func().attr(), {0}));
    if (!result[0].is_tensor()) return Bound();
    return AsCondition(function, result[0]);
  };
  SIGNET_ASSIGN_OR_RETURN(Bound going, check(scope, *scope.function, starts));

  GraphFunction& function = AddFunction("body");
  AddFunctionParameter(function, "step");
  AddFunctionParameter(function, "going");
  BoundList given = {Bound(), going};
  BoundList inner(starts.size());
  int64_t carried = 0;
  for (Role role : {Role::kCarried, Role::kFixed}) {
    for (size_t i = 0; i < starts.size(); ++i) {
      if (roles[i] == Role::kConstant) inner[i] = starts[i];
      if (roles[i] != role) continue;
      inner[i] = AddFunctionParameter(function, signature.input_arg(static_cast<int>(i)).name());
      given.push_back(starts[i]);
      carried += role == Role::kCarried ? 1 : 0;
    }
  }
  // The body, with the items of collected lists instead of the lists.
  for (const Scope* outer = &scope; outer != nullptr; outer = outer->caller) {
    if (outer->graph == body_graph) return Unimplemented("the body of the loop calls itself");
  }
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted("the depth of calls exceeds the limit of ", kMaxCallDepth);
  }
  Scope body_scope{.graph = body_graph,
                   .function = &function,
                   .caller = &scope,
                   .attributes = &body->func().attr(),
                   .depth = scope.depth + 1,
                   .arguments = inner};
  std::vector<NodeReference> outputs;
  for (Role role : {Role::kCarried, Role::kCollected}) {
    for (size_t i = 0; i < starts.size(); ++i) {
      if (roles[i] != role) continue;
      if (role == Role::kCollected) {
        outputs.push_back(items[i]);
        continue;
      }
      const std::string& name = signature.output_arg(static_cast<int>(i)).name();
      SIGNET_ASSIGN_OR_RETURN(outputs.emplace_back(),
                              body_graph->Resolve(body_graph->function()->ret().at(name)));
    }
  }
  ++depth_;
  auto values = Evaluate(body_scope, outputs);
  --depth_;
  SIGNET_RETURN_IF_ERROR(values.status());
  for (const Bound& value : *values) {
    if (!value.is_tensor()) return absl::OkStatus();
  }
  BoundList next = inner;
  size_t at = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (roles[i] == Role::kCarried) next[i] = (*values)[at++];
  }
  SIGNET_ASSIGN_OR_RETURN(Bound again, check(body_scope, function, next));
  if (!going.is_tensor() || !again.is_tensor()) return absl::OkStatus();
  values->insert(values->begin(), again);
  function.result = AddNode(function, "result", "make_tuple", *values).edge;
  const Bound loop =
      AddNode(*scope.function, node.name(), "loop", given,
              {{"body", AttributeOf(function.def.name)}, {"carried", AttributeOf(carried)}});
  auto output_of = [&](int64_t i) {
    Bound output = loop;
    output.edge.output = static_cast<int>(i);
    return output;
  };
  int64_t next_carried = 0;
  int64_t next_collected = carried;
  for (size_t i = 0; i < starts.size(); ++i) {
    Bound value = starts[i];
    if (roles[i] == Role::kCarried) value = output_of(next_carried++);
    if (roles[i] == Role::kCollected) {
      value = AddNode(
          *scope.function, "collected", "tf.TensorListResize",
          {output_of(next_collected++), list_sizes_.at({scope.function, starts[i].edge.index})});
    }
    scope.values[{index, static_cast<int>(i)}] = value;
  }
  return absl::OkStatus();
}

// --- Switch and Merge ---------------------------------------------------------------------------

StatusOr<const FunctionImporter::Conditions*> FunctionImporter::ConditionsOf(const NodeGraph& graph,
                                                                             int root) {
  auto known = conditions_.find({&graph, root});
  if (known != conditions_.end()) return &known->second;
  // Nodes are completed after their inputs. Inputs through NextIteration are left out.
  std::vector<std::pair<int, bool>> open = {{root, false}};
  std::set<int> entered;
  while (!open.empty()) {
    const auto [index, are_inputs_done] = open.back();
    open.pop_back();
    if (conditions_.contains({&graph, index})) continue;
    if (!are_inputs_done && !entered.insert(index).second) continue;
    if (++num_steps_ > 20'000'000) return ResourceExhausted("the graph is too large");
    const std::string& op = graph.node(index).op();
    SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(index));
    SIGNET_ASSIGN_OR_RETURN(auto control, graph.ControlInputsOf(index));
    if (op == "NextIteration" || op == "Exit") inputs.clear();
    if (!are_inputs_done) {
      open.emplace_back(index, true);
      for (const auto* list : {&inputs, &control}) {
        for (const NodeReference& input : *list) {
          if (input.kind != NodeReference::Kind::kArgument) open.emplace_back(input.index, false);
        }
      }
      continue;
    }
    Conditions all;
    std::vector<Conditions> each;
    for (const auto* list : {&inputs, &control}) {
      for (const NodeReference& input : *list) {
        if (input.kind == NodeReference::Kind::kArgument) continue;
        Conditions one;
        if (auto found = conditions_.find({&graph, input.index}); found != conditions_.end()) {
          one = found->second;
        }
        const auto& source = graph.node(input.index);
        if (source.op() == "Switch" && list == &inputs) {
          SIGNET_ASSIGN_OR_RETURN(auto parts, graph.InputsOf(input.index));
          if (parts.size() == 2) {
            const NodeReference condition = SkipIdentity(graph, parts[1]);
            if (condition.kind == NodeReference::Kind::kNode &&
                graph.node(condition.index).op() != "LoopCond") {
              one[condition.index] = input.output;
            }
          }
        }
        all.insert(one.begin(), one.end());
        if (list == &inputs) each.push_back(std::move(one));
      }
    }
    if ((op == "Merge" || op == "RefMerge") && each.size() == 2) {
      for (const auto& [condition, side] : each[0]) {
        auto other = each[1].find(condition);
        if (other != each[1].end() && other->second != side) all.erase(condition);
      }
    }
    conditions_[{&graph, index}] = std::move(all);
  }
  return &conditions_[{&graph, root}];
}

StatusOr<FunctionImporter::MergeForm> FunctionImporter::MergeFormOf(const NodeGraph& graph,
                                                                    int index) {
  SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(index));
  if (inputs.size() != 2 || inputs[0].kind != NodeReference::Kind::kNode ||
      inputs[1].kind != NodeReference::Kind::kNode) {
    return Unimplemented(graph.PlaceOf(index), ": unsupported form of Merge");
  }
  Conditions sides[2];
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(const Conditions* conditions, ConditionsOf(graph, inputs[i].index));
    sides[i] = *conditions;
    if (graph.node(inputs[i].index).op() == "Switch") {
      SIGNET_ASSIGN_OR_RETURN(auto parts, graph.InputsOf(inputs[i].index));
      if (parts.size() != 2) return Unimplemented("unsupported form of Switch");
      const NodeReference condition = SkipIdentity(graph, parts[1]);
      if (condition.kind == NodeReference::Kind::kNode) {
        sides[i][condition.index] = inputs[i].output;
      }
    }
  }
  for (const auto& [condition, side] : sides[0]) {
    auto other = sides[1].find(condition);
    if (other == sides[1].end() || other->second == side) continue;
    return MergeForm{{NodeReference::Kind::kNode, condition, 0}, side == 1 ? 0 : 1};
  }
  return Unimplemented(graph.PlaceOf(index), ": unsupported form of Merge");
}

std::optional<bool> FunctionImporter::KnownBool(const Scope& scope,
                                                const NodeReference& reference) {
  bool negated = false;
  NodeReference at = reference;
  for (int i = 0; i < 1000 && at.kind == NodeReference::Kind::kNode; ++i) {
    if (scope.values.contains({at.index, at.output})) return std::nullopt;
    const auto& node = scope.graph->node(at.index);
    if (node.op() == "Const") {
      const auto* value = LookupAttribute(node, "value");
      if (value == nullptr) return std::nullopt;
      auto tensor = TensorFromGraph(value->tensor());
      if (!tensor.ok() || tensor->dtype() != DType::kBool || tensor->num_elements() != 1) {
        return std::nullopt;
      }
      return tensor->elements<bool>()[0] != negated;
    }
    const bool passes = IsIdentity(node.op()) || node.op() == "PlaceholderWithDefault";
    if (!passes && node.op() != "LogicalNot") return std::nullopt;
    negated = passes ? negated : !negated;
    auto inputs = scope.graph->InputsOf(at.index);
    if (!inputs.ok() || inputs->empty()) return std::nullopt;
    at = (*inputs)[0];
  }
  return std::nullopt;
}

Status FunctionImporter::ImportMerge(Scope& scope, int index) {
  SIGNET_ASSIGN_OR_RETURN(MergeForm form, MergeFormOf(*scope.graph, index));
  SIGNET_ASSIGN_OR_RETURN(BoundList inputs, FindInputs(scope, index));
  const auto on_true = static_cast<size_t>(form.true_input);
  const auto known = KnownBool(scope, form.condition);
  if (known) {
    const size_t selected = *known ? on_true : 1 - on_true;
    scope.values[{index, 0}] = inputs[selected];
    scope.values[{index, 1}] =
        Capture("value_index", CapturedValue(Tensor::Scalar(static_cast<int32_t>(selected))));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(Bound condition, Find(scope, form.condition));
  if (!condition.is_tensor() || !inputs[0].is_tensor() || !inputs[1].is_tensor()) {
    return absl::OkStatus();
  }
  GraphFunction* functions[2];
  for (size_t i = 0; i < 2; ++i) {
    functions[i] = &AddFunction("side");
    const Bound parameters[2] = {AddFunctionParameter(*functions[i], "on_true"),
                                 AddFunctionParameter(*functions[i], "on_false")};
    functions[i]->result = parameters[i].edge;
  }
  scope.values[{index, 0}] =
      AddNode(*scope.function, scope.graph->node(index).name(), "cond",
              {AsCondition(*scope.function, condition), inputs[on_true], inputs[1 - on_true]},
              {{"then", AttributeOf(functions[0]->def.name)},
               {"else", AttributeOf(functions[1]->def.name)}});
  Bound position = AddNode(*scope.function, "value_index", "cast", {condition},
                           {{"dtype", AttributeOf(DType::kInt32)}});
  if (on_true == 0) {
    const Bound negated = AddNode(*scope.function, "not", "logical_not", {condition});
    position = AddNode(*scope.function, "value_index", "cast", {negated},
                       {{"dtype", AttributeOf(DType::kInt32)}});
  }
  scope.values[{index, 1}] = position;
  return absl::OkStatus();
}

// --- frames -------------------------------------------------------------------------------------

StatusOr<const FunctionImporter::FrameLoop*> FunctionImporter::LoopOf(const NodeGraph& graph,
                                                                      int exit) {
  auto unsupported = [&] {
    return Unimplemented(graph.PlaceOf(exit), ": unsupported form of a loop");
  };
  SIGNET_ASSIGN_OR_RETURN(auto exited, graph.InputsOf(exit));
  if (exited.size() != 1 || exited[0].kind != NodeReference::Kind::kNode) return unsupported();
  auto condition_of = [&](int node) -> int {
    const std::string& op = graph.node(node).op();
    if (op != "Switch" && op != "RefSwitch") return -1;
    auto parts = graph.InputsOf(node);
    if (!parts.ok() || parts->size() != 2 || (*parts)[1].kind != NodeReference::Kind::kNode) {
      return -1;
    }
    const int condition = (*parts)[1].index;
    return graph.node(condition).op() == "LoopCond" ? condition : -1;
  };
  const int condition = condition_of(exited[0].index);
  if (condition < 0) return unsupported();
  auto known = loops_.find({&graph, condition});
  if (known != loops_.end()) return &known->second;
  if (depth_ >= kMaxCallDepth) return ResourceExhausted("loops are nested too deep");
  FrameLoop loop;
  SIGNET_ASSIGN_OR_RETURN(auto conditions, graph.InputsOf(condition));
  if (conditions.size() != 1) return unsupported();
  loop.condition = conditions[0];
  for (int i = 0; i < graph.num_nodes(); ++i) {
    if (condition_of(i) != condition) continue;
    SIGNET_ASSIGN_OR_RETURN(auto parts, graph.InputsOf(i));
    FrameLoop::Variable variable{.merge = parts[0].index, .branch = i};
    if (parts[0].kind != NodeReference::Kind::kNode) return unsupported();
    const std::string& merge = graph.node(variable.merge).op();
    if (merge != "Merge" && merge != "RefMerge") return unsupported();
    SIGNET_ASSIGN_OR_RETURN(auto merged, graph.InputsOf(variable.merge));
    if (merged.size() != 2) return unsupported();
    int found = 0;
    for (const NodeReference& input : merged) {
      if (input.kind != NodeReference::Kind::kNode) return unsupported();
      const std::string& op = graph.node(input.index).op();
      SIGNET_ASSIGN_OR_RETURN(auto source, graph.InputsOf(input.index));
      if (source.size() != 1) return unsupported();
      if (op == "Enter" || op == "RefEnter") {
        variable.start = source[0];
        found |= 1;
      } else if (op == "NextIteration" || op == "RefNextIteration") {
        variable.next = source[0];
        found |= 2;
      }
    }
    if (found != 3) return unsupported();
    loop.variables.push_back(variable);
  }
  // The values that enter the loop and do not change.
  std::set<int> merges;
  std::set<std::pair<int, int>> inside;
  for (const auto& variable : loop.variables) {
    merges.insert(variable.merge);
    inside.insert({variable.branch, 1});
  }
  std::vector<NodeReference> open = {loop.condition};
  for (const auto& variable : loop.variables) open.push_back(variable.next);
  std::set<std::pair<int, int>> seen;
  std::set<int> constants;
  std::set<int> arguments;
  Scope scope{.graph = &graph};
  ++depth_;
  while (!open.empty()) {
    const NodeReference reference = open.back();
    open.pop_back();
    if (reference.kind == NodeReference::Kind::kArgument) {
      arguments.insert(reference.index);
      continue;
    }
    if (merges.contains(reference.index) || inside.contains({reference.index, reference.output}) ||
        !seen.insert({reference.index, reference.output}).second) {
      continue;
    }
    if (++num_steps_ > 20'000'000) return ResourceExhausted("the graph is too large");
    const auto& node = graph.node(reference.index);
    if (node.op() == "Enter" || node.op() == "RefEnter") {
      constants.insert(reference.index);
      continue;
    }
    auto inputs = NeededInputs(scope, reference.index, reference.output);
    if (!inputs.ok()) {
      --depth_;
      return inputs.status();
    }
    open.insert(open.end(), inputs->begin(), inputs->end());
  }
  --depth_;
  loop.constants.assign(constants.begin(), constants.end());
  loop.arguments.assign(arguments.begin(), arguments.end());
  return &loops_.emplace(std::pair(&graph, condition), std::move(loop)).first->second;
}

Status FunctionImporter::ImportExit(Scope& scope, int index) {
  SIGNET_ASSIGN_OR_RETURN(const FrameLoop* found, LoopOf(*scope.graph, index));
  const FrameLoop& loop = *found;
  SIGNET_ASSIGN_OR_RETURN(auto exited, scope.graph->InputsOf(index));
  // One Exit imports the loop for all of them.
  if (scope.values.contains({exited[0].index, 0})) {
    scope.values[{index, 0}] = scope.values[{exited[0].index, 0}];
    return absl::OkStatus();
  }
  if (depth_ >= kMaxCallDepth) return ResourceExhausted("loops are nested too deep");
  GraphFunction& function = AddFunction("body");
  Scope first{.graph = scope.graph,
              .function = scope.function,
              .caller = scope.caller,
              .attributes = scope.attributes,
              .depth = scope.depth + 1,
              .arguments = scope.arguments};
  Scope body = first;
  body.function = &function;
  body.arguments.assign(scope.arguments.size(), Bound());
  AddFunctionParameter(function, "step");
  AddFunctionParameter(function, "going");
  BoundList given = {Bound(), Bound()};
  std::vector<size_t> carried;  // variables that are tensors; others are handles
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    const auto& variable = loop.variables[i];
    SIGNET_ASSIGN_OR_RETURN(Bound start, Find(scope, variable.start));
    first.values[{variable.merge, 0}] = start;
    Bound inner = start;
    if (start.kind == Bound::Kind::kNone) return absl::OkStatus();
    if (start.is_tensor()) {
      carried.push_back(i);
      given.push_back(start);
      inner = AddFunctionParameter(function, scope.graph->node(variable.merge).name());
    }
    body.values[{variable.branch, 1}] = inner;
    body.values[{variable.merge, 0}] = inner;
  }
  auto add_fixed = [&](const Bound& outer, std::string_view name) {
    if (outer.kind != Bound::Kind::kValue) return outer;
    given.push_back(outer);
    return AddFunctionParameter(function, name);
  };
  for (int enter : loop.constants) {
    SIGNET_ASSIGN_OR_RETURN(auto source, scope.graph->InputsOf(enter));
    if (source.size() != 1) return InvalidArgument("expected one input of Enter");
    SIGNET_ASSIGN_OR_RETURN(Bound outer, Find(scope, source[0]));
    first.values[{enter, 0}] = outer;
    body.values[{enter, 0}] = add_fixed(outer, scope.graph->node(enter).name());
  }
  for (int argument : loop.arguments) {
    const auto i = static_cast<size_t>(argument);
    if (i >= scope.arguments.size()) return InvalidArgument("missing argument ", argument);
    body.arguments[i] = add_fixed(scope.arguments[i], "argument");
  }
  const auto fixed_values = body.values;
  ++depth_;
  auto import = [&]() -> Status {
    SIGNET_ASSIGN_OR_RETURN(auto going, Evaluate(first, {loop.condition}));
    if (!going[0].is_tensor()) return absl::OkStatus();
    given[1] = AsCondition(*scope.function, going[0]);
    std::vector<NodeReference> outputs;
    for (size_t i : carried) outputs.push_back(loop.variables[i].next);
    SIGNET_ASSIGN_OR_RETURN(auto next, Evaluate(body, outputs));
    for (const Bound& value : next) {
      if (!value.is_tensor()) return absl::OkStatus();
    }
    Scope again = body;
    again.nodes.clear();
    again.used.clear();
    again.values = fixed_values;
    for (size_t k = 0; k < carried.size(); ++k) {
      again.values[{loop.variables[carried[k]].merge, 0}] = next[k];
    }
    SIGNET_ASSIGN_OR_RETURN(auto going_on, Evaluate(again, {loop.condition}));
    if (!going_on[0].is_tensor()) return absl::OkStatus();
    next.insert(next.begin(), AsCondition(function, going_on[0]));
    function.result = AddNode(function, "result", "make_tuple", next).edge;
    const Bound made = AddNode(*scope.function, scope.graph->node(index).name(), "loop", given,
                               {{"body", AttributeOf(function.def.name)},
                                {"carried", AttributeOf(static_cast<int64_t>(carried.size()))}});
    for (size_t k = 0; k < carried.size(); ++k) {
      Bound output = made;
      output.edge.output = static_cast<int>(k);
      scope.values[{loop.variables[carried[k]].branch, 0}] = output;
    }
    return absl::OkStatus();
  };
  Status status = import();
  --depth_;
  SIGNET_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    auto [value, is_new] = scope.values.try_emplace({loop.variables[i].branch, 0});
    if (is_new) value->second = first.values[{loop.variables[i].merge, 0}];
  }
  scope.values[{index, 0}] = scope.values[{exited[0].index, 0}];
  return absl::OkStatus();
}

}  // namespace signet
