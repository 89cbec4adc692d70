#include "signet/model_builder.h"

#include <iterator>
#include <map>

#include "core/formats/common/limits.h"
#include "core/graph/body/verify.h"
#include "core/model/complete_model.h"
#include "core/model/extension_type_def.h"
#include "core/model/message_types.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/build_model_def.h"
#include "core/model/native/stated_function.h"
#include "core/model/native/utf8_check.h"
#include "core/model/native/writer.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // Clang 14 does not find it by itself

struct NodeText {
  std::string name;
  std::string op;
  Strings inputs;
  NodeAttributes attributes;
};

struct FunctionText {
  std::string name;
  std::string signature;
  std::string doc;
  std::map<std::string, std::string> parameter_docs;
  Strings examples;
  Strings batch;
  std::vector<NodeText> nodes;
  std::string result;
};

// --- functions ----------------------------------------------------------------------------------

StatusOr<StatedAttribute> StateAttribute(const NodeAttribute& attribute) {
  using Stated = StatusOr<StatedAttribute>;
  return std::visit(Overloaded{
                        [](bool value) -> Stated { return AttributeOf(value); },
                        [](int64_t value) -> Stated { return AttributeOf(value); },
                        [](double value) -> Stated { return AttributeOf(value); },
                        [](const std::string& value) -> Stated { return AttributeOf(value); },
                        [](const Ints& values) -> Stated { return AttributeOf(std::span(values)); },
                        [](const Floats& values) -> Stated { return AttributeListOf(values); },
                        [](const Strings& values) -> Stated { return AttributeListOf(values); },
                        [](const FromValue& value) -> Stated { return value; },
                        [](const NamedFunction& value) -> Stated { return value; },
                        [](const WrittenType& value) -> Stated {
                          SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeAttributeOf(value.text));
                          return type;
                        },
                    },
                    attribute);
}

StatusOr<StatedNode> StateNode(const NodeText& node) {
  StatedNode out{.name = node.name,
                 .op = node.op,
                 .inputs = {node.inputs.begin(), node.inputs.end()},
                 .attributes = {}};
  for (const auto& [name, attribute] : node.attributes) {
    auto value = StateAttribute(attribute);
    if (!value.ok()) return At(Cat("attribute `", Printable(name), "`"), value.status());
    out.attributes.insert_or_assign(name, *std::move(value));
  }
  return out;
}

Status CheckTexts(const FunctionText& function) {
  SIGNET_RETURN_IF_ERROR(At("doc", CheckUtf8(function.doc)));
  for (const auto& [name, doc] : function.parameter_docs) {
    SIGNET_RETURN_IF_ERROR(At(Cat("parameter_docs: `", Printable(name), "`"), CheckUtf8(doc)));
  }
  for (const std::string& example : function.examples) {
    SIGNET_RETURN_IF_ERROR(At("examples", CheckUtf8(example)));
  }
  return absl::OkStatus();
}

StatusOr<FunctionDef> BuildFunction(const FunctionText& function, const ModelScope& model) {
  if (function.signature.empty()) return InvalidArgument("missing signature");
  SIGNET_RETURN_IF_ERROR(CheckTexts(function));
  SIGNET_ASSIGN_OR_RETURN(Signature signature, ParseSignatureOf(function.name, function.signature));
  StatedFunction stated{
      .name = function.name,
      .doc = function.doc,
      .signature = std::move(signature),
      .parameter_docs = {function.parameter_docs.begin(), function.parameter_docs.end()},
      .examples = function.examples,
      .nodes = {},
      .result = function.result};
  for (const NodeText& node : function.nodes) {
    auto made = StateNode(node);
    if (!made.ok()) return At(PlaceOfNode(node.name, stated.nodes.size()), made.status());
    stated.nodes.push_back(*std::move(made));
  }
  return MakeFunction(std::move(stated), model);
}

// --- extension types ----------------------------------------------------------------------------

OpFamily FamilyNamed(std::string_view name) {
  for (OpFamily family :
       {OpFamily::kUnaryElementwise, OpFamily::kBinaryElementwise, OpFamily::kReduction}) {
    if (NameOf(family) == name) return family;
  }
  return OpFamily::kNone;
}

Status AddComponent(const std::string& name, const std::string& type,
                    ExtensionDeclaration& declaration) {
  TypeSpec component;
  if (TypeTemplate::HasPlaces(type)) {
    SIGNET_ASSIGN_OR_RETURN(TypeTemplate written,
                            TypeTemplate::Parse(type, declaration.attributes));
    declaration.templates.emplace_back(name, std::move(written));
  } else if (!type.empty()) {
    SIGNET_ASSIGN_OR_RETURN(component, ParsePlainType(type));
  }
  declaration.components.emplace_back(name, std::move(component));
  return absl::OkStatus();
}

}  // namespace

// --- FunctionBuilder ----------------------------------------------------------------------------

struct FunctionBuilder::Contents : FunctionText {};

FunctionBuilder& FunctionBuilder::Doc(std::string_view text) {
  contents_.doc = text;
  return *this;
}

FunctionBuilder& FunctionBuilder::ParameterDoc(std::string_view parameter, std::string_view text) {
  contents_.parameter_docs[std::string(parameter)] = text;
  return *this;
}

FunctionBuilder& FunctionBuilder::Example(std::string_view arguments) {
  contents_.examples.emplace_back(arguments);
  return *this;
}

FunctionBuilder& FunctionBuilder::Batch(const Strings& parameters) {
  contents_.batch = parameters;
  return *this;
}

FunctionBuilder& FunctionBuilder::Node(std::string_view name, std::string_view op,
                                       const Strings& inputs, const NodeAttributes& attributes) {
  contents_.nodes.push_back({std::string(name), std::string(op), inputs, attributes});
  return *this;
}

