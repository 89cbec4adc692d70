// Imports If, Loop, Scan, and SequenceMap, whose bodies are functions that `cond` and `loop` call,
// and FlexAttention, whose graphs are imported into the same function.

#include <algorithm>

#include "core/frontends/onnx/import/graph_import.h"
#include "core/model/verify_functions.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// Returns `given`, or `count` zeros if it is empty.
StatusOr<std::vector<int64_t>> ListOf(StatusOr<std::vector<int64_t>> given, size_t count,
                                      std::string_view name) {
  if (!given.ok()) return given;
  if (given->empty()) return std::vector<int64_t>(count, 0);
  if (given->size() == count) return given;
  return InvalidArgument("`", name, "`: expected ", count, " elements, found ", given->size());
}

}  // namespace

// --- bodies -------------------------------------------------------------------------------------

StatusOr<Scope> GraphImporter::OpenBody(Scope& scope, std::string_view name,
                                        CapturedOuterValues& captured) {
  if (scope.depth == kMaxGraphDepth) {
    return InvalidArgument("the depth of graphs exceeds the limit of ", kMaxGraphDepth);
  }
  if (imported_.size() == static_cast<size_t>(kMaxFunctions)) {
    return InvalidArgument("functions of graphs exceed the limit of ", kMaxFunctions);
  }
  imported_.push_back(
      std::make_unique<ImportedFunction>(names_.Make(Cat("_", name)), out_.captures));
  return Scope{.values = {},
               .outer = &scope,
               .captured = &captured,
               .function = imported_.back().get(),
               .opsets = scope.opsets,
               .attributes = scope.attributes,
               .depth = scope.depth + 1};
}

void GraphImporter::CloseBody(ImportedFunction& function, const CapturedOuterValues& captured) {
  while (function.num_captured < captured.names.size()) {
    AddParameterNamed(function, captured.names[function.num_captured++]);
  }
}

Reference GraphImporter::AddBodyParameter(Scope& body, std::string_view name) {
  ImportedFunction& function = *body.function;
  SIGNET_CHECK(function.num_captured == 0);  // captured values are the last parameters
  AddParameterNamed(function, names_.Make(name));
  return ValueReference(
      {GraphEdge::Kind::kParameter, static_cast<int>(function.parameters.size()) - 1});
}

StatusOr<ReferenceList> GraphImporter::ImportGraphIn(Scope& body, const onnx::GraphProto& graph) {
  SIGNET_RETURN_IF_ERROR(AddInitializers(body, graph, {}));
  SIGNET_RETURN_IF_ERROR(ImportNodes(body, graph.node()));
  ReferenceList outputs;
  for (const auto& output : graph.output()) {
    SIGNET_ASSIGN_OR_RETURN(outputs.emplace_back(), Find(body, output.name()));
  }
  return outputs;
}

void GraphImporter::SetResult(Scope& body, const ReferenceList& elements) {
  body.function->result = AddNode(body, "result", "make_tuple", elements).edge;
}

StatusOr<ImportedFunction*> GraphImporter::ImportBody(Scope& scope, const onnx::GraphProto& graph,
                                                      std::string_view name,
                                                      CapturedOuterValues& captured) {
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, name, captured));
  for (const auto& input : graph.input()) {
    body.values[input.name()] = AddBodyParameter(body, input.name());
  }
  SIGNET_ASSIGN_OR_RETURN(ReferenceList outputs, ImportGraphIn(body, graph));
  SetResult(body, outputs);
  return body.function;
}

Reference GraphImporter::AddLoop(Scope& scope, std::string_view name, ImportedFunction& body,
                                 const CapturedOuterValues& captured, ReferenceList inputs,
                                 size_t carried) {
  CloseBody(body, captured);
  inputs.insert(inputs.end(), captured.values.begin(), captured.values.end());
  return AddNode(scope, name, "loop", inputs,
                 {{"body", AttributeOf(body.def.name)},
                  {"carried", AttributeOf(static_cast<int64_t>(carried))}});
}

// --- If and Loop --------------------------------------------------------------------------------

