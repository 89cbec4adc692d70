// Imports single nodes: constants, calls, and operators with their attributes.

#include <algorithm>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/op_registry.h"
#include "core/values/zero_scalar.h"
#include "signet/literal_spec.h"

namespace signet {
Status FunctionImporter::ImportNode(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string& op = node.op();
  const std::string called = CalledFunction(model_.library, node);
  if (!called.empty()) {
    const auto* f = LookupAttribute(node, "f");
    const bool is_named = model_.library.Lookup(op) != nullptr;
    SIGNET_ASSIGN_OR_RETURN(auto arguments, FindInputs(scope, index));
    return ImportCall(scope, index, called,
                      is_named || f == nullptr ? &node.attr() : &f->func().attr(),
                      std::move(arguments));
  }
  const bool is_top = scope.graph == &model_.library.graph();
  if (is_top && IsOneOf(op, {"Const", "Placeholder", "PlaceholderWithDefault"})) {
    const std::string asset = model_.initialization.AssetOf(node.name());
    if (!asset.empty()) {
      scope.values[{index, 0}] = {.kind = Bound::Kind::kAsset, .text = asset};
      return absl::OkStatus();
    }
  }
  if (op == "Const") return ImportConstant(scope, index);
  if (op == "Placeholder" || op == "PlaceholderV2") {
    scope.values[{index, 0}] = {};
    const auto* dtype = LookupAttribute(node, "dtype");
    if (dtype == nullptr ||
        (dtype->type() != tensorflow::DT_RESOURCE && dtype->type() != tensorflow::DT_VARIANT)) {
      AddFault(Cat("no input has the value of placeholder `", Printable(node.name()), "`"));
    }
    return absl::OkStatus();
  }
  if (Initialization::MakesVariable(op)) {
    const int variable = model_.initialization.VariableOf(*scope.graph, index);
    if (op.ends_with("HandleOp")) {
      scope.values[{index, 0}] = {.kind = Bound::Kind::kVariable, .index = variable};
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(auto value, ReadVariable(variable));
    scope.values[{index, 0}] = value;
    return absl::OkStatus();
  }
  if (Initialization::MakesTable(op)) {
    scope.values[{index, 0}] = {.kind = Bound::Kind::kTable,
                                .index = model_.initialization.TableOf(*scope.graph, index)};
    return absl::OkStatus();
  }
  if (IsOneOf(op,
              {"VarIsInitializedOp", "IsVariableInitialized", "IsBoostedTreesEnsembleInitialized",
               "IsBoostedTreesQuantileStreamResourceInitialized"})) {
    scope.values[{index, 0}] = Capture(node.name(), CapturedValue(Tensor::Scalar(true)));
    return absl::OkStatus();
  }
  if (op == "Merge" || op == "RefMerge") return ImportMerge(scope, index);
  if (op == "Exit" || op == "RefExit") return ImportExit(scope, index);
  if (IsOneOf(op, {"If", "StatelessIf"})) return ImportIf(scope, index);
  if (IsOneOf(op, {"Case", "StatelessCase"})) return ImportCase(scope, index);
  if (IsOneOf(op, {"While", "StatelessWhile"})) return ImportWhile(scope, index);
  if (PassesInputs(op)) {
    SIGNET_ASSIGN_OR_RETURN(auto references, scope.graph->InputsOf(index));
    for (int output : scope.used[index]) {
      const size_t input = op == "IdentityN" ? static_cast<size_t>(output) : 0;
      if (input >= references.size()) return InvalidArgument("missing input ", input);
      SIGNET_ASSIGN_OR_RETURN(auto value, Find(scope, references[input]));
      scope.values[{index, output}] = value;
    }
    return absl::OkStatus();
  }
  if (op == "FakeParam") return ImportUnusedValue(scope, index);
  if (op == "ReadFile") return ImportFile(scope, index);
  if (op == "BoostedTreesPredict") return ImportTrees(scope, index);
  if (op == "BoostedTreesQuantileStreamResourceGetBucketBoundaries") {
    return ImportBoundaries(scope, index);
  }
  if (op == "DeviceIndex") {
    const auto* names = LookupAttribute(node, "device_names");
    int position = names == nullptr ? 0 : names->list().s_size();
    for (int i = 0; names != nullptr && i < names->list().s_size(); ++i) {
      if (names->list().s(i) == "CPU") position = i;
    }
    scope.values[{index, 0}] = Capture(node.name(), CapturedValue(Tensor::Scalar(position)));
    return absl::OkStatus();
  }
  bool done = false;
  SIGNET_RETURN_IF_ERROR(ImportResource(scope, index, done));
  if (!done) SIGNET_RETURN_IF_ERROR(ImportArray(scope, index, done));
  return done ? absl::OkStatus() : ImportOperator(scope, index);
}

Status FunctionImporter::ImportConstant(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const auto* value = Attribute(scope, node, "value");
  if (value == nullptr || !value->has_tensor()) return InvalidArgument("missing value");
  auto found = model_.constants.find(value);
  if (found == model_.constants.end()) {
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorFromGraph(value->tensor()));
    model_.constant_bytes += static_cast<int64_t>(tensor.num_bytes());
    if (model_.constant_bytes > kMaxConstantBytes) {
      return ResourceExhausted("constants exceed the limit of ", kMaxConstantBytes, " bytes");
    }
    const Bound made = Capture(node.name(), CapturedValue(std::move(tensor)));
    found = model_.constants.emplace(value, made.text).first;
  }
  scope.values[{index, 0}] = {.kind = Bound::Kind::kCapture, .text = found->second};
  return absl::OkStatus();
}

// Imports a result of a branch that nothing reads: zeros, where unknown sizes are 0.
Status FunctionImporter::ImportUnusedValue(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const auto* type = Attribute(scope, node, "dtype");
  const auto* stated = Attribute(scope, node, "shape");
  auto dtype = tf::StoredDTypeFromNumber(type == nullptr ? 0 : type->type());
  if (!dtype.ok()) return absl::OkStatus();  // a handle or a list
  std::vector<int64_t> dims;
  if (stated != nullptr) {
    for (const auto& dim : stated->shape().dim()) dims.push_back(std::max<int64_t>(dim.size(), 0));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor scalar, ZeroScalar(*dtype));
  const Bound zero = Capture("zero", CapturedValue(std::move(scalar)));
  scope.values[{index, 0}] =
      AddNode(*scope.function, node.name(), "fill", {zero}, {{"shape", AttributeListOf(dims)}});
  return absl::OkStatus();
}

Status FunctionImporter::ImportCall(Scope& scope, int index, const std::string& function,
                                    const Attributes* attributes, BoundList arguments) {
  std::vector<int> outputs(scope.used[index].begin(), scope.used[index].end());
  SIGNET_ASSIGN_OR_RETURN(auto values, ImportInline(scope, *scope.function, function,
                                                    std::move(arguments), attributes, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) scope.values[{index, outputs[i]}] = values[i];
  return absl::OkStatus();
}

const tensorflow::AttrValue* FunctionImporter::Attribute(const Scope& scope,
                                                         const tensorflow::NodeDef& node,
                                                         const std::string& name) const {
  const auto* value = LookupAttribute(node, name);
  for (const Scope* at = &scope;
       value != nullptr && value->value_case() == tensorflow::AttrValue::kPlaceholder;
       at = at->caller) {
    if (at->attributes == nullptr) return nullptr;
    auto found = at->attributes->find(value->placeholder());
    if (found == at->attributes->end()) return nullptr;
    value = &found->second;
    if (at->caller == nullptr) break;
  }
  return value;
}

StatusOr<TypeSpec> FunctionImporter::ConvertAttribute(const Scope&,
                                                      const tensorflow::AttrValue& value) {
  auto dtype_of = [](int type) -> TypeSpec {
    auto dtype = tf::StoredDTypeFromNumber(type);
    return dtype.ok() ? AttributeOf(*dtype) : AttributeOf(tf::DataTypeName(type));
  };
  auto shape_of = [](const tensorflow::TensorShapeProto& shape) -> TypeSpec {
    if (shape.unknown_rank()) return LiteralType(Literal());
    std::vector<int64_t> dims;
    for (const auto& dim : shape.dim()) dims.push_back(dim.size());
    return AttributeListOf(dims);
  };
  switch (value.value_case()) {
    case tensorflow::AttrValue::kS:
      return AttributeOf(value.s());
    case tensorflow::AttrValue::kI:
      return AttributeOf(static_cast<int64_t>(value.i()));
    case tensorflow::AttrValue::kF:
      return AttributeOf(double{value.f()});
    case tensorflow::AttrValue::kB:
      return AttributeOf(value.b());
    case tensorflow::AttrValue::kType:
      return dtype_of(value.type());
    case tensorflow::AttrValue::kShape:
      return shape_of(value.shape());
    case tensorflow::AttrValue::kList: {
      const auto& list = value.list();
      std::vector<TypeSpec> items;
      for (const auto& item : list.s()) items.push_back(AttributeOf(item));
      for (int64_t item : list.i()) items.push_back(AttributeOf(item));
      for (float item : list.f()) items.push_back(AttributeOf(double{item}));
      for (bool item : list.b()) items.push_back(AttributeOf(item));
      for (int item : list.type()) items.push_back(dtype_of(item));
      for (const auto& item : list.shape()) items.push_back(shape_of(item));
      return ListType(std::move(items));
    }
    default:
      return Unimplemented("unsupported kind of attribute");
  }
}

Status FunctionImporter::ImportOperator(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  const std::string name = Cat("tf.", node.op());
  const OpDef* op = BuiltinOps().Lookup(name);
  if (op == nullptr && ChangesState(node.op())) return absl::OkStatus();  // a fault already
  if (op == nullptr) {
    AddUnsupported(scope, index, Printable(node.op()));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(auto inputs, FindInputs(scope, index));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_tensor()) continue;
    if (inputs[i].kind == Bound::Kind::kNone) return absl::OkStatus();
    // A generator of random numbers is a variable whose state is not used.
    if (inputs[i].kind == Bound::Kind::kVariable && i == 0) {
      SIGNET_ASSIGN_OR_RETURN(inputs[i], ReadVariable(inputs[i].index));
      continue;
    }
    AddUnsupported(scope, index, Cat(node.op(), " of a handle"));
    return absl::OkStatus();
  }
  if (node.op() == "ParseExample" || node.op() == "ParseExampleV2") {
    // A feature that is not understood only means that there are no records.
    if (!NoteFeatures(scope, node, inputs).ok() && !inputs.empty()) {
      other_uses_.insert(inputs[0].edge.index);
    }
  }
  std::map<std::string, TypeSpec> attributes;
  for (const AttributeDef& def : op->attributes) {
    if (def.name == "node") {
      attributes.insert_or_assign("node", AttributeOf(num_nodes_));
      continue;
    }
    if (def.name == "as_rows") {
      if (WritesOfRows(*scope.graph).contains(index)) {
        attributes.insert_or_assign("as_rows", AttributeOf(true));
      }
      continue;
    }
    const auto* value = Attribute(scope, node, def.name);
    if (value == nullptr) continue;
    auto converted = ConvertAttribute(scope, *value);
    if (!converted.ok()) return At(Cat("attribute `", def.name, "`"), converted.status());
    attributes.insert_or_assign(def.name, *std::move(converted));
  }
  const Bound made =
      AddNode(*scope.function, node.name(), name, inputs, {attributes.begin(), attributes.end()});
  scope.nodes[index] = made.edge;
  const bool is_empty = node.op() == "EmptyTensorList";
  if ((is_empty || node.op() == "TensorListReserve") && inputs.size() == 2) {
    const auto* dtype = Attribute(scope, node, "element_dtype");
    new_lists_[{scope.function, made.edge.index}] = {
        .size = is_empty ? Capture("zero", CapturedValue(Tensor::Scalar(0))) : inputs[1],
        .has_unknown_rank = IsNumber(inputs[0], -1),
        .has_known_shape = IsKnownShape(inputs[0]),
        .is_of_variants = dtype != nullptr && dtype->type() == tensorflow::DT_VARIANT};
  }
  return absl::OkStatus();
}

}  // namespace signet
