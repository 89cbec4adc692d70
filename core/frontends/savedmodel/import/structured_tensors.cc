#include "core/frontends/savedmodel/import/structured_tensors.h"

#include <map>
#include <string>
#include <vector>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/structured_types.h"
#include "core/ops/def/attribute_list.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

using Structured = tensorflow::StructuredValue;
using tensorflow::TypeSpecProto;

// What the type states.
struct StructuredForm {
  std::map<std::string, const Structured*> fields = {};
  Dims dims = {};
  std::vector<DType> splits = {};  // the dtypes of the row splits, one for each ragged dimension
  DType inner_shape = DType::kInt64;
};

Status InvalidForm() { return InvalidArgument("expected the state of a tf.StructuredTensor.Spec"); }

// Returns the values of the fields `names`, which are all fields of the state, in order.
StatusOr<std::vector<const Structured*>> StateOf(const TypeSpecProto& spec,
                                                 const std::vector<std::string_view>& names) {
  const auto& state = spec.type_state().tuple_value();
  if (static_cast<size_t>(state.values_size()) != names.size()) return InvalidForm();
  std::vector<const Structured*> out;
  for (const std::string_view name : names) {
    const auto& pair = state.values(static_cast<int>(out.size())).tuple_value();
    if (pair.values_size() != 2 || pair.values(0).string_value() != name) return InvalidForm();
    out.push_back(&pair.values(1));
  }
  return out;
}

// Returns the size that a shape with one dimension states.
int64_t OneSize(const Structured& shape) {
  const auto& dims = shape.tensor_shape_value().dim();
  return dims.size() == 1 && dims[0].size() >= 0 ? dims[0].size() : kUnknownDim;
}

StatusOr<StructuredForm> StructuredFormOf(const TypeSpecProto& spec) {
  SIGNET_ASSIGN_OR_RETURN(auto state, StateOf(spec, {"_fields", "_ragged_shape"}));
  const TypeSpecProto& shape = state[1]->type_spec_value();
  if (shape.type_spec_class_name() != "tf.DynamicRaggedShape.Spec") return InvalidForm();
  SIGNET_ASSIGN_OR_RETURN(
      auto parts, StateOf(shape, {"_row_partitions", "_inner_shape", "_static_inner_shape"}));
  StructuredForm out;
  for (const auto& [name, field] : state[0]->dict_value().fields())
    out.fields.emplace(name, &field);
  const auto& inner = parts[2]->tensor_shape_value();
  const auto& partitions = parts[0]->tuple_value().values();
  // More inner dimensions would be dimensions of the structure whose rows all have one length.
  if (inner.unknown_rank() || inner.dim_size() > 1 || partitions.size() > kMaxTensorRank ||
      (inner.dim_size() == 0 && !partitions.empty())) {
    return Unimplemented("unsupported inner dimensions of a structure");
  }
  if (partitions.empty() && inner.dim_size() == 1) out.dims.push_back(OneSize(*parts[2]));
  for (const Structured& partition : partitions) {
    const TypeSpecProto& type = partition.type_spec_value();
    const auto& sizes = type.type_state().tuple_value();
    if (type.type_spec_class() != TypeSpecProto::ROW_PARTITION_SPEC || sizes.values_size() != 4) {
      return InvalidForm();
    }
    if (out.dims.empty()) out.dims.push_back(OneSize(sizes.values(0)));
    out.dims.push_back(OneSize(sizes.values(2)));
    SIGNET_ASSIGN_OR_RETURN(out.splits.emplace_back(),
                            tf::StoredDTypeFromNumber(sizes.values(3).tensor_dtype_value()));
  }
  SIGNET_ASSIGN_OR_RETURN(out.inner_shape,
                          tf::StoredDTypeFromNumber(parts[1]->tensor_spec_value().dtype()));
  return out;
}

Bound CastTo(FunctionImporter& importer, const Bound& value, DType dtype) {
  return importer.AddNode("cast", "cast", {value}, {{"dtype", AttributeOf(dtype)}});
}

}  // namespace