Status GraphImporter::ImportIf(Scope& scope, const onnx::NodeProto& node) {
  if (node.input_size() != 1)
    return InvalidArgument("expected one input, found ", node.input_size());
  SIGNET_ASSIGN_OR_RETURN(const auto* then_graph, GraphAttribute(node, "then_branch"));
  SIGNET_ASSIGN_OR_RETURN(const auto* else_graph, GraphAttribute(node, "else_branch"));
  SIGNET_ASSIGN_OR_RETURN(Reference condition, Find(scope, node.input(0)));
  CapturedOuterValues captured;
  SIGNET_ASSIGN_OR_RETURN(auto* then, ImportBody(scope, then_graph->g(), "then", captured));
  SIGNET_ASSIGN_OR_RETURN(auto* otherwise, ImportBody(scope, else_graph->g(), "else", captured));
  CloseBody(*then, captured);
  CloseBody(*otherwise, captured);
  // A condition with one element counts as a scalar.
  ReferenceList inputs = {AddNode(scope, "condition", "reshape", {condition},
                                  {{"shape", AttributeListOf(std::vector<int64_t>())}})};
  inputs.insert(inputs.end(), captured.values.begin(), captured.values.end());
  const std::string name = names_.Make(NameOf(node));
  // Models have branches for sizes that the condition excludes, so their errors are deferred.
  const Reference results = AddNamedNode(scope, name, "cond", inputs,
                                         {{"then", AttributeOf(then->def.name)},
                                          {"else", AttributeOf(otherwise->def.name)},
                                          {"defer_errors", AttributeOf(true)}});
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    scope.values[node.output(i)] = AddNamedNode(scope, Cat(name, ".", i), "get_item", {&results, 1},
                                                {{"key", AttributeOf(i)}});
  }
  return absl::OkStatus();
}

Status GraphImporter::ImportLoop(Scope& scope, const onnx::NodeProto& node) {
  SIGNET_ASSIGN_OR_RETURN(const auto* graph, GraphAttribute(node, "body"));
  const onnx::GraphProto& body = graph->g();
  int carried = body.input_size() - 2;
  if (node.input_size() < 2 || carried < 0 || node.input_size() != carried + 2 ||
      body.output_size() < carried + 1) {
    return InvalidArgument(node.input_size(), " inputs and ", node.output_size(),
                           " outputs for a body of ", body.input_size(), " inputs and ",
                           body.output_size(), " outputs");
  }
  CapturedOuterValues captured;
  SIGNET_ASSIGN_OR_RETURN(auto* function, ImportBody(scope, body, "body", captured));
  SIGNET_ASSIGN_OR_RETURN(ReferenceList inputs, FindInputs(scope, node));
  for (int i = 2; i < node.input_size(); ++i) {
    Reference& input = inputs[static_cast<size_t>(i)];
    if (!body.input(i).type().has_optional_type()) continue;
    input = AddNode(scope, "optional", "onnx.Optional", {input});
  }
  SetOutputs(scope, node,
             AddLoop(scope, NameOf(node), *function, captured, std::move(inputs),
                     static_cast<size_t>(carried)));
  return absl::OkStatus();
}

// --- Scan ---------------------------------------------------------------------------------------

StatusOr<GraphImporter::ScanForm> GraphImporter::ScanFormOf(const Scope& scope,
                                                            const onnx::NodeProto& node,
                                                            bool is_batched) {
  SIGNET_ASSIGN_OR_RETURN(const auto* graph, GraphAttribute(node, "body"));
  SIGNET_ASSIGN_OR_RETURN(auto count, IntsAttribute(scope, node, "num_scan_inputs"));
  ScanForm form = {.body = &graph->g(), .name = NameOf(node)};
  int given = node.input_size() - (is_batched ? 1 : 0);
  if (count.size() != 1 || count[0] < 1 || count[0] > given || form.body->input_size() != given ||
      form.body->output_size() < given - count[0]) {
    return InvalidArgument(given, " states and scanned inputs, of these `num_scan_inputs`, for a ",
                           "body of ", form.body->input_size(), " inputs and ",
                           form.body->output_size(), " outputs");
  }
  form.inputs = static_cast<size_t>(count[0]);
  form.states = static_cast<size_t>(given) - form.inputs;
  form.outputs = static_cast<size_t>(form.body->output_size()) - form.states;
  auto list = [&](std::string_view name, size_t size) {
    return ListOf(IntsAttribute(scope, node, name), size, name);
  };
  const char* directions = is_batched ? "directions" : "scan_input_directions";
  SIGNET_ASSIGN_OR_RETURN(form.input_directions, list(directions, form.inputs));
  SIGNET_ASSIGN_OR_RETURN(form.input_axes, list("scan_input_axes", form.inputs));
  SIGNET_ASSIGN_OR_RETURN(form.output_axes, list("scan_output_axes", form.outputs));
  SIGNET_ASSIGN_OR_RETURN(form.output_directions, list("scan_output_directions", form.outputs));
  return form;
}

