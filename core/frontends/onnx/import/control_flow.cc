// If, Loop, Scan and SequenceMap: functions for their bodies, called by `cond` and `loop`; and
// FlexAttention, whose graphs are put in place.

#include <algorithm>

#include "core/frontends/onnx/import/graph_import.h"

namespace signet {
namespace {

// Output `i` of a node called `name`.
std::string OutputOf(const std::string& name, size_t i) {
  return i == 0 ? name : Cat(name, ":", i);
}

void SetInt(v1::Node& node, const char* name, int64_t value) {
  (*node.mutable_attributes())[name].set_int_(value);
}

// `given`, or `count` zeros where nothing is.
StatusOr<std::vector<int64_t>> ListOf(StatusOr<std::vector<int64_t>> given, size_t count,
                                      std::string_view name) {
  if (!given.ok()) return given;
  if (given->empty()) return std::vector<int64_t>(count, 0);
  if (given->size() == count) return given;
  return InvalidArgument(given->size(), " `", name, "`; takes ", count);
}

}  // namespace

// --- bodies -------------------------------------------------------------------------------------

StatusOr<Scope> GraphImporter::OpenBody(Scope& scope, std::string_view name, Taken& taken) {
  if (scope.depth == kMaxGraphDepth) {
    return InvalidArgument("graphs nested deeper than ", kMaxGraphDepth);
  }
  v1::Function* function = out_.add_functions();
  function->set_name(names_.Take(Cat("_", name)));
  function->mutable_type();
  return Scope{.values = {},
               .outer = &scope,
               .taken = &taken,
               .function = function,
               .opsets = scope.opsets,
               .attributes = scope.attributes,
               .depth = scope.depth + 1};
}

std::string GraphImporter::AddBodyParameter(Scope& body, std::string_view name) {
  std::string parameter = names_.Take(name);
  AddParameterNamed(*body.function, parameter);
  return parameter;
}

StatusOr<std::vector<std::string>> GraphImporter::ImportGraphIn(Scope& body,
                                                                const onnx::GraphProto& graph) {
  SIGNET_RETURN_IF_ERROR(AddInitializers(body, graph, {}));
  SIGNET_RETURN_IF_ERROR(ImportNodes(body, graph.node()));
  std::vector<std::string> references;
  for (const auto& output : graph.output()) {
    SIGNET_ASSIGN_OR_RETURN(Reference found, Find(body, output.name()));
    references.push_back(found.text);
  }
  return references;
}

void GraphImporter::SetResult(Scope& body, const std::vector<std::string>& references) {
  v1::Node& result = AddNode(body, "result", "make_tuple");
  for (const std::string& reference : references) result.add_inputs(reference);
  body.function->set_result(result.name());
}

StatusOr<v1::Function*> GraphImporter::ImportBody(Scope& scope, const onnx::GraphProto& graph,
                                                  std::string_view name, Taken& taken) {
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, name, taken));
  for (const auto& input : graph.input()) {
    body.values[input.name()] = {AddBodyParameter(body, input.name()), false};
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> outputs, ImportGraphIn(body, graph));
  SetResult(body, outputs);
  return body.function;
}

void GraphImporter::CloseBody(v1::Function& function, const Taken& taken) {
  for (const std::string& reference : taken.references) {
    AddParameterNamed(function, taken.parameters.at(reference));
  }
}

v1::Node& GraphImporter::AddLoop(Scope& scope, std::string_view name, v1::Function& body,
                                 const Taken& taken, const std::vector<std::string>& inputs,
                                 size_t carried) {
  CloseBody(body, taken);
  v1::Node& out = AddNode(scope, name, "loop");
  for (const std::string& input : inputs) out.add_inputs(input);
  for (const std::string& reference : taken.references) out.add_inputs(reference);
  (*out.mutable_attributes())["body"].set_function(body.name());
  SetInt(out, "carried", static_cast<int64_t>(carried));
  return out;
}

// --- If and Loop --------------------------------------------------------------------------------

