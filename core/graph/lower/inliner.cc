#include "core/graph/lower/inliner.h"

#include <algorithm>

#include "core/base/constraint.h"
#include "core/function/binding.h"
#include "core/function/cast.h"
#include "core/graph/body/function_references.h"
#include "core/graph/lower/alignment.h"
#include "core/graph/lower/branches.h"
#include "core/graph/lower/call_struct_map.h"
#include "core/graph/lower/loop_ops.h"
#include "core/graph/lower/plain_result.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/op_registry.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr int64_t kMaxPlainElements = 4096;  // of a tensor that is used as an attribute

// Returns the error about an argument that a body passes to another function. Its path remains in
// the message, but the status has no field, because the path is not a path in the request.
Status OfCallee(const Status& status) {
  return WithConstraint(ConstraintOf(status),
                        WithReason(ReasonOf(status), MakeStatus(status.code(), MessageOf(status))));
}

// Returns the author's name of a value, such as `orders.rate`; empty for plain values.
std::string NameOf(const FunctionDef& function, const GraphEdge& edge) {
  const auto index = static_cast<size_t>(edge.index);
  switch (edge.kind) {
    case GraphEdge::Kind::kParameter:
      return function.type.parameters()[index].name;
    case GraphEdge::Kind::kCapture:
      return function.graph.captures[index];
    case GraphEdge::Kind::kLiteral:
      return "";
    case GraphEdge::Kind::kNode: {
      const std::string& name = function.graph.nodes[index].name;
      return edge.output == 0 ? name : Cat(name, ":", edge.output);
    }
  }
  __builtin_unreachable();
}

// Returns true for the error about an argument of `function` that `node` passes to one of several
// functions. It has the field of the argument (CallCandidate).
bool IsAboutArgument(const FunctionDef& function, const GraphNode& node, const Status& status) {
  if (node.op->control != Control::kCall) return false;
  const std::string field = FieldOf(status);
  return !field.empty() &&
         std::any_of(node.inputs.begin(), node.inputs.end(), [&](const GraphEdge& edge) {
           return edge.kind == GraphEdge::Kind::kParameter && NameOf(function, edge) == field;
         });
}

}  // namespace

TypeSpec PlainTypeOf(const GraphValue& value, const CallExpander& build) {
  if (IsStatic(value.spec)) return value.spec;
  if (value.spec.is(TypeKind::kDict) || IsSequence(value.spec)) {
    std::vector<TypeSpec> children;
    for (size_t i = 0; i < value.spec.children().size(); ++i) {
      children.push_back(PlainTypeOf(ChildOf(value, i), build));
      if (!children.back()) return {};
    }
    auto made = value.spec.rep().Rebuild(PartialShape(), std::move(children));
    return made.ok() ? *std::move(made) : TypeSpec();
  }
  if (!value.spec.is(TypeKind::kTensor)) return {};
  const Tensor* known = build.LookupConstant(value.components[0]);
  if (known == nullptr || known->rank() > 1 || known->num_elements() > kMaxPlainElements) return {};
  std::vector<TypeSpec> elements;
  for (int64_t i = 0; i < known->num_elements(); ++i) {
    elements.push_back(LiteralOfElement(*known, i));
    if (!elements.back()) return {};
  }
  return known->rank() == 0 ? elements[0] : ListType(std::move(elements));
}

GraphValue TupleOfValues(std::span<const GraphValue> elements) {
  std::vector<TypeSpec> types;
  for (const GraphValue& element : elements) types.push_back(element.spec);
  return Joined(TupleType(std::move(types)), elements);
}

StatusOr<GraphValue> DictOfValues(std::vector<std::pair<std::string, GraphValue>> items) {
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  NamedTypes types;
  std::vector<GraphValue> values;
  for (auto& [name, value] : items) {
    types.emplace_back(name, value.spec);
    values.push_back(std::move(value));
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, MakeDictType(std::move(types)));
  return Joined(std::move(type), values);
}

