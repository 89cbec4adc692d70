#include "core/model/native/function_to_proto.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "core/formats/signet_wire/wire.h"
#include "core/function/signature.h"
#include "core/graph/body/function_references.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/bracket_keys.h"
#include "core/model/native/limits.h"
#include "core/model/native/literal_value.h"
#include "core/types/identifier.h"
#include "core/values/builders/value_notation.h"
#include "signet/dtype.h"

namespace signet {
namespace {

constexpr size_t kMaxInlineBytes = 256;  // of a default in the message; larger ones are captures

// A name that starts with `name` and that `is_taken` does not return true for.
template <class IsTaken>
std::string UniqueName(std::string_view name, const IsTaken& is_taken) {
  std::string unique(name);
  for (int i = 2; is_taken(unique); ++i) unique = Cat(name, "_", i);
  return unique;
}

bool IsReadBackAs(const v1::Attribute& proto, const TypeSpec& value) {
  auto read = AttributeFromProto(proto);
  return read.ok() && *read == value;
}

// Writes `value` in the shortest form that reads back as the same value.
StatusOr<v1::Attribute> AttributeToProto(const std::string& name, const TypeSpec& value) {
  const Attributes source({{name, value}});
  v1::Attribute out;
  auto is_written = [&] { return IsReadBackAs(out, value); };
  if (auto flag = source.Bool(name); flag.ok()) {
    out.set_bool_(*flag);
    if (is_written()) return out;
  }
  if (auto number = source.Int(name); number.ok()) {
    out.set_int_(*number);
    if (is_written()) return out;
  }
  if (auto number = source.Float(name); number.ok()) {
    out.set_float_(*number);
    if (is_written()) return out;
  }
  if (auto text = source.String(name); text.ok()) {
    if (name.find("dtype") != std::string::npos && LookupDType(*text)) {
      out.set_type(*text);
    } else {
      out.set_string(*text);
    }
    if (is_written()) return out;
  }
  if (auto numbers = source.Ints(name); numbers.ok()) {
    out.mutable_ints()->mutable_values()->Add(numbers->begin(), numbers->end());
    if (is_written()) return out;
  }
  if (auto texts = source.Strings(name); texts.ok()) {
    for (std::string& text : *texts) out.mutable_strings()->add_values(std::move(text));
    if (is_written()) return out;
  }
  out.set_literal(value.ToString());
  if (is_written()) return out;
  out.set_type(value.ToString());
  if (is_written()) return out;
  return Unimplemented("attribute `", Printable(name), "`: `", value, "` cannot be written");
}

class FunctionWriter {
 public:
  FunctionWriter(const FunctionDef& def, Captures& captures)
      : def_(def), graph_(def.graph), captures_(captures) {
    for (const Parameter& parameter : def.type.parameters()) names_.insert(parameter.name);
  }

  StatusOr<v1::Function> Write() {
    out_.set_name(def_.name);
    out_.set_doc(def_.doc);
    SIGNET_RETURN_IF_ERROR(WriteSignature());
    for (const auto& [name, doc] : def_.parameter_docs)
      (*out_.mutable_parameter_docs())[name] = doc;
    for (const std::string& example : def_.examples) out_.add_examples(example);
    NameNodes();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(At(Cat("node `", Printable(graph_.nodes[i].name), "`"), WriteNode(i)));
    }
    SIGNET_ASSIGN_OR_RETURN(std::string result, ReferenceTo(graph_.result));
    out_.set_result(std::move(result));
    return std::move(out_);
  }

 private:
  bool IsTaken(std::string_view name) const {
    return names_.contains(absl::string_view(name.data(), name.size())) ||
           captures_.contains(absl::string_view(name.data(), name.size()));
  }

  // --- the signature
  // ------------------------------------------------------------------------------

