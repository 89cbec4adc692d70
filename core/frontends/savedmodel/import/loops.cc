// Imports loops: While, whose condition and body are functions, and the nodes Enter, Merge, Switch,
// NextIteration, and Exit of TensorFlow 1.
//
// A loop becomes `loop`, whose body ends with the condition of the next step:
//   While(c, b)(x)   =>   loop(None, c(x), x; body = (y = b(x); (c(y), y)))
// A list to which each step writes one element, at the number of the step, is what `loop` collects.

#include <optional>
#include <utility>

#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/def/attribute_list.h"

namespace signet {

// --- While --------------------------------------------------------------------------------------

StatusOr<std::optional<FunctionImporter::Collected>> FunctionImporter::CollectedBy(
    const NodeGraph& condition, const NodeGraph& body, size_t list, const BoundList& starts) {
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
    return std::nullopt;
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, body.InputsOf(written.index));
  if (inputs.size() != 3 || ArgumentOf(body, inputs[0]) != static_cast<int>(list)) {
    return std::nullopt;
  }
  const int counter = ArgumentOf(body, inputs[1]);
  if (counter < 0 || static_cast<size_t>(counter) >= starts.size() ||
      !IsNumber(starts[static_cast<size_t>(counter)], 0)) {
    return std::nullopt;
  }
  SIGNET_ASSIGN_OR_RETURN(NodeReference next, result_of(static_cast<size_t>(counter)));
  if (next.kind != NodeReference::Kind::kNode) return std::nullopt;
  const std::string& op = body.node(next.index).op();
  if (op != "AddV2" && op != "Add") return std::nullopt;
  SIGNET_ASSIGN_OR_RETURN(auto terms, body.InputsOf(next.index));
  if (terms.size() != 2 || ArgumentOf(body, terms[0]) != counter) return std::nullopt;
  if (!IsOne(body, terms[1])) {
    // The step of a range is a variable of the loop that does not change.
    const int step = ArgumentOf(body, terms[1]);
    if (step < 0 || static_cast<size_t>(step) >= starts.size() ||
        !IsNumber(starts[static_cast<size_t>(step)], 1)) {
      return std::nullopt;
    }
    SIGNET_ASSIGN_OR_RETURN(NodeReference kept, result_of(static_cast<size_t>(step)));
    if (ArgumentOf(body, kept) != step) return std::nullopt;
  }
  // Nothing else may read the list.
  auto reads = [&](const NodeGraph& graph, int except) {
    for (int i = 0; i < graph.num_nodes(); ++i) {
      if (i == except || IsIdentity(graph.node(i).op())) continue;
      for (const std::string& input : graph.node(i).input()) {
        if (input.starts_with('^')) continue;
        auto reference = graph.Resolve(input);
        if (reference.ok() && ArgumentOf(graph, *reference) == static_cast<int>(list)) return true;
      }
    }
    return false;
  };
  if (reads(body, written.index) || reads(condition, -1)) return std::nullopt;
  const auto* grows = LookupAttribute(body.node(written.index), "resize_if_index_out_of_bounds");
  return Collected{inputs[2], grows != nullptr && grows->b()};
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
  std::vector<Collected> collected(starts.size());
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
    } else if (IsNewList(*scope.function, starts[i])) {
      SIGNET_ASSIGN_OR_RETURN(auto found, CollectedBy(*condition_graph, *body_graph, i, starts));
      if (found) {
        roles[i] = Role::kCollected;
        collected[i] = *found;
      }
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
        outputs.push_back(collected[i].item);
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
      value = CollectedList(*scope.function, output_of(next_collected++), starts[i],
                            collected[i].grows);
    }
    scope.values[{index, static_cast<int>(i)}] = value;
  }
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
  std::vector<NodeReference> values = {loop.condition};
  for (const auto& variable : loop.variables) values.push_back(variable.next);
  std::set<int> constants;
  auto is_given = [&](const NodeReference& reference) {
    if (merges.contains(reference.index) || inside.contains({reference.index, reference.output})) {
      return true;
    }
    const auto& op = graph.node(reference.index).op();
    if (op != "Enter" && op != "RefEnter") return false;
    constants.insert(reference.index);
    return true;
  };
  Scope scope{.graph = &graph};
  SIGNET_ASSIGN_OR_RETURN(auto arguments, MarkUsed(scope, std::move(values), is_given));
  loop.constants.assign(constants.begin(), constants.end());
  loop.arguments.assign(arguments.begin(), arguments.end());
  return &loops_.emplace(std::pair(&graph, condition), std::move(loop)).first->second;
}

