// Imports While, whose condition and body are functions, and what both forms of loops share.
//
// A loop becomes `loop`, whose body ends with the condition of the next step:
//   While(c, b)(x)   =>   loop(None, c(x), x; body = (y = b(x); (c(y), y)))
// A list to which each step writes one element, at the number of the step, is what `loop` collects.
// If its elements may differ in their first size, because they are joined along it, read one by
// one, or are encoded values, it collects rows. The same holds for lists outside of loops.

#include <algorithm>
#include <optional>
#include <utility>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// The nodes that use a list outside of loops.
struct ListUses {
  std::vector<int> writes = {};
  bool is_joined = false;
  bool is_read = false;
  bool is_stacked = false;
  bool has_other_uses = false;

  // Adds node `index`, whose input `operand` is the list.
  void Add(std::string_view op, int operand, int index);
  bool MayDifferInSize() const {
    return !has_other_uses && (is_joined || (is_read && !is_stacked));
  }
};

// Returns the input that is the list of an operator which returns the changed list, or -1.
int ListOperandOf(std::string_view op) {
  if (op == "TensorArrayWriteV3") return 3;
  return IsOneOf(op, {"TensorListSetItem", "TensorListPushBack", "TensorListResize"}) ? 0 : -1;
}

void ListUses::Add(std::string_view op, int operand, int index) {
  const bool is_handle = op.starts_with("TensorArray") && operand == 0;
  if (operand == ListOperandOf(op)) {
    writes.push_back(index);
  } else if (IsOneOf(op, {"TensorListConcat", "TensorListConcatV2", "TensorArrayConcatV3"})) {
    is_joined = true;
  } else if (IsOneOf(op, {"TensorListGetItem", "TensorArrayReadV3"})) {
    is_read = true;
  } else if (IsOneOf(op, {"TensorListStack", "TensorListGather", "TensorArrayGatherV3"})) {
    is_stacked = true;
  } else if (!is_handle && !IsOneOf(op, {"TensorListLength", "TensorArraySizeV3"})) {
    has_other_uses = true;
  }
}

// Returns true if a node makes a list whose elements are tensors and may have different shapes.
bool MakesOpenList(const NodeGraph& graph, int index) {
  const tensorflow::NodeDef& node = graph.node(index);
  if (node.op() == "TensorArrayV3") {
    const auto* stated = LookupAttribute(node, "element_shape");
    if (stated == nullptr || stated->shape().unknown_rank()) return true;
    const auto& dims = stated->shape().dim();
    return std::any_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.size() < 0; });
  }
  if (!IsOneOf(node.op(), {"TensorListReserve", "EmptyTensorList"})) return false;
  const auto* dtype = LookupAttribute(node, "element_dtype");
  if (dtype == nullptr || dtype->type() == tensorflow::DT_VARIANT) return false;
  auto inputs = graph.InputsOf(index);
  if (!inputs.ok() || inputs->empty()) return false;
  const NodeReference shape = (*inputs)[0];
  if (shape.kind != NodeReference::Kind::kNode || graph.node(shape.index).op() != "Const") {
    return true;
  }
  const auto* value = LookupAttribute(graph.node(shape.index), "value");
  auto sizes =
      value == nullptr ? StatusOr<Tensor>(NotFound("no value")) : TensorFromGraph(value->tensor());
  if (!sizes.ok() || !IsIndexDType(sizes->dtype())) return true;
  const std::vector<int64_t> known = IntsOf(*sizes);
  return std::any_of(known.begin(), known.end(), [](int64_t size) { return size < 0; });
}

}  // namespace

StatusOr<NodeReference> FunctionImporter::ResultOf(const NodeGraph& body, size_t i) {
  const auto& function = *body.function();
  auto ret = function.ret().find(function.signature().output_arg(static_cast<int>(i)).name());
  if (ret == function.ret().end()) return InvalidArgument("missing value of output ", i);
  SIGNET_ASSIGN_OR_RETURN(NodeReference reference, body.Resolve(ret->second));
  return SkipIdentity(body, reference);
}

