#include "core/model/tracing/function_trace.h"

#include "core/function/cast.h"
#include "core/graph/lower/inliner.h"
#include "core/model/dimension_checks.h"
#include "core/model/native/stated_function.h"
#include "core/ops/catalog.h"
#include "core/ops/def/literal_dtype.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "signet/index_key.h"

namespace signet {
namespace {

bool SaysEnough(const TypeSpec& type) {
  return type && !ContainsAny(type) && (type.shape() == nullptr || type.shape()->has_rank());
}

}  // namespace

FunctionTrace::FunctionTrace(TraceLibrary& library)
    : library_(library),
      build_(library.ops(), library.captures()),
      flat_(library, {.max_folded_bytes = size_t{16} << 20, .max_folded_nanoseconds = 5e7}) {}

StatusOr<std::unique_ptr<FunctionTrace>> FunctionTrace::Start(std::string name,
                                                              std::string_view signature,
                                                              Defaults defaults,
                                                              TraceLibrary& library) {
  std::unique_ptr<FunctionTrace> trace(new FunctionTrace(library));
  SIGNET_ASSIGN_OR_RETURN(Signature parsed, ParseSignatureOf(name, signature));
  for (auto& [parameter, value] : defaults) parsed.defaults.emplace(parameter, std::move(value));
  StatedFunction stated;
  stated.name = std::move(name);
  stated.signature = std::move(parsed);
  SIGNET_ASSIGN_OR_RETURN(
      trace->def_, MakeFunctionHead(std::move(stated), {library.captures(), library.registry()}));
  const FunctionType& type = trace->def_.type;
  for (const Parameter& parameter : type.parameters()) {
    const bool is_variadic = parameter.kind == ParameterKind::kVarPositional ||
                             parameter.kind == ParameterKind::kVarKeyword;
    const GraphEdge edge = trace->build_.AddParameter(parameter.name);
    auto known = is_variadic ? std::nullopt : trace->InputOf(parameter.type);
    trace->parameters_.push_back(trace->Add(edge, std::move(known)));
  }
  AddSizeChecks(type.parameters(), trace->def_.dimension_names, trace->build_);
  SIGNET_RETURN_IF_ERROR(trace->build_.status());
  return trace;
}

StatusOr<std::unique_ptr<FunctionTrace>> FunctionTrace::StartNested(
    std::string name, std::vector<NestedParameter> parameters, TraceLibrary& library) {
  std::unique_ptr<FunctionTrace> trace(new FunctionTrace(library));
  trace->def_.name = std::move(name);
  for (const NestedParameter& parameter : parameters) {
    SIGNET_RETURN_IF_ERROR(trace->AddParameter(parameter).status());
  }
  return trace;
}

StatusOr<FunctionTrace::ValueId> FunctionTrace::AddParameter(const NestedParameter& parameter) {
  const GraphEdge edge = build_.AddParameter(parameter.name);
  SIGNET_RETURN_IF_ERROR(build_.status());
  nested_parameters_.push_back(
      {.name = parameter.name, .kind = ParameterKind::kPositionalOrKeyword});
  parameters_.push_back(Add(edge, InputOf(parameter.type)));
  return parameters_.back();
}

FunctionTrace::ValueId FunctionTrace::Add(GraphEdge edge, std::optional<GraphValue> known) {
  values_.push_back({edge, std::move(known)});
  return values_.size() - 1;
}

std::optional<GraphValue> FunctionTrace::InputOf(const TypeSpec& type) {
  if (!SaysEnough(type)) return std::nullopt;
  return flat_.AddInput(type);
}

FunctionTrace::ValueId FunctionTrace::Constant(const Value& value) {
  const bool is_literal = value.spec().is(TypeKind::kLiteral);
  const GraphEdge edge = is_literal ? build_.AddLiteral(value.literal()) : build_.AddLiteral(value);
  return Add(edge, flat_.Constant(value));
}

StatusOr<FunctionTrace::ValueId> FunctionTrace::Capture(std::string_view name, const Value& value) {
  const std::string known = library_.AddCapture(name, value);
  const GraphEdge edge = build_.AddCapture(known);
  SIGNET_RETURN_IF_ERROR(build_.status());
  return Add(edge, flat_.Capture(known, value));
}

StatusOr<std::optional<std::vector<GraphValue>>> FunctionTrace::Infer(
    const OpDef& op, std::span<const ValueId> inputs, const Attributes& attributes,
    const ComputedAttributes& computed) {
  std::vector<GraphValue> known;
  for (const ValueId input : inputs) {
    if (!values_[input].known) return std::nullopt;
    known.push_back(*values_[input].known);
  }
  Attributes complete = attributes;
  for (const auto& [name, value] : computed) {
    if (!values_[value].known) return std::nullopt;
    TypeSpec plain = PlainTypeOf(*values_[value].known, flat_);
    if (!plain) {
      return InvalidArgument("attribute `", name,
                             "`: expected a literal, or a tensor that is known when the function "
                             "is specialized, found a value of type `",
                             values_[value].known->spec, "`");
    }
    complete = complete.With(name, std::move(plain));
  }
  auto outputs = Inliner(flat_).Call(op, known, complete);
  if (outputs.ok()) return *std::move(outputs);
  // An op that is unimplemented for unknown sizes may be implemented for the sizes of a call.
  if (absl::IsUnimplemented(outputs.status())) return std::nullopt;
  return outputs.status();
}

StatusOr<std::vector<FunctionTrace::ValueId>> FunctionTrace::Call(
    std::string_view name, std::string_view op, std::span<const ValueId> inputs,
    NamedTypes attributes, const ComputedAttributes& computed) {
  SIGNET_ASSIGN_OR_RETURN(const OpDef* def, library_.ops().FindCallable(op));
  SIGNET_RETURN_IF_ERROR(AtOp(*def, CheckArity(*def, inputs.size())));
  const Attributes given(std::move(attributes));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, Infer(*def, inputs, given, computed));
  GraphBuilder::Edges edges;
  for (const ValueId input : inputs) edges.push_back(values_[input].edge);
  GraphBuilder::AttributeEdges attribute_edges;
  for (const auto& [attribute, value] : computed) {
    attribute_edges.emplace_back(attribute, values_[value].edge);
  }
  GraphEdge edge = build_.AddNode(name, op, std::move(edges), given, std::move(attribute_edges));
  SIGNET_RETURN_IF_ERROR(build_.status());
  const auto count = outputs ? std::optional(outputs->size()) : MaxOutputs(*def, inputs.size());
  std::vector<ValueId> ids;
  for (size_t i = 0; i < count.value_or(1); ++i) {
    edge.output = static_cast<int>(i);
    ids.push_back(Add(edge, outputs ? std::optional((*outputs)[i]) : std::nullopt));
  }
  return ids;
}

