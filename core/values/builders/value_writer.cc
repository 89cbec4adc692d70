#include "core/values/builders/value_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <vector>

#include "core/types/child_path.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// A level of nested lists: the begin and end of each list among the elements of the next level.
struct Axis {
  const Tensor* splits = nullptr;  // null: all lists have length `size`
  int64_t size = 0;

  int64_t Begin(int64_t i) const { return splits != nullptr ? Split(i) : i * size; }
  int64_t End(int64_t i) const { return splits != nullptr ? Split(i + 1) : (i + 1) * size; }

 private:
  int64_t Split(int64_t i) const {
    auto at = static_cast<size_t>(i);
    return splits->dtype() == DType::kInt32 ? splits->elements<int32_t>()[at]
                                            : splits->elements<int64_t>()[at];
  }
};

// A tensor, ragged tensor, or structure: its own axes, and an element, which is a scalar or an
// object.
struct Column {
  std::vector<Axis> axes;
  const Tensor* values = nullptr;       // null for a structure
  std::vector<std::string_view> names;  // of fields
  std::vector<Column> fields;
  std::span<const uint32_t> order;  // in which the fields are written; empty: as stored
  bool is_optional = false;         // a field whose first axis has lists of length 0 or 1
};

// A value as rows: one column, or a record of columns.
struct Table {
  int64_t rows = 0;
  Column column;  // if there are no names
  std::span<const std::string> names;
  std::span<const uint32_t> order;  // in which the parts are written; empty: as stored
  std::vector<Table> parts;
};

// Returns the names of the parts of a record, or nothing if the type is not a record.
std::span<const std::string> PartNamesOf(const TypeSpec& spec) {
  if (spec.is(TypeKind::kStructured)) return {};  // a column with fields
  return ChildNames(spec);
}

// Finds the columns of a type in the components of a value.
class ColumnReader {
 public:
  explicit ColumnReader(std::span<const Tensor> components) : components_(components) {}

  // `shared` is the rank of the surrounding structure.
  Column Read(const TypeSpec& spec, int shared) {
    if (const auto* structured = spec.As<StructuredSpec>())
      return ReadStructure(*structured, shared);
    const auto* ragged = spec.As<RaggedSpec>();
    int ragged_rank = ragged != nullptr ? ragged->ragged_rank() : 0;
    Column column;
    column.values = &components_[next_++];
    int rank = column.values->rank() + ragged_rank;
    for (int axis = shared; axis < rank; ++axis) {
      if (axis == 0 && ragged_rank > 0) {
        column.axes.push_back({nullptr, components_[next_].num_elements() - 1});
      } else if (axis > 0 && axis <= ragged_rank) {
        column.axes.push_back({&components_[next_++], 0});
      } else {
        column.axes.push_back({nullptr, column.values->shape().dim(axis - ragged_rank)});
      }
    }
    return column;
  }

  StatusOr<Table> ReadTable(const TypeSpec& spec) {
    Table table;
    table.names = PartNamesOf(spec);
    table.order = spec.rep().notes().order;
    for (size_t i = 0; i < table.names.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(Table part, ReadTable(spec.children()[i]));
      if (i > 0 && part.rows != table.rows) {
        return InvalidArgument("`", Printable(table.names[0]), "` has ", table.rows, " rows and `",
                               Printable(table.names[i]), "` ", part.rows,
                               "; rows are of columns that are as long as each other");
      }
      table.rows = part.rows;
      table.parts.push_back(std::move(part));
    }
    if (!table.names.empty()) return table;
    if (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) ||
        spec.is(TypeKind::kStructured)) {
      table.column = Read(spec, 0);
    }
    if (table.column.axes.empty())
      return InvalidArgument("`", spec, "` has no rows to write, one per line");
    table.rows = table.column.axes[0].End(0);
    return table;
  }

 private:
  Column ReadStructure(const StructuredSpec& spec, int shared) {
    Column column;
    for (int axis = shared; axis < spec.rank(); ++axis) {
      const Tensor& component = components_[next_++];
      if (axis == 0) {
        column.axes.push_back({nullptr, component.scalar<int64_t>()});
      } else {
        column.axes.push_back({&component, 0});
      }
    }
    for (size_t i = 0; i < spec.field_names().size(); ++i) {
      column.names.push_back(spec.field_names()[i]);
      column.fields.push_back(Read(spec.children()[i], spec.rank()));
      column.fields.back().is_optional = spec.IsOptionalChild(i);
    }
    column.order = spec.notes().order;
    return column;
  }

  std::span<const Tensor> components_;
  size_t next_ = 0;
};

