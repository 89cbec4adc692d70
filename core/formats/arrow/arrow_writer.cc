// ArrowFromValue: writes a value as one record batch. Columns are traversed in the order of their
// components. Each level of lists, and the elements of the innermost lists, are a field of the
// schema, a node, and its buffers.

#include <algorithm>
#include <bit>
#include <utility>

#include <simdjson.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/arrow/arrow_batch.h"
#include "core/formats/arrow/arrow_schema.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using arrow::FieldTable;

// A field of the schema, with the numbers of its type.
struct Field {
  std::string name;
  arrow::Type type;
  int32_t size = 0;  // bits of an integer, precision of a float, elements of a fixed-size list
  bool is_signed = false;
  std::vector<Field> children = {};
};

Field NumberField(DType dtype) {
  const DTypeInfo& info = InfoOf(dtype);
  if (info.family == DTypeClass::kFloat) {  // precision: half, single, double
    int32_t precision = std::countr_zero(static_cast<uint32_t>(info.size)) - 1;
    return {.name = "", .type = arrow::kFloatingPoint, .size = precision};
  }
  return {.name = "",
          .type = arrow::kInt,
          .size = static_cast<int32_t>(info.size * 8),
          .is_signed = info.family == DTypeClass::kSignedInteger};
}

StatusOr<Buffer> PackBits(const Tensor& bools) {
  auto from = bools.elements<bool>();
  SIGNET_ASSIGN_OR_RETURN(Buffer bits, Buffer::Allocate((from.size() + 7) / 8));
  std::fill_n(bits.mutable_data(), bits.size(), std::byte{0});
  for (size_t i = 0; i < from.size(); ++i) {
    bits.mutable_data()[i / 8] |= std::byte{from[i]} << (i % 8);
  }
  return bits;
}

class ColumnWriter {
 public:
  ColumnWriter(std::span<const Tensor> components, ArrowBatch& batch)
      : components_(components), batch_(batch) {}

  // Writes the next column of `count` elements. Its dimensions before `axis` are rows and
  // surrounding structures; the partitions of the first `shared` dimensions are not among its
  // components.
  StatusOr<Field> Write(const TypeSpec& spec, int shared, int axis, int64_t count) {
    if (const auto* structured = spec.As<StructuredSpec>()) {
      return WriteStructure(*structured, shared, axis, count);
    }
    const auto* ragged = spec.As<RaggedSpec>();
    int ragged_rank = ragged != nullptr ? ragged->ragged_rank() : 0;
    const Tensor& values = Next();
    std::span<const Tensor> splits = components_.subspan(next_);
    for (int i = std::max(shared, 1); i <= ragged_rank; ++i) Next();
    Field column;
    Field* at = &column;
    for (int i = axis; i < ragged_rank + values.rank(); ++i) {
      if (i > 0 && i <= ragged_rank) {
        const Tensor& own = splits[static_cast<size_t>(i - std::max(shared, 1))];
        SIGNET_ASSIGN_OR_RETURN(at, WriteLists(*at, own, DimOf(spec, i), count));
      } else if (i == 0) {  // of a structure of rank 0: a list may have any length
        int64_t size = ragged_rank > 0 ? splits[0].num_elements() - 1 : values.shape().dim(0);
        SIGNET_ASSIGN_OR_RETURN(
            at, WriteLists(*at, Tensor::Of<int64_t>({2}, {0, size}), kUnknownDim, count));
      } else {
        SIGNET_ASSIGN_OR_RETURN(at,
                                WriteFixedLists(*at, values.shape().dim(i - ragged_rank), count));
      }
    }
    SIGNET_RETURN_IF_ERROR(WriteElements(*at, values));
    return column;
  }

 private:
  const Tensor& Next() { return components_[next_++]; }

  static int64_t DimOf(const TypeSpec& spec, int axis) {
    return spec.shape()->has_rank() ? spec.shape()->dim(axis) : kUnknownDim;
  }

  StatusOr<Field> WriteStructure(const StructuredSpec& spec, int shared, int axis, int64_t count) {
    Field column;
    Field* at = &column;
    for (int i = shared; i < spec.rank(); ++i) {
      const Tensor& component = Next();  // nrows, or row splits
      if (i < axis) continue;
      Tensor splits =
          i > 0 ? component : Tensor::Of<int64_t>({2}, {0, component.scalar<int64_t>()});
      SIGNET_ASSIGN_OR_RETURN(
          at, WriteLists(*at, splits, i > 0 ? spec.shape().dim(i) : kUnknownDim, count));
    }
    at->type = arrow::kStruct;
    batch_.nodes.push_back({count});
    batch_.buffers.emplace_back();
    // Columns are written in the order of the type, but components are stored in the order of the
    // names.
    std::vector<size_t> starts;
    for (const TypeSpec& type : spec.children()) {
      starts.push_back(next_);
      std::vector<ComponentSpec> own;
      type.rep().AppendComponents("", spec.rank(), own);
      next_ += own.size();
    }
    const size_t end = next_;
    for (size_t i = 0; i < spec.children().size(); ++i) {
      size_t child = spec.WrittenChild(i);
      next_ = starts[child];
      auto field = Write(spec.children()[child], spec.rank(), spec.rank(), count);
      if (!field.ok()) return WithField(spec.field_names()[child], std::move(field).status());
      field->name = spec.field_names()[child];
      at->children.push_back(*std::move(field));
    }
    next_ = end;
    return column;
  }

