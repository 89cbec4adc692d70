// Imports loops of TensorFlow 1, which are the nodes Enter, Merge, Switch, NextIteration, and Exit
// of one frame.

#include <algorithm>
#include <optional>

#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/def/attribute_list.h"

namespace signet {

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
  for (int i = 0; i < graph.num_nodes(); ++i) {
    const std::string& op = graph.node(i).op();
    if (op != "Exit" && op != "RefExit") continue;
    SIGNET_ASSIGN_OR_RETURN(auto source, graph.InputsOf(i));
    SIGNET_RETURN_IF_ERROR(CountSteps(loop.variables.size()));
    for (auto& variable : loop.variables) {
      if (!source.empty() && source[0].index == variable.branch) variable.exits.push_back(i);
    }
  }
  // A variable needs what its next value and the condition need, and so on.
  SIGNET_ASSIGN_OR_RETURN(const FrameNeeds condition_needs, NeedsOf(graph, loop, loop.condition));
  std::vector<StatusOr<FrameNeeds>> direct;
  for (const auto& variable : loop.variables) {
    direct.push_back(NeedsOf(graph, loop, variable.next));
  }
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    FrameNeeds& needs = loop.variables[i].needs;
    std::vector<int> open = {static_cast<int>(i)};
    auto add = [&](const FrameNeeds& other) {
      open.insert(open.end(), other.variables.begin(), other.variables.end());
      needs.constants.insert(other.constants.begin(), other.constants.end());
      needs.arguments.insert(other.arguments.begin(), other.arguments.end());
    };
    add(condition_needs);
    while (!open.empty()) {
      SIGNET_RETURN_IF_ERROR(CountSteps(1));
      const int needed = open.back();
      open.pop_back();
      if (!needs.variables.insert(needed).second) continue;
      const auto& own = direct[static_cast<size_t>(needed)];
      SIGNET_RETURN_IF_ERROR(CountSteps(own.ok() ? own->size() : 0));
      own.ok() ? add(*own) : loop.variables[i].status.Update(own.status());
    }
  }
  return &loops_.emplace(std::pair(&graph, condition), std::move(loop)).first->second;
}

StatusOr<FunctionImporter::FrameNeeds> FunctionImporter::NeedsOf(const NodeGraph& graph,
                                                                 const FrameLoop& loop,
                                                                 const NodeReference& value) {
  SIGNET_RETURN_IF_ERROR(CountSteps(loop.variables.size()));
  std::map<std::pair<int, int>, int> variables;  // by reference
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    variables[{loop.variables[i].merge, 0}] = static_cast<int>(i);
    variables[{loop.variables[i].branch, 1}] = static_cast<int>(i);
  }
  FrameNeeds needs;
  auto is_given = [&](const NodeReference& reference) {
    auto found = variables.find({reference.index, reference.output});
    if (found != variables.end()) {
      needs.variables.insert(found->second);
      return true;
    }
    const auto& op = graph.node(reference.index).op();
    if (op != "Enter" && op != "RefEnter") return false;
    needs.constants.insert(reference.index);
    return true;
  };
  Scope scope{.graph = &graph};
  SIGNET_ASSIGN_OR_RETURN(needs.arguments, MarkUsed(scope, {value}, is_given));
  return needs;
}