StatusOr<bool> FunctionImporter::IsStepNumber(const NodeGraph& body, NodeReference index,
                                              const BoundList& starts) {
  const int counter = ArgumentOf(body, index);
  if (counter < 0 || static_cast<size_t>(counter) >= starts.size() ||
      !IsNumber(starts[static_cast<size_t>(counter)], 0)) {
    return false;
  }
  SIGNET_ASSIGN_OR_RETURN(NodeReference next, ResultOf(body, static_cast<size_t>(counter)));
  if (next.kind != NodeReference::Kind::kNode) return false;
  const std::string& op = body.node(next.index).op();
  if (op != "AddV2" && op != "Add") return false;
  SIGNET_ASSIGN_OR_RETURN(auto terms, body.InputsOf(next.index));
  if (terms.size() != 2 || ArgumentOf(body, terms[0]) != counter) return false;
  if (IsOne(body, terms[1])) return true;
  // The step of a range is a variable of the loop that does not change.
  const int step = ArgumentOf(body, terms[1]);
  if (step < 0 || static_cast<size_t>(step) >= starts.size() ||
      !IsNumber(starts[static_cast<size_t>(step)], 1)) {
    return false;
  }
  SIGNET_ASSIGN_OR_RETURN(NodeReference kept, ResultOf(body, static_cast<size_t>(step)));
  return ArgumentOf(body, kept) == step;
}

StatusOr<std::optional<FunctionImporter::Collected>> FunctionImporter::CollectedBy(
    const NodeGraph& condition, const NodeGraph& body, size_t list, const BoundList& starts,
    const NewList& start) {
  SIGNET_ASSIGN_OR_RETURN(NodeReference written, ResultOf(body, list));
  if (written.kind != NodeReference::Kind::kNode) return std::nullopt;
  const std::string& op = body.node(written.index).op();
  // Each step adds an element to an empty list, or replaces the element at the number of the step.
  const bool is_pushed = op == "TensorListPushBack";
  SIGNET_ASSIGN_OR_RETURN(auto inputs, body.InputsOf(written.index));
  if ((!is_pushed && op != "TensorListSetItem") || inputs.size() != (is_pushed ? 2U : 3U) ||
      ArgumentOf(body, inputs[0]) != static_cast<int>(list)) {
    return std::nullopt;
  }
  if (is_pushed) {
    if (!IsNumber(start.size, 0)) return std::nullopt;
  } else {
    SIGNET_ASSIGN_OR_RETURN(bool is_step, IsStepNumber(body, inputs[1], starts));
    if (!is_step) return std::nullopt;
  }
  // Nothing else may read the list, before or after the write.
  auto is_read = [&](const NodeGraph& graph, const NodeReference& reference) {
    return ArgumentOf(graph, reference) == static_cast<int>(list) ||
           (&graph == &body && SkipIdentity(graph, reference) == written);
  };
  auto reads = [&](const NodeGraph& graph, int except) {
    for (int i = 0; i < graph.num_nodes(); ++i) {
      if (i == except || IsIdentity(graph.node(i).op())) continue;
      for (const std::string& input : graph.node(i).input()) {
        if (input.starts_with('^')) continue;
        auto reference = graph.Resolve(input);
        if (reference.ok() && is_read(graph, *reference)) return true;
      }
    }
    return false;
  };
  if (reads(body, written.index) || reads(condition, -1)) return std::nullopt;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i == list) continue;
    SIGNET_ASSIGN_OR_RETURN(NodeReference other, ResultOf(body, i));
    if (is_read(body, other)) return std::nullopt;
  }
  const auto* grows = LookupAttribute(body.node(written.index), "resize_if_index_out_of_bounds");
  return Collected{inputs.back(), is_pushed || (grows != nullptr && grows->b())};
}

