#include "core/frontends/onnx/import/graph_importer.h"

#include <algorithm>

#include "core/frontends/onnx/import/graph_import.h"
#include "core/frontends/onnx/import/node_order.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/model/native/limits.h"
#include "core/ops/catalog.h"

namespace signet {
namespace {

constexpr int64_t kMaxGraphNodes = 200'000;  // of all graphs, functions once a call
constexpr size_t kMostListed = 200;          // of operators without an op

// The op that stands for an operator.
std::string OpNameOf(const std::string& domain, const std::string& type) {
  if (domain.empty()) return Cat("onnx.", type);
  if (domain == "ai.onnx.ml") return Cat("onnx.ml.", type);
  return Cat("onnx.", domain, ".", type);
}

// The number of the last output that somebody may read, plus 1.
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

// Fields that the schema here does not know yet, of messages that newer versions have them in.
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

GraphImporter::GraphImporter(const onnx::ModelProto& model, ExternalFiles& files, v1::Model& out,
                             Captures& captures)
    : model_(model), files_(files), out_(out), captures_(captures) {
  for (const auto& opset : model.opset_import()) {
    opsets_[DomainOf(opset.domain())] = opset.version();
  }
  for (const auto& function : model.functions()) {
    functions_[{DomainOf(function.domain()), function.name(),
                OverloadOf(function, kFunctionOverloadField)}] = &function;
  }
}

void GraphImporter::AddParameterNamed(v1::Function& function, const std::string& name) {
  v1::Parameter& parameter = *function.mutable_type()->add_parameters();
  parameter.set_name(name);
  parameter.set_kind(v1::Parameter::POSITIONAL_OR_KEYWORD);
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
      return At(PlaceOf(node), InvalidArgument("output `", Printable(output),
                                               "` is also that of another node, an input or an "
                                               "initializer; takes a name of its own"));
    }
  }
  for (int i : NodeOrder(nodes)) {
    SIGNET_RETURN_IF_ERROR(At(PlaceOf(nodes[i]), ImportNode(scope, nodes[i])));
  }
  return absl::OkStatus();
}

Status GraphImporter::ImportNode(Scope& scope, const onnx::NodeProto& node) {
  if (++num_nodes_ > kMaxGraphNodes) {
    return ResourceExhausted("more than ", kMaxGraphNodes, " nodes with those of functions");
  }
  int ends = std::max(node.input_size(), node.output_size());
  if (ends > kMaxNodeInputs) {
    return ResourceExhausted(ends, " inputs or outputs; takes ", kMaxNodeInputs);
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
    return InvalidArgument("takes one attribute and one output");
  }
  const onnx::AttributeProto* attribute = Resolve(scope, node.attribute(0));
  if (attribute == nullptr) return InvalidArgument("takes a value");
  SIGNET_ASSIGN_OR_RETURN(CapturedValue value, CaptureFromAttribute(*attribute));
  scope.values[node.output(0)] = {AddCapture(node.output(0), std::move(value)), true,
                                  NarrowTypeOf(attribute->t().data_type())};
  return absl::OkStatus();
}