StatusOr<std::optional<FunctionImporter::Collected>> FunctionImporter::CollectedBy(
    const NodeGraph& graph, const FrameLoop& loop, size_t list, const BoundList& starts) {
  auto is = [&](NodeReference reference, int node, int output) {
    reference = SkipIdentity(graph, reference);
    return reference.kind == NodeReference::Kind::kNode && reference.index == node &&
           reference.output == output;
  };
  const FrameLoop::Variable& variable = loop.variables[list];
  const NodeReference written = SkipIdentity(graph, variable.next);
  if (written.kind != NodeReference::Kind::kNode ||
      graph.node(written.index).op() != "TensorArrayWriteV3") {
    return std::nullopt;
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(written.index));
  if (inputs.size() != 4 || !is(inputs[3], variable.branch, 1)) return std::nullopt;
  bool counts = false;
  for (size_t i = 0; i < loop.variables.size() && !counts; ++i) {
    const FrameLoop::Variable& counter = loop.variables[i];
    if (!is(inputs[1], counter.branch, 1) || !IsNumber(starts[i], 0)) continue;
    const NodeReference next = SkipIdentity(graph, counter.next);
    if (next.kind != NodeReference::Kind::kNode) continue;
    const std::string& op = graph.node(next.index).op();
    if (op != "Add" && op != "AddV2") continue;
    SIGNET_ASSIGN_OR_RETURN(auto terms, graph.InputsOf(next.index));
    counts = terms.size() == 2 && is(terms[0], counter.branch, 1) && IsOne(graph, terms[1]);
  }
  if (!counts) return std::nullopt;
  // Nothing else may read the array.
  for (int i = 0; i < graph.num_nodes(); ++i) {
    if (i == written.index || i == variable.branch || IsIdentity(graph.node(i).op())) continue;
    for (const std::string& input : graph.node(i).input()) {
      if (input.starts_with('^')) continue;
      auto reference = graph.Resolve(input);
      if (!reference.ok()) continue;
      if (is(*reference, variable.branch, 1) || is(*reference, variable.merge, 0)) {
        return std::nullopt;
      }
    }
  }
  num_steps_ += graph.num_nodes();
  return Collected{inputs[2], false};
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
  BoundList starts;
  for (const auto& variable : loop.variables) {
    SIGNET_ASSIGN_OR_RETURN(starts.emplace_back(), Find(scope, variable.start));
  }
  std::vector<size_t> carried;  // variables that are tensors; others are handles
  std::vector<std::pair<size_t, Collected>> collected;
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    const auto& variable = loop.variables[i];
    const Bound& start = starts[i];
    if (start.kind == Bound::Kind::kNone) return absl::OkStatus();
    if (IsNewList(*scope.function, start)) {
      SIGNET_ASSIGN_OR_RETURN(auto list, CollectedBy(*scope.graph, loop, i, starts));
      if (list) {
        collected.emplace_back(i, *list);
        continue;
      }
    }
    first.values[{variable.merge, 0}] = start;
    Bound inner = start;
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
    for (const auto& [i, each] : collected) outputs.push_back(each.item);
    SIGNET_ASSIGN_OR_RETURN(auto next, Evaluate(body, outputs));
    for (const Bound& value : next) {
      if (!value.is_tensor()) return absl::OkStatus();
    }
    Scope again = body;
    again.nodes.clear();
    again.used.clear();
    again.outside.clear();
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
    Bound output = made;
    output.edge.output = 0;
    for (size_t i : carried) {
      scope.values[{loop.variables[i].branch, 0}] = output;
      ++output.edge.output;
    }
    for (const auto& [i, each] : collected) {
      scope.values[{loop.variables[i].branch, 0}] =
          CollectedList(*scope.function, output, starts[i], each.grows);
      ++output.edge.output;
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
