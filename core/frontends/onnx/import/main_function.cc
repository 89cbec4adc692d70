// The function `main` of a model.onnx: its signature, from the graph's inputs and initializers.

#include "core/frontends/onnx/import/graph_import.h"
#include "core/frontends/onnx/import/null_inputs.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/frontends/onnx/lower/build/field_names.h"
#include "core/model/dimension_checks.h"
#include "core/ops/def/attribute_list.h"
#include "core/types/identifier.h"
#include "core/types/notation/notation.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxDefaultBytes = 256;  // of a default value that is not also a capture
constexpr size_t kMaxParameters = 4096;

// Returns true if `name` is the name of one size. Exporters write `?`, `None`, and other words for
// any size.
bool IsSymbol(const std::string& name) {
  return IsIdentifier(name) && !IsPythonKeyword(name) && name != "unknown" && name != "_";
}

void AddLine(std::string_view line, std::string& doc) {
  if (!doc.empty() && doc.back() != '\n') doc += '\n';
  doc += line;
}

// Returns the labels of the classes of each output that has records with one field per class.
std::map<std::string, std::vector<std::string>> LabelsOfOutputs(const onnx::GraphProto& graph) {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& node : graph.node()) {
    if (node.op_type() != "ZipMap" || node.output_size() != 1) continue;
    std::vector<std::string>& labels = out[node.output(0)];
    for (const auto& attribute : node.attribute()) {
      for (const std::string& label : attribute.strings()) labels.push_back(label);
      for (int64_t label : attribute.ints()) labels.push_back(Cat(label));
    }
  }
  return out;
}

// Records the labels that differ from the names of their fields, in the result or in its item
// `key`.
void AddLabels(const std::map<std::string, std::vector<std::string>>& labels,
               const std::string& output, const std::string& key, FunctionDef& def) {
  auto found = labels.find(output);
  if (found == labels.end()) return;
  const std::vector<std::string> fields = FieldNamesOf(found->second);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] != found->second[i])
      def.source_results[Cat(key, ".", fields[i])] = found->second[i];
  }
}

}  // namespace

Status GraphImporter::ImportMain() {
  const onnx::GraphProto& graph = model_.graph();
  imported_.push_back(std::make_unique<ImportedFunction>(names_.Make("main"), out_.captures));
  ImportedFunction& main = *imported_.back();
  main.def.doc = graph.doc_string();
  Scope scope{.function = &main, .opsets = &opsets_};
  std::set<std::string> initialized;
  for (const auto& tensor : graph.initializer()) initialized.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) initialized.insert(tensor.values().name());
  // Up to IR 3 every initializer had to be an input as well.
  bool defaults = model_.ir_version() >= 4;
  for (const auto& input : graph.input()) names_.Reserve(input.name());
  std::set<std::string> parameters;
  const std::map<std::string, Literal> nulls = FindNullInputs(graph);
  // Parameters with default values follow the others, as in Python.
  for (bool optional : {false, true}) {
    for (const auto& input : graph.input()) {
      bool has_default = initialized.contains(input.name());
      if (has_default != optional || (has_default && !defaults)) continue;
      if (!parameters.insert(input.name()).second) {
        return InvalidArgument("duplicate input `", Printable(input.name()), "`");
      }
      if (parameters.size() > kMaxParameters) {
        return ResourceExhausted("inputs exceed the limit of ", kMaxParameters);
      }
      SIGNET_RETURN_IF_ERROR(AddParameter(scope, input, has_default, nulls));
    }
  }
  AddSizeChecks(main.parameters, main.def.dimension_names, main.graph);
  SIGNET_RETURN_IF_ERROR(AddInitializers(scope, graph, parameters));
  for (const auto& input : graph.input()) {
    if (!input.type().has_optional_type() || !parameters.contains(input.name())) continue;
    Reference& value = scope.values[input.name()];
    const size_t parameter = static_cast<size_t>(value.edge.index);
    value = AddNode(scope, main.parameters[parameter].name, "onnx.Optional", {value});
  }
  SIGNET_RETURN_IF_ERROR(ImportNodes(scope, graph.node()));
  if (graph.output_size() == 0) return InvalidArgument("expected a graph with outputs, found none");
  ReferenceList results;
  for (const auto& output : graph.output()) {
    auto found = Find(scope, output.name());
    if (!found.ok()) return At(Cat("output `", Printable(output.name()), "`"), found.status());
    results.push_back(*found);
    if (output.type().has_sequence_type() || output.type().has_optional_type()) {
      results.back() = AddNode(scope, output.name(), "onnx.SequenceResult", {*found});
    }
  }
  const auto labels = LabelsOfOutputs(graph);
  if (results.size() == 1) {
    main.result = EdgeOf(main, results[0]);
    main.def.source_results[""] = graph.output(0).name();
    AddLabels(labels, graph.output(0).name(), "", main.def);
    AddLine(Cat("Returns `", Printable(graph.output(0).name()), "` of the ONNX graph."),
            main.def.doc);
    return absl::OkStatus();
  }
  UniqueNames names;
  for (const auto& output : graph.output()) names.Reserve(output.name());
  std::vector<std::string> keys;
  for (const auto& output : graph.output()) {
    keys.push_back(names.Make(output.name()));
    AddLabels(labels, output.name(), keys.back(), main.def);
    if (keys.back() == output.name()) continue;
    main.def.source_results[keys.back()] = output.name();
    AddLine(Cat("`", keys.back(), "` is `", Printable(output.name()), "` in the ONNX graph."),
            main.def.doc);
  }
  main.result =
      AddNode(scope, "result", "make_dict", results, {{"names", AttributeListOf(keys)}}).edge;
  return absl::OkStatus();
}