TypeSpec FunctionTrace::TypeOf(ValueId value) const {
  const auto& known = values_[value].known;
  return known ? known->spec : TypeSpec();
}

TypeSpec FunctionTrace::ElementTypeOf(ValueId value) {
  const auto& known = values_[value].known;
  if (!known) return {};
  const IndexKey first(int64_t{0});
  auto element = Inliner(flat_).Call(**library_.ops().Find("get_item"), {&*known, 1},
                                     Attributes({{"key", AttributeOf(std::span(&first, 1))}}));
  return element.ok() ? (*element)[0].spec : TypeSpec();
}

StatusOr<std::shared_ptr<const TracedFunction>> FunctionTrace::Finish(ValueId result,
                                                                      FunctionTexts texts) && {
  const TypeSpec declared = def_.type.output();
  const TypeSpec found = TypeOf(result);
  const bool is_cast = found && IsPlain(found) && declared && declared.is(TypeKind::kTensor);
  if (declared && found && !is_cast && !IsCompatible(declared, found)) {
    return InvalidArgument("result: expected `", declared, "` as in the signature, found `", found,
                           "`");
  }
  SIGNET_ASSIGN_OR_RETURN(Graph graph, std::move(build_).Finish(values_[result].edge));
  return Make(std::move(graph), std::move(texts));
}

StatusOr<std::shared_ptr<const TracedFunction>> FunctionTrace::FinishNested(
    ValueId result, std::span<const size_t> order) && {
  SIGNET_CHECK(order.size() == nested_parameters_.size());
  std::vector<Parameter> ordered;
  std::vector<int> place_of(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place_of[order[i]] = static_cast<int>(i);
    ordered.push_back(nested_parameters_[order[i]]);
  }
  SIGNET_ASSIGN_OR_RETURN(def_.type, FunctionType::Make(std::move(ordered)));
  SIGNET_ASSIGN_OR_RETURN(Graph graph, std::move(build_).Finish(values_[result].edge));
  auto move = [&](GraphEdge& edge) {
    if (edge.kind == GraphEdge::Kind::kParameter) {
      edge.index = place_of[static_cast<size_t>(edge.index)];
    }
  };
  for (GraphNode& node : graph.nodes) {
    for (GraphEdge& edge : node.inputs) move(edge);
    for (auto& [name, edge] : node.attribute_edges) move(edge);
  }
  move(graph.result);
  return Make(std::move(graph), {});
}

StatusOr<std::shared_ptr<const TracedFunction>> FunctionTrace::Make(Graph graph,
                                                                    FunctionTexts texts) {
  def_.graph = std::move(graph);
  def_.doc = std::move(texts.doc);
  def_.parameter_docs = std::move(texts.parameter_docs);
  def_.examples = std::move(texts.examples);
  auto function = std::make_shared<TracedFunction>();
  function->batch = std::move(texts.batch);
  function->default_names = std::move(texts.default_names);
  for (const std::string& capture : def_.graph.captures) {
    function->captures.emplace(capture, library_.captures().at(capture));
  }
  function->def = std::move(def_);
  return function;
}

}  // namespace signet
