#include "core/frontends/onnx/import/graph_importer.h"

#include <algorithm>

#include "core/frontends/onnx/import/graph_import.h"
#include "core/frontends/onnx/import/node_order.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/model/verify_functions.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

constexpr int64_t kMaxGraphNodes = 200'000;  // of all graphs, and of functions once per call
constexpr size_t kMaxListed = 200;           // operators without an op in an error

// Returns the name of the op for an operator.
std::string OpNameOf(const std::string& domain, const std::string& type) {
  if (domain.empty()) return Cat("onnx.", type);
  if (domain == "ai.onnx.ml") return Cat("onnx.ml.", type);
  return Cat("onnx.", domain, ".", type);
}

// Returns the number of outputs up to the last one that has a name.
int NumOutputs(const onnx::NodeProto& node) {
  int count = node.output_size();
  while (count > 0 && node.output(count - 1).empty()) --count;
  return count;
}

std::string PlaceOf(const onnx::NodeProto& node) {
  return Cat("node `", Printable(NameOf(node)), "` (", Printable(node.op_type()), ")");
}

const onnx::AttributeProto* LookupAttribute(const onnx::NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

// Fields of messages in newer versions of ONNX, which the schema does not contain.
constexpr int kFunctionAttributeField = 11;  // AttributeProto: an attribute with a default
constexpr int kFunctionOverloadField = 13;
constexpr int kNodeOverloadField = 8;

std::vector<std::string> UnknownField(const google::protobuf::Message& message, int number) {
  std::vector<std::string> out;
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      out.push_back(field.length_delimited());
    }
  }
  return out;
}

std::string OverloadOf(const google::protobuf::Message& message, int number) {
  auto found = UnknownField(message, number);
  return found.empty() ? "" : found.back();
}

}  // namespace

std::string NameOf(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.op_type();
}

// --- functions ----------------------------------------------------------------------------------

ImportedFunction::ImportedFunction(std::string name, const Captures& captures)
    : graph(BuiltinOps(), captures) {
  def.name = std::move(name);
}

GraphImporter::GraphImporter(const onnx::ModelProto& model, ExternalFiles& files, ModelDef& out)
    : model_(model), files_(files), out_(out) {
  for (const auto& opset : model.opset_import()) {
    opsets_[DomainOf(opset.domain())] = opset.version();
  }
  for (const auto& function : model.functions()) {
    functions_[{DomainOf(function.domain()), function.name(),
                OverloadOf(function, kFunctionOverloadField)}] = &function;
  }
}

Status GraphImporter::Import() {
  SIGNET_RETURN_IF_ERROR(ImportMain());
  SIGNET_RETURN_IF_ERROR(CheckUnsupported());
  for (auto& function : imported_) {
    FunctionDef& def = function->def;
    const std::string where = Cat("function `", def.name, "`");
    auto type = FunctionType::Make(std::move(function->parameters));
    if (!type.ok()) return At(where, type.status());
    def.type = *std::move(type);
    auto graph = std::move(function->graph).Finish(function->result);
    if (!graph.ok()) return At(where, graph.status());
    def.graph = *std::move(graph);
    out_.functions.push_back(std::move(def));
    function.reset();
  }
  return absl::OkStatus();
}

void GraphImporter::AddParameterNamed(ImportedFunction& function, const std::string& name) {
  function.parameters.push_back({.name = name});
  function.graph.AddParameter(name);
}

// --- nodes --------------------------------------------------------------------------------------

Status GraphImporter::ImportNodes(
    Scope& scope, const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  std::set<std::string_view> outputs;
  for (const onnx::NodeProto& node : nodes) {
    for (const std::string& output : node.output()) {
      if (output.empty() || (!scope.values.contains(output) && outputs.insert(output).second)) {
        continue;
      }
      return At(PlaceOf(node), InvalidArgument("duplicate output `", Printable(output),
                                               "`; an input, an initializer, or another node has "
                                               "the name, too"));
    }
  }
  for (int i : NodeOrder(nodes)) {
    SIGNET_RETURN_IF_ERROR(At(PlaceOf(nodes[i]), ImportNode(scope, nodes[i])));
  }
  return absl::OkStatus();
}