bool FunctionImporter::MayDifferInSize(const NodeGraph& graph, NodeReference list) {
  num_steps_ += graph.num_nodes();
  auto is_list = [&](const NodeReference& reference) {
    return SkipIdentity(graph, reference) == list;
  };
  bool is_read = false;
  bool has_other_uses = false;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    const std::string& op = graph.node(i).op();
    if (IsIdentity(op)) continue;
    auto inputs = graph.InputsOf(i);
    if (!inputs.ok() || std::none_of(inputs->begin(), inputs->end(), is_list)) continue;
    if (IsOneOf(op, {"TensorListConcat", "TensorListConcatV2", "TensorArrayConcatV3"})) return true;
    const bool reads = IsOneOf(op, {"TensorListGetItem", "TensorArrayReadV3"});
    is_read = is_read || reads;
    has_other_uses =
        has_other_uses || !(reads || IsOneOf(op, {"TensorListLength", "TensorArraySizeV3"}));
  }
  if (graph.function() != nullptr) {
    for (const auto& [name, result] : graph.function()->ret()) {
      auto reference = graph.Resolve(result);
      has_other_uses = has_other_uses || (reference.ok() && is_list(*reference));
    }
  }
  return is_read && !has_other_uses;
}

const std::set<int>& FunctionImporter::WritesOfRows(const NodeGraph& graph) {
  auto [known, is_new] = writes_of_rows_.try_emplace(&graph);
  if (!is_new) return known->second;
  num_steps_ += graph.num_nodes();
  std::map<int, int> makers;  // by node that returns a list: the node that made it, or -1
  auto maker_of = [&](NodeReference reference) {
    std::vector<int> path;
    int maker = -1;
    while (reference.kind == NodeReference::Kind::kNode) {
      const int index = reference.index;
      if (auto found = makers.find(index); found != makers.end()) {
        maker = found->second;
        break;
      }
      path.push_back(index);
      makers.emplace(index, -1);  // for cycles
      if (MakesOpenList(graph, index)) {
        maker = index;
        break;
      }
      const std::string& op = graph.node(index).op();
      const int operand = IsIdentity(op) ? 0 : ListOperandOf(op);
      auto inputs = graph.InputsOf(index);
      if (operand < 0 || !inputs.ok() || inputs->size() <= static_cast<size_t>(operand)) break;
      reference = (*inputs)[static_cast<size_t>(operand)];
    }
    for (int index : path) makers[index] = maker;
    return maker;
  };
  std::map<int, ListUses> lists;  // by maker
  for (int i = 0; i < graph.num_nodes(); ++i) {
    const std::string& op = graph.node(i).op();
    auto inputs = graph.InputsOf(i);
    if (!inputs.ok() || IsIdentity(op)) continue;
    for (size_t k = 0; k < inputs->size(); ++k) {
      const int maker = maker_of((*inputs)[k]);
      if (maker >= 0) lists[maker].Add(op, static_cast<int>(k), i);
    }
  }
  if (graph.function() != nullptr) {
    for (const auto& [name, result] : graph.function()->ret()) {
      auto reference = graph.Resolve(result);
      const int maker = reference.ok() ? maker_of(*reference) : -1;
      if (maker >= 0) lists[maker].has_other_uses = true;
    }
  }
  for (const auto& [maker, uses] : lists) {
    if (uses.MayDifferInSize()) known->second.insert(uses.writes.begin(), uses.writes.end());
  }
  return known->second;
}

