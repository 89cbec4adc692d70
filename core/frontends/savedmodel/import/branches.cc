// Imports branches: If and Case, whose bodies are functions, and Switch and Merge of TensorFlow 1.
//
// The nodes between the Switch nodes of a condition and its Merge nodes become two functions, which
// `cond` calls:
//   Merge(f(Switch(x, p):0), g(Switch(x, p):1))   =>   cond(p, x; then = g, else = f)

#include <algorithm>
#include <optional>

#include <absl/cleanup/cleanup.h>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/def/attribute_list.h"

namespace signet {

// --- If and Case --------------------------------------------------------------------------------

Status FunctionImporter::ImportIf(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const auto* then = Attribute(scope, node, "then_branch");
  const auto* otherwise = Attribute(scope, node, "else_branch");
  if (then == nullptr || otherwise == nullptr) return InvalidArgument("missing branches");
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (inputs.empty()) return InvalidArgument("missing input 0");
  if (!inputs[0].is_tensor()) return absl::OkStatus();
  const auto known = KnownSelector(inputs[0], false);
  if (known) {
    inputs.erase(inputs.begin());
    const auto& branch = (*known == 1 ? then : otherwise)->func();
    return ImportCall(scope, index, branch.name(), &branch.attr(), std::move(inputs));
  }
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
  if (const auto known = KnownSelector(selector, true)) {
    // An index out of range selects the last branch.
    const auto last = static_cast<int64_t>(functions.size()) - 1;
    const int64_t selected = *known < 0 || *known > last ? last : *known;
    const auto& branch = *functions[static_cast<size_t>(selected)];
    return ImportCall(scope, index, branch.name(), &branch.attr(), std::move(inputs));
  }
  return ImportBranches(scope, index, selector, functions, inputs, true);
}

bool FunctionImporter::WritesToList(const std::string& branch) {
  auto body = model_.library.FindBody(branch);
  if (!body.ok()) return false;
  const NodeGraph& graph = **body;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    if (!IsOneOf(graph.node(i).op(), {"TensorListSetItem", "TensorListPushBack"})) continue;
    auto inputs = graph.InputsOf(i);
    if (inputs.ok() && !inputs->empty() && ArgumentOf(graph, (*inputs)[0]) >= 0) return true;
  }
  return false;
}