Status GraphImporter::ImportNode(Scope& scope, const onnx::NodeProto& node) {
  if (++num_nodes_ > kMaxGraphNodes) {
    return ResourceExhausted(
        "the nodes of all graphs, with functions once per call, exceed the limit of ",
        kMaxGraphNodes);
  }
  int ends = std::max(node.input_size(), node.output_size());
  if (ends > kMaxNodeInputs) {
    return ResourceExhausted(ends, " inputs or outputs exceed the limit of ", kMaxNodeInputs);
  }
  std::string domain = DomainOf(node.domain());
  auto function = functions_.find({domain, node.op_type(), OverloadOf(node, kNodeOverloadField)});
  if (function != functions_.end()) return ImportCall(scope, node, *function->second);
  if (domain.empty()) {
    if (node.op_type() == "Constant") return ImportConstant(scope, node);
    if (node.op_type() == "If") return ImportIf(scope, node);
    if (node.op_type() == "Loop") return ImportLoop(scope, node);
    if (node.op_type() == "Scan") return ImportScan(scope, node);
    if (node.op_type() == "SequenceMap") return ImportSequenceMap(scope, node);
  }
  if (domain == "ai.onnx.preview" && node.op_type() == "FlexAttention") {
    return ImportFlexAttention(scope, node);
  }
  return ImportOperator(scope, node, domain);
}

Status GraphImporter::ImportConstant(Scope& scope, const onnx::NodeProto& node) {
  if (node.attribute_size() != 1 || node.output_size() != 1) {
    return InvalidArgument("expected one attribute and one output, found ", node.attribute_size(),
                           " and ", node.output_size());
  }
  const onnx::AttributeProto* attribute = Resolve(scope, node.attribute(0));
  if (attribute == nullptr) return InvalidArgument("missing value");
  SIGNET_ASSIGN_OR_RETURN(CapturedValue value, CaptureFromAttribute(*attribute));
  scope.values[node.output(0)] =
      AddCapture(node.output(0), std::move(value), NarrowTypeOf(attribute->t().data_type()));
  return absl::OkStatus();
}

Status GraphImporter::ImportCall(Scope& scope, const onnx::NodeProto& node,
                                 const onnx::FunctionProto& function) {
  if (scope.depth == kMaxGraphDepth) {
    return InvalidArgument("the depth of calls exceeds the limit of ", kMaxGraphDepth);
  }
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    return InvalidArgument("expected at most ", function.input_size(), " inputs and ",
                           function.output_size(), " outputs, as the function has, found ",
                           node.input_size(), " and ", node.output_size());
  }
  std::map<std::string, int64_t> opsets;
  for (const auto& opset : function.opset_import()) {
    opsets[DomainOf(opset.domain())] = opset.version();
  }
  Scope inner{.function = scope.function, .opsets = &opsets, .depth = scope.depth + 1};
  for (const std::string& bytes : UnknownField(function, kFunctionAttributeField)) {
    auto attribute = std::make_unique<onnx::AttributeProto>();
    if (!attribute->ParseFromString(bytes)) {
      return InvalidArgument("function `", Printable(function.name()),
                             "`: expected an AttributeProto, found bytes that do not parse");
    }
    inner.attributes[attribute->name()] = attribute.get();
    defaults_.push_back(std::move(attribute));
  }
  for (const auto& attribute : node.attribute()) {
    if (const auto* given = Resolve(scope, attribute)) inner.attributes[attribute.name()] = given;
  }
  for (int i = 0; i < function.input_size(); ++i) {
    Reference input;
    if (i < node.input_size()) {
      SIGNET_ASSIGN_OR_RETURN(input, Find(scope, node.input(i)));
    }
    inner.values[function.input(i)] = std::move(input);
  }
  SIGNET_RETURN_IF_ERROR(ImportNodes(inner, function.node()));
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    SIGNET_ASSIGN_OR_RETURN(scope.values[node.output(i)], Find(inner, function.output(i)));
  }
  return absl::OkStatus();
}

