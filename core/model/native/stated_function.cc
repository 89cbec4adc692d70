#include "core/model/native/stated_function.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/graph/body/function_references.h"
#include "core/graph/body/graph_builder.h"
#include "core/graph/body/verify.h"
#include "core/model/dimension_checks.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/limits.h"
#include "core/model/native/references.h"
#include "core/model/verify_functions.h"
#include "core/ops/catalog.h"
#include "core/types/identifier.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

Status CheckName(std::string_view name) {
  if (name.size() <= kMaxNameLength && IsIdentifier(name)) return absl::OkStatus();
  return InvalidArgument(
      "expected a name of a letter or `_`, then letters, digits, or `_`, at most ", kMaxNameLength,
      " characters, found `", Printable(name), "`");
}

// --- signature ----------------------------------------------------------------------------------

StatusOr<FunctionType> WithoutNames(const FunctionType& type) {
  std::vector<Parameter> parameters = type.parameters();
  for (Parameter& parameter : parameters) {
    if (!parameter.type) continue;
    SIGNET_ASSIGN_OR_RETURN(parameter.type, WithoutTensorNames(parameter.type));
  }
  TypeSpec output = type.output();
  if (output) {
    SIGNET_ASSIGN_OR_RETURN(output, WithoutTensorNames(output));
  }
  return FunctionType::Make(std::move(parameters), type.captures(), std::move(output));
}

// Checks that the model defines all extension types in `spec`.
Status CheckExtensions(const TypeSpec& spec, const TypeRegistry& types) {
  if (spec.is(TypeKind::kExtension)) SIGNET_RETURN_IF_ERROR(types.CheckType(spec));
  for (const TypeSpec& child : spec.children()) {
    SIGNET_RETURN_IF_ERROR(CheckExtensions(child, types));
  }
  return absl::OkStatus();
}

Status CheckType(const FunctionType& type, const ModelScope& model) {
  for (const Parameter& parameter : type.parameters()) {
    if (!parameter.type) continue;
    SIGNET_RETURN_IF_ERROR(
        At(Cat("parameter `", parameter.name, "`"), CheckExtensions(parameter.type, model.types)));
  }
  if (type.output()) {
    SIGNET_RETURN_IF_ERROR(At("output", CheckExtensions(type.output(), model.types)));
  }
  for (const Capture& capture : type.captures()) {
    auto found = model.captures.find(capture.name);
    if (found == model.captures.end()) {
      return NotFound("capture `", Printable(capture.name), "`, which `type` names, not found");
    }
    if (!IsSubtype(found->second.spec(), capture.type)) {
      return InvalidArgument("capture `", Printable(capture.name), "`: expected `", capture.type,
                             "` as in `type`, found `", found->second.spec(), "`");
    }
  }
  return absl::OkStatus();
}

Status CheckDefaults(const FunctionType& type, const Defaults& defaults) {
  for (const Parameter& parameter : type.parameters()) {
    auto found = defaults.find(parameter.name);
    if (parameter.optional && found == defaults.end()) {
      return InvalidWithReason("MISSING_DEFAULT", "optional parameter `", parameter.name,
                               "` has no default value");
    }
  }
  for (const auto& [name, value] : defaults) {
    const Parameter* parameter = type.LookupParameter(name);
    if (parameter == nullptr || !parameter->optional) {
      return InvalidArgument("default of `", Printable(name),
                             "`: expected the name of an optional parameter");
    }
  }
  return absl::OkStatus();
}