class Walk {
 public:
  explicit Walk(ValueSink& sink) : sink_(sink) {}

  // Writes list `i` of the axis, or element `i` after the last axis.
  void WriteColumn(const Column& column, size_t axis, int64_t i) {
    if (axis == column.axes.size()) {
      if (column.values != nullptr) {
        WriteScalars(*column.values, i, i + 1);
      } else {
        WriteObject(column, i);
      }
      return;
    }
    int64_t begin = column.axes[axis].Begin(i);
    int64_t end = column.axes[axis].End(i);
    sink_.BeginList();
    if (axis + 1 == column.axes.size() && column.values != nullptr) {
      WriteScalars(*column.values, begin, end);
    } else {
      for (int64_t k = begin; k < end && !sink_.IsFull(); ++k) WriteColumn(column, axis + 1, k);
    }
    if (!sink_.IsFull()) sink_.EndList();
  }

  void WriteRow(const Table& table, int64_t row) {
    if (table.names.empty()) return WriteColumn(table.column, 1, row);
    sink_.BeginObject();
    for (size_t i = 0; i < table.names.size() && !sink_.IsFull(); ++i) {
      size_t part = table.order.empty() ? i : table.order[i];
      sink_.Key(table.names[part]);
      WriteRow(table.parts[part], row);
    }
    if (!sink_.IsFull()) sink_.EndObject();
  }

  // Writes rows of an optional field as null or as their one element. Longer rows, which only
  // tensors can contain, are written as lists.
  void WriteField(const Column& column, int64_t i) {
    if (!column.is_optional) return WriteColumn(column, 0, i);
    int64_t begin = column.axes[0].Begin(i);
    switch (column.axes[0].End(i) - begin) {
      case 0:
        return sink_.Null();
      case 1:
        return WriteColumn(column, 1, begin);
      default:
        return WriteColumn(column, 0, i);
    }
  }

  void WriteLiteral(const Literal& literal) {
    switch (literal.kind()) {
      case Literal::Kind::kNone:
        return sink_.Null();
      case Literal::Kind::kBool:
        return sink_.Bool(literal.bool_value());
      case Literal::Kind::kInt:
        return sink_.Int(literal.int_value());
      case Literal::Kind::kFloat:
        return sink_.Float(literal.float_value(), DType::kFloat64);
      case Literal::Kind::kString:
        return sink_.String(literal.string_value());
    }
  }

  void WriteSequence(const Value& value) {
    sink_.BeginList();
    for (const Value& child : ChildrenOf(value)) {
      if (sink_.IsFull()) return;
      WriteValue(child, sink_);
    }
    if (!sink_.IsFull()) sink_.EndList();
  }

  void WriteRecord(std::span<const std::string> names, std::span<const Value> children,
                   std::span<const uint32_t> order = {}, const ExtensionSpec* extension = nullptr) {
    sink_.BeginObject();
    if (extension != nullptr && sink_.WritesTypes()) {
      sink_.Key(kTypeKey);
      sink_.String(extension->name());
      for (const auto& [name, value] : extension->statics()) {
        if (sink_.IsFull()) return;
        sink_.Key(name);
        WriteValue(Value::OfType(value), sink_);
      }
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (sink_.IsFull()) return;
      size_t child = order.empty() ? i : order[i];
      bool is_escaped = sink_.WritesTypes() && IsTypeKey(names[child]);
      sink_.Key(is_escaped ? Cat("$", names[child]) : names[child]);
      WriteValue(children[child], sink_);
    }
    if (!sink_.IsFull()) sink_.EndObject();
  }

 private:
  void WriteObject(const Column& column, int64_t i) {
    sink_.BeginObject();
    for (size_t k = 0; k < column.fields.size(); ++k) {
      if (sink_.IsFull()) return;
      size_t field = column.order.empty() ? k : column.order[k];
      sink_.Key(column.names[field]);
      WriteField(column.fields[field], i);
    }
    if (!sink_.IsFull()) sink_.EndObject();
  }