int GraphImporter::NarrowTypeMade(const Scope& scope, const onnx::NodeProto& node,
                                  std::span<const Reference> inputs) {
  auto attribute = [&](std::string_view name) -> int64_t {
    const onnx::AttributeProto* found = LookupAttribute(node, name);
    found = found == nullptr ? nullptr : Resolve(scope, *found);
    return found == nullptr ? 0 : found->i();
  };
  auto input = [&](size_t i) { return i < inputs.size() ? inputs[i].narrow_type : 0; };
  const std::string& type = node.op_type();
  if (type == "Cast") return NarrowTypeOf(attribute("to"));
  if (type == "CastLike") return input(1);
  if (type == "QuantizeLinear") {
    int64_t stated = attribute("output_dtype");
    return stated == 0 ? input(2) : NarrowTypeOf(stated);
  }
  // All other operators that accept such elements move them.
  return type == "DequantizeLinear" || type == "Shape" || type == "Size" ? 0 : input(0);
}

Status GraphImporter::ImportOperator(Scope& scope, const onnx::NodeProto& node,
                                     const std::string& domain) {
  SIGNET_ASSIGN_OR_RETURN(ReferenceList inputs, FindInputs(scope, node));
  const int narrow_type = NarrowTypeMade(scope, node, inputs);
  std::string op_name = OpNameOf(domain, node.op_type());
  if (op_name == "onnx.CastLike" && narrow_type != 0) {
    op_name = "onnx.Cast";
    inputs.pop_back();
  }
  const OpDef* op = BuiltinOps().Lookup(op_name);
  if (op == nullptr) {
    ++unsupported_[domain.empty() ? node.op_type() : Cat(domain, ".", node.op_type())];
    for (const std::string& output : node.output()) scope.values[output] = {};
    return absl::OkStatus();
  }
  while (!inputs.empty() && inputs.back().kind == Reference::Kind::kAbsent) inputs.pop_back();
  const std::string name = names_.Make(NameOf(node));
  std::map<std::string, TypeSpec> attributes;
  for (const auto& written : node.attribute()) {
    const onnx::AttributeProto* attribute = Resolve(scope, written);
    // The values have types of their own, so attributes that are types are not needed.
    if (attribute == nullptr || attribute->has_tp()) continue;
    // The op may have the attribute as an input.
    auto input = std::find(op->inputs.begin(), op->inputs.end(), written.name() + "?");
    if (input != op->inputs.end()) {
      auto index = static_cast<size_t>(input - op->inputs.begin());
      SIGNET_ASSIGN_OR_RETURN(CapturedValue value, CaptureFromAttribute(*attribute));
      if (inputs.size() <= index) inputs.resize(index + 1);
      inputs[index] = AddCapture(Cat(name, "_", written.name()), std::move(value));
      continue;
    }
    bool known = std::any_of(op->attributes.begin(), op->attributes.end(),
                             [&](const AttributeDef& def) { return def.name == written.name(); });
    if (!known) {
      return Unimplemented("unsupported attribute `", Printable(written.name()), "` of `", op_name,
                           "`");
    }
    auto value = AttributeFromOnnx(*attribute);
    if (!value.ok()) {
      return At(Cat("attribute `", Printable(written.name()), "`"), value.status());
    }
    attributes.insert_or_assign(written.name(), *std::move(value));
  }
  for (const AttributeDef& def : op->attributes) {
    if (def.name == "opset") {
      auto version = scope.opsets->find(domain);
      if (version == scope.opsets->end()) {
        return InvalidArgument("missing opset_import of domain `", Printable(domain), "`");
      }
      attributes.insert_or_assign("opset", AttributeOf(version->second));
    }
    if (def.name == "node") attributes.insert_or_assign("node", AttributeOf(num_nodes_));
    if (def.name == "outputs") {
      attributes.insert_or_assign("outputs", AttributeOf(NumOutputs(node)));
    }
  }
  if (narrow_type != 0 && (op_name == "onnx.Cast" || node.op_type() == "QuantizeLinear")) {
    const char* key = op_name == "onnx.Cast" ? "to" : "output_dtype";
    attributes.insert_or_assign(key, AttributeOf(narrow_type));
  }
  const Reference made =
      AddNamedNode(scope, name, op_name, inputs, {attributes.begin(), attributes.end()});
  SetOutputs(scope, node, made);
  if (narrow_type != 0 && node.output_size() > 0) {
    scope.values[node.output(0)].narrow_type = narrow_type;
  }
  return absl::OkStatus();
}