Status GraphImporter::ImportIf(Scope& scope, const onnx::NodeProto& node) {
  if (node.input_size() != 1) return InvalidArgument("takes one input");
  SIGNET_ASSIGN_OR_RETURN(const auto* then_graph, GraphAttribute(node, "then_branch"));
  SIGNET_ASSIGN_OR_RETURN(const auto* else_graph, GraphAttribute(node, "else_branch"));
  SIGNET_ASSIGN_OR_RETURN(Reference condition, Find(scope, node.input(0)));
  Taken taken;
  SIGNET_ASSIGN_OR_RETURN(auto* then, ImportBody(scope, then_graph->g(), "then", taken));
  SIGNET_ASSIGN_OR_RETURN(auto* otherwise, ImportBody(scope, else_graph->g(), "else", taken));
  CloseBody(*then, taken);
  CloseBody(*otherwise, taken);
  // A condition of one element counts as a scalar.
  v1::Node& scalar = AddNode(scope, "condition", "reshape", {condition.text});
  (*scalar.mutable_attributes())["shape"].mutable_ints();
  std::string scalar_name = scalar.name();
  v1::Node& out = AddNode(scope, NameOf(node), "cond", {scalar_name});
  for (const std::string& reference : taken.references) out.add_inputs(reference);
  (*out.mutable_attributes())["then"].set_function(then->name());
  (*out.mutable_attributes())["else"].set_function(otherwise->name());
  // Files have branches for sizes that the condition keeps from them.
  (*out.mutable_attributes())["defer_errors"].set_bool_(true);
  SetOutputs(scope, node, out.name(), ".");
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
  Taken taken;
  SIGNET_ASSIGN_OR_RETURN(auto* function, ImportBody(scope, body, "body", taken));
  std::vector<std::string> inputs;
  for (int i = 0; i < node.input_size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Reference found, Find(scope, node.input(i)));
    if (i >= 2 && body.input(i).type().has_optional_type()) {
      found.text = AddNode(scope, "optional", "onnx.Optional", {found.text}).name();
    }
    inputs.push_back(found.text);
  }
  v1::Node& out =
      AddLoop(scope, NameOf(node), *function, taken, inputs, static_cast<size_t>(carried));
  SetOutputs(scope, node, out.name(), ":");
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

StatusOr<std::vector<std::string>> GraphImporter::AddScan(Scope& scope, const ScanForm& form,
                                                          std::span<const std::string> states,
                                                          std::span<const std::string> inputs,
                                                          const std::string& length) {
  v1::Node& limit = AddNode(scope, "steps", "dim_size", {inputs[0]});
  SetInt(limit, "axis", form.input_axes[0]);
  std::string steps = limit.name();
  Taken taken;
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, "scan", taken));
  std::vector<std::string> before;  // states
  std::vector<std::string> given = {steps, kAbsent};
  std::string round = AddBodyParameter(body, "round");
  AddBodyParameter(body, "going");
  auto name_of = [&](size_t i) { return form.body->input(static_cast<int>(i)).name(); };
  for (size_t i = 0; i < form.states; ++i) {
    before.push_back(AddBodyParameter(body, name_of(i)));
    body.values[name_of(i)] = {before.back(), false};
    given.push_back(states[i]);
  }
  std::vector<std::string> stacks;
  for (size_t i = 0; i < form.inputs; ++i) {
    stacks.push_back(AddBodyParameter(body, Cat(name_of(form.states + i), "_all")));
    given.push_back(inputs[i]);
  }
  std::string end = AddBodyParameter(body, "steps");
  given.push_back(length.empty() ? steps : length);
  std::string back;  // the number of the element, from the back
  for (size_t i = 0; i < form.inputs; ++i) {
    std::string at = round;
    if (form.input_directions[i] != 0) {
      if (back.empty()) {
        std::string last = AddNode(body, "last", "sub", {end, "1"}).name();
        back = AddNode(body, "back", "sub", {last, round}).name();
        // Behind the end of a shorter sequence any element will do.
        back = AddNode(body, "back", "maximum", {back, "0"}).name();
      }
      at = back;
    }
    v1::Node& element = AddNode(body, name_of(form.states + i), "gather", {stacks[i], at});
    SetInt(element, "axis", form.input_axes[i]);
    body.values[name_of(form.states + i)] = {element.name(), false};
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> outputs, ImportGraphIn(body, *form.body));
  if (!length.empty()) {  // behind the end: states stay, outputs are 0
    std::string active = AddNode(body, "active", "less", {round, end}).name();
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string other =
          i < form.states ? before[i] : AddNode(body, "zeros", "zeros_like", {outputs[i]}).name();
      outputs[i] = AddNode(body, "kept", "select", {active, outputs[i], other}).name();
    }
  }
  outputs.insert(outputs.begin(), "True");
  SetResult(body, outputs);
  std::string name = AddLoop(scope, form.name, *body.function, taken, given, form.states).name();
  std::vector<std::string> made;
  for (size_t i = 0; i < form.states; ++i) made.push_back(OutputOf(name, i));
  for (size_t i = 0; i < form.outputs; ++i) {
    std::string output = OutputOf(name, form.states + i);
    if (form.output_directions[i] != 0) {
      v1::Node& reversed = AddNode(scope, form.name, "reverse", {output});
      (*reversed.mutable_attributes())["axes"].mutable_ints()->add_values(0);
      output = reversed.name();
    }
    if (form.output_axes[i] != 0) {
      v1::Node& moved = AddNode(scope, form.name, "move_axis", {output});
      SetInt(moved, "from", 0);
      SetInt(moved, "to", form.output_axes[i]);
      output = moved.name();
    }
    made.push_back(std::move(output));
  }
  return made;
}