Status FunctionImporter::RankLists(GraphFunction& outer, GraphFunction& step, BoundList given,
                                   BoundList results, const std::vector<Bound*>& lists) {
  for (const Bound& result : results) {
    if (!result.is_tensor()) return absl::OkStatus();
  }
  auto literal = [](GraphFunction& function, bool value) -> Bound {
    return {.kind = Bound::Kind::kValue, .edge = function.graph.AddLiteral(Literal::Bool(value))};
  };
  const auto carried = static_cast<int64_t>(results.size() - lists.size());
  results.insert(results.begin(), literal(step, true));
  step.result = AddNode(step, "result", "make_tuple", results).edge;
  given.insert(given.begin(), {Bound(), literal(outer, false)});
  // A loop without steps: only the types of what it would collect are used.
  Bound stacks = AddNode(outer, "elements", "loop", given,
                         {{"body", AttributeOf(step.def.name)}, {"carried", AttributeOf(carried)}});
  stacks.edge.output = static_cast<int>(carried);
  for (Bound* list : lists) {
    *list = AddNode(outer, "list", "tf.TensorListLike", {*list, stacks});
    ++stacks.edge.output;
  }
  return absl::OkStatus();
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
      const NewList& list = new_lists_.at({scope.function, starts[i].edge.index});
      SIGNET_ASSIGN_OR_RETURN(auto found,
                              CollectedBy(*condition_graph, *body_graph, i, starts, list));
      if (found) {
        roles[i] = Role::kCollected;
        collected[i] = *found;
        const NodeReference result{NodeReference::Kind::kNode, index, static_cast<int>(i)};
        collected[i].is_rows =
            list.is_of_variants || (!list.has_known_shape && MayDifferInSize(*scope.graph, result));
      }
    }
  }
  for (const Scope* outer = &scope; outer != nullptr; outer = outer->caller) {
    if (outer->graph == body_graph) return Unimplemented("the body of the loop calls itself");
  }
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted("the depth of calls exceeds the limit of ", kMaxCallDepth);
  }
  // Returns the scope of the body in a function, whose arguments are appended to `given`. The
  // function has no parameters for collected lists.
  auto enter = [&](GraphFunction& function, BoundList& given) {
    AddFunctionParameter(function, "step");
    AddFunctionParameter(function, "going");
    BoundList inner(starts.size());
    for (Role role : {Role::kCarried, Role::kFixed}) {
      for (size_t i = 0; i < starts.size(); ++i) {
        if (roles[i] == Role::kConstant) inner[i] = starts[i];
        if (roles[i] != role) continue;
        inner[i] = AddFunctionParameter(function, signature.input_arg(static_cast<int>(i)).name());
        given.push_back(starts[i]);
      }
    }
    return Scope{.graph = body_graph,
                 .function = &function,
                 .caller = &scope,
                 .attributes = &body->func().attr(),
                 .depth = scope.depth + 1,
                 .arguments = std::move(inner)};
  };
  std::vector<size_t> open_lists;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (roles[i] != Role::kCarried || !HasUnknownRank(*scope.function, starts[i])) continue;
    open_lists.push_back(i);
    roles[i] = Role::kFixed;
  }
  if (!open_lists.empty()) {
    GraphFunction& step = AddFunction("first_step");
    first_steps_.insert(&step);
    BoundList given;
    Scope step_scope = enter(step, given);
    std::vector<NodeReference> written;
    std::vector<Bound*> lists;
    for (size_t i = 0; i < starts.size(); ++i) {
      if (roles[i] != Role::kCarried) continue;
      SIGNET_ASSIGN_OR_RETURN(written.emplace_back(), ResultOf(*body_graph, i));
    }
    for (size_t i : open_lists) {
      SIGNET_ASSIGN_OR_RETURN(written.emplace_back(), ResultOf(*body_graph, i));
      lists.push_back(&starts[i]);
      roles[i] = Role::kCarried;
    }
    ++depth_;
    auto results = Evaluate(step_scope, written);
    --depth_;
    SIGNET_RETURN_IF_ERROR(results.status());
    SIGNET_RETURN_IF_ERROR(
        RankLists(*scope.function, step, std::move(given), *std::move(results), lists));
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

  // The body, with the items of collected lists instead of the lists.
  GraphFunction& function = AddFunction("body");
  BoundList given = {Bound(), going};
  Scope body_scope = enter(function, given);
  const BoundList inner = body_scope.arguments;
  const auto carried = static_cast<int64_t>(std::count(roles.begin(), roles.end(), Role::kCarried));
  std::vector<NodeReference> outputs;
  for (Role role : {Role::kCarried, Role::kCollected}) {
    for (size_t i = 0; i < starts.size(); ++i) {
      if (roles[i] != role) continue;
      if (role == Role::kCollected) {
        outputs.push_back(collected[i].item);
        continue;
      }
      SIGNET_ASSIGN_OR_RETURN(outputs.emplace_back(), ResultOf(*body_graph, i));
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
  for (size_t i = 0; i < starts.size(); ++i) {
    if (roles[i] != Role::kCollected) continue;
    Bound& item = (*values)[at++];
    if (collected[i].is_rows) item = AddNode(function, "row", "tf.TensorListRow", {item});
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
      value = CollectedList(*scope.function, output_of(next_collected++), starts[i], collected[i]);
    }
    scope.values[{index, static_cast<int>(i)}] = value;
  }
  return absl::OkStatus();
}

}  // namespace signet
