// The function `main` of a model.onnx: its signature, from the graph's inputs and initializers.

#include "core/formats/signet_wire/wire.h"
#include "core/frontends/onnx/import/graph_import.h"
#include "core/frontends/onnx/import/null_inputs.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/types/identifier.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr size_t kMostDefaultBytes = 256;  // in the message; larger ones are captures
constexpr size_t kMostParameters = 4096;

// Whether `name` stands for one size: writers put `?`, `None` and the like for any.
bool IsSymbol(const std::string& name) {
  return IsIdentifier(name) && name != "None" && name != "unknown" && name != "_";
}

void AddLine(std::string_view line, v1::Function& function) {
  std::string& doc = *function.mutable_doc();
  if (!doc.empty() && doc.back() != '\n') doc += '\n';
  doc += line;
}

}  // namespace

Status GraphImporter::ImportMain() {
  const onnx::GraphProto& graph = model_.graph();
  v1::Function& main = *out_.add_functions();
  main.set_name(names_.Take("main"));
  main.set_doc(graph.doc_string());
  main.mutable_type();
  Scope scope{.function = &main, .opsets = &opsets_};
  std::set<std::string> initialized;
  for (const auto& tensor : graph.initializer()) initialized.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) initialized.insert(tensor.values().name());
  // Up to IR 3 every initializer had to be an input as well.
  bool defaults = model_.ir_version() >= 4;
  std::set<std::string> parameters;
  const std::map<std::string, Literal> nulls = FindNullInputs(graph);
  // Those with defaults come behind those without, as in Python.
  for (bool optional : {false, true}) {
    for (const auto& input : graph.input()) {
      bool has_default = initialized.contains(input.name());
      if (has_default != optional || (has_default && !defaults)) continue;
      if (!parameters.insert(input.name()).second) {
        return InvalidArgument("input `", Printable(input.name()), "` twice");
      }
      if (parameters.size() > kMostParameters) {
        return ResourceExhausted("more than ", kMostParameters, " inputs");
      }
      SIGNET_RETURN_IF_ERROR(AddParameter(scope, input, has_default, nulls));
    }
  }
  SIGNET_RETURN_IF_ERROR(AddInitializers(scope, graph, parameters));
  for (const auto& input : graph.input()) {
    if (!input.type().has_optional_type() || !parameters.contains(input.name())) continue;
    std::string& text = scope.values[input.name()].text;
    text = AddNode(scope, text, "onnx.Optional", {text}).name();
  }
  SIGNET_RETURN_IF_ERROR(ImportNodes(scope, graph.node()));
  if (graph.output_size() == 0) return InvalidArgument("the graph has no outputs");
  std::vector<std::string> references;
  for (const auto& output : graph.output()) {
    auto found = Find(scope, output.name());
    if (!found.ok()) return At(Cat("output `", Printable(output.name()), "`"), found.status());
    references.push_back(found->text);
    if (output.type().has_sequence_type() || output.type().has_optional_type()) {
      references.back() =
          AddNode(scope, output.name(), "onnx.SequenceResult", {found->text}).name();
    }
  }
  if (references.size() == 1) {
    main.set_result(references[0]);
    AddLine(Cat("Returns `", Printable(graph.output(0).name()), "` of the ONNX graph."), main);
    return absl::OkStatus();
  }
  Names keys;
  v1::Node& result = AddNode(scope, "result", "make_dict");
  auto& names = *(*result.mutable_attributes())["names"].mutable_strings();
  for (int i = 0; i < graph.output_size(); ++i) {
    result.add_inputs(references[static_cast<size_t>(i)]);
    const std::string& output = graph.output(i).name();
    std::string key = keys.Take(output);
    if (key != output) {
      AddLine(Cat("`", key, "` is `", Printable(output), "` in the ONNX graph."), main);
    }
    names.add_values(std::move(key));
  }
  main.set_result(result.name());
  return absl::OkStatus();
}

Status GraphImporter::AddParameter(Scope& scope, const onnx::ValueInfoProto& input,
                                   bool has_default, const std::map<std::string, Literal>& nulls) {
  v1::Function& function = *scope.function;
  std::string name = names_.Take(input.name());
  v1::Parameter& parameter = *function.mutable_type()->add_parameters();
  parameter.set_name(name);
  parameter.set_kind(v1::Parameter::POSITIONAL_OR_KEYWORD);
  parameter.set_optional(has_default);
  scope.values[input.name()] = {name, false, NarrowTypeOf(input.type().tensor_type().elem_type())};
  std::string doc = input.doc_string();
  if (input.name() != name) doc = Cat("`", Printable(input.name()), "` in the ONNX graph. ", doc);
  if (input.type().has_tensor_type()) {
    const auto& tensor = input.type().tensor_type();
    auto dtype = DTypeFromOnnx(tensor.elem_type());
    if (!dtype) {
      return At(Cat("input `", Printable(input.name()), "`"),
                Unimplemented("elements of ONNX type ", tensor.elem_type()));
    }
    PartialShape shape;
    if (tensor.has_shape()) {
      Dims dims;
      v1::Attribute::Strings names;
      bool is_named = false;
      for (const auto& dim : tensor.shape().dim()) {
        // Writers put 0 or less for what may be any size.
        bool known = dim.has_dim_value() && dim.dim_value() > 0;
        dims.push_back(known ? dim.dim_value() : kUnknownDim);
        names.add_values(IsSymbol(dim.dim_param()) ? dim.dim_param() : "");
        is_named |= IsSymbol(dim.dim_param());
      }
      if (is_named) (*function.mutable_dimension_names())[name] = std::move(names);
      shape = PartialShape(std::span<const int64_t>(dims));
    }
    TypeSpec type = TensorType(*dtype, std::move(shape));
    if (auto null = nulls.find(input.name()); null != nulls.end()) {
      type = type.rep().WithNotes({}, {{}, {}, LiteralType(null->second)});
    }
    parameter.mutable_type()->set_text(type.ToString());
  }
  while (!doc.empty() && (doc.back() == ' ' || doc.back() == '\n')) doc.pop_back();
  if (!doc.empty()) (*function.mutable_parameter_docs())[name] = doc;
  return absl::OkStatus();
}

Status GraphImporter::AddInitializers(Scope& scope, const onnx::GraphProto& graph,
                                      const std::set<std::string>& parameters) {
  auto add = [&](const std::string& name, int data_type, StatusOr<CapturedValue> tensor) -> Status {
    SIGNET_RETURN_IF_ERROR(tensor.status());
    if (parameters.contains(name)) {
      const std::string& parameter = scope.values[name].text;
      if (tensor->num_bytes() > kMostDefaultBytes) {
        (*scope.function->mutable_default_captures())[parameter] =
            AddCapture(Cat(name, "_default"), *std::move(tensor));
      } else {
        SIGNET_ASSIGN_OR_RETURN(Value value, tensor->Get());
        (*scope.function->mutable_defaults())[parameter] = wire::ValueToProto(value);
      }
    } else {
      scope.values[name] = {AddCapture(name, *std::move(tensor)), true, NarrowTypeOf(data_type)};
    }
    return absl::OkStatus();
  };
  for (const auto& tensor : graph.initializer()) {
    SIGNET_RETURN_IF_ERROR(add(tensor.name(), tensor.data_type(), CaptureFromOnnx(tensor, files_)));
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    SIGNET_RETURN_IF_ERROR(
        add(tensor.values().name(), tensor.values().data_type(), CaptureFromOnnx(tensor, files_)));
  }
  return absl::OkStatus();
}

}  // namespace signet
