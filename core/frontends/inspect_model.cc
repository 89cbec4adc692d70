#include "core/frontends/inspect_model.h"

#include <algorithm>

#include "core/frontends/load_model.h"
#include "core/function/signature.h"
#include "core/model/metadata_keys.h"
#include "core/model/native/model_files.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

constexpr int64_t kShownElements = 8;  // of a constant

// `text`, each line `indent` spaces in.
std::string Indented(std::string_view text, size_t indent) {
  std::string out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out.append(indent, ' ').append(text.substr(0, end));
    out.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string SizeInWords(size_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  size_t tenths = bytes * 10;
  while (tenths >= 10240 && unit + 1 < std::size(kUnits)) {
    tenths /= 1024;
    ++unit;
  }
  std::string digits = unit == 0 ? Cat(bytes) : Cat(tenths / 10, ".", tenths % 10);
  return Cat(digits, " ", kUnits[unit]);
}

class GraphWriter {
 public:
  explicit GraphWriter(const FunctionDef& function) : function_(function) {}

  std::string Nodes() const {
    std::string out;
    for (const GraphNode& node : function_.graph.nodes) {
      out.append(Cat("    ", node.name, " = ", node.op->name, "(", Arguments(node), ")\n"));
    }
    return out;
  }

  std::string Result() const { return EdgeText(function_.graph.result); }

 private:
  std::string Arguments(const GraphNode& node) const {
    std::vector<std::string> parts;
    for (const GraphEdge& edge : node.inputs) parts.push_back(EdgeText(edge));
    for (const auto& [name, value] : node.attributes.entries()) {
      if (!IsDefault(*node.op, name, value)) parts.push_back(Cat(name, "=", value));
    }
    for (const auto& [name, edge] : node.attribute_edges) {
      parts.push_back(Cat(name, "=", EdgeText(edge)));
    }
    return Join(parts, ", ");
  }

  static bool IsDefault(const OpDef& op, std::string_view name, const TypeSpec& value) {
    return std::any_of(op.attributes.begin(), op.attributes.end(), [&](const AttributeDef& def) {
      return def.name == name && def.default_value == value;
    });
  }

  std::string EdgeText(const GraphEdge& edge) const {
    const Graph& graph = function_.graph;
    auto index = static_cast<size_t>(edge.index);
    switch (edge.kind) {
      case GraphEdge::Kind::kParameter:
        return function_.type.parameters()[index].name;
      case GraphEdge::Kind::kCapture:
        return graph.captures[index];
      case GraphEdge::Kind::kLiteral:
        return ToString(graph.literals[index], kShownElements);
      case GraphEdge::Kind::kNode:
        return edge.output == 0 ? graph.nodes[index].name
                                : Cat(graph.nodes[index].name, ":", edge.output);
    }
    __builtin_unreachable();
  }

  const FunctionDef& function_;
};

std::string DescribeFunction(const FunctionDef& function) {
  std::string out = Cat(
      "  ",
      FormatSignature(function.name, function.type, function.defaults, function.dimension_names),
      "\n");
  out.append(Indented(function.doc, 4));
  for (const Parameter& parameter : function.type.parameters()) {
    auto doc = function.parameter_docs.find(parameter.name);
    if (doc != function.parameter_docs.end()) {
      out.append(Indented(Cat(parameter.name, ": ", doc->second), 6));
    }
  }
  GraphWriter writer(function);
  return Cat(out, "\n", writer.Nodes(), "    return ", writer.Result(), "\n");
}

std::string DescribeFunctionsOf(const ExtensionFunctions& functions) {
  std::string out;
  for (const std::string& invariant : functions.invariants) {
    out.append(Cat("    invariant ", invariant, "\n"));
  }
  for (const OverrideDef& override : functions.overrides) {
    out.append(Cat("    override ", override.op.empty() ? NameOf(override.family) : override.op,
                   "(", Join(override.inputs, ", "), ") by ", override.function, "\n"));
  }
  for (const ConversionDef& conversion : functions.conversions) {
    out.append(Cat("    conversion from ", conversion.from, " by ", conversion.function, "\n"));
  }
  return out;
}

std::string DescribeType(const ExtensionTypeDef& type) {
  const ExtensionDeclaration& declaration = type.declaration;
  std::vector<std::string> components;
  for (const auto& [name, component] : declaration.components) {
    std::string constraint = component ? component.ToString() : "";
    for (const auto& [templated, written] : declaration.templates) {
      if (templated == name) constraint = written.text();
    }
    components.push_back(constraint.empty() ? name : Cat(name, ": ", constraint));
  }
  std::string statics =
      declaration.attributes.empty() ? "" : Cat("<", Join(declaration.attributes, ", "), ">");
  std::string parent = declaration.parent.empty() ? "" : Cat(", a kind of ", declaration.parent);
  std::string older;
  for (const TypeSpec& form : declaration.older) older += Cat("    older ", form, "\n");
  return Cat("  ", declaration.name, statics, "(", Join(components, ", "), ")", parent, "\n",
             Indented(type.doc, 4), declaration.batches ? "" : "    never batched\n",
             DescribeFunctionsOf(type.functions), older);
}

std::span<const std::string> MessageTypesOf(const ModelDef& model) {
  if (model.messages == nullptr) return {};
  return model.messages->message_names();
}

std::string DescribeCaptures(const Captures& captures) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : captures) {
    std::string size = SizeInWords(value.num_bytes());
    lines.push_back(Cat("  ", name, ": ", value.spec(), ", ", size, "\n"));
  }
  std::sort(lines.begin(), lines.end());
  return Join(lines, "");
}

}  // namespace

std::string DescribeModel(const ModelDef& model, std::string_view name) {
  std::string out = Cat("model ", name, "\n", Indented(model.doc, 2));
  std::string metadata;
  for (const auto& [key, value] : model.metadata) {
    if (!IsForPrograms(key)) metadata += Cat("  ", key, ": ", value, "\n");
  }
  if (!metadata.empty()) out.append("\nmetadata\n").append(metadata);
  if (!model.extension_types.empty()) out.append("\nextension types\n");
  for (const ExtensionTypeDef& type : model.extension_types) out.append(DescribeType(type));
  if (model.messages != nullptr) out.append("\nmessage types\n");
  for (const std::string& type : MessageTypesOf(model)) out.append(Cat("  ", type, "\n"));
  if (!model.captures.empty()) out.append(Cat("\ncaptures\n", DescribeCaptures(model.captures)));
  for (const FunctionDef& function : model.functions) {
    out.append(Cat("\nfunction\n", DescribeFunction(function)));
  }
  return out;
}

StatusOr<std::string> InspectModel(const std::filesystem::path& folder) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef model, LoadServedModelDef(folder, Limits()));
  return DescribeModel(model, PlaceOf(folder));
}

}  // namespace signet