  Status WriteSignature() {
    std::string text = FormatSignature("", def_.type, def_.defaults, def_.dimension_names);
    if (IsSignature(text)) {
      out_.set_signature(std::move(text));
      return absl::OkStatus();
    }
    *out_.mutable_type() = wire::FunctionTypeToProto(def_.type);
    for (const auto& [name, value] : def_.defaults) {
      if (CapturedValue(value).num_bytes() > kMaxInlineBytes) {
        SIGNET_ASSIGN_OR_RETURN((*out_.mutable_default_captures())[name],
                                CaptureOf(Cat(name, "_default"), value));
      } else {
        (*out_.mutable_defaults())[name] = wire::ValueToProto(value);
      }
    }
    for (const auto& [parameter, names] : def_.dimension_names) {
      v1::Attribute::Strings& list = (*out_.mutable_dimension_names())[parameter];
      for (const std::string& name : names) list.add_values(name);
    }
    return absl::OkStatus();
  }

  // Returns whether `text` states the signature completely.
  bool IsSignature(const std::string& text) const {
    auto parsed = ParseSignature(text);
    if (!parsed.ok() || parsed->type != def_.type ||
        parsed->dimension_names != def_.dimension_names ||
        parsed->defaults.size() != def_.defaults.size()) {
      return false;
    }
    return std::all_of(def_.defaults.begin(), def_.defaults.end(), [&](const auto& entry) {
      auto found = parsed->defaults.find(entry.first);
      return found != parsed->defaults.end() && SameValue(found->second, entry.second);
    });
  }

  // Returns the name of a capture that is `value`: one of the model, or a new one.
  StatusOr<std::string> CaptureOf(const std::string& name, const Value& value) {
    auto known = captures_.find(name);
    if (known != captures_.end() && known->second.spec() == value.spec()) {
      SIGNET_ASSIGN_OR_RETURN(Value captured, known->second.Get());
      if (SameValue(captured, value)) return name;
    }
    std::string unique = UniqueName(name, [this](const auto& text) { return IsTaken(text); });
    captures_.emplace(unique, value);
    return unique;
  }

  // --- nodes
  // --------------------------------------------------------------------------------------

  // Keeps the names of nodes that a model may use, and makes names for the other nodes.
  void NameNodes() {
    node_names_.resize(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::string& name = graph_.nodes[i].name;
      if (!IsIdentifier(name) || name.size() > kMaxNameLength || IsTaken(name)) continue;
      names_.insert(name);
      node_names_[i] = name;
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (!node_names_[i].empty() || node.checks_signature) continue;
      if (IsReferencedPart(node)) {
        node_names_[i] = node.name;
        continue;
      }
      node_names_[i] =
          UniqueName(Cat("node_", i), [this](const auto& text) { return IsTaken(text); });
      names_.insert(node_names_[i]);
    }
  }

  // Returns whether references create `node` by its name, such as `x.amount` or `x[0, 1:]`.
  bool IsReferencedPart(const GraphNode& node) {
    if (node.inputs.empty() || !node.attribute_edges.empty() || IsTaken(node.name) ||
        node.name.size() > kMaxReferenceLength ||
        std::count(node.name.begin(), node.name.end(), '.') > kMaxReferenceDepth) {
      return false;
    }
    auto base = ReferenceTo(node.inputs[0]);
    if (!base.ok() || !node.name.starts_with(*base)) return false;
    const std::string_view rest = std::string_view(node.name).substr(base->size());
    if (rest.starts_with('.')) return IsField(node, rest.substr(1));
    return rest.starts_with('[') && AreKeys(node, rest);
  }

  static bool IsField(const GraphNode& node, std::string_view field) {
    if (field.empty() || node.inputs.size() != 1 || field.find_first_of(".[:") != field.npos) {
      return false;
    }
    if (field.find_first_not_of("0123456789") != field.npos) {
      return node.op->name == "struct_get" &&
             node.attributes == Attributes({{"field", AttributeOf(field)}});
    }
    auto index = ParseLiteralValue(field);
    return index.ok() && node.op->name == "get_item" &&
           node.attributes == Attributes({{"key", index->spec()}});
  }