bool IsStructuredTensor(const TypeSpecProto& spec) {
  return spec.type_spec_class() == TypeSpecProto::EXTENSION_TYPE_SPEC &&
         spec.type_spec_class_name() == "tf.StructuredTensor.Spec";
}

StatusOr<TypeSpec> TypeOfStructuredTensor(const TypeSpecProto& spec,
                                          const ExtensionClasses& classes, int depth) {
  SIGNET_ASSIGN_OR_RETURN(StructuredForm form, StructuredFormOf(spec));
  NamedTypes fields;
  for (const auto& [name, field] : form.fields) {
    auto type = TypeFromStructured(*field, classes, depth + 1);
    if (!type.ok()) return At(Cat("field `", Printable(name), "`"), type.status());
    fields.emplace_back(name, *std::move(type));
  }
  return MakeStructuredType(PartialShape(std::span<const int64_t>(form.dims)), std::move(fields));
}

Status AppendStructuredTensor(FunctionImporter& importer, const TypeSpecProto& spec,
                              const Bound& value, BoundList& out) {
  SIGNET_ASSIGN_OR_RETURN(StructuredForm form, StructuredFormOf(spec));
  for (const auto& [name, field] : form.fields) {
    const Bound column =
        importer.AddNode(name, "struct_get", {value}, {{"field", AttributeOf(name)}});
    SIGNET_RETURN_IF_ERROR(AppendComponents(importer, *field, column, out));
  }
  Bound splits;
  for (size_t i = 0; i < form.splits.size(); ++i) {
    splits = importer.AddNode("row_splits", "ragged_row_splits", {value},
                              {{"axis", AttributeOf(static_cast<int64_t>(i) + 1)}});
    out.push_back(CastTo(importer, splits, form.splits[i]));
  }
  Bound shape;
  if (form.dims.empty()) {
    shape = importer.Capture("inner_shape", CapturedValue(Tensor::Of<int64_t>({0}, {})));
  } else {
    const Bound size = form.splits.empty() ? importer.AddNode("nrows", "struct_nrows", {value})
                                           : importer.AddNode("size", "num_values", {splits});
    shape = importer.AddNode("inner_shape", "expand_dims", {size}, {{"axis", AttributeOf(0)}});
  }
  out.push_back(CastTo(importer, shape, form.inner_shape));
  return absl::OkStatus();
}

StatusOr<Bound> StructuredTensorOfComponents(FunctionImporter& importer, const TypeSpecProto& spec,
                                             const BoundList& components, size_t& next) {
  SIGNET_ASSIGN_OR_RETURN(StructuredForm form, StructuredFormOf(spec));
  if (form.fields.empty()) return Unimplemented("unsupported structure without fields as a result");
  std::vector<std::string> names;
  BoundList columns;
  for (const auto& [name, field] : form.fields) {
    names.push_back(name);
    SIGNET_ASSIGN_OR_RETURN(columns.emplace_back(),
                            ValueOfComponents(importer, *field, components, next));
  }
  const Bound out =
      importer.AddNode("structure", "struct_make", columns,
                       {{"names", AttributeListOf(names)},
                        {"rank", AttributeOf(static_cast<int64_t>(form.dims.size()))}});
  if (components.size() - next < form.splits.size() + 1) {
    return InvalidArgument("missing output ", components.size());
  }
  for (size_t i = 0; i < form.splits.size(); ++i) {
    const Bound splits = importer.AddNode("row_splits", "ragged_row_splits", {out},
                                          {{"axis", AttributeOf(static_cast<int64_t>(i) + 1)}});
    const Bound stated = CastTo(importer, components[next++], DType::kInt64);
    const Bound same = importer.AddNode("same", "is_same", {splits, stated});
    importer.AddNode(
        "check", "check_true", {same},
        {{"message",
          AttributeOf("the row splits of a structure differ from the row splits of its fields")}});
  }
  ++next;  // the inner shape is known from the row splits, or from the fields
  return out;
}

}  // namespace signet