StatusOr<ReferenceList> GraphImporter::AddScan(Scope& scope, const ScanForm& form,
                                               std::span<const Reference> states,
                                               std::span<const Reference> inputs,
                                               const Reference& length) {
  const bool has_length = length.kind != Reference::Kind::kAbsent;
  const Reference steps =
      AddNode(scope, "steps", "dim_size", {inputs[0]}, {{"axis", AttributeOf(form.input_axes[0])}});
  CapturedOuterValues captured;
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, "scan", captured));
  auto literal = [&](const Literal& value) {
    return ValueReference(body.function->graph.AddLiteral(value));
  };
  ReferenceList before;  // states
  ReferenceList given = {steps, {}};
  const Reference round = AddBodyParameter(body, "round");
  AddBodyParameter(body, "going");
  auto name_of = [&](size_t i) { return form.body->input(static_cast<int>(i)).name(); };
  for (size_t i = 0; i < form.states; ++i) {
    before.push_back(AddBodyParameter(body, name_of(i)));
    body.values[name_of(i)] = before.back();
    given.push_back(states[i]);
  }
  ReferenceList stacks;
  for (size_t i = 0; i < form.inputs; ++i) {
    stacks.push_back(AddBodyParameter(body, Cat(name_of(form.states + i), "_all")));
    given.push_back(inputs[i]);
  }
  const Reference end = AddBodyParameter(body, "steps");
  given.push_back(has_length ? length : steps);
  Reference back;  // the index of the element, counted from the end
  for (size_t i = 0; i < form.inputs; ++i) {
    Reference at = round;
    if (form.input_directions[i] != 0) {
      if (back.kind == Reference::Kind::kAbsent) {
        const Reference last = AddNode(body, "last", "sub", {end, literal(Literal::Int(1))});
        back = AddNode(body, "back", "sub", {last, round});
        // After the end of a shorter sequence, any element is correct.
        back = AddNode(body, "back", "maximum", {back, literal(Literal::Int(0))});
      }
      at = back;
    }
    const std::string name = name_of(form.states + i);
    body.values[name] =
        AddNode(body, name, "gather", {stacks[i], at}, {{"axis", AttributeOf(form.input_axes[i])}});
  }
  SIGNET_ASSIGN_OR_RETURN(ReferenceList outputs, ImportGraphIn(body, *form.body));
  if (has_length) {  // after the end, states do not change, and outputs are 0
    const Reference active = AddNode(body, "active", "less", {round, end});
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Reference other =
          i < form.states ? before[i] : AddNode(body, "zeros", "zeros_like", {outputs[i]});
      outputs[i] = AddNode(body, "kept", "select", {active, outputs[i], other});
    }
  }
  outputs.insert(outputs.begin(), literal(Literal::Bool(true)));
  SetResult(body, outputs);
  const Reference loop =
      AddLoop(scope, form.name, *body.function, captured, std::move(given), form.states);
  ReferenceList made;
  for (size_t i = 0; i < form.states; ++i) made.push_back(OutputOf(loop, i));
  for (size_t i = 0; i < form.outputs; ++i) {
    Reference output = OutputOf(loop, form.states + i);
    if (form.output_directions[i] != 0) {
      output = AddNode(scope, form.name, "reverse", {output},
                       {{"axes", AttributeListOf(std::vector<int64_t>{0})}});
    }
    if (form.output_axes[i] != 0) {
      output = AddNode(scope, form.name, "move_axis", {output},
                       {{"from", AttributeOf(0)}, {"to", AttributeOf(form.output_axes[i])}});
    }
    made.push_back(std::move(output));
  }
  return made;
}

