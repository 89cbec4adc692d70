#include "core/frontends/savedmodel/import/structured_types.h"

#include <algorithm>
#include <optional>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/structured_tensors.h"
#include "core/model/extension_type_def.h"
#include "core/ops/def/attribute_list.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Structured = tensorflow::StructuredValue;
using tensorflow::TypeSpecProto;

constexpr int kMaxNestDepth = 64;

StatusOr<TypeSpec> TensorTypeOf(int data_type, const tensorflow::TensorShapeProto& shape) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(data_type));
  SIGNET_ASSIGN_OR_RETURN(PartialShape dims, PartialShapeFromGraph(shape));
  return TensorType(dtype, std::move(dims));
}

// The fields of a dict in the order of their names.
std::vector<std::pair<std::string, const Structured*>> SortedFields(
    const tensorflow::DictValue& dict) {
  std::vector<std::pair<std::string, const Structured*>> out;
  for (const auto& [name, value] : dict.fields()) out.emplace_back(name, &value);
  std::sort(out.begin(), out.end());
  return out;
}

// Returns a dtype that is an argument in Python: its name.
StatusOr<Literal> LiteralOfDType(int data_type) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(data_type));
  return Literal::String(std::string(InfoOf(dtype).name));
}

// Returns a shape that is an argument in Python: a list of its sizes, where None is an unknown
// size, or None for an unknown rank.
Value ValueOfShape(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return Value::None();
  std::vector<Value> sizes;
  for (const auto& dim : shape.dim()) {
    sizes.push_back(dim.size() < 0 ? Value::None() : Value::OfLiteral(Literal::Int(dim.size())));
  }
  return ListOf(sizes);
}

struct RaggedForm {
  DType dtype;
  PartialShape shape;
  int ragged_rank = 0;
  DType splits_dtype = DType::kInt64;
};

StatusOr<RaggedForm> RaggedFormOf(const TypeSpecProto& spec) {
  const auto& state = spec.type_state().tuple_value();
  if (state.values_size() < 4) return InvalidArgument("expected the state of a RaggedTensorSpec");
  RaggedForm out;
  SIGNET_ASSIGN_OR_RETURN(out.shape, PartialShapeFromGraph(state.values(0).tensor_shape_value()));
  SIGNET_ASSIGN_OR_RETURN(out.dtype,
                          tf::StoredDTypeFromNumber(state.values(1).tensor_dtype_value()));
  const int64_t rank = state.values(2).int64_value();
  if (rank < 0 || rank > kMaxTensorRank) return InvalidArgument("ragged rank ", rank);
  out.ragged_rank = static_cast<int>(rank);
  SIGNET_ASSIGN_OR_RETURN(out.splits_dtype,
                          tf::StoredDTypeFromNumber(state.values(3).tensor_dtype_value()));
  return out;
}

// Returns the parts of IndexedSlices, whose values are named tuples here. Returns nothing for other
// types.
StatusOr<std::optional<tensorflow::NamedTupleValue>> NamedTupleOf(const TypeSpecProto& spec) {
  using Result = std::optional<tensorflow::NamedTupleValue>;
  if (spec.type_spec_class() != TypeSpecProto::INDEXED_SLICES_SPEC) return Result();
  const auto& state = spec.type_state().tuple_value();
  if (state.values_size() != 5) {
    return InvalidArgument("expected the state of an IndexedSlicesSpec");
  }
  tensorflow::NamedTupleValue out;
  out.set_name("IndexedSlices");
  auto add = [&out](const std::string& name) -> tensorflow::TensorSpecProto& {
    auto& pair = *out.add_values();
    pair.set_key(name);
    return *pair.mutable_value()->mutable_tensor_spec_value();
  };
  auto& values = add("values");
  *values.mutable_shape() = state.values(0).tensor_shape_value();
  values.set_dtype(state.values(1).tensor_dtype_value());
  auto& indices = add("indices");
  *indices.mutable_shape() = state.values(4).tensor_shape_value();
  indices.set_dtype(state.values(2).tensor_dtype_value());
  if (state.values(3).has_tensor_dtype_value()) {
    auto& shape = add("dense_shape");
    shape.mutable_shape()->add_dim()->set_size(-1);
    shape.set_dtype(state.values(3).tensor_dtype_value());
  }
  return Result(std::move(out));
}