StatusOr<std::vector<std::string>> GraphImporter::AddScanOfBatch(
    Scope& scope, const ScanForm& form, std::span<const std::string> inputs,
    const std::string& lengths) {
  v1::Node& limit = AddNode(scope, "batch", "dim_size", {inputs[0]});
  SetInt(limit, "axis", 0);
  Taken taken;
  std::vector<std::string> given = {limit.name(), kAbsent};
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, "sequence", taken));
  std::string round = AddBodyParameter(body, "round");
  AddBodyParameter(body, "going");
  auto element = [&](const std::string& all) {
    std::string parameter = AddBodyParameter(body, "all");
    given.push_back(all);
    v1::Node& made = AddNode(body, "element", "gather", {parameter, round});
    SetInt(made, "axis", 0);
    return made.name();
  };
  std::vector<std::string> elements;
  for (const std::string& input : inputs) elements.push_back(element(input));
  std::string length = lengths == kAbsent ? "" : element(lengths);
  std::span<const std::string> all = elements;
  SIGNET_ASSIGN_OR_RETURN(
      std::vector<std::string> outputs,
      AddScan(body, form, all.first(form.states), all.subspan(form.states), length));
  size_t count = outputs.size();
  outputs.insert(outputs.begin(), "True");
  SetResult(body, outputs);
  std::string name = AddLoop(scope, form.name, *body.function, taken, given, 0).name();
  std::vector<std::string> made;
  for (size_t i = 0; i < count; ++i) made.push_back(OutputOf(name, i));
  return made;
}

Status GraphImporter::ImportScan(Scope& scope, const onnx::NodeProto& node) {
  auto version = scope.opsets->find("");
  // Up to version 8 inputs have a batch in front, and there is an input of lengths.
  bool is_batched = version != scope.opsets->end() && version->second < 9;
  if (is_batched && node.input_size() < 1) return InvalidArgument("takes lengths, or none");
  SIGNET_ASSIGN_OR_RETURN(ScanForm form, ScanFormOf(scope, node, is_batched));
  if (node.output_size() > static_cast<int>(form.states + form.outputs)) {
    return InvalidArgument(node.output_size(), " outputs; the body gives ",
                           form.states + form.outputs);
  }
  std::vector<std::string> inputs;
  for (const std::string& input : node.input()) {
    SIGNET_ASSIGN_OR_RETURN(Reference found, Find(scope, input));
    inputs.push_back(found.text);
  }
  std::span<const std::string> all = inputs;
  std::vector<std::string> outputs;
  if (is_batched) {
    SIGNET_ASSIGN_OR_RETURN(outputs, AddScanOfBatch(scope, form, all.subspan(1), inputs[0]));
  } else {
    SIGNET_ASSIGN_OR_RETURN(
        outputs, AddScan(scope, form, all.first(form.states), all.subspan(form.states), ""));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) {
      scope.values[node.output(i)] = {outputs[static_cast<size_t>(i)], false};
    }
  }
  return absl::OkStatus();
}

// --- SequenceMap --------------------------------------------------------------------------------