StatusOr<GraphValue> Inliner::Inline(const FunctionDef& function,
                                     const ParameterValues& parameters) {
  if (depth_ == kMaxCallDepth) {
    return InvalidArgument("the depth of calls exceeds the limit of ", kMaxCallDepth);
  }
  ++depth_;
  auto result = InlineAtDepth(function, parameters);
  --depth_;
  return result;
}

StatusOr<GraphValue> Inliner::InlineAtDepth(const FunctionDef& function,
                                            const ParameterValues& parameters) {
  FlatBuilder* builder = expander_.AsBuilder();
  AlignmentWarnings* warnings = builder == nullptr ? nullptr : builder->warnings();
  NodeValues nodes;
  nodes.reserve(function.graph.nodes.size());
  for (const GraphNode& node : function.graph.nodes) {
    const size_t first_warning = warnings == nullptr ? 0 : warnings->size();
    auto outputs = RunNode(function, node, parameters, nodes);
    if (!outputs.ok() &&
        (node.checks_signature || IsAboutArgument(function, node, outputs.status()))) {
      return outputs.status();
    }
    if (!outputs.ok()) return At(Cat("node `", node.name, "`"), outputs.status());
    if (warnings != nullptr) warnings->AddContext(Cat("node `", node.name, "`"), first_warning);
    nodes.push_back(*std::move(outputs));
  }
  return Resolve(function.graph, function.graph.result, parameters, nodes);
}

StatusOr<GraphValue> Inliner::Resolve(const Graph& graph, const GraphEdge& edge,
                                      const ParameterValues& parameters, const NodeValues& nodes) {
  auto index = static_cast<size_t>(edge.index);
  switch (edge.kind) {
    case GraphEdge::Kind::kParameter:
      return parameters[index];
    case GraphEdge::Kind::kLiteral:
      return expander_.Constant(graph.literals[index]);
    case GraphEdge::Kind::kCapture: {
      const Captures& captures = expander_.library().captures();
      auto found = captures.find(graph.captures[index]);
      if (found != captures.end()) {
        SIGNET_ASSIGN_OR_RETURN(Value value, found->second.Get());
        FlatBuilder* builder = expander_.AsBuilder();
        return builder != nullptr ? builder->Capture(found->first, value)
                                  : expander_.Constant(value);
      }
      return NotFound("capture `", graph.captures[index], "` not found");
    }
    case GraphEdge::Kind::kNode: {
      const auto& outputs = nodes[index];
      if (static_cast<size_t>(edge.output) >= outputs.size()) {
        return InvalidArgument("node `", graph.nodes[index].name, "`: expected an output below ",
                               outputs.size(), ", found ", edge.output);
      }
      return outputs[static_cast<size_t>(edge.output)];
    }
  }
  __builtin_unreachable();
}

StatusOr<std::vector<GraphValue>> Inliner::RunNode(const FunctionDef& function,
                                                   const GraphNode& node,
                                                   const ParameterValues& parameters,
                                                   const NodeValues& nodes) {
  std::vector<GraphValue> inputs;
  for (const GraphEdge& edge : node.inputs) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue input, Resolve(function.graph, edge, parameters, nodes));
    inputs.push_back(std::move(input));
  }
  Attributes attributes = node.attributes;
  for (const auto& [name, edge] : node.attribute_edges) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue value, Resolve(function.graph, edge, parameters, nodes));
    TypeSpec known = PlainTypeOf(value, expander_);
    if (!known) {
      return InvalidArgument(
          "attribute `", name,
          "`: expected a literal, or a tensor that is known when the function is "
          "specialized, found a value of type `",
          value.spec, "`");
    }
    attributes = attributes.With(name, std::move(known));
  }
  FlatBuilder* builder = expander_.AsBuilder();
  if (builder != nullptr && !builder->dimensions().is_empty()) {
    std::vector<std::string> names;
    for (const GraphEdge& edge : node.inputs) names.push_back(NameOf(function, edge));
    SIGNET_RETURN_IF_ERROR(CheckAlignment(*builder, *node.op, attributes, inputs, names));
  }
  return Call(*node.op, inputs, attributes);
}