// Returns a literal, or a list of literals, as a value of the function.
StatusOr<Bound> ValueOfLiteral(FunctionImporter& importer, const TypeSpec& type) {
  if (const Literal* plain = LookupLiteral(type)) return importer.LiteralOf(*plain);
  if (!IsStatic(type) || !type.is(TypeKind::kList)) {
    return Unimplemented("unsupported value in a result");
  }
  BoundList elements;
  for (const TypeSpec& element : type.children()) {
    SIGNET_ASSIGN_OR_RETURN(elements.emplace_back(), ValueOfLiteral(importer, element));
  }
  return importer.AddNode("list", "make_list", elements);
}

bool IsTensorSpec(const TypeSpecProto& spec) {
  return spec.type_spec_class() == TypeSpecProto::REGISTERED_TYPE_SPEC &&
         spec.type_spec_class_name() == "tf.TensorSpec";
}

StatusOr<TypeSpec> ExtensionTypeOf(const TypeSpecProto& spec, const ExtensionClasses& classes,
                                   int depth) {
  SIGNET_ASSIGN_OR_RETURN(ExtensionForm form, classes.FormOf(spec));
  NamedTypes statics;
  NamedTypes components;
  for (const ExtensionField& field : form.fields) {
    auto type = TypeFromStructured(*field.value, classes, depth + 1);
    if (!type.ok()) {
      return At(PlaceOfType(form.name), At(Cat("field `", field.name, "`"), type.status()));
    }
    (field.is_component ? components : statics).emplace_back(field.name, *std::move(type));
  }
  return MakeExtensionType(form.name, std::move(statics), std::move(components));
}

StatusOr<TypeSpec> TypeOfSpec(const TypeSpecProto& spec, const ExtensionClasses& classes,
                              int depth) {
  SIGNET_ASSIGN_OR_RETURN(auto fields, NamedTupleOf(spec));
  if (fields) {
    Structured type;
    *type.mutable_named_tuple_value() = *std::move(fields);
    return TypeFromStructured(type, classes, depth + 1);
  }
  if (ExtensionClasses::IsExtension(spec)) return ExtensionTypeOf(spec, classes, depth);
  if (IsStructuredTensor(spec)) return TypeOfStructuredTensor(spec, classes, depth);
  const auto& state = spec.type_state().tuple_value();
  switch (spec.type_spec_class()) {
    case TypeSpecProto::SPARSE_TENSOR_SPEC: {
      if (state.values_size() < 2)
        return InvalidArgument("expected the state of a SparseTensorSpec");
      SIGNET_ASSIGN_OR_RETURN(PartialShape shape,
                              PartialShapeFromGraph(state.values(0).tensor_shape_value()));
      SIGNET_ASSIGN_OR_RETURN(DType dtype,
                              tf::StoredDTypeFromNumber(state.values(1).tensor_dtype_value()));
      return SparseType(dtype, std::move(shape));
    }
    case TypeSpecProto::RAGGED_TENSOR_SPEC: {
      SIGNET_ASSIGN_OR_RETURN(RaggedForm form, RaggedFormOf(spec));
      if (form.ragged_rank == 0) return TensorType(form.dtype, form.shape);
      return MakeRaggedType(form.dtype, form.shape, form.ragged_rank, form.splits_dtype);
    }
    default:
      break;
  }
  if (IsTensorSpec(spec) && state.values_size() >= 2) {
    return TensorTypeOf(state.values(1).tensor_dtype_value(), state.values(0).tensor_shape_value());
  }
  return Unimplemented("unsupported type `",
                       spec.type_spec_class_name().empty()
                           ? TypeSpecProto::TypeSpecClass_Name(spec.type_spec_class())
                           : Printable(spec.type_spec_class_name()),
                       "`");
}

}  // namespace