  // Converts `field` to a field of lists, and returns the field of their elements. If the type
  // states the length of a partition, the lists have a fixed size.
  StatusOr<Field*> WriteLists(Field& field, const Tensor& splits, int64_t length, int64_t& count) {
    if (length != kUnknownDim) return WriteFixedLists(field, length, count);
    bool is_narrow = splits.dtype() == DType::kInt32;
    field.type = is_narrow ? arrow::kList : arrow::kLargeList;
    batch_.nodes.push_back({count});
    batch_.buffers.emplace_back();
    batch_.buffers.push_back(splits.data());
    count = is_narrow ? splits.elements<int32_t>().back() : splits.elements<int64_t>().back();
    return AddItem(field);
  }

  StatusOr<Field*> WriteFixedLists(Field& field, int64_t size, int64_t& count) {
    if (size > INT32_MAX) {
      return InvalidArgument("expected rows of at most ", INT32_MAX,
                             " elements for a fixed-size list of Arrow, found ", size);
    }
    field.type = arrow::kFixedSizeList;
    field.size = static_cast<int32_t>(size);
    batch_.nodes.push_back({count});
    batch_.buffers.emplace_back();
    count *= size;
    return AddItem(field);
  }

  static Field* AddItem(Field& field) {
    field.children.push_back({.name = "item", .type = arrow::kNull});
    return &field.children[0];
  }

  Status WriteElements(Field& field, const Tensor& values) {
    DType dtype = values.dtype();
    if (dtype == DType::kBFloat16 || IsComplex(dtype)) {
      return InvalidArgument("unsupported dtype `", NameOf(dtype), "`; Arrow has no such type");
    }
    batch_.nodes.push_back({values.num_elements()});
    batch_.buffers.emplace_back();
    if (dtype == DType::kString) {
      std::string_view text = values.bytes().text();
      field.type = simdjson::validate_utf8(text.data(), text.size()) ? arrow::kLargeUtf8
                                                                     : arrow::kLargeBinary;
      batch_.buffers.push_back(values.data());
      batch_.buffers.push_back(values.bytes());
      return absl::OkStatus();
    }
    if (dtype == DType::kBool) {
      field.type = arrow::kBool;
      SIGNET_ASSIGN_OR_RETURN(Buffer bits, PackBits(values));
      batch_.buffers.push_back(std::move(bits));
      return absl::OkStatus();
    }
    Field number = NumberField(dtype);
    number.name = std::move(field.name);
    field = std::move(number);
    batch_.buffers.push_back(values.data());
    return absl::OkStatus();
  }

  std::span<const Tensor> components_;
  size_t next_ = 0;
  ArrowBatch& batch_;
};

size_t AddFields(FlatWriter& out, std::span<const Field> fields);

size_t AddType(FlatWriter& out, const Field& field) {
  switch (field.type) {
    case arrow::kInt:
      return out.AddTable({{arrow::IntTable::kBitWidth, 4, field.size},
                           {arrow::IntTable::kIsSigned, 1, field.is_signed ? 1 : 0}});
    case arrow::kFloatingPoint:
      return out.AddTable({{0, 2, field.size}});
    case arrow::kFixedSizeList:
      return out.AddTable({{0, 4, field.size}});
    default:
      return out.AddTable({});
  }
}

size_t AddField(FlatWriter& out, const Field& field) {
  size_t table = out.AddTable({{FieldTable::kName, 4},
                               {FieldTable::kNullable, 1, 0},
                               {FieldTable::kTypeType, 1, field.type},
                               {FieldTable::kType, 4},
                               {FieldTable::kChildren, 4}});
  out.Link(table, FieldTable::kName, out.AddText(field.name));
  out.Link(table, FieldTable::kType, AddType(out, field));
  out.Link(table, FieldTable::kChildren, AddFields(out, field.children));
  return table;
}

size_t AddFields(FlatWriter& out, std::span<const Field> fields) {
  size_t vector = out.AddVector(fields.size(), sizeof(uint32_t));
  for (size_t i = 0; i < fields.size(); ++i) out.LinkElement(vector, i, AddField(out, fields[i]));
  return vector;
}