StatusOr<FunctionImporter::FrameLoop> FunctionImporter::NeededLoop(const Scope& scope, int exit) {
  SIGNET_ASSIGN_OR_RETURN(const FrameLoop* loop, LoopOf(*scope.graph, exit));
  FrameNeeds needs;
  for (size_t i = 0; i < loop->variables.size(); ++i) {
    const FrameLoop::Variable& variable = loop->variables[i];
    const bool is_needed =
        std::any_of(variable.exits.begin(), variable.exits.end(),
                    [&](int other) { return other == exit || scope.used.contains(other); });
    // The needs of a variable include the needs of the variables that it needs.
    if (!is_needed || needs.variables.contains(static_cast<int>(i))) continue;
    SIGNET_RETURN_IF_ERROR(variable.status);
    SIGNET_RETURN_IF_ERROR(CountSteps(variable.needs.size()));
    needs.variables.insert(variable.needs.variables.begin(), variable.needs.variables.end());
    needs.constants.insert(variable.needs.constants.begin(), variable.needs.constants.end());
    needs.arguments.insert(variable.needs.arguments.begin(), variable.needs.arguments.end());
  }
  FrameLoop out{.condition = loop->condition,
                .constants = {needs.constants.begin(), needs.constants.end()},
                .arguments = {needs.arguments.begin(), needs.arguments.end()}};
  for (int i : needs.variables) {
    const FrameLoop::Variable& variable = loop->variables[static_cast<size_t>(i)];
    out.variables.push_back({.merge = variable.merge,
                             .branch = variable.branch,
                             .start = variable.start,
                             .next = variable.next,
                             .exits = variable.exits});
  }
  return out;
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
  // Nothing else may read the array, before or after the write.
  for (int i = 0; i < graph.num_nodes(); ++i) {
    const std::string& op = graph.node(i).op();
    if (i == written.index || i == variable.branch || IsIdentity(op)) continue;
    if (op == "NextIteration" || op == "RefNextIteration") continue;
    for (const std::string& input : graph.node(i).input()) {
      if (input.starts_with('^')) continue;
      auto reference = graph.Resolve(input);
      if (!reference.ok()) continue;
      if (is(*reference, variable.branch, 1) || is(*reference, variable.merge, 0) ||
          is(*reference, written.index, 0)) {
        return std::nullopt;
      }
    }
  }
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    const NodeReference& next = loop.variables[i].next;
    if (i != list && (is(next, variable.branch, 1) || is(next, variable.merge, 0) ||
                      is(next, written.index, 0))) {
      return std::nullopt;
    }
  }
  num_steps_ += graph.num_nodes();
  return Collected{inputs[2], false};
}