StatusOr<TypeSpec> TypeFromStructured(const Structured& value, const ExtensionClasses& classes,
                                      int depth) {
  if (depth > kMaxNestDepth)
    return InvalidArgument("types are nested more than ", kMaxNestDepth, " deep");
  std::vector<TypeSpec> children;
  auto add = [&](const Structured& child) -> Status {
    SIGNET_ASSIGN_OR_RETURN(children.emplace_back(), TypeFromStructured(child, classes, depth + 1));
    return absl::OkStatus();
  };
  switch (value.kind_case()) {
    case Structured::KIND_NOT_SET:
    case Structured::kNoneValue:
      return LiteralType(Literal());
    case Structured::kFloat64Value:
      return LiteralType(Literal::Float(value.float64_value()));
    case Structured::kInt64Value:
      return LiteralType(Literal::Int(value.int64_value()));
    case Structured::kStringValue:
      return LiteralType(Literal::String(value.string_value()));
    case Structured::kBoolValue:
      return LiteralType(Literal::Bool(value.bool_value()));
    case Structured::kTensorDtypeValue: {
      SIGNET_ASSIGN_OR_RETURN(Literal name, LiteralOfDType(value.tensor_dtype_value()));
      return LiteralType(std::move(name));
    }
    case Structured::kTensorShapeValue:
      return ValueOfShape(value.tensor_shape_value()).spec();
    case Structured::kTensorSpecValue:
      return TensorTypeOf(value.tensor_spec_value().dtype(), value.tensor_spec_value().shape());
    case Structured::kBoundedTensorSpecValue:
      return TensorTypeOf(value.bounded_tensor_spec_value().dtype(),
                          value.bounded_tensor_spec_value().shape());
    case Structured::kTypeSpecValue:
      return TypeOfSpec(value.type_spec_value(), classes, depth);
    case Structured::kListValue:
      for (const auto& child : value.list_value().values()) SIGNET_RETURN_IF_ERROR(add(child));
      return ListType(std::move(children));
    case Structured::kTupleValue:
      for (const auto& child : value.tuple_value().values()) SIGNET_RETURN_IF_ERROR(add(child));
      return TupleType(std::move(children));
    case Structured::kDictValue: {
      NamedTypes items;
      for (const auto& [name, child] : SortedFields(value.dict_value())) {
        SIGNET_RETURN_IF_ERROR(add(*child));
        items.emplace_back(name, children.back());
      }
      return MakeDictType(std::move(items));
    }
    case Structured::kNamedTupleValue: {
      NamedTypes items;
      for (const auto& pair : value.named_tuple_value().values()) {
        SIGNET_RETURN_IF_ERROR(add(pair.value()));
        items.emplace_back(pair.key(), children.back());
      }
      return MakeNamedTupleType(NamedTupleSpec::Style::kNamedTuple,
                                value.named_tuple_value().name(), std::move(items));
    }
    case Structured::kTensorValue:
    case Structured::kNumpyValue: {
      SIGNET_ASSIGN_OR_RETURN(Value constant, ValueFromStructured(value, depth));
      return constant.spec();
    }
    default:
      return Unimplemented("unsupported kind of value in a signature");
  }
}

StatusOr<Value> ValueFromStructured(const Structured& value, int depth) {
  if (depth > kMaxNestDepth)
    return InvalidArgument("values are nested more than ", kMaxNestDepth, " deep");
  switch (value.kind_case()) {
    case Structured::KIND_NOT_SET:
    case Structured::kNoneValue:
      return Value::OfLiteral(Literal());
    case Structured::kFloat64Value:
      return Value::OfLiteral(Literal::Float(value.float64_value()));
    case Structured::kInt64Value:
      return Value::OfLiteral(Literal::Int(value.int64_value()));
    case Structured::kStringValue:
      return Value::OfLiteral(Literal::String(value.string_value()));
    case Structured::kBoolValue:
      return Value::OfLiteral(Literal::Bool(value.bool_value()));
    case Structured::kTensorDtypeValue: {
      SIGNET_ASSIGN_OR_RETURN(Literal name, LiteralOfDType(value.tensor_dtype_value()));
      return Value::OfLiteral(std::move(name));
    }
    case Structured::kTensorShapeValue:
      return ValueOfShape(value.tensor_shape_value());
    case Structured::kTensorValue:
    case Structured::kNumpyValue: {
      SIGNET_ASSIGN_OR_RETURN(
          Tensor tensor,
          TensorFromGraph(value.kind_case() == Structured::kTensorValue ? value.tensor_value()
                                                                        : value.numpy_value()));
      return Value(std::move(tensor));
    }
    case Structured::kListValue:
    case Structured::kTupleValue: {
      const bool is_list = value.kind_case() == Structured::kListValue;
      std::vector<Value> children;
      for (const auto& child :
           is_list ? value.list_value().values() : value.tuple_value().values()) {
        SIGNET_ASSIGN_OR_RETURN(children.emplace_back(), ValueFromStructured(child, depth + 1));
      }
      return is_list ? ListOf(children) : TupleOf(children);
    }
    case Structured::kDictValue: {
      NamedValues items;
      for (const auto& [name, child] : SortedFields(value.dict_value())) {
        SIGNET_ASSIGN_OR_RETURN(Value item, ValueFromStructured(*child, depth + 1));
        items.emplace_back(name, std::move(item));
      }
      return MakeDict(std::move(items));
    }
    case Structured::kNamedTupleValue: {
      NamedValues items;
      for (const auto& pair : value.named_tuple_value().values()) {
        SIGNET_ASSIGN_OR_RETURN(Value item, ValueFromStructured(pair.value(), depth + 1));
        items.emplace_back(pair.key(), std::move(item));
      }
      return MakeNamedTuple(NamedTupleSpec::Style::kNamedTuple, value.named_tuple_value().name(),
                            std::move(items));
    }
    default:
      return Unimplemented("unsupported default value");
  }
}