StatusOr<ReferenceList> GraphImporter::AddScanOfBatch(Scope& scope, const ScanForm& form,
                                                      std::span<const Reference> inputs,
                                                      const Reference& lengths) {
  CapturedOuterValues captured;
  ReferenceList given = {
      AddNode(scope, "batch", "dim_size", {inputs[0]}, {{"axis", AttributeOf(0)}}), {}};
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, "sequence", captured));
  const Reference round = AddBodyParameter(body, "round");
  AddBodyParameter(body, "going");
  auto element = [&](const Reference& all) {
    const Reference parameter = AddBodyParameter(body, "all");
    given.push_back(all);
    return AddNode(body, "element", "gather", {parameter, round}, {{"axis", AttributeOf(0)}});
  };
  ReferenceList elements;
  for (const Reference& input : inputs) elements.push_back(element(input));
  const Reference length =
      lengths.kind == Reference::Kind::kAbsent ? Reference() : element(lengths);
  std::span<const Reference> all = elements;
  SIGNET_ASSIGN_OR_RETURN(ReferenceList outputs, AddScan(body, form, all.first(form.states),
                                                         all.subspan(form.states), length));
  const size_t count = outputs.size();
  outputs.insert(outputs.begin(),
                 ValueReference(body.function->graph.AddLiteral(Literal::Bool(true))));
  SetResult(body, outputs);
  const Reference loop = AddLoop(scope, form.name, *body.function, captured, std::move(given), 0);
  ReferenceList made;
  for (size_t i = 0; i < count; ++i) made.push_back(OutputOf(loop, i));
  return made;
}

Status GraphImporter::ImportScan(Scope& scope, const onnx::NodeProto& node) {
  auto version = scope.opsets->find("");
  // Up to version 8, inputs have a leading batch dimension, and the first input is the lengths.
  bool is_batched = version != scope.opsets->end() && version->second < 9;
  if (is_batched && node.input_size() < 1)
    return InvalidArgument("missing input 0, the lengths; it may be empty");
  SIGNET_ASSIGN_OR_RETURN(ScanForm form, ScanFormOf(scope, node, is_batched));
  if (node.output_size() > static_cast<int>(form.states + form.outputs)) {
    return InvalidArgument("expected at most ", form.states + form.outputs,
                           " outputs, as the body has, found ", node.output_size());
  }
  SIGNET_ASSIGN_OR_RETURN(ReferenceList inputs, FindInputs(scope, node));
  std::span<const Reference> all = inputs;
  ReferenceList outputs;
  if (is_batched) {
    SIGNET_ASSIGN_OR_RETURN(outputs, AddScanOfBatch(scope, form, all.subspan(1), inputs[0]));
  } else {
    SIGNET_ASSIGN_OR_RETURN(
        outputs, AddScan(scope, form, all.first(form.states), all.subspan(form.states), {}));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) scope.values[node.output(i)] = outputs[static_cast<size_t>(i)];
  }
  return absl::OkStatus();
}

// --- SequenceMap --------------------------------------------------------------------------------