FunctionBuilder& FunctionBuilder::Result(std::string_view reference) {
  contents_.result = reference;
  return *this;
}

// --- ModelBuilder -------------------------------------------------------------------------------

struct ModelBuilder::Contents {
  // A function, and the builder that refers to it.
  struct Entry {
    FunctionBuilder::Contents contents;
    FunctionBuilder builder{contents};
  };

  std::string doc;
  std::vector<std::unique_ptr<Entry>> functions;
  std::vector<ExtensionType> extension_types;
  Captures captures;
  std::map<std::string, std::string> metadata;
  std::string descriptor_set;
  std::map<std::string, std::string> message_fields;
};

ModelBuilder::ModelBuilder(std::string_view doc) : contents_(std::make_unique<Contents>()) {
  contents_->doc = doc;
}

ModelBuilder::~ModelBuilder() = default;

FunctionBuilder& ModelBuilder::AddFunction(std::string_view name, std::string_view signature) {
  contents_->functions.push_back(std::make_unique<Contents::Entry>());
  Contents::Entry& entry = *contents_->functions.back();
  entry.contents.name = name;
  entry.contents.signature = signature;
  return entry.builder;
}

ModelBuilder& ModelBuilder::AddCapture(std::string_view name, Value value) {
  contents_->captures.insert_or_assign(std::string(name), std::move(value));
  return *this;
}

ModelBuilder& ModelBuilder::AddMetadata(std::string_view key, std::string_view value) {
  contents_->metadata[std::string(key)] = value;
  return *this;
}

ModelBuilder& ModelBuilder::AddExtensionType(const ExtensionType& type) {
  contents_->extension_types.push_back(type);
  return *this;
}

ModelBuilder& ModelBuilder::SetDescriptorSet(std::string_view bytes) {
  contents_->descriptor_set = bytes;
  return *this;
}

ModelBuilder& ModelBuilder::AddMessageField(std::string_view step, std::string_view name) {
  contents_->message_fields[std::string(step)] = name;
  return *this;
}

StatusOr<ExtensionTypeDef> BuildExtensionType(const ExtensionType& type) {
  SIGNET_RETURN_IF_ERROR(At("doc", CheckUtf8(type.doc)));
  ExtensionTypeDef out;
  out.doc = type.doc;
  ExtensionDeclaration& declaration = out.declaration;
  declaration.name = type.name;
  declaration.parent = type.parent;
  declaration.attributes = type.statics;
  declaration.batches = type.batches;
  for (const auto& [name, component] : type.components) {
    SIGNET_RETURN_IF_ERROR(
        At(Cat("component `", Printable(name), "`"), AddComponent(name, component, declaration)));
  }
  out.functions.invariants = type.invariants;
  for (const ExtensionOverride& override : type.overrides) {
    out.functions.overrides.push_back(
        {.op = override.op,
         .family = override.op.empty() ? FamilyNamed(override.family) : OpFamily::kNone,
         .function = override.function,
         .inputs = override.inputs});
  }
  for (size_t i = 0; i < type.older.size(); ++i) {
    auto older = ParsePlainType(type.older[i]);
    if (!older.ok()) return At(Cat("older ", i), older.status());
    declaration.older.push_back(*std::move(older));
  }
  for (size_t i = 0; i < type.conversions.size(); ++i) {
    auto from = ParsePlainType(type.conversions[i].from);
    if (!from.ok()) return At(Cat("conversion ", i), from.status());
    out.functions.conversions.push_back({*std::move(from), type.conversions[i].function});
  }
  SIGNET_RETURN_IF_ERROR(AddOlderTypes(out));
  return out;
}

StatusOr<ModelDef> BuildModelDef(const ModelBuilder& builder) {
  const auto& contents = *builder.contents_;
  ModelDef out;
  SIGNET_RETURN_IF_ERROR(At("doc", CheckUtf8(contents.doc)));
  for (const auto& [key, value] : contents.metadata) {
    const std::string where = Cat("metadata: `", Printable(key), "`");
    SIGNET_RETURN_IF_ERROR(At(where, CheckUtf8(key)));
    SIGNET_RETURN_IF_ERROR(At(where, CheckUtf8(value)));
  }
  out.doc = contents.doc;
  out.captures = contents.captures;
  out.metadata = contents.metadata;
  out.message_fields = contents.message_fields;
  SIGNET_RETURN_IF_ERROR(AddMessageTypes(contents.descriptor_set, out));
  std::vector<ExtensionTypeDef> types;
  for (const ExtensionType& type : contents.extension_types) {
    auto built = BuildExtensionType(type);
    if (!built.ok()) return At(PlaceOfType(type.name), built.status());
    types.push_back(*std::move(built));
  }
  TypeRegistry registry;
  SIGNET_ASSIGN_OR_RETURN(out.extension_types, RegisterTypes(std::move(types), registry));
  std::vector<std::string_view> names;
  for (const auto& entry : contents.functions) names.emplace_back(entry->contents.name);
  SIGNET_RETURN_IF_ERROR(CheckFunctionNames(names));
  for (const auto& entry : contents.functions) {
    auto built = BuildFunction(entry->contents, {out.captures, registry});
    if (!built.ok()) {
      return At(PlaceOfFunction(entry->contents.name, out.functions.size()), built.status());
    }
    out.functions.push_back(*std::move(built));
    const Strings& batch = entry->contents.batch;
    if (!batch.empty()) out.batches.emplace(entry->contents.name, batch);
  }
  SIGNET_RETURN_IF_ERROR(CompleteModel(out, registry, {}));
  return out;
}

}  // namespace signet