// A loop that adds an element to each list in a round; the body sees the element of that number of
// lists, and tensors as they are.
Status GraphImporter::ImportSequenceMap(Scope& scope, const onnx::NodeProto& node) {
  SIGNET_ASSIGN_OR_RETURN(const auto* attribute, GraphAttribute(node, "body"));
  const onnx::GraphProto& graph = attribute->g();
  if (node.input_size() < 1 || graph.input_size() != node.input_size() ||
      node.output_size() > graph.output_size()) {
    return InvalidArgument(node.input_size(), " inputs and ", node.output_size(),
                           " outputs for a body of ", graph.input_size(), " inputs and ",
                           graph.output_size(), " outputs");
  }
  Taken taken;
  SIGNET_ASSIGN_OR_RETURN(Scope body, OpenBody(scope, "element", taken));
  std::string round = AddBodyParameter(body, "round");
  AddBodyParameter(body, "going");
  std::vector<std::string> given = {"", kAbsent};
  std::vector<std::string> lists;
  for (int i = 0; i < graph.output_size(); ++i) {
    lists.push_back(AddBodyParameter(body, "list"));
    given.push_back(AddNode(scope, "empty", "onnx.SequenceEmpty").name());
  }
  for (int i = 0; i < graph.input_size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Reference input, Find(scope, node.input(i)));
    if (i == 0) given[0] = AddNode(scope, "count", "onnx.SequenceLength", {input.text}).name();
    std::string all = AddBodyParameter(body, graph.input(i).name());
    given.push_back(input.text);
    std::string op = i == 0 ? "onnx.SequenceAt" : "onnx.SequenceMapElement";
    std::string element = AddNode(body, graph.input(i).name(), op, {all, round}).name();
    body.values[graph.input(i).name()] = {element, false};
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> outputs, ImportGraphIn(body, graph));
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = AddNode(body, "list", "onnx.SequenceInsert", {lists[i], outputs[i]}).name();
  }
  outputs.insert(outputs.begin(), "True");
  SetResult(body, outputs);
  v1::Node& out = AddLoop(scope, NameOf(node), *body.function, taken, given, lists.size());
  SetOutputs(scope, node, out.name(), ":");
  return absl::OkStatus();
}

// --- FlexAttention ------------------------------------------------------------------------------

// Scores and shares, each through a graph of its own where there is one.
Status GraphImporter::ImportFlexAttention(Scope& scope, const onnx::NodeProto& node) {
  if (node.input_size() != 3 || node.output_size() != 1) {
    return InvalidArgument(node.input_size(), " inputs and ", node.output_size(),
                           " outputs; takes 3 and 1");
  }
  std::vector<std::string> inputs;
  for (const std::string& input : node.input()) {
    SIGNET_ASSIGN_OR_RETURN(Reference found, Find(scope, input));
    inputs.push_back(found.text);
  }
  auto modified = [&](const std::string& name, std::string value) -> StatusOr<std::string> {
    auto is_it = [&](const onnx::AttributeProto& attribute) { return attribute.name() == name; };
    if (std::none_of(node.attribute().begin(), node.attribute().end(), is_it)) return value;
    SIGNET_ASSIGN_OR_RETURN(const auto* attribute, GraphAttribute(node, name));
    const onnx::GraphProto& graph = attribute->g();
    if (graph.input_size() != 1 || graph.output_size() != 1 || scope.depth == kMaxGraphDepth) {
      return InvalidArgument("graph `", name, "` of ", graph.input_size(), " inputs and ",
                             graph.output_size(), " outputs, ", scope.depth,
                             " deep; takes one each, and ", kMaxGraphDepth, " at most");
    }
    Scope body{.values = {},
               .outer = &scope,
               .function = scope.function,
               .opsets = scope.opsets,
               .attributes = scope.attributes,
               .depth = scope.depth + 1};
    body.values[graph.input(0).name()] = {std::move(value), false};
    SIGNET_ASSIGN_OR_RETURN(auto outputs, ImportGraphIn(body, graph));
    return outputs[0];
  };
  v1::Node& scores = AddNode(scope, "scores", "onnx.AttentionScores", {inputs[0], inputs[1]});
  for (const auto& written : node.attribute()) {
    if (written.name() == "score_mod" || written.name() == "prob_mod") continue;
    if (written.name() != "scale" && written.name() != "softmax_precision") {
      return Unimplemented("attribute `", Printable(written.name()), "`, which it does not have");
    }
    const onnx::AttributeProto* attribute = Resolve(scope, written);
    if (attribute == nullptr) continue;
    onnx::AttributeProto named = *attribute;
    named.set_name(written.name());
    SIGNET_RETURN_IF_ERROR(AddAttribute(named, scores));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string made, modified("score_mod", scores.name()));
  v1::Node& softmax = AddNode(scope, "shares", "softmax", {made});
  SetInt(softmax, "axis", -1);
  SIGNET_ASSIGN_OR_RETURN(made, modified("prob_mod", softmax.name()));
  std::string name = AddNode(scope, NameOf(node), "onnx.AttentionSums", {made, inputs[2]}).name();
  SetOutputs(scope, node, name, ":");
  return absl::OkStatus();
}

}  // namespace signet
