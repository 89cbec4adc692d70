// Imports what has a handle: variables, tables, TensorArrays, and files.

#include <algorithm>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

bool ReadsVariable(std::string_view op) {
  return IsOneOf(op, {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape"});
}
bool ReadsTable(std::string_view op) {
  return IsOneOf(op, {"LookupTableFind", "LookupTableFindV2", "LookupTableSize",
                      "LookupTableSizeV2", "LookupTableExport", "LookupTableExportV2"});
}

}  // namespace

StatusOr<Bound> FunctionImporter::ReadVariable(int index) {
  const ModelVariable& variable = model_.initialization.variable(index);
  std::string key = Cat(variable.value.key, "\n");
  for (const auto& range : variable.value.ranges) key += Cat(range.start, ",", range.size, ":");
  if (variable.value.key.empty()) {
    key = Cat(reinterpret_cast<uintptr_t>(variable.value.constant), ",",
              reinterpret_cast<uintptr_t>(variable.value.computed.get()));
  }
  auto found = model_.variables.find(key);
  if (found != model_.variables.end()) {
    return Bound{.kind = Bound::Kind::kCapture, .text = found->second};
  }
  auto value = model_.initialization.Read(variable);
  if (!value.ok()) {
    if (absl::IsDataLoss(value.status())) return value.status();
    AddFault(std::string(MessageOf(value.status())));
    return Bound();
  }
  Bound capture = Capture(variable.name, *std::move(value));
  model_.variables[key] = capture.text;
  return capture;
}

StatusOr<std::pair<Bound, Bound>> FunctionImporter::ReadTable(int index) {
  auto found = model_.tables.find(index);
  if (found == model_.tables.end()) {
    const ModelTable& table = model_.initialization.table(index);
    auto contents = model_.initialization.Read(table);
    if (!contents.ok()) {
      if (absl::IsDataLoss(contents.status())) return contents.status();
      AddFault(std::string(MessageOf(contents.status())));
      return std::pair<Bound, Bound>();
    }
    const Bound keys = Capture(Cat(table.name, "_keys"), CapturedValue(contents->first));
    const Bound values = Capture(Cat(table.name, "_values"), CapturedValue(contents->second));
    found = model_.tables.emplace(index, std::pair(keys.text, values.text)).first;
  }
  return std::pair(Bound{.kind = Bound::Kind::kCapture, .text = found->second.first},
                   Bound{.kind = Bound::Kind::kCapture, .text = found->second.second});
}

Status FunctionImporter::ImportFile(Scope& scope, int index) {
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (inputs.size() != 1) return InvalidArgument("expected 1 input");
  if (inputs[0].kind == Bound::Kind::kNone) return absl::OkStatus();
  if (inputs[0].kind != Bound::Kind::kAsset) {
    AddUnsupported(scope, index, "ReadFile of a file that is not in assets/");
    return absl::OkStatus();
  }
  auto content = model_.initialization.ReadAsset(inputs[0].text);
  if (!content.ok()) {
    AddFault(std::string(MessageOf(content.status())));
    return absl::OkStatus();
  }
  model_.constant_bytes += static_cast<int64_t>(content->num_bytes());
  if (model_.constant_bytes > kMaxConstantBytes) {
    return ResourceExhausted("constants exceed the limit of ", kMaxConstantBytes, " bytes");
  }
  scope.values[{index, 0}] =
      Capture(scope.graph->node(index).name(), CapturedValue(*std::move(content)));
  return absl::OkStatus();
}

// Imports operators on the handles of variables and tables.
Status FunctionImporter::ImportResource(Scope& scope, int index, bool& done) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string& op = node.op();
  const bool reads_variable = ReadsVariable(op);
  if (!reads_variable && !ReadsTable(op)) return absl::OkStatus();
  done = true;
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (inputs.empty()) return InvalidArgument("missing input 0");
  if (reads_variable) {
    if (inputs[0].kind != Bound::Kind::kVariable) {
      AddUnsupported(scope, index, Cat(op, " of a handle that is not known"));
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(inputs[0], ReadVariable(inputs[0].index));
    if (op == "ReadVariableOp") {
      scope.values[{index, 0}] = inputs[0];
      return absl::OkStatus();
    }
    const std::string_view plain = op == "ResourceGather"     ? "tf.ResourceGather"
                                   : op == "ResourceGatherNd" ? "tf.GatherNd"
                                                              : "tf.Shape";
    for (const Bound& input : inputs) {
      if (!input.is_tensor()) return absl::OkStatus();
    }
    NamedTypes attributes;
    if (op == "ResourceGather") {
      attributes.emplace_back("batch_dims", AttributeOf(IntAttributeOr(node, "batch_dims", 0)));
    }
    if (const auto* type = op == "VariableShape" ? Attribute(scope, node, "out_type") : nullptr) {
      SIGNET_ASSIGN_OR_RETURN(auto dtype, ConvertAttribute(scope, *type));
      attributes.emplace_back("out_type", dtype);
    }
    scope.nodes[index] =
        AddNode(*scope.function, node.name(), plain, inputs, std::move(attributes)).edge;
    return absl::OkStatus();
  }
  if (inputs[0].kind != Bound::Kind::kTable) {
    AddUnsupported(scope, index, Cat(op, " of a handle that is not known"));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(auto table, ReadTable(inputs[0].index));
  if (!table.first.is_tensor()) return absl::OkStatus();
  if (op.starts_with("LookupTableExport")) {
    scope.values[{index, 0}] = table.first;
    scope.values[{index, 1}] = table.second;
    return absl::OkStatus();
  }
  const bool finds = op.starts_with("LookupTableFind");
  BoundList given = {table.first, table.second};
  if (finds) {
    given.insert(given.begin(), inputs.begin() + 1, inputs.end());
    if (given.size() != 4 || !given[0].is_tensor() || !given[1].is_tensor()) {
      return given.size() == 4 ? absl::OkStatus() : InvalidArgument("expected 3 inputs");
    }
  }
  scope.nodes[index] = AddNode(*scope.function, node.name(),
                               finds ? "tf.LookupTableFind" : "tf.LookupTableSize", given)
                           .edge;
  return absl::OkStatus();
}

// Imports operators on a TensorArray, whose elements are in the value `flow`.
Status FunctionImporter::ImportArray(Scope& scope, int index, bool& done) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string& op = node.op();
  if (!op.starts_with("TensorArray") || !op.ends_with("V3")) return absl::OkStatus();
  if (op == "TensorArrayGradV3") return absl::OkStatus();
  done = true;
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  if (op == "TensorArrayV3") {
    const auto* grows = Attribute(scope, node, "dynamic_size");
    scope.values[{index, 0}] = {.kind = Bound::Kind::kArray,
                                .index = grows != nullptr && grows->b() ? 1 : 0};
    if (inputs.size() != 1 || !inputs[0].is_tensor()) return absl::OkStatus();
    NamedTypes attributes;
    for (const char* name : {"dtype", "element_shape"}) {
      if (const auto* value = Attribute(scope, node, name)) {
        SIGNET_ASSIGN_OR_RETURN(auto converted, ConvertAttribute(scope, *value));
        attributes.emplace_back(name, converted);
      }
    }
    const Bound made =
        AddNode(*scope.function, node.name(), "tf.TensorArrayV3", inputs, std::move(attributes));
    scope.values[{index, 1}] = made;
    const auto* shape = Attribute(scope, node, "element_shape");
    const bool has_rank = shape != nullptr && !shape->shape().unknown_rank();
    const bool has_known_shape =
        has_rank && std::all_of(shape->shape().dim().begin(), shape->shape().dim().end(),
                                [](const auto& dim) { return dim.size() >= 0; });
    new_lists_[{scope.function, made.edge.index}] = {.size = inputs[0],
                                                     .grows = grows != nullptr && grows->b(),
                                                     .has_unknown_rank = !has_rank,
                                                     .has_known_shape = has_known_shape};
    return absl::OkStatus();
  }
  if (inputs.empty() || inputs[0].kind != Bound::Kind::kArray) {
    AddUnsupported(scope, index, Cat(op, " of a handle that is not known"));
    return absl::OkStatus();
  }
  if (op == "TensorArrayCloseV3") return absl::OkStatus();
  const bool grows = inputs[0].index == 1;
  inputs.erase(inputs.begin());
  for (const Bound& input : inputs) {
    if (!input.is_tensor()) return absl::OkStatus();
  }
  const std::string name = Cat("tf.", op);
  if (BuiltinOps().Lookup(name) == nullptr) {
    AddUnsupported(scope, index, Printable(op));
    return absl::OkStatus();
  }
  NamedTypes attributes;
  if (grows && (op == "TensorArrayWriteV3" || op == "TensorArrayScatterV3")) {
    attributes.emplace_back("resize_if_index_out_of_bounds", AttributeOf(true));
  }
  if (op == "TensorArrayWriteV3" && WritesOfRows(*scope.graph).contains(index)) {
    attributes.emplace_back("as_rows", AttributeOf(true));
  }
  scope.nodes[index] =
      AddNode(*scope.function, node.name(), name, inputs, std::move(attributes)).edge;
  return absl::OkStatus();
}

}  // namespace signet