// --- attributes ---------------------------------------------------------------------------------

StatusOr<const onnx::AttributeProto*> GraphImporter::GraphAttribute(const onnx::NodeProto& node,
                                                                    const std::string& name) {
  const onnx::AttributeProto* attribute = LookupAttribute(node, name);
  if (attribute != nullptr && attribute->has_g()) return attribute;
  return InvalidArgument("missing graph `", name, "`");
}

StatusOr<std::vector<int64_t>> GraphImporter::IntsAttribute(const Scope& scope,
                                                            const onnx::NodeProto& node,
                                                            std::string_view name) {
  const onnx::AttributeProto* attribute = LookupAttribute(node, name);
  if (attribute != nullptr) attribute = Resolve(scope, *attribute);
  if (attribute == nullptr) return std::vector<int64_t>();
  if (attribute->has_i()) return std::vector<int64_t>{attribute->i()};
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

const onnx::AttributeProto* GraphImporter::Resolve(const Scope& scope,
                                                   const onnx::AttributeProto& attribute) {
  if (attribute.ref_attr_name().empty()) return &attribute;
  auto found = scope.attributes.find(attribute.ref_attr_name());
  return found == scope.attributes.end() ? nullptr : found->second;
}

StatusOr<TypeSpec> AttributeFromOnnx(const onnx::AttributeProto& attribute) {
  switch (attribute.type()) {
    case onnx::AttributeProto::FLOAT:
      return AttributeOf(double{attribute.f()});
    case onnx::AttributeProto::INT:
      return AttributeOf(int64_t{attribute.i()});
    case onnx::AttributeProto::STRING:
      return AttributeOf(attribute.s());
    case onnx::AttributeProto::FLOATS:
      return AttributeListOf(
          std::vector<double>(attribute.floats().begin(), attribute.floats().end()));
    case onnx::AttributeProto::INTS:
      return AttributeListOf(
          std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
    case onnx::AttributeProto::STRINGS:
      return AttributeListOf(attribute.strings());
    default:
      return Unimplemented("unsupported ONNX type ", static_cast<int>(attribute.type()));
  }
}

StatusOr<CapturedValue> GraphImporter::CaptureFromAttribute(const onnx::AttributeProto& attribute) {
  switch (attribute.type()) {
    case onnx::AttributeProto::TENSOR:
      return CaptureFromOnnx(attribute.t(), files_);
    case onnx::AttributeProto::SPARSE_TENSOR:
      return CaptureFromOnnx(attribute.sparse_tensor(), files_);
    case onnx::AttributeProto::FLOAT:
      return Tensor::Scalar(attribute.f());
    case onnx::AttributeProto::INT:
      return Tensor::Scalar(int64_t{attribute.i()});
    case onnx::AttributeProto::STRING: {
      std::string_view text = attribute.s();
      return Tensor::Strings({}, {&text, 1});
    }
    case onnx::AttributeProto::FLOATS:
      return Tensor::Of<float>(
          {attribute.floats_size()},
          std::span(attribute.floats().data(), static_cast<size_t>(attribute.floats_size())));
    case onnx::AttributeProto::INTS: {
      std::vector<int64_t> elements(attribute.ints().begin(), attribute.ints().end());
      return Tensor::Of<int64_t>({attribute.ints_size()}, std::span<const int64_t>(elements));
    }
    case onnx::AttributeProto::STRINGS: {
      std::vector<std::string_view> elements(attribute.strings().begin(),
                                             attribute.strings().end());
      return Tensor::Strings({attribute.strings_size()}, elements);
    }
    default:
      return Unimplemented("attribute `", Printable(attribute.name()), "`: unsupported ONNX type ",
                           static_cast<int>(attribute.type()));
  }
}

// --- names --------------------------------------------------------------------------------------

StatusOr<Reference> GraphImporter::Find(Scope& scope, const std::string& name) {
  if (name.empty()) return Reference{};
  auto found = scope.values.find(name);
  if (found != scope.values.end()) return found->second;
  if (scope.outer == nullptr) {
    return InvalidArgument("input, initializer, or output of an earlier node `", Printable(name),
                           "` not found");
  }
  SIGNET_ASSIGN_OR_RETURN(Reference found_outside, Find(*scope.outer, name));
  if (found_outside.kind == Reference::Kind::kValue && scope.captured != nullptr) {
    CapturedOuterValues& captured = *scope.captured;
    const GraphEdge& edge = found_outside.edge;
    auto [known, is_new] =
        captured.indices.try_emplace({edge.kind, edge.index, edge.output}, captured.values.size());
    if (is_new) {
      captured.values.push_back(found_outside);
      captured.names.push_back(names_.Make(name));
    }
    CloseBody(*scope.function, captured);
    const size_t own = scope.function->parameters.size() - scope.function->num_captured;
    found_outside.edge = {GraphEdge::Kind::kParameter, static_cast<int>(own + known->second)};
  }
  scope.values[name] = found_outside;
  return found_outside;
}

StatusOr<ReferenceList> GraphImporter::FindInputs(Scope& scope, const onnx::NodeProto& node) {
  ReferenceList inputs;
  for (const std::string& input : node.input()) {
    SIGNET_ASSIGN_OR_RETURN(inputs.emplace_back(), Find(scope, input));
  }
  return inputs;
}

Reference GraphImporter::AddCapture(std::string_view name, CapturedValue value, int narrow_type) {
  std::string unique = names_.Make(name);
  out_.captures.emplace(unique, std::move(value));
  return CaptureReference(std::move(unique), narrow_type);
}

GraphEdge GraphImporter::EdgeOf(ImportedFunction& function, const Reference& reference) {
  switch (reference.kind) {
    case Reference::Kind::kAbsent:
      return function.graph.AddLiteral(Literal());
    case Reference::Kind::kCapture:
      return function.graph.AddCapture(reference.capture);
    case Reference::Kind::kValue:
      return reference.edge;
  }
  __builtin_unreachable();
}

Reference GraphImporter::AddNode(Scope& scope, std::string_view name, std::string_view op,
                                 std::span<const Reference> inputs, NamedTypes attributes) {
  return AddNamedNode(scope, names_.Make(name), op, inputs, std::move(attributes));
}

Reference GraphImporter::AddNamedNode(Scope& scope, std::string_view name, std::string_view op,
                                      std::span<const Reference> inputs, NamedTypes attributes) {
  GraphBuilder::Edges edges;
  edges.reserve(inputs.size());
  for (const Reference& input : inputs) edges.push_back(EdgeOf(*scope.function, input));
  return ValueReference(
      scope.function->graph.AddNode(name, op, std::move(edges), std::move(attributes)));
}

void GraphImporter::SetOutputs(Scope& scope, const onnx::NodeProto& node, const Reference& made) {
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    scope.values[node.output(i)] = OutputOf(made, static_cast<size_t>(i));
  }
}

Status GraphImporter::CheckUnsupported() const {
  if (unsupported_.empty()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const auto& [name, count] : unsupported_) {
    if (names.size() == kMaxListed) {
      names.push_back(Cat("and ", unsupported_.size() - kMaxListed, " more"));
      break;
    }
    names.push_back(count == 1 ? Printable(name) : Cat(Printable(name), " (", count, " nodes)"));
  }
  return Unimplemented("unsupported operators: ", Join(names, ", "));
}

Status ImportGraph(const onnx::ModelProto& model, ExternalFiles& files, ModelDef& out) {
  return GraphImporter(model, files, out).Import();
}

}  // namespace signet