Status FunctionImporter::ImportExit(Scope& scope, int index) {
  SIGNET_ASSIGN_OR_RETURN(const FrameLoop loop, NeededLoop(scope, index));
  SIGNET_ASSIGN_OR_RETURN(auto exited, scope.graph->InputsOf(index));
  // One Exit imports the loop for all of them.
  if (scope.values.contains({exited[0].index, 0})) {
    scope.values[{index, 0}] = scope.values[{exited[0].index, 0}];
    return absl::OkStatus();
  }
  if (depth_ >= kMaxCallDepth) return ResourceExhausted("loops are nested too deep");
  Scope first{.graph = scope.graph,
              .function = scope.function,
              .caller = scope.caller,
              .attributes = scope.attributes,
              .depth = scope.depth + 1,
              .arguments = scope.arguments};
  BoundList starts;
  for (const auto& variable : loop.variables) {
    SIGNET_ASSIGN_OR_RETURN(starts.emplace_back(), Find(scope, variable.start));
    if (starts.back().kind == Bound::Kind::kNone) return absl::OkStatus();
  }
  std::vector<size_t> carried;  // variables that are tensors; others are handles
  std::vector<std::pair<size_t, Collected>> collected;
  std::vector<size_t> open_lists;
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    if (IsNewList(*scope.function, starts[i])) {
      SIGNET_ASSIGN_OR_RETURN(auto list, CollectedBy(*scope.graph, loop, i, starts));
      if (list) {
        const NewList& start = new_lists_.at({scope.function, starts[i].edge.index});
        for (int exit : loop.variables[i].exits) {
          if (start.has_known_shape) break;
          const NodeReference after{NodeReference::Kind::kNode, exit, 0};
          list->is_rows = list->is_rows || MayDifferInSize(*scope.graph, after);
        }
        collected.emplace_back(i, *list);
        continue;
      }
    }
    if (!starts[i].is_tensor()) continue;
    carried.push_back(i);
    if (!HasUnknownRank(*scope.function, starts[i])) continue;
    open_lists.push_back(i);
  }
  auto contains = [](const std::vector<size_t>& list, size_t i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  // Returns the scope of the body in a function, whose arguments are appended to `given`. The
  // variables `last` are the last ones.
  auto enter = [&](GraphFunction& function, BoundList& given,
                   const std::vector<size_t>& last) -> StatusOr<Scope> {
    Scope body = first;
    body.function = &function;
    body.values.clear();
    body.arguments.assign(scope.arguments.size(), Bound());
    AddFunctionParameter(function, "step");
    AddFunctionParameter(function, "going");
    auto add_variable = [&](size_t i) {
      const auto& variable = loop.variables[i];
      Bound inner = starts[i];
      if (inner.is_tensor()) {
        given.push_back(starts[i]);
        inner = AddFunctionParameter(function, scope.graph->node(variable.merge).name());
      }
      body.values[{variable.branch, 1}] = inner;
      body.values[{variable.merge, 0}] = inner;
    };
    for (size_t i = 0; i < loop.variables.size(); ++i) {
      const bool is_collected = std::any_of(collected.begin(), collected.end(),
                                            [i](const auto& list) { return list.first == i; });
      if (!is_collected && !contains(last, i)) add_variable(i);
    }
    for (size_t i : last) add_variable(i);
    auto add_fixed = [&](const Bound& outer, std::string_view name) {
      if (outer.kind != Bound::Kind::kValue) return outer;
      given.push_back(outer);
      return AddFunctionParameter(function, name);
    };
    for (int constant : loop.constants) {
      SIGNET_ASSIGN_OR_RETURN(auto source, scope.graph->InputsOf(constant));
      if (source.size() != 1) return InvalidArgument("expected one input of Enter");
      SIGNET_ASSIGN_OR_RETURN(Bound outer, Find(scope, source[0]));
      first.values[{constant, 0}] = outer;
      body.values[{constant, 0}] = add_fixed(outer, scope.graph->node(constant).name());
    }
    for (int argument : loop.arguments) {
      const auto i = static_cast<size_t>(argument);
      if (i >= scope.arguments.size()) return InvalidArgument("missing argument ", argument);
      body.arguments[i] = add_fixed(scope.arguments[i], "argument");
    }
    return body;
  };
  if (!open_lists.empty()) {
    GraphFunction& step = AddFunction("first_step");
    first_steps_.insert(&step);
    BoundList arguments;
    SIGNET_ASSIGN_OR_RETURN(Scope step_scope, enter(step, arguments, open_lists));
    std::vector<NodeReference> written;
    std::vector<Bound*> lists;
    for (size_t i : carried) {
      if (!contains(open_lists, i)) written.push_back(loop.variables[i].next);
    }
    for (size_t i : open_lists) {
      written.push_back(loop.variables[i].next);
      lists.push_back(&starts[i]);
    }
    ++depth_;
    auto results = Evaluate(step_scope, written);
    --depth_;
    SIGNET_RETURN_IF_ERROR(results.status());
    SIGNET_RETURN_IF_ERROR(
        RankLists(*scope.function, step, std::move(arguments), *std::move(results), lists));
  }
  GraphFunction& function = AddFunction("body");
  BoundList given = {Bound(), Bound()};
  SIGNET_ASSIGN_OR_RETURN(Scope body, enter(function, given, {}));
  for (size_t i = 0; i < loop.variables.size(); ++i) {
    if (body.values.contains({loop.variables[i].merge, 0})) {
      first.values[{loop.variables[i].merge, 0}] = starts[i];
    }
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
    for (size_t k = 0; k < collected.size(); ++k) {
      Bound& item = next[carried.size() + k];
      if (collected[k].second.is_rows) item = AddNode(function, "row", "tf.TensorListRow", {item});
    }
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
          CollectedList(*scope.function, output, starts[i], each);
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