StatusOr<std::vector<GraphValue>> Inliner::Call(const OpDef& op, std::span<const GraphValue> inputs,
                                                const Attributes& attributes) {
  if (op.control != Control::kNone) SIGNET_RETURN_IF_ERROR(expander_.CountCall(inputs));
  switch (op.control) {
    case Control::kNone:
      return expander_.Call(op, inputs, attributes);
    case Control::kCall:
    case Control::kCond:
    case Control::kCase: {
      SIGNET_RETURN_IF_ERROR(CheckArity(op, inputs.size()));
      SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(op, attributes));
      SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> keywords, complete.Strings("keywords"));
      size_t num_arguments = inputs.size() - (op.control == Control::kCall ? 0 : 1);
      if (keywords.size() > num_arguments) {
        return InvalidArgument("expected at most ", num_arguments,
                               " keywords, one per argument, found ", keywords.size());
      }
      auto result = op.control == Control::kCall ? CallFunction(inputs, complete, keywords)
                                                 : CallBranch(op, inputs, complete, keywords);
      SIGNET_RETURN_IF_ERROR(result.status());
      return std::vector<GraphValue>{*std::move(result)};
    }
    case Control::kMapFields:
      return CallStructMap(*this, op, inputs, attributes);
    case Control::kMap:
    case Control::kWhile:
    case Control::kLoop:
    case Control::kScan:
    case Control::kReduce:
      return CallLoopOp(*this, op, inputs, attributes);
  }
  __builtin_unreachable();
}

StatusOr<GraphValue> Inliner::CallFunction(std::span<const GraphValue> inputs,
                                           const Attributes& attributes,
                                           std::span<const std::string> keywords) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> candidates, attributes.Strings("functions"));
  // C1: `function` or `functions` is set.
  if (IsNone(attributes, "function") == candidates.empty()) {
    return WithConstraint("C1", InvalidArgument("expected either `function` or `functions`"));
  }
  if (!candidates.empty()) return CallCandidate(*this, candidates, inputs, keywords);
  SIGNET_ASSIGN_OR_RETURN(std::string name, attributes.String("function"));
  return CallNamed(name, inputs, keywords);
}

StatusOr<GraphValue> Inliner::CallBranch(const OpDef& op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes,
                                         std::span<const std::string> keywords) {
  std::vector<std::string> functions;
  if (op.control == Control::kCond) {
    SIGNET_ASSIGN_OR_RETURN(std::string then, attributes.String("then"));
    SIGNET_ASSIGN_OR_RETURN(std::string otherwise, attributes.String("else"));
    functions = {std::move(then), std::move(otherwise)};
  } else {
    SIGNET_ASSIGN_OR_RETURN(functions, attributes.Strings("functions"));
    if (functions.empty()) return InvalidArgument("`functions`: expected at least one, found none");
  }
  const GraphValue& index = inputs[0];
  SIGNET_ASSIGN_OR_RETURN(std::optional<size_t> known,
                          KnownBranch(expander_, index, op.control, functions.size()));
  if (known) {
    auto result = CallNamed(functions[*known], inputs.subspan(1), keywords);
    if (!result.ok()) return At(BranchName(op.control, *known), result.status());
    return result;
  }
  SIGNET_ASSIGN_OR_RETURN(bool defer_errors, attributes.Bool("defer_errors"));
  return BuildSwitch(*this, op.control, index, functions, inputs.subspan(1), keywords,
                     defer_errors);
}

StatusOr<const FunctionDef*> Inliner::FindFunction(std::string_view name) const {
  const FunctionDef* found = expander_.library().Lookup(name);
  if (found == nullptr) return NotFound("function `", Printable(name), "` not found in this model");
  return found;
}

