#include "core/graph/specializer.h"

#include <algorithm>

#include "core/function/binding.h"
#include "core/function/cast.h"
#include "core/graph/flat_builder.h"
#include "core/types/extension_spec.h"
#include "core/types/literal_spec.h"
#include "core/types/sequence_spec.h"

namespace signet {
namespace {

constexpr int kMaxCallDepth = 64;

// The values of a function's parameters, in signature order.
using ParameterValues = std::vector<GraphValue>;

GraphValue Concatenate(TypeSpec spec, std::span<const GraphValue> children) {
  GraphValue out{std::move(spec), {}};
  for (const GraphValue& child : children) {
    out.components.insert(out.components.end(), child.components.begin(), child.components.end());
  }
  return out;
}

GraphValue TupleOfValues(std::span<const GraphValue> elements) {
  std::vector<TypeSpec> types;
  for (const GraphValue& element : elements) types.push_back(element.spec);
  return Concatenate(TupleType(std::move(types)), elements);
}

// `names` are unlike each other; items of a dict are in byte order.
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
  return Concatenate(std::move(type), values);
}

class Specializer {
 public:
  Specializer(const FunctionLibrary& library, const SpecializeOptions& options)
      : library_(library), builder_({.optimize = options.optimize}) {}

  // The parameters of `function` from those of its monomorphic type, whose variadic arguments stand
  // one by one.
  StatusOr<ParameterValues> AddInputs(const FunctionType& function, const FunctionType& type) {
    const auto& declared = function.parameters();
    size_t named = 0;  // declared parameters that are no *args or **kwargs
    size_t positional = 0;
    for (const Parameter& parameter : declared) {
      named += !IsVariadic(parameter);
      positional += parameter.kind <= ParameterKind::kPositionalOrKeyword;
    }
    const auto& given = type.parameters();
    size_t given_positional = static_cast<size_t>(
        std::count_if(given.begin(), given.end(), [](const Parameter& parameter) {
          return parameter.kind <= ParameterKind::kPositionalOrKeyword;
        }));
    if (given.size() < named || given_positional < positional) {
      return Internal("type `", type, "` is not one of `", function, "`");
    }
    ParameterValues values;
    size_t next = 0;
    for (const Parameter& parameter : declared) {
      if (parameter.kind == ParameterKind::kVarPositional) {
        std::vector<GraphValue> elements;
        for (; next < given_positional; ++next)
          elements.push_back(builder_.AddInput(given[next].type));
        values.push_back(TupleOfValues(elements));
      } else if (parameter.kind == ParameterKind::kVarKeyword) {
        std::vector<std::pair<std::string, GraphValue>> items;
        for (; next < given.size(); ++next) {
          items.emplace_back(given[next].name, builder_.AddInput(given[next].type));
        }
        SIGNET_ASSIGN_OR_RETURN(GraphValue dict, DictOfValues(std::move(items)));
        values.push_back(std::move(dict));
      } else {
        values.push_back(builder_.AddInput(given[next++].type));
      }
    }
    return values;
  }

  StatusOr<GraphValue> Inline(const FunctionDef& function, const ParameterValues& parameters) {
    if (depth_ == kMaxCallDepth) {
      return InvalidArgument("functions call one another deeper than ", kMaxCallDepth);
    }
    ++depth_;
    auto result = InlineAtDepth(function, parameters);
    --depth_;
    return result;
  }

  FlatGraph Finish(const GraphValue& result) { return std::move(builder_).Finish(result); }

 private:
  using NodeValues = std::vector<std::vector<GraphValue>>;  // outputs by node

  static bool IsVariadic(const Parameter& parameter) {
    return parameter.kind == ParameterKind::kVarPositional ||
           parameter.kind == ParameterKind::kVarKeyword;
  }

  StatusOr<GraphValue> InlineAtDepth(const FunctionDef& function,
                                     const ParameterValues& parameters) {
    NodeValues nodes;
    nodes.reserve(function.graph.nodes.size());
    for (const GraphNode& node : function.graph.nodes) {
      auto outputs = RunNode(function, node, parameters, nodes);
      if (!outputs.ok()) return At(Cat("node `", node.name, "`"), outputs.status());
      nodes.push_back(*std::move(outputs));
    }
    return Resolve(function.graph, function.graph.result, parameters, nodes);
  }

  StatusOr<GraphValue> Resolve(const Graph& graph, const GraphEdge& edge,
                               const ParameterValues& parameters, const NodeValues& nodes) {
    auto index = static_cast<size_t>(edge.index);
    switch (edge.kind) {
      case GraphEdge::Kind::kParameter:
        return parameters[index];
      case GraphEdge::Kind::kLiteral:
        return builder_.Constant(graph.literals[index]);
      case GraphEdge::Kind::kCapture: {
        auto found = library_.captures().find(graph.captures[index]);
        if (found == library_.captures().end()) {
          return NotFound("no capture `", graph.captures[index], "`");
        }
        return builder_.Constant(found->second);
      }
      case GraphEdge::Kind::kNode: {
        const auto& outputs = nodes[index];
        if (static_cast<size_t>(edge.output) >= outputs.size()) {
          return InvalidArgument("output ", edge.output, " of node `", graph.nodes[index].name,
                                 "`, which has ", outputs.size());
        }
        return outputs[static_cast<size_t>(edge.output)];
      }
    }
    __builtin_unreachable();
  }