Status GraphImporter::AddParameter(Scope& scope, const onnx::ValueInfoProto& input,
                                   bool has_default, const std::map<std::string, Literal>& nulls) {
  ImportedFunction& function = *scope.function;
  const std::string name = names_.Make(input.name());
  scope.values[input.name()] =
      ValueReference({GraphEdge::Kind::kParameter, static_cast<int>(function.parameters.size())},
                     NarrowTypeOf(input.type().tensor_type().elem_type()));
  AddParameterNamed(function, name);
  Parameter& parameter = function.parameters.back();
  parameter.optional = has_default;
  std::string doc = input.doc_string();
  if (input.name() != name) function.def.source_parameters[name] = input.name();
  if (input.name() != name) doc = Cat("`", Printable(input.name()), "` in the ONNX graph. ", doc);
  if (input.type().has_tensor_type()) {
    const auto& tensor = input.type().tensor_type();
    auto dtype = DTypeFromOnnx(tensor.elem_type());
    if (!dtype) {
      return At(Cat("input `", Printable(input.name()), "`"),
                Unimplemented("unsupported ONNX type of elements ", tensor.elem_type()));
    }
    PartialShape shape;
    if (tensor.has_shape()) {
      if (tensor.shape().dim_size() > kMaxNotationRank) {
        return At(Cat("input `", Printable(input.name()), "`"),
                  InvalidArgument("rank ", tensor.shape().dim_size(), " exceeds the limit of ",
                                  kMaxNotationRank));
      }
      Dims dims;
      std::vector<std::string> dimension_names;
      bool is_named = false;
      for (const auto& dim : tensor.shape().dim()) {
        // Exporters write 0 or less for any size.
        bool known = dim.has_dim_value() && dim.dim_value() > 0;
        dims.push_back(known ? dim.dim_value() : kUnknownDim);
        dimension_names.push_back(IsSymbol(dim.dim_param()) ? dim.dim_param() : "");
        is_named |= IsSymbol(dim.dim_param());
      }
      if (is_named) function.def.dimension_names[name] = std::move(dimension_names);
      shape = PartialShape(std::span<const int64_t>(dims));
    }
    TypeSpec type = TensorType(*dtype, std::move(shape));
    if (auto null = nulls.find(input.name()); null != nulls.end()) {
      type = type.rep().WithNotes({}, {{}, {}, LiteralType(null->second)});
    }
    parameter.type = std::move(type);
  }
  while (!doc.empty() && (doc.back() == ' ' || doc.back() == '\n')) doc.pop_back();
  if (!doc.empty()) function.def.parameter_docs[name] = std::move(doc);
  return absl::OkStatus();
}

Status GraphImporter::AddInitializers(Scope& scope, const onnx::GraphProto& graph,
                                      const std::set<std::string>& parameters) {
  auto add = [&](const std::string& name, int data_type, StatusOr<CapturedValue> tensor) -> Status {
    SIGNET_RETURN_IF_ERROR(tensor.status());
    if (!parameters.contains(name)) {
      scope.values[name] = AddCapture(name, *std::move(tensor), NarrowTypeOf(data_type));
      return absl::OkStatus();
    }
    const auto index = static_cast<size_t>(scope.values[name].edge.index);
    const std::string& parameter = scope.function->parameters[index].name;
    SIGNET_ASSIGN_OR_RETURN(Value value, tensor->Get());
    scope.function->def.defaults.insert_or_assign(parameter, std::move(value));
    if (tensor->num_bytes() > kMaxDefaultBytes) {
      AddCapture(Cat(name, "_default"), *std::move(tensor));
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