Status AppendComponents(FunctionImporter& importer, const Structured& type, const Bound& value,
                        BoundList& out) {
  auto item = [&](TypeSpec key) {
    return importer.AddNode("item", "get_item", {value}, {{"key", std::move(key)}});
  };
  auto append_fields = [&](const tensorflow::NamedTupleValue& fields) -> Status {
    for (int i = 0; i < fields.values_size(); ++i) {
      SIGNET_RETURN_IF_ERROR(
          AppendComponents(importer, fields.values(i).value(), item(AttributeOf(i)), out));
    }
    return absl::OkStatus();
  };
  switch (type.kind_case()) {
    case Structured::kTensorSpecValue:
    case Structured::kBoundedTensorSpecValue:
      out.push_back(value);
      return absl::OkStatus();
    case Structured::kListValue:
    case Structured::kTupleValue: {
      const auto& children = type.kind_case() == Structured::kListValue
                                 ? type.list_value().values()
                                 : type.tuple_value().values();
      for (int i = 0; i < children.size(); ++i) {
        SIGNET_RETURN_IF_ERROR(AppendComponents(importer, children[i], item(AttributeOf(i)), out));
      }
      return absl::OkStatus();
    }
    case Structured::kDictValue:
      for (const auto& [name, child] : SortedFields(type.dict_value())) {
        SIGNET_RETURN_IF_ERROR(AppendComponents(importer, *child, item(AttributeOf(name)), out));
      }
      return absl::OkStatus();
    case Structured::kNamedTupleValue:
      return append_fields(type.named_tuple_value());
    case Structured::kTypeSpecValue:
      break;
    default:
      return absl::OkStatus();  // a literal is part of the function
  }
  const TypeSpecProto& spec = type.type_spec_value();
  SIGNET_ASSIGN_OR_RETURN(auto fields, NamedTupleOf(spec));
  if (fields) return append_fields(*fields);
  if (ExtensionClasses::IsExtension(spec)) {
    SIGNET_ASSIGN_OR_RETURN(ExtensionForm form, importer.extension_classes().FormOf(spec));
    for (const ExtensionField& field : form.fields) {
      if (!field.is_component) continue;
      const Bound part =
          importer.AddNode(field.name, "struct_get", {value}, {{"field", AttributeOf(field.name)}});
      SIGNET_RETURN_IF_ERROR(AppendComponents(importer, *field.value, part, out));
    }
    return absl::OkStatus();
  }
  if (IsStructuredTensor(spec)) return AppendStructuredTensor(importer, spec, value, out);
  if (IsTensorSpec(spec)) {
    out.push_back(value);
    return absl::OkStatus();
  }
  if (spec.type_spec_class() == TypeSpecProto::SPARSE_TENSOR_SPEC) {
    Bound components = importer.AddNode("sparse", "tf.SparseParts", {value});
    for (int i = 0; i < 3; ++i) {
      components.edge.output = i;
      out.push_back(components);
    }
    return absl::OkStatus();
  }
  if (spec.type_spec_class() == TypeSpecProto::RAGGED_TENSOR_SPEC) {
    SIGNET_ASSIGN_OR_RETURN(RaggedForm form, RaggedFormOf(spec));
    if (form.ragged_rank == 0) {
      out.push_back(value);
      return absl::OkStatus();
    }
    out.push_back(importer.AddNode("flat_values", "ragged_values", {value}));
    for (int axis = 1; axis <= form.ragged_rank; ++axis) {
      const Bound splits = importer.AddNode("row_splits", "ragged_row_splits", {value},
                                            {{"axis", AttributeOf(axis)}});
      // The row splits in structures are int64.
      out.push_back(form.splits_dtype == DType::kInt64
                        ? splits
                        : importer.AddNode("cast", "cast", {splits},
                                           {{"dtype", AttributeOf(form.splits_dtype)}}));
    }
    return absl::OkStatus();
  }
  return Unimplemented("unsupported type of a parameter");
}