  StatusOr<std::vector<GraphValue>> RunNode(const FunctionDef& function, const GraphNode& node,
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
      if (!IsStatic(value.spec)) {
        return InvalidArgument("attribute `", name, "` comes from a value of type `", value.spec,
                               "`; takes a literal");
      }
      attributes = attributes.With(name, value.spec);
    }
    switch (node.op->control) {
      case Control::kNone:
        return builder_.Call(*node.op, inputs, attributes);
      case Control::kCall:
        return CallFunction("function", inputs, attributes);
      case Control::kCond: {
        if (inputs.empty()) return InvalidArgument("no condition; takes one");
        SIGNET_ASSIGN_OR_RETURN(bool condition, LiteralBool(inputs[0]));
        return CallFunction(condition ? "then" : "else", std::span(inputs).subspan(1), attributes);
      }
    }
    __builtin_unreachable();
  }

  StatusOr<bool> LiteralBool(const GraphValue& value) {
    if (const auto* literal = value.spec.As<LiteralSpec>()) {
      if (literal->literal().is(Literal::Kind::kBool)) return literal->literal().bool_value();
    }
    if (value.components.size() == 1) {
      const Tensor* known = builder_.LookupConstant(value.components[0]);
      if (known != nullptr && known->dtype() == DType::kBool && known->rank() == 0) {
        return known->scalar<bool>();
      }
    }
    return InvalidArgument("the condition is `", value.spec,
                           "`, known only when the function runs; takes a literal bool");
  }

  StatusOr<std::vector<GraphValue>> CallFunction(std::string_view attribute,
                                                 std::span<const GraphValue> inputs,
                                                 const Attributes& attributes) {
    SIGNET_ASSIGN_OR_RETURN(std::string name, attributes.String(attribute));
    std::vector<std::string> keywords;
    if (attributes.Has("keywords")) {
      SIGNET_ASSIGN_OR_RETURN(keywords, attributes.Strings("keywords"));
    }
    const FunctionDef* callee = library_.Lookup(name);
    if (callee == nullptr) return NotFound("no function `", Printable(name), "` in this model");
    if (keywords.size() > inputs.size()) {
      return InvalidArgument(keywords.size(), " keywords for ", inputs.size(), " arguments");
    }
    SIGNET_ASSIGN_OR_RETURN(ParameterValues parameters, BindValues(*callee, inputs, keywords));
    auto result = Inline(*callee, parameters);
    if (!result.ok()) return At(Cat("function `", name, "`"), result.status());
    return std::vector<GraphValue>{*std::move(result)};
  }

  // The last of `inputs` are keyword arguments, named by `keywords`.
  StatusOr<ParameterValues> BindValues(const FunctionDef& callee,
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
          return Refuse("MISSING_DEFAULT", "no default value for `", parameter.name, "`");
        }
        value = builder_.Constant(found->second);
      }
      SIGNET_ASSIGN_OR_RETURN(value, Constrained(parameter, std::move(value)));
      values.push_back(std::move(value));
    }
    return values;
  }

  StatusOr<GraphValue> Constrained(const Parameter& parameter, GraphValue value) {
    if (!parameter.type || IsSubtype(value.spec, parameter.type)) return value;
    if (IsStatic(value.spec)) {
      auto cast = CastTo(Value::Trusted(value.spec, {}), parameter.type);
      if (!cast.ok()) return At(Cat("argument `", parameter.name, "`"), cast.status());
      return builder_.Constant(*cast);
    }
    return InvalidArgument("argument `", parameter.name, "` is `", value.spec,
                           "`; parameter takes `", parameter.type, "`");
  }

  const FunctionLibrary& library_;
  FlatBuilder builder_;
  int depth_ = 0;
};

}  // namespace

StatusOr<Specialization> Specialize(const FunctionDef& function, const FunctionType& type,
                                    const FunctionLibrary& library, SpecializeOptions options) {
  Specializer specializer(library, options);
  SIGNET_ASSIGN_OR_RETURN(ParameterValues inputs, specializer.AddInputs(function.type, type));
  SIGNET_ASSIGN_OR_RETURN(GraphValue result, specializer.Inline(function, inputs));
  const TypeSpec& declared = function.type.output();
  if (declared && !IsCompatible(declared, result.spec)) {
    return InvalidArgument("returns `", result.spec, "`; its signature says `", declared, "`");
  }
  Specialization made{specializer.Finish(result), result.spec};
  if (options.verify) SIGNET_RETURN_IF_ERROR(Verify(made.graph));
  if (options.optimize) {
    PruneDead(made.graph);
    if (options.verify) SIGNET_RETURN_IF_ERROR(Verify(made.graph));
  }
  return made;
}

}  // namespace signet
