#include "core/formats/arrow/arrow_schema.h"

#include <algorithm>

#include "core/formats/arrow/arrow_metadata.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Kind = ArrowField::Kind;
using arrow::FieldTable;

void SetNumber(ArrowField& out, std::optional<DType> dtype) {
  out.num_buffers = 2;
  if (!dtype) return;
  out.kind = Kind::kNumber;
  out.dtype = *dtype;
}

std::optional<DType> IntOf(int32_t bits, bool is_signed) {
  switch (bits) {
    case 8:
      return is_signed ? DType::kInt8 : DType::kUInt8;
    case 16:
      return is_signed ? DType::kInt16 : DType::kUInt16;
    case 32:
      return is_signed ? DType::kInt32 : DType::kUInt32;
    case 64:
      return is_signed ? DType::kInt64 : DType::kUInt64;
    default:
      return std::nullopt;
  }
}

std::optional<DType> FloatOf(int16_t precision) {
  constexpr DType kPrecisions[] = {DType::kFloat16, DType::kFloat32, DType::kFloat64};
  if (precision < 0 || precision > 2) return std::nullopt;
  return kPrecisions[precision];
}

void SetText(ArrowField& out, size_t width) {
  out.kind = Kind::kText;
  out.dtype = DType::kString;
  out.width = width;
}

void SetList(ArrowField& out, Kind kind, size_t width) {
  out.kind = kind;
  out.width = width;
}

void SetType(ArrowField& out, uint8_t type, const FlatTable& table) {
  switch (type) {
    case arrow::kNull:
      out.kind = Kind::kNull;
      return;
    case arrow::kInt:
      return SetNumber(out, IntOf(table.Number<int32_t>(arrow::IntTable::kBitWidth, 0),
                                  table.Number<uint8_t>(arrow::IntTable::kIsSigned, 0) != 0));
    case arrow::kFloatingPoint:
      return SetNumber(out, FloatOf(table.Number<int16_t>(0, 0)));
    case arrow::kBool:
      out.kind = Kind::kBool;
      out.dtype = DType::kBool;
      return;
    case arrow::kDecimal:  // the scale is ignored
      return SetNumber(out, [&]() -> std::optional<DType> {
        auto bits = table.Number<int32_t>(arrow::DecimalTable::kBitWidth, 128);
        return bits == 32 || bits == 64 ? IntOf(bits, true) : std::nullopt;
      }());
    case arrow::kDate: {  // days, or by default milliseconds
      bool is_days = table.Number<int16_t>(0, 1) == 0;
      return SetNumber(out, is_days ? DType::kInt32 : DType::kInt64);
    }
    case arrow::kTime:
      return SetNumber(out, IntOf(table.Number<int32_t>(arrow::TimeTable::kBitWidth, 32), true));
    case arrow::kTimestamp:
    case arrow::kDuration:
      return SetNumber(out, DType::kInt64);
    case arrow::kInterval:
      return SetNumber(out, std::nullopt);
    case arrow::kBinary:
    case arrow::kUtf8:
      return SetText(out, 4);
    case arrow::kLargeBinary:
    case arrow::kLargeUtf8:
      return SetText(out, 8);
    case arrow::kFixedSizeBinary:
      out.size = table.Number<int32_t>(0, 0);
      return SetText(out, 0);
    case arrow::kList:
    case arrow::kMap:
      return SetList(out, Kind::kList, 4);
    case arrow::kLargeList:
      return SetList(out, Kind::kList, 8);
    case arrow::kFixedSizeList:
      out.size = table.Number<int32_t>(0, 0);
      return SetList(out, Kind::kFixedList, 0);
    case arrow::kStruct:
      out.kind = Kind::kStruct;
      return;
    case arrow::kUnion:
      out.num_buffers = table.Number<int16_t>(0, 0) == 0 ? 1 : 2;  // sparse, dense
      return;
    case arrow::kBinaryView:
    case arrow::kUtf8View:
      out.num_buffers = 2;
      out.has_further_buffers = true;
      return;
    case arrow::kListView:
    case arrow::kLargeListView:
      out.num_buffers = 3;
      return;
    default:  // RunEndEncoded has none
      return;
  }
}

Status CheckChildren(const ArrowField& field, uint8_t type) {
  if (field.size < 0) return InvalidArgument("size: expected at least 0, found ", field.size);
  bool fits = true;
  if (field.is_list()) fits = field.children.size() == 1;
  if (field.kind == Kind::kText || field.kind == Kind::kNumber || field.kind == Kind::kBool ||
      field.kind == Kind::kNull) {
    fits = field.children.empty();
  }
  if (type == arrow::kMap && fits) {
    const ArrowField& entry = field.children[0];
    fits = entry.kind == Kind::kStruct && entry.children.size() == 2;
  }
  if (fits) return absl::OkStatus();
  return InvalidArgument("children do not fit the type `", field.type_name, "`, found ",
                         field.children.size());
}