Status CheckParameterDocs(const FunctionDef& def) {
  for (const auto& [name, doc] : def.parameter_docs) {
    if (def.type.LookupParameter(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const Parameter& parameter : def.type.parameters()) names.push_back(parameter.name);
    return NotFound("parameter_docs: parameter `", Printable(name),
                    "` not found; parameters: ", ListNames(std::move(names)));
  }
  return absl::OkStatus();
}

// --- body ---------------------------------------------------------------------------------------

// Builds a graph with one GraphBuilder. References need the edges of all nodes, so the nodes are
// declared first.
class BodyReader {
 public:
  explicit BodyReader(const Captures& captures)
      : captures_(captures), build_(BuiltinOps(), captures), references_(captures, build_) {}

  Status AddParameters(const FunctionType& type, const DimensionNames& dimension_names) {
    for (const Parameter& parameter : type.parameters()) {
      if (captures_.contains(parameter.name)) {
        return InvalidArgument("parameter `", parameter.name,
                               "`: duplicate name; a capture has it, too");
      }
      build_.AddParameter(parameter.name);
    }
    AddSizeChecks(type.parameters(), dimension_names, build_);
    return build_.status();
  }

  Status AddNodes(std::span<const StatedNode> nodes) {
    SIGNET_RETURN_IF_ERROR(CheckNumberOfNodes(nodes.size()));
    std::vector<GraphEdge> edges;
    for (size_t i = 0; i < nodes.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(At(PlaceOfNode(nodes[i].name, i), CheckNodeName(nodes[i].name)));
      edges.push_back(build_.DeclareNode(nodes[i].name));
      SIGNET_RETURN_IF_ERROR(build_.status());
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(At(PlaceOfNode(nodes[i].name, i), DefineNode(edges[i], nodes[i])));
      SIGNET_RETURN_IF_ERROR(build_.status());  // with the place
    }
    return absl::OkStatus();
  }

  StatusOr<Graph> Finish(std::string_view result) && {
    auto edge = ResolveResult(result);
    if (!edge.ok()) return At("result", edge.status());
    return std::move(build_).Finish(*edge);
  }

 private:
  Status CheckNodeName(std::string_view name) const {
    SIGNET_RETURN_IF_ERROR(CheckName(name));
    if (!captures_.contains(absl::string_view(name.data(), name.size()))) return absl::OkStatus();
    return InvalidArgument("duplicate name; a capture has it, too");
  }

  Status DefineNode(GraphEdge edge, const StatedNode& node) {
    if (node.op.empty()) return InvalidArgument("missing op");
    SIGNET_ASSIGN_OR_RETURN(const OpDef* op, BuiltinOps().FindCallable(node.op));
    GraphBuilder::Edges inputs;
    inputs.reserve(node.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      auto input = references_.Resolve(node.inputs[i]);
      if (!input.ok()) return At(Cat("input ", i), input.status());
      inputs.push_back(*input);
    }
    NamedTypes attributes;
    GraphBuilder::AttributeEdges attribute_edges;
    for (const auto& [name, attribute] : node.attributes) {
      SIGNET_RETURN_IF_ERROR(At(Cat("attribute `", Printable(name), "`"),
                                AddAttribute(*op, name, attribute, attributes, attribute_edges)));
    }
    build_.DefineNode(edge, node.op, std::move(inputs), Attributes(std::move(attributes)),
                      std::move(attribute_edges));
    return absl::OkStatus();
  }

  Status AddAttribute(const OpDef& op, const std::string& name, const StatedAttribute& attribute,
                      NamedTypes& attributes, GraphBuilder::AttributeEdges& attribute_edges) {
    const auto* value = std::get_if<TypeSpec>(&attribute);
    const auto* function = std::get_if<NamedFunction>(&attribute);
    if (NamesFunctions(op, name) &&
        (value == nullptr || !Attributes({{name, *value}}).Strings(name).ok())) {
      return InvalidArgument(
          "expected names of functions of the model, `strings { values: \"NAME\" ... }`");
    }
    if (NamesFunction(op, name) && function == nullptr) {
      return InvalidArgument("expected the name of a function of the model, `function: \"NAME\"`");
    }
    if (value != nullptr) {
      attributes.emplace_back(name, *value);
    } else if (function != nullptr) {
      attributes.emplace_back(name, AttributeOf(function->name));
    } else {
      SIGNET_ASSIGN_OR_RETURN(GraphEdge edge,
                              references_.Resolve(std::get<FromValue>(attribute).reference));
      attribute_edges.emplace_back(name, edge);
    }
    return absl::OkStatus();
  }

  StatusOr<GraphEdge> ResolveResult(std::string_view reference) {
    if (!reference.empty()) return references_.Resolve(reference);
    return InvalidArgument("missing reference to the value that the function returns");
  }

  const Captures& captures_;
  GraphBuilder build_;
  References references_;
};

}  // namespace

StatusOr<Signature> ParseSignatureOf(std::string_view name, std::string_view text) {
  auto parsed = ParseSignature(text);
  if (!parsed.ok()) return At("signature", parsed.status());
  if (parsed->name.empty() || parsed->name == name) return parsed;
  return InvalidArgument("signature: expected the name `", name, "` or no name, found `",
                         parsed->name, "`");
}

Status CheckNumberOfNodes(size_t count) {
  if (count <= static_cast<size_t>(kMaxNodes)) return absl::OkStatus();
  return InvalidArgument(count, " nodes exceed the limit of ", kMaxNodes);
}

StatusOr<FunctionDef> MakeFunctionHead(StatedFunction function, const ModelScope& model) {
  FunctionDef def;
  def.name = std::move(function.name);
  def.doc = std::move(function.doc);
  SIGNET_ASSIGN_OR_RETURN(def.type, WithoutNames(function.signature.type));
  def.defaults = std::move(function.signature.defaults);
  SIGNET_RETURN_IF_ERROR(CheckType(def.type, model));
  SIGNET_RETURN_IF_ERROR(CheckDefaults(def.type, def.defaults));
  def.parameter_docs = std::move(function.parameter_docs);
  SIGNET_RETURN_IF_ERROR(CheckParameterDocs(def));
  def.examples = std::move(function.examples);
  def.dimension_names = std::move(function.signature.dimension_names);
  return def;
}

StatusOr<FunctionDef> MakeFunction(StatedFunction function, const ModelScope& model) {
  const std::vector<StatedNode> nodes = std::move(function.nodes);
  const std::string_view result = function.result;
  SIGNET_ASSIGN_OR_RETURN(FunctionDef def, MakeFunctionHead(std::move(function), model));
  BodyReader body(model.captures);
  SIGNET_RETURN_IF_ERROR(body.AddParameters(def.type, def.dimension_names));
  SIGNET_RETURN_IF_ERROR(body.AddNodes(nodes));
  SIGNET_ASSIGN_OR_RETURN(def.graph, std::move(body).Finish(result));
  return def;
}

std::string PlaceOfFunction(std::string_view name, size_t index) {
  return name.empty() ? Cat("function ", index) : Cat("function `", Printable(name), "`");
}

Status CheckFunctionNames(std::span<const std::string_view> names) {
  if (names.empty()) return InvalidArgument("expected at least one function, found none");
  if (names.size() > static_cast<size_t>(kMaxFunctions)) {
    return InvalidArgument(names.size(), " functions exceed the limit of ", kMaxFunctions);
  }
  absl::flat_hash_set<std::string_view> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    Status status = CheckName(names[i]);
    if (status.ok() && !seen.insert(names[i]).second) {
      status = InvalidArgument("duplicate name of a function");
    }
    if (!status.ok()) return At(PlaceOfFunction(names[i], i), std::move(status));
  }
  return absl::OkStatus();
}

}  // namespace signet