Status FunctionImporter::ImportBranches(
    Scope& scope, int index, const Bound& selector,
    const std::vector<const tensorflow::NameAttrList*>& branches, const BoundList& arguments,
    bool is_case) {
  if (first_steps_.contains(scope.function)) {
    // Only the rank of the elements that a branch writes to a list is needed.
    for (const tensorflow::NameAttrList* branch : branches) {
      if (!WritesToList(branch->name())) continue;
      return ImportCall(scope, index, branch->name(), &branch->attr(), arguments);
    }
  }
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
    SIGNET_RETURN_IF_ERROR(CountSteps(1));
    const std::string& op = graph.node(index).op();
    SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(index));
    SIGNET_ASSIGN_OR_RETURN(auto control, graph.ControlInputsOf(index));
    if (op == "NextIteration" || op == "RefNextIteration") inputs.clear();
    if (op == "Exit" || op == "RefExit") {
      // A loop is in the branches of the values that enter it.
      auto loop = LoopOf(graph, index);
      inputs.clear();
      for (size_t i = 0; loop.ok() && i < (*loop)->variables.size(); ++i) {
        inputs.push_back((*loop)->variables[i].start);
      }
    }
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
        if (IsOneOf(source.op(), {"Switch", "RefSwitch"}) && list == &inputs) {
          SIGNET_ASSIGN_OR_RETURN(auto parts, graph.InputsOf(input.index));
          if (parts.size() == 2) {
            const NodeReference condition = SkipIdentity(graph, parts[1]);
            if (condition.kind != NodeReference::Kind::kNode ||
                graph.node(condition.index).op() != "LoopCond") {
              one[condition] = input.output;
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
    if (IsOneOf(graph.node(inputs[i].index).op(), {"Switch", "RefSwitch"})) {
      SIGNET_ASSIGN_OR_RETURN(auto parts, graph.InputsOf(inputs[i].index));
      if (parts.size() != 2) return Unimplemented("unsupported form of Switch");
      sides[i][SkipIdentity(graph, parts[1])] = inputs[i].output;
    }
  }
  for (const auto& [condition, side] : sides[0]) {
    auto other = sides[1].find(condition);
    if (other == sides[1].end() || other->second == side) continue;
    return MergeForm{condition, side == 1 ? 0 : 1};
  }
  return Unimplemented(graph.PlaceOf(index), ": unsupported form of Merge");
}

std::optional<bool> FunctionImporter::KnownBool(const Scope& scope,
                                                const NodeReference& reference) {
  bool negated = false;
  NodeReference at = reference;
  for (int i = 0; i < 1000 && at.kind == NodeReference::Kind::kNode; ++i) {
    if (auto value = scope.values.find({at.index, at.output}); value != scope.values.end()) {
      const auto known = KnownSelector(value->second, false);
      if (known) return (*known == 1) != negated;
      return std::nullopt;
    }
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
    // A side of a branch passes the value that enters it.
    const bool passes = IsIdentity(node.op()) ||
                        IsOneOf(node.op(), {"PlaceholderWithDefault", "Switch", "RefSwitch"});
    if (!passes && node.op() != "LogicalNot") return std::nullopt;
    negated = passes ? negated : !negated;
    auto inputs = scope.graph->InputsOf(at.index);
    if (!inputs.ok() || inputs->empty()) return std::nullopt;
    at = (*inputs)[0];
  }
  if (at.kind == NodeReference::Kind::kArgument &&
      static_cast<size_t>(at.index) < scope.arguments.size()) {
    const auto known = KnownSelector(scope.arguments[static_cast<size_t>(at.index)], false);
    if (known) return (*known == 1) != negated;
  }
  return std::nullopt;
}

StatusOr<const std::vector<NodeReference>*> FunctionImporter::OutsideOf(const Scope& scope,
                                                                        int merge,
                                                                        const MergeForm& form) {
  auto known = scope.outside.find(merge);
  if (known != scope.outside.end()) return &known->second;
  // Branches in the branches are examined, too.
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted(scope.graph->PlaceOf(merge), ": branches are nested too deep, or use ",
                             "one another in a cycle");
  }
  ++depth_;
  const absl::Cleanup leave = [this] { --depth_; };
  const NodeGraph& graph = *scope.graph;
  std::vector<NodeReference> out;
  std::set<std::pair<int, int>> seen;
  std::set<int> arguments;
  SIGNET_ASSIGN_OR_RETURN(auto open, graph.InputsOf(merge));
  while (!open.empty()) {
    const NodeReference reference = open.back();
    open.pop_back();
    if (reference.kind == NodeReference::Kind::kArgument) {
      if (arguments.insert(reference.index).second) out.push_back(reference);
      continue;
    }
    if (reference.kind != NodeReference::Kind::kNode ||
        !seen.insert({reference.index, reference.output}).second) {
      continue;
    }
    SIGNET_RETURN_IF_ERROR(CountSteps(1));
    SIGNET_ASSIGN_OR_RETURN(const Conditions* conditions, ConditionsOf(graph, reference.index));
    bool is_inside = conditions->contains(form.condition);
    SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(reference.index));
    const std::string& op = graph.node(reference.index).op();
    if ((op == "Switch" || op == "RefSwitch") && inputs.size() == 2) {
      is_inside = is_inside || SkipIdentity(graph, inputs[1]) == form.condition;
    }
    if (!is_inside || scope.values.contains({reference.index, reference.output})) {
      out.push_back(reference);
      continue;
    }
    SIGNET_ASSIGN_OR_RETURN(inputs, NeededInputs(scope, reference.index, reference.output));
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return &scope.outside.emplace(merge, std::move(out)).first->second;
}