StatusOr<Bound> ValueOfComponents(FunctionImporter& importer, const Structured& type,
                                  const BoundList& components, size_t& next) {
  auto take = [&]() -> StatusOr<Bound> {
    if (next >= components.size()) return InvalidArgument("missing output ", next);
    return components[next++];
  };
  BoundList children;
  auto add = [&](const Structured& child) -> Status {
    SIGNET_ASSIGN_OR_RETURN(children.emplace_back(),
                            ValueOfComponents(importer, child, components, next));
    return absl::OkStatus();
  };
  // A named tuple is returned as a dict with the same names.
  auto make_fields = [&](const tensorflow::NamedTupleValue& fields) -> StatusOr<Bound> {
    std::vector<std::string> names;
    for (const auto& pair : fields.values()) {
      SIGNET_RETURN_IF_ERROR(add(pair.value()));
      names.push_back(pair.key());
    }
    return importer.AddNode("dict", "make_dict", children, {{"names", AttributeListOf(names)}});
  };
  switch (type.kind_case()) {
    case Structured::kTensorSpecValue:
    case Structured::kBoundedTensorSpecValue:
      return take();
    case Structured::kListValue:
      for (const auto& child : type.list_value().values()) SIGNET_RETURN_IF_ERROR(add(child));
      return importer.AddNode("list", "make_list", children);
    case Structured::kTupleValue:
      for (const auto& child : type.tuple_value().values()) SIGNET_RETURN_IF_ERROR(add(child));
      return importer.AddNode("tuple", "make_tuple", children);
    case Structured::kDictValue: {
      std::vector<std::string> names;
      for (const auto& [name, child] : SortedFields(type.dict_value())) {
        SIGNET_RETURN_IF_ERROR(add(*child));
        names.push_back(name);
      }
      return importer.AddNode("dict", "make_dict", children, {{"names", AttributeListOf(names)}});
    }
    case Structured::kNamedTupleValue:
      return make_fields(type.named_tuple_value());
    case Structured::kTypeSpecValue:
      break;
    default: {
      SIGNET_ASSIGN_OR_RETURN(TypeSpec literal,
                              TypeFromStructured(type, importer.extension_classes()));
      return ValueOfLiteral(importer, literal);
    }
  }
  const TypeSpecProto& spec = type.type_spec_value();
  if (IsTensorSpec(spec)) return take();
  SIGNET_ASSIGN_OR_RETURN(auto fields, NamedTupleOf(spec));
  if (fields) return make_fields(*fields);
  if (ExtensionClasses::IsExtension(spec)) {
    SIGNET_ASSIGN_OR_RETURN(ExtensionForm form, importer.extension_classes().FormOf(spec));
    NamedTypes statics;
    for (const ExtensionField& field : form.fields) {
      if (field.is_component) {
        SIGNET_RETURN_IF_ERROR(add(*field.value));
        continue;
      }
      SIGNET_ASSIGN_OR_RETURN(TypeSpec value,
                              TypeFromStructured(*field.value, importer.extension_classes()));
      statics.emplace_back(field.name, std::move(value));
    }
    SIGNET_ASSIGN_OR_RETURN(TypeSpec dict, MakeDictType(std::move(statics)));
    return importer.AddNode("extension", "make_extension", children,
                            {{"type", AttributeOf(form.name)}, {"statics", std::move(dict)}});
  }
  if (IsStructuredTensor(spec)) {
    return StructuredTensorOfComponents(importer, spec, components, next);
  }
  if (spec.type_spec_class() == TypeSpecProto::SPARSE_TENSOR_SPEC) {
    for (int i = 0; i < 3; ++i) {
      SIGNET_ASSIGN_OR_RETURN(children.emplace_back(), take());
    }
    return importer.AddNode("sparse", "sparse_from_entries", children);
  }
  if (spec.type_spec_class() == TypeSpecProto::RAGGED_TENSOR_SPEC) {
    SIGNET_ASSIGN_OR_RETURN(RaggedForm form, RaggedFormOf(spec));
    SIGNET_ASSIGN_OR_RETURN(Bound value, take());
    for (int i = 0; i < form.ragged_rank; ++i) {
      SIGNET_ASSIGN_OR_RETURN(children.emplace_back(), take());
    }
    for (; !children.empty(); children.pop_back()) {
      value = importer.AddNode("ragged", "ragged_from_row_splits", {value, children.back()});
    }
    return value;
  }
  return Unimplemented("unsupported type of a result");
}

}  // namespace signet