Status GraphImporter::ImportCall(Scope& scope, const onnx::NodeProto& node,
                                 const onnx::FunctionProto& function) {
  if (scope.depth == kMaxGraphDepth) {
    return InvalidArgument("functions call one another deeper than ", kMaxGraphDepth);
  }
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    return InvalidArgument(node.input_size(), " inputs and ", node.output_size(),
                           " outputs; the function has ", function.input_size(), " and ",
                           function.output_size());
  }
  std::map<std::string, int64_t> opsets;
  for (const auto& opset : function.opset_import()) {
    opsets[DomainOf(opset.domain())] = opset.version();
  }
  Scope inner{.function = scope.function, .opsets = &opsets, .depth = scope.depth + 1};
  for (const std::string& bytes : UnknownField(function, kFunctionAttributeField)) {
    auto attribute = std::make_unique<onnx::AttributeProto>();
    if (!attribute->ParseFromString(bytes)) {
      return InvalidArgument("an attribute of function `", Printable(function.name()),
                             "` is no message of that kind");
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
  // Of the others, those that take such elements move them.
  return type == "DequantizeLinear" || type == "Shape" || type == "Size" ? 0 : input(0);
}

Status GraphImporter::ImportOperator(Scope& scope, const onnx::NodeProto& node,
                                     const std::string& domain) {
  std::vector<Reference> references;
  for (const std::string& input : node.input()) {
    SIGNET_ASSIGN_OR_RETURN(references.emplace_back(), Find(scope, input));
  }
  const int narrow_type = NarrowTypeMade(scope, node, references);
  std::string op_name = OpNameOf(domain, node.op_type());
  if (op_name == "onnx.CastLike" && narrow_type != 0) {
    op_name = "onnx.Cast";
    references.pop_back();
  }
  const OpDef* op = BuiltinOps().Lookup(op_name);
  if (op == nullptr) {
    ++unsupported_[domain.empty() ? node.op_type() : Cat(domain, ".", node.op_type())];
    for (const std::string& output : node.output()) scope.values[output] = {};
    return absl::OkStatus();
  }
  std::vector<std::string> inputs;
  for (Reference& reference : references) inputs.push_back(std::move(reference.text));
  while (!inputs.empty() && inputs.back() == kAbsent) inputs.pop_back();
  std::string name = names_.Take(NameOf(node));
  v1::Node out;
  for (const auto& written : node.attribute()) {
    const onnx::AttributeProto* attribute = Resolve(scope, written);
    // Types say nothing that values do not.
    if (attribute == nullptr || attribute->has_tp()) continue;
    // An attribute that the op takes as an input.
    auto input = std::find(op->inputs.begin(), op->inputs.end(), written.name() + "?");
    if (input != op->inputs.end()) {
      auto index = static_cast<size_t>(input - op->inputs.begin());
      SIGNET_ASSIGN_OR_RETURN(CapturedValue value, CaptureFromAttribute(*attribute));
      if (inputs.size() <= index) inputs.resize(index + 1, kAbsent);
      inputs[index] = AddCapture(Cat(name, "_", written.name()), std::move(value));
      continue;
    }
    bool known = std::any_of(op->attributes.begin(), op->attributes.end(),
                             [&](const AttributeDef& def) { return def.name == written.name(); });
    if (!known) {
      return Unimplemented("attribute `", Printable(written.name()), "`, which `", op_name,
                           "` does not have");
    }
    SIGNET_RETURN_IF_ERROR(
        At(Cat("attribute `", Printable(written.name()), "`"), AddAttribute(*attribute, out)));
    if (attribute->name() != written.name()) {  // of a call in place, under another name
      auto& attributes = *out.mutable_attributes();
      attributes[written.name()] = attributes[attribute->name()];
      attributes.erase(attribute->name());
    }
  }
  for (const AttributeDef& def : op->attributes) {
    if (def.name == "opset") {
      auto version = scope.opsets->find(domain);
      if (version == scope.opsets->end()) {
        return InvalidArgument("no version of domain `", Printable(domain), "` is imported");
      }
      (*out.mutable_attributes())["opset"].set_int_(version->second);
    }
    if (def.name == "node") (*out.mutable_attributes())["node"].set_int_(num_nodes_);
    if (def.name == "outputs") (*out.mutable_attributes())["outputs"].set_int_(NumOutputs(node));
  }
  if (narrow_type != 0 && (op_name == "onnx.Cast" || node.op_type() == "QuantizeLinear")) {
    const char* key = op_name == "onnx.Cast" ? "to" : "output_dtype";
    (*out.mutable_attributes())[key].set_int_(narrow_type);
  }
  out.set_name(name);
  out.set_op(op_name);
  for (std::string& input : inputs) out.add_inputs(std::move(input));
  *scope.function->add_nodes() = std::move(out);
  SetOutputs(scope, node, name, ":");
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
  return InvalidArgument("no graph `", name, "`; takes one");
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

Status GraphImporter::AddAttribute(const onnx::AttributeProto& attribute, v1::Node& out) {
  v1::Attribute value;
  switch (attribute.type()) {
    case onnx::AttributeProto::FLOAT:
      value.set_float_(attribute.f());
      break;
    case onnx::AttributeProto::INT:
      value.set_int_(attribute.i());
      break;
    case onnx::AttributeProto::STRING:
      value.set_string(attribute.s());
      break;
    case onnx::AttributeProto::FLOATS:
      value.mutable_floats();
      for (float element : attribute.floats()) value.mutable_floats()->add_values(element);
      break;
    case onnx::AttributeProto::INTS:
      value.mutable_ints();
      for (int64_t element : attribute.ints()) value.mutable_ints()->add_values(element);
      break;
    case onnx::AttributeProto::STRINGS:
      value.mutable_strings();
      for (const auto& element : attribute.strings()) value.mutable_strings()->add_values(element);
      break;
    default:
      return Unimplemented("of ONNX type ", static_cast<int>(attribute.type()));
  }
  (*out.mutable_attributes())[attribute.name()] = std::move(value);
  return absl::OkStatus();
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
      return Unimplemented("attribute `", Printable(attribute.name()), "` of ONNX type ",
                           static_cast<int>(attribute.type()));
  }
}

// --- names --------------------------------------------------------------------------------------

StatusOr<Reference> GraphImporter::Find(Scope& scope, const std::string& name) {
  if (name.empty()) return Reference{};
  auto found = scope.values.find(name);
  if (found != scope.values.end()) return found->second;
  if (scope.outer == nullptr) {
    return InvalidArgument("no input, initializer or output of a node before is called `",
                           Printable(name), "`");
  }
  SIGNET_ASSIGN_OR_RETURN(Reference outside, Find(*scope.outer, name));
  if (!outside.is_outer && scope.taken != nullptr) {
    auto [parameter, is_new] = scope.taken->parameters.try_emplace(outside.text);
    if (is_new) {
      parameter->second = names_.Take(name);
      scope.taken->references.push_back(outside.text);
    }
    outside = {parameter->second, false, outside.narrow_type};
  }
  scope.values[name] = outside;
  return outside;
}

std::string GraphImporter::AddCapture(std::string_view name, CapturedValue value) {
  std::string taken = names_.Take(name);
  captures_.emplace(taken, std::move(value));
  return taken;
}

v1::Node& GraphImporter::AddNode(Scope& scope, std::string_view name, std::string_view op,
                                 std::initializer_list<std::string> inputs) {
  v1::Node& node = *scope.function->add_nodes();
  node.set_name(names_.Take(name));
  node.set_op(std::string(op));
  for (const std::string& input : inputs) node.add_inputs(input);
  return node;
}

void GraphImporter::SetOutputs(Scope& scope, const onnx::NodeProto& node, const std::string& name,
                               std::string_view separator) {
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    bool is_name = i == 0 && separator == ":";
    scope.values[node.output(i)] = {is_name ? name : Cat(name, separator, i), false};
  }
}

Status GraphImporter::CheckUnsupported() const {
  if (unsupported_.empty()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const auto& [name, count] : unsupported_) {
    if (names.size() == kMostListed) {
      names.push_back(Cat("and ", unsupported_.size() - kMostListed, " more"));
      break;
    }
    names.push_back(count == 1 ? Printable(name) : Cat(Printable(name), " (", count, " nodes)"));
  }
  return Unimplemented("operators that there is nothing for here: ", Join(names, ", "));
}

Status ImportGraph(const onnx::ModelProto& model, ExternalFiles& files, v1::Model& out,
                   Captures& captures) {
  return GraphImporter(model, files, out, captures).Import();
}

}  // namespace signet