Status FunctionImporter::ImportMerge(Scope& scope, int index) {
  const std::set<int>& used = scope.used[index];
  if (std::all_of(used.begin(), used.end(), [&](int output) {
        return scope.values.contains({index, output});
      })) {
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(MergeForm form, MergeFormOf(*scope.graph, index));
  if (const auto known = KnownSide(scope, index, form.condition)) {
    SIGNET_ASSIGN_OR_RETURN(BoundList inputs, FindInputs(scope, index));
    const auto on_true = static_cast<size_t>(form.true_input);
    const size_t selected = *known ? on_true : 1 - on_true;
    scope.values[{index, 0}] = inputs[selected];
    scope.values[{index, 1}] =
        Capture("value_index", CapturedValue(Tensor::Scalar(static_cast<int32_t>(selected))));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(Bound condition, Find(scope, form.condition));
  if (!condition.is_tensor()) return absl::OkStatus();
  // The other results of the branch whose inputs are there already are imported too.
  auto are_inputs_there = [&](int merge, const MergeForm& other) -> StatusOr<bool> {
    SIGNET_ASSIGN_OR_RETURN(const auto* outside, OutsideOf(scope, merge, other));
    for (const NodeReference& reference : *outside) {
      SIGNET_ASSIGN_OR_RETURN(Bound value, Find(scope, reference));
      if (value.kind == Bound::Kind::kNone) return false;
    }
    return true;
  };
  std::vector<int> merges = {index};
  for (const auto& [other, outputs] : scope.used) {
    const std::string& op = scope.graph->node(other).op();
    if (other == index || (op != "Merge" && op != "RefMerge")) continue;
    if (scope.values.contains({other, 0})) continue;
    auto found = MergeFormOf(*scope.graph, other);
    if (!found.ok() || found->condition != form.condition) continue;
    SIGNET_ASSIGN_OR_RETURN(bool is_ready, are_inputs_there(other, *found));
    if (is_ready) merges.push_back(other);
  }
  return ImportMerges(scope, condition, merges);
}

Status FunctionImporter::ImportMerges(Scope& scope, const Bound& condition,
                                      const std::vector<int>& merges) {
  if (depth_ >= kMaxCallDepth) return ResourceExhausted("branches are nested too deep");
  std::vector<MergeForm> forms;
  std::vector<std::pair<NodeReference, Bound>> outside;
  std::set<NodeReference> seen;
  const Bound selector = AsCondition(*scope.function, condition);
  BoundList given = {selector};
  for (int merge : merges) {
    SIGNET_ASSIGN_OR_RETURN(forms.emplace_back(), MergeFormOf(*scope.graph, merge));
    SIGNET_ASSIGN_OR_RETURN(const auto* references, OutsideOf(scope, merge, forms.back()));
    for (const NodeReference& reference : *references) {
      if (!seen.insert(reference).second) continue;
      SIGNET_ASSIGN_OR_RETURN(Bound value, Find(scope, reference));
      if (value.kind == Bound::Kind::kValue) given.push_back(value);
      outside.emplace_back(reference, std::move(value));
    }
  }
  std::string names[2];
  BoundList results[2];
  GraphFunction* functions[2] = {};
  for (size_t side = 0; side < 2; ++side) {
    functions[side] = &AddFunction("side");
    names[side] = functions[side]->def.name;
    Scope inner{.graph = scope.graph,
                .function = functions[side],
                .caller = scope.caller,
                .attributes = scope.attributes,
                .depth = scope.depth + 1,
                .arguments = BoundList(scope.arguments.size())};
    // The values from outside are those that known sides need.
    for (const auto& [merge, known] : scope.sides) {
      if (known) inner.sides.emplace(merge, known);
    }
    for (const auto& [reference, value] : outside) {
      const Bound bound = value.kind == Bound::Kind::kValue
                              ? AddFunctionParameter(*functions[side], "value")
                              : value;
      if (reference.kind == NodeReference::Kind::kArgument) {
        inner.arguments[static_cast<size_t>(reference.index)] = bound;
      } else {
        inner.values[{reference.index, reference.output}] = bound;
      }
    }
    std::vector<NodeReference> outputs;
    for (size_t i = 0; i < merges.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(auto inputs, scope.graph->InputsOf(merges[i]));
      const int input = side == 0 ? forms[i].true_input : 1 - forms[i].true_input;
      outputs.push_back(inputs[static_cast<size_t>(input)]);
    }
    ++depth_;
    auto values = Evaluate(inner, outputs);
    --depth_;
    SIGNET_RETURN_IF_ERROR(values.status());
    results[side] = *std::move(values);
  }
  // A handle must not depend on the branch. Values that are missing were listed as unsupported.
  std::vector<size_t> tensors;
  for (size_t i = 0; i < merges.size(); ++i) {
    const Bound& on_true = results[0][i];
    const Bound& on_false = results[1][i];
    if (on_true.is_tensor() && on_false.is_tensor()) {
      tensors.push_back(i);
      continue;
    }
    const bool is_same = on_true.kind == on_false.kind && on_true.index == on_false.index;
    scope.values[{merges[i], 0}] = is_same ? on_true : Bound();
    if (is_same || on_true.kind == Bound::Kind::kNone || on_false.kind == Bound::Kind::kNone) {
      continue;
    }
    AddUnsupported(scope, merges[i], "handles of branches");
  }
  for (size_t side = 0; side < 2; ++side) {
    BoundList values;
    for (size_t i : tensors) values.push_back(results[side][i]);
    functions[side]->result = AddNode(*functions[side], "result", "make_tuple", values).edge;
  }
  const Bound made = AddNode(*scope.function, scope.graph->node(merges[0]).name(), "cond", given,
                             {{"then", AttributeOf(names[0])},
                              {"else", AttributeOf(names[1])},
                              {"defer_errors", AttributeOf(true)}});
  for (size_t k = 0; k < tensors.size(); ++k) {
    scope.values[{merges[tensors[k]], 0}] = ResultItem(*scope.function, made, static_cast<int>(k));
  }
  for (size_t i = 0; i < merges.size(); ++i) {
    if (!scope.used[merges[i]].contains(1)) continue;
    const bool is_negated = forms[i].true_input == 0;
    const Bound position =
        is_negated ? AddNode(*scope.function, "not", "logical_not", {selector}) : selector;
    scope.values[{merges[i], 1}] = AddNode(*scope.function, "value_index", "cast", {position},
                                           {{"dtype", AttributeOf(DType::kInt32)}});
  }
  return absl::OkStatus();
}

}  // namespace signet