StatusOr<ArrowField> ReadField(const FlatTable& table, Allowance& allowance, int depth);

Status ReadChildren(const FlatVector& tables, Allowance& allowance, int depth,
                    std::vector<ArrowField>& out) {
  for (size_t i = 0; i < tables.size(); ++i) {
    FlatTable table = tables.Table(i);
    auto child = ReadField(table, allowance, depth);
    if (!child.ok()) return WithField(table.Text(FieldTable::kName), std::move(child).status());
    out.push_back(*std::move(child));
  }
  return absl::OkStatus();
}

StatusOr<ArrowField> ReadField(const FlatTable& table, Allowance& allowance, int depth) {
  SIGNET_RETURN_IF_ERROR(allowance.TakeNames());
  SIGNET_RETURN_IF_ERROR(allowance.CheckDepth(depth));
  ArrowField out;
  out.name = table.Text(FieldTable::kName);
  out.nullable = table.Number<uint8_t>(FieldTable::kNullable, 0) != 0;
  auto type = table.Number<uint8_t>(FieldTable::kTypeType, 0);
  if (type >= std::size(arrow::kTypeNames)) {
    // The number of its buffers is unknown.
    return InvalidArgument("unknown column type ", type,
                           "; it may be from a later version of Arrow");
  }
  out.type_name = arrow::kTypeNames[type];
  SetType(out, type, table.Table(FieldTable::kType));
  SIGNET_RETURN_IF_ERROR(
      ReadChildren(table.Tables(FieldTable::kChildren), allowance, depth + 1, out.children));
  SIGNET_RETURN_IF_ERROR(CheckChildren(out, type));
  if (type == arrow::kMap) {  // the schema may use other names for the entries
    out.children[0].children[0].name = "key";
    out.children[0].children[1].name = "value";
  }
  if (FlatTable dictionary = table.Table(FieldTable::kDictionary)) {
    ArrowField::Index index;
    index.id = dictionary.Number<int64_t>(arrow::DictionaryTable::kId, 0);
    if (FlatTable integer = dictionary.Table(arrow::DictionaryTable::kIndexType)) {
      auto bits = integer.Number<int32_t>(arrow::IntTable::kBitWidth, 0);
      index.is_signed = integer.Number<uint8_t>(arrow::IntTable::kIsSigned, 0) != 0;
      if (!IntOf(bits, index.is_signed)) {
        return InvalidArgument("expected indices of 8, 16, 32, or 64 bits, found ", bits, " bits");
      }
      index.width = static_cast<size_t>(bits) / 8;
    }
    out.index = index;
  }
  return out;
}

}  // namespace

StatusOr<ArrowField> ReadArrowSchema(const FlatTable& schema, Allowance& allowance) {
  if (schema.Number<int16_t>(arrow::SchemaTable::kEndianness, 0) != 0) {
    return InvalidArgument("expected little-endian data, found big-endian data");
  }
  ArrowField rows;
  rows.kind = Kind::kStruct;
  rows.type_name = "Struct";
  Status status =
      ReadChildren(schema.Tables(arrow::SchemaTable::kFields), allowance, 1, rows.children);
  if (!status.ok()) return AtColumn(std::move(status));
  return rows;
}

StatusOr<TypeSpec> TypeOfArrow(const ArrowField& field, const PartialShape& outer) {
  PartialShape shape = outer;
  int ragged_rank = std::max(outer.rank() - 1, 0);  // partitions of the surrounding structure
  bool is_narrow = outer.rank() <= 1;
  const ArrowField* at = &field;
  for (; at->is_list(); at = &at->children[0]) {
    bool is_fixed = at->kind == Kind::kFixedList;
    if (!is_fixed) ragged_rank = std::max(ragged_rank, shape.rank());
    is_narrow = is_narrow && (is_fixed || at->width == 4);
    shape = shape.Concatenate({is_fixed ? at->size : kUnknownDim});
  }
  switch (at->kind) {
    case Kind::kStruct: {
      NamedTypes types;
      for (const ArrowField& child : at->children) {
        auto type = TypeOfArrow(child, shape);
        if (!type.ok()) return WithField(child.name, std::move(type).status());
        types.emplace_back(child.name, *std::move(type));
      }
      return MakeStructuredType(std::move(shape), std::move(types));
    }
    case Kind::kBool:
    case Kind::kNumber:
    case Kind::kText: {
      if (ragged_rank == 0) return TensorType(at->dtype, std::move(shape));
      DType splits = is_narrow ? DType::kInt32 : DType::kInt64;
      return MakeRaggedType(at->dtype, std::move(shape), ragged_rank, splits);
    }
    default:
      return InvalidArgument("column type `", at->type_name, "` requires a declared type");
  }
}

Status AtColumn(Status status) {
  std::string path = FieldOf(status);
  return path.empty() ? status : At(Cat("`", Printable(path), "`"), std::move(status));
}

}  // namespace signet