std::string SchemaMessage(std::span<const Field> fields) {
  return ArrowMessage(arrow::kSchemaHeader, 0, [&](FlatWriter& out) {
    size_t schema =
        out.AddTable({{arrow::SchemaTable::kEndianness, 2, 0}, {arrow::SchemaTable::kFields, 4}});
    out.Link(schema, arrow::SchemaTable::kFields, AddFields(out, fields));
    return schema;
  });
}

// Returns the size of dimension 0, or 1 for a scalar. `components` start with those of the column.
int64_t RowsOf(const TypeSpec& spec, std::span<const Tensor> components) {
  if (const auto* structured = spec.As<StructuredSpec>()) {
    return structured->rank() == 0 ? 1 : components[0].scalar<int64_t>();
  }
  const auto* ragged = spec.As<RaggedSpec>();
  if (ragged != nullptr && ragged->ragged_rank() > 0) return components[1].num_elements() - 1;
  return components[0].rank() == 0 ? 1 : components[0].shape().dim(0);
}

StatusOr<Field> WriteColumn(const TypeSpec& spec, std::span<const Tensor> components,
                            std::string_view name, ArrowBatch& batch) {
  bool is_column =
      spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) || spec.is(TypeKind::kStructured);
  if (!is_column) {
    return InvalidArgument(
        "expected a structure, tensor, ragged value, or record of these, found `", spec, "`");
  }
  int64_t rows = RowsOf(spec, components);
  bool is_scalar = spec.is(TypeKind::kStructured)
                       ? spec.As<StructuredSpec>()->rank() == 0
                       : spec.is(TypeKind::kTensor) && components[0].rank() == 0;
  SIGNET_ASSIGN_OR_RETURN(Field field,
                          ColumnWriter(components, batch).Write(spec, 0, is_scalar ? 0 : 1, rows));
  field.name = name;
  return field;
}

// Writes the columns of a record, which must have the same number of rows.
StatusOr<std::vector<Field>> WriteRecord(const Value& value, std::span<const std::string> names,
                                         ArrowBatch& batch) {
  std::vector<Field> fields;
  std::vector<Value> children = ChildrenOf(value);
  for (size_t i = 0; i < names.size(); ++i) {
    size_t child = value.spec().rep().WrittenChild(i);
    const std::string& name = names[child];
    const TypeSpec& spec = children[child].spec();
    auto field = WriteColumn(spec, children[child].components(), name, batch);
    if (!field.ok()) return WithField(name, std::move(field).status());
    int64_t rows = RowsOf(spec, children[child].components());
    if (i > 0 && rows != batch.rows) {
      return InvalidArgument("expected columns with the same number of rows, found ", batch.rows,
                             " rows in `", names[value.spec().rep().WrittenChild(0)], "` and ",
                             rows, " in `", name, "`");
    }
    batch.rows = rows;
    fields.push_back(*std::move(field));
  }
  return fields;
}

StatusOr<std::vector<Field>> WriteColumns(const Value& value, ArrowBatch& batch) {
  const TypeSpec& spec = value.spec();
  switch (spec.kind()) {
    case TypeKind::kDict:
      return WriteRecord(value, spec.As<DictSpec>()->keys(), batch);
    case TypeKind::kNamedTuple:
      return WriteRecord(value, spec.As<NamedTupleSpec>()->field_names(), batch);
    case TypeKind::kExtension:
      return WriteRecord(value, spec.As<ExtensionSpec>()->component_names(), batch);
    default: {
      SIGNET_ASSIGN_OR_RETURN(Field column, WriteColumn(spec, value.components(), "value", batch));
      batch.rows = RowsOf(spec, value.components());
      if (const auto* structured = spec.As<StructuredSpec>();
          structured && structured->rank() <= 1) {
        batch.nodes.erase(batch.nodes.begin());  // rows have neither a node nor validity
        batch.buffers.erase(batch.buffers.begin());
        return std::move(column.children);
      }
      return std::vector<Field>{std::move(column)};
    }
  }
}

}  // namespace

StatusOr<ArrowParts> ArrowPartsFromValue(const Value& value) {
  ArrowBatch batch;
  auto fields = WriteColumns(value, batch);
  if (!fields.ok()) return AtColumn(std::move(fields).status());
  return ArrowParts{SchemaMessage(*fields), ArrowBatchMessage(batch)};
}

std::string_view ArrowEnd() {
  static constexpr char kEnd[] = "\xff\xff\xff\xff\0\0\0";  // and the terminating zero
  return {kEnd, sizeof(kEnd)};
}

StatusOr<std::vector<Buffer>> ArrowFromValue(const Value& value) {
  SIGNET_ASSIGN_OR_RETURN(ArrowParts parts, ArrowPartsFromValue(value));
  std::vector<Buffer> pieces = {Buffer::Copy(parts.schema)};
  for (Buffer& piece : parts.batch) pieces.push_back(std::move(piece));
  pieces.push_back(Buffer::Copy(ArrowEnd()));
  return pieces;
}

}  // namespace signet