  void WriteScalars(const Tensor& tensor, int64_t begin, int64_t end) {
    VisitDType(tensor.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int64_t i = begin; i < end && !sink_.IsFull(); ++i) {
        if constexpr (std::same_as<T, std::string_view>) {
          sink_.String(tensor.string_at(i));
        } else {
          WriteScalar(tensor.elements<T>()[static_cast<size_t>(i)], tensor.dtype());
        }
      }
    });
  }

  template <class T>
  void WriteScalar(T value, DType dtype) {
    if constexpr (std::same_as<T, bool>) {
      sink_.Bool(value);
    } else if constexpr (std::integral<T>) {
      sink_.Int(value);
    } else if constexpr (std::floating_point<T>) {
      sink_.Float(value, dtype);
    } else if constexpr (std::same_as<T, Float16> || std::same_as<T, BFloat16>) {
      sink_.Float(ToFloat(value), dtype);
    } else {
      DType part = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
      sink_.BeginList();
      sink_.Float(value.real(), part);
      sink_.Float(value.imag(), part);
      sink_.EndList();
    }
  }

  ValueSink& sink_;
};

// Returns true if the text reads back as `value` under `dtype`.
bool ReadsBack(const char* begin, const char* end, double value, DType dtype) {
  double read = 0;
  std::from_chars(begin, end, read);
  if (dtype == DType::kFloat16) return ToFloat(ToFloat16(static_cast<float>(read))) == value;
  if (dtype == DType::kBFloat16) return ToFloat(ToBFloat16(static_cast<float>(read))) == value;
  return static_cast<float>(read) == static_cast<float>(value);
}

}  // namespace

bool IsTypeKey(std::string_view key) {
  size_t dollars = key.find_first_not_of('$');
  return dollars != key.npos && dollars > 0 && key.substr(dollars - 1) == kTypeKey;
}

void WriteValue(const Value& value, ValueSink& sink) {
  Walk walk(sink);
  const TypeSpec& spec = value.spec();
  switch (spec.kind()) {
    case TypeKind::kTensor:
    case TypeKind::kRagged:
    case TypeKind::kStructured:
      return walk.WriteColumn(ColumnReader(value.components()).Read(spec, 0), 0, 0);
    case TypeKind::kSparse: {
      static const std::string kNames[] = {"indices", "values", "dense_shape"};
      auto parts = value.components();
      return walk.WriteRecord(kNames, std::vector<Value>(parts.begin(), parts.end()));
    }
    case TypeKind::kLiteral:
      return walk.WriteLiteral(value.literal());
    case TypeKind::kList:
    case TypeKind::kTuple:
      return walk.WriteSequence(value);
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
    case TypeKind::kExtension:
      return walk.WriteRecord(PartNamesOf(spec), ChildrenOf(value), spec.rep().notes().order,
                              spec.As<ExtensionSpec>());
    case TypeKind::kAny:
      return;  // no value has this type
  }
}

void WriteColumns(const Value& structured, ValueSink& sink) {
  const TypeSpec& spec = structured.spec();
  Column column = ColumnReader(structured.components()).Read(spec, 0);
  const int64_t rows = column.axes[0].End(0);
  Walk walk(sink);
  sink.BeginObject();
  for (size_t i = 0; i < column.fields.size() && !sink.IsFull(); ++i) {
    const size_t field = spec.rep().WrittenChild(i);
    sink.Key(column.names[field]);
    if (!column.fields[field].is_optional) {
      WriteValue(*FieldOf(structured, column.names[field]), sink);
      continue;
    }
    sink.BeginList();
    for (int64_t row = 0; row < rows && !sink.IsFull(); ++row) {
      walk.WriteField(column.fields[field], row);
    }
    if (!sink.IsFull()) sink.EndList();
  }
  if (!sink.IsFull()) sink.EndObject();
}

Status WriteRows(const Value& value, ValueSink& sink) {
  if (value.is_placeholder()) {
    return InvalidArgument("`", value.spec(), "` has no rows to write, one per line");
  }
  SIGNET_ASSIGN_OR_RETURN(Table table, ColumnReader(value.components()).ReadTable(value.spec()));
  Walk walk(sink);
  sink.BeginList();
  for (int64_t row = 0; row < table.rows && !sink.IsFull(); ++row) walk.WriteRow(table, row);
  if (!sink.IsFull()) sink.EndList();
  return absl::OkStatus();
}

void AppendFloat(std::string& out, double value, DType dtype) {
  bool is_wide = dtype == DType::kFloat64 || !std::isfinite(value);
  if (is_wide) return AppendNumber(out, value);
  char digits[32];
  auto narrow = static_cast<float>(value);
  char* end = std::to_chars(digits, digits + sizeof(digits), narrow).ptr;
  // A reader converts to float64 first, which in rare cases rounds the shortest text to another
  // number.
  if (!ReadsBack(digits, end, value, dtype)) return AppendNumber(out, value);
  std::string_view text(digits, static_cast<size_t>(end - digits));
  out.append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out.append(".0");
}

}  // namespace signet