StatusOr<GraphValue> Inliner::InlineNamed(const FunctionDef& function,
                                          const StatusOr<ParameterValues>& parameters) {
  FlatBuilder* builder = expander_.AsBuilder();
  AlignmentWarnings* warnings = builder == nullptr ? nullptr : builder->warnings();
  const size_t first_warning = warnings == nullptr ? 0 : warnings->size();
  auto result = parameters.ok() ? Inline(function, *parameters) : parameters.status();
  const std::string where = Cat("function `", function.name, "`");
  if (!result.ok()) return At(where, OfCallee(result.status()));
  if (warnings != nullptr) warnings->AddContext(where, first_warning);
  return result;
}

StatusOr<GraphValue> Inliner::CallNamed(std::string_view name, std::span<const GraphValue> inputs,
                                        std::span<const std::string> keywords) {
  SIGNET_ASSIGN_OR_RETURN(const FunctionDef* callee, FindFunction(name));
  auto parameters = Bind(*callee, inputs, keywords);
  return InlineNamed(*callee, parameters);
}

StatusOr<ParameterValues> Inliner::Bind(const FunctionDef& callee,
                                        std::span<const GraphValue> inputs,
                                        std::span<const std::string> keywords) {
  std::vector<std::string_view> names(keywords.begin(), keywords.end());
  size_t num_positional = inputs.size() - keywords.size();
  SIGNET_ASSIGN_OR_RETURN(Binding binding, BindArguments(callee.type, num_positional, names));
  ParameterValues values;
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const Parameter& parameter = callee.type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    if (parameter.kind == ParameterKind::kVarPositional) {
      values.push_back(TupleOfValues(inputs.subspan(bound.index, bound.count)));
      continue;
    }
    if (parameter.kind == ParameterKind::kVarKeyword) {
      std::vector<std::pair<std::string, GraphValue>> items;
      for (size_t keyword : binding.extra_keywords) {
        items.emplace_back(keywords[keyword], inputs[num_positional + keyword]);
      }
      SIGNET_ASSIGN_OR_RETURN(GraphValue dict, DictOfValues(std::move(items)));
      values.push_back(std::move(dict));
      continue;
    }
    GraphValue value;
    if (bound.source == BoundParameter::Source::kPositional) {
      value = inputs[bound.index];
    } else if (bound.source == BoundParameter::Source::kKeyword) {
      value = inputs[num_positional + bound.index];
    } else {
      auto found = callee.defaults.find(parameter.name);
      if (found == callee.defaults.end()) {
        return InvalidWithReason("MISSING_DEFAULT", "no default value for `", parameter.name, "`");
      }
      value = expander_.Constant(found->second);
    }
    SIGNET_ASSIGN_OR_RETURN(value, Constrained(parameter, std::move(value)));
    values.push_back(std::move(value));
  }
  return values;
}

StatusOr<GraphValue> Inliner::Constrained(const Parameter& parameter, GraphValue value) {
  if (!parameter.type || Satisfies(value.spec, parameter.type)) return value;
  if (IsStatic(value.spec)) {
    auto cast = CastTo(Value::Trusted(value.spec, {}), parameter.type, parameter.name);
    if (!cast.ok()) return OfCallee(cast.status());
    return expander_.Constant(*cast);
  }
  auto converted = expander_.Convert(value, parameter.type);
  if (!converted.ok()) return At(Cat("argument `", parameter.name, "`"), converted.status());
  if (*converted) return (*std::move(converted))->value;
  // A cast of the types alone finds the part that does not fit.
  auto cast = CastTo(Value::OfType(value.spec), parameter.type, parameter.name);
  if (!cast.ok()) return OfCallee(cast.status());
  return InvalidArgument("argument `", parameter.name, "`: expected `", parameter.type,
                         "`, found `", value.spec, "`");
}

}  // namespace signet