// Adds a loop that appends one element to each list per round. The body receives one element of
// each list, and tensors unchanged.
Status GraphImporter::ImportSequenceMap(Scope& scope, const onnx::NodeProto& node) {
  SIGNET_ASSIGN_OR_RETURN(const auto* attribute, GraphAttribute(node, "body"));
  const onnx::GraphProto& graph = attribute->g();
  if (node.input_size() < 1 || graph.input_size() != node.input_size() ||
      node.output_size() > graph.output_size()) {
    return InvalidArgument(node.input_size(), " inputs and ", node.output_size(),
                           " outputs for a body of ", graph.input_size(), " inputs and ",
                           graph.output_size(), " outputs");
  }
  CapturedOuterValues captured;
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, "element", captured));
  const Reference round = AddBodyParameter(body, "round");
  AddBodyParameter(body, "going");
  ReferenceList given(2);  // the number of rounds, and no condition
  ReferenceList lists;
  for (int i = 0; i < graph.output_size(); ++i) {
    lists.push_back(AddBodyParameter(body, "list"));
    given.push_back(AddNode(scope, "empty", "onnx.SequenceEmpty", {}));
  }
  for (int i = 0; i < graph.input_size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Reference input, Find(scope, node.input(i)));
    if (i == 0) given[0] = AddNode(scope, "count", "onnx.SequenceLength", {input});
    const Reference all = AddBodyParameter(body, graph.input(i).name());
    given.push_back(input);
    const char* op = i == 0 ? "onnx.SequenceAt" : "onnx.SequenceMapElement";
    body.values[graph.input(i).name()] = AddNode(body, graph.input(i).name(), op, {all, round});
  }
  SIGNET_ASSIGN_OR_RETURN(ReferenceList outputs, ImportGraphIn(body, graph));
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = AddNode(body, "list", "onnx.SequenceInsert", {lists[i], outputs[i]});
  }
  outputs.insert(outputs.begin(),
                 ValueReference(body.function->graph.AddLiteral(Literal::Bool(true))));
  SetResult(body, outputs);
  SetOutputs(
      scope, node,
      AddLoop(scope, NameOf(node), *body.function, captured, std::move(given), lists.size()));
  return absl::OkStatus();
}

// --- FlexAttention ------------------------------------------------------------------------------

// Adds the scores and the softmax, each modified by a graph if the node has one.
Status GraphImporter::ImportFlexAttention(Scope& scope, const onnx::NodeProto& node) {
  if (node.input_size() != 3 || node.output_size() != 1) {
    return InvalidArgument("expected 3 inputs and 1 output, found ", node.input_size(), " and ",
                           node.output_size());
  }
  SIGNET_ASSIGN_OR_RETURN(ReferenceList inputs, FindInputs(scope, node));
  auto modified = [&](const std::string& name, Reference value) -> StatusOr<Reference> {
    auto is_it = [&](const onnx::AttributeProto& attribute) { return attribute.name() == name; };
    if (std::none_of(node.attribute().begin(), node.attribute().end(), is_it)) return value;
    SIGNET_ASSIGN_OR_RETURN(const auto* attribute, GraphAttribute(node, name));
    const onnx::GraphProto& graph = attribute->g();
    if (graph.input_size() != 1 || graph.output_size() != 1) {
      return InvalidArgument("graph `", name, "`: expected 1 input and 1 output, found ",
                             graph.input_size(), " and ", graph.output_size());
    }
    if (scope.depth == kMaxGraphDepth) {
      return InvalidArgument("the depth of graphs exceeds the limit of ", kMaxGraphDepth);
    }
    Scope body{.values = {},
               .outer = &scope,
               .function = scope.function,
               .opsets = scope.opsets,
               .attributes = scope.attributes,
               .depth = scope.depth + 1};
    body.values[graph.input(0).name()] = std::move(value);
    SIGNET_ASSIGN_OR_RETURN(auto outputs, ImportGraphIn(body, graph));
    return outputs[0];
  };
  NamedTypes attributes;
  for (const auto& written : node.attribute()) {
    if (written.name() == "score_mod" || written.name() == "prob_mod") continue;
    if (written.name() != "scale" && written.name() != "softmax_precision") {
      return Unimplemented("unsupported attribute `", Printable(written.name()), "`");
    }
    const onnx::AttributeProto* attribute = Resolve(scope, written);
    if (attribute == nullptr) continue;
    SIGNET_ASSIGN_OR_RETURN(TypeSpec value, AttributeFromOnnx(*attribute));
    attributes.emplace_back(written.name(), std::move(value));
  }
  const Reference scores = AddNode(scope, "scores", "onnx.AttentionScores", {inputs[0], inputs[1]},
                                   std::move(attributes));
  SIGNET_ASSIGN_OR_RETURN(Reference made, modified("score_mod", scores));
  const Reference softmax =
      AddNode(scope, "shares", "softmax", {made}, {{"axis", AttributeOf(-1)}});
  SIGNET_ASSIGN_OR_RETURN(made, modified("prob_mod", softmax));
  SetOutputs(scope, node, AddNode(scope, NameOf(node), "onnx.AttentionSums", {made, inputs[2]}));
  return absl::OkStatus();
}

}  // namespace signet