  bool AreKeys(const GraphNode& node, std::string_view text) {
    auto keys = ReadBracketKeys(text);
    if (!keys.ok() || keys->size != text.size() || node.op->name != "get_item" ||
        keys->references.size() + 1 != node.inputs.size() ||
        node.attributes != Attributes({{"key", AttributeOf(std::span(keys->keys))}})) {
      return false;
    }
    for (size_t i = 0; i < keys->references.size(); ++i) {
      auto reference = ReferenceTo(node.inputs[i + 1]);
      if (!reference.ok() || *reference != keys->references[i]) return false;
    }
    return true;
  }

  Status WriteNode(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    // Reading the signature adds its checks again, and references add the parts that they name.
    if (node.checks_signature || !IsIdentifier(node_names_[i])) return absl::OkStatus();
    v1::Node& out = *out_.add_nodes();
    out.set_name(node_names_[i]);
    out.set_op(node.op->name);
    for (const GraphEdge& edge : node.inputs) {
      SIGNET_ASSIGN_OR_RETURN(*out.add_inputs(), ReferenceTo(edge));
    }
    for (const AttributeDef& attribute : node.op->attributes) {
      const TypeSpec value = node.attributes.Lookup(attribute.name);
      if (!value || value == attribute.default_value) continue;
      v1::Attribute& written = (*out.mutable_attributes())[attribute.name];
      if (NamesFunction(*node.op, attribute.name)) {
        SIGNET_ASSIGN_OR_RETURN(std::string function, node.attributes.String(attribute.name));
        written.set_function(std::move(function));
      } else {
        SIGNET_ASSIGN_OR_RETURN(written, AttributeToProto(attribute.name, value));
      }
    }
    for (const auto& [name, edge] : node.attribute_edges) {
      SIGNET_ASSIGN_OR_RETURN(std::string from, ReferenceTo(edge));
      (*out.mutable_attributes())[name].set_from(std::move(from));
    }
    return absl::OkStatus();
  }

  StatusOr<std::string> ReferenceTo(const GraphEdge& edge) {
    const auto index = static_cast<size_t>(edge.index);
    switch (edge.kind) {
      case GraphEdge::Kind::kParameter:
        return def_.type.parameters()[index].name;
      case GraphEdge::Kind::kCapture:
        return graph_.captures[index];
      case GraphEdge::Kind::kLiteral:
        return ReferenceToLiteral(graph_.literals[index]);
      case GraphEdge::Kind::kNode:
        break;
    }
    const std::string& name = node_names_[index];
    if (name.empty()) return Unimplemented("a result of a check of the signature is used");
    if (edge.output == 0) return name;
    if (IsIdentifier(name)) return Cat(name, ":", edge.output);
    return Unimplemented("output ", edge.output, " of `", Printable(name), "` cannot be written");
  }

  StatusOr<std::string> ReferenceToLiteral(const Value& value) {
    if (CapturedValue(value).num_bytes() <= kMaxReferenceLength) {
      std::string text = ToString(value);
      // Names come before values: `float32` in `float32[] 0.5` may be the name of a parameter.
      const bool is_name = IsTaken(text.substr(0, text.find_first_of(".:["))) || IsTaken(text);
      auto read = ParseLiteralValue(text);
      if (!is_name && text.size() <= kMaxReferenceLength && read.ok() && SameValue(*read, value)) {
        return text;
      }
    }
    return CaptureOf("literal", value);
  }

  const FunctionDef& def_;
  const Graph& graph_;
  Captures& captures_;
  v1::Function out_;
  absl::flat_hash_set<std::string> names_;  // of parameters and nodes
  // By node: its name in the message, or the reference that creates it. Empty for checks of the
  // signature.
  std::vector<std::string> node_names_;
};

}  // namespace

StatusOr<v1::Function> FunctionToProto(const FunctionDef& def, Captures& captures) {
  return FunctionWriter(def, captures).Write();
}

}  // namespace signet
