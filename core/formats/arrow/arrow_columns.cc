#include "core/formats/arrow/arrow_columns.h"

#include <algorithm>
#include <utility>

#include "core/base/checked_math.h"
#include "core/formats/arrow/arrow.h"
#include "core/formats/common/missing_fields.h"
#include "core/types/default_value.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Kind = ArrowField::Kind;

// Returns true if values of `spec` consist of columns.
bool IsColumn(const TypeSpec& spec) {
  return spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) || spec.is(TypeKind::kStructured);
}

Status CheckKind(const ArrowField& field, const TypeSpec& spec) {
  const ArrowField& inner = field.innermost();
  if (inner.kind == Kind::kOther)
    return InvalidArgument("unsupported column type `", inner.type_name, "`");
  if (inner.kind == Kind::kNull) return absl::OkStatus();
  bool is_struct = inner.kind == Kind::kStruct;
  if (is_struct != spec.is(TypeKind::kStructured)) {
    return InvalidWithReason("STRUCTURE_MISMATCH", "expected `", spec, "`, found `",
                             inner.type_name, "`");
  }
  if (is_struct || inner.dtype == ColumnDType(spec)) return absl::OkStatus();
  return InvalidWithReason("DTYPE_MISMATCH", "expected `", spec, "`, found `", NameOf(inner.dtype),
                           "`");
}

// Returns which levels of a column, from `field` down to the elements of its lists, have rows of 0
// or 1. Their number is the number of additional dimensions of `spec`. Levels that may contain
// nulls are preferred if there are enough of them, then the outermost.
StatusOr<std::vector<bool>> OptionalLevels(const ArrowField& field, const TypeSpec& spec,
                                           int rank) {
  auto levels = static_cast<size_t>(field.depth()) + 1;
  std::vector<bool> optional(levels, false);
  if (!spec.shape()->has_rank()) return optional;
  int more = spec.shape()->rank() - rank - field.depth();
  if (more < 0 || more > static_cast<int>(levels)) {
    return InvalidWithReason("SHAPE_MISMATCH", "expected lists of depth ",
                             spec.shape()->rank() - rank, " for `", spec, "`, found depth ",
                             field.depth());
  }
  std::vector<bool> nullable;
  for (const ArrowField* at = &field;; at = &at->children[0]) {
    nullable.push_back(at->nullable);
    if (!at->is_list()) break;
  }
  if (std::count(nullable.begin(), nullable.end(), true) == more) return nullable;
  std::fill_n(optional.begin(), more, true);
  return optional;
}

// Returns true if reading `runs` of `field` takes no longer than skipping them.
bool IsFree(const ArrowField& field, const ArrowRuns& runs) {
  const ArrowRun* run = runs.single();
  bool borrows =
      field.kind == Kind::kNumber || field.kind == Kind::kFixedList || field.kind == Kind::kStruct;
  return borrows && run != nullptr && !run->array->has_nulls && !run->array->dictionary;
}

std::span<const std::string> NamesOf(const TypeSpec& spec) {
  if (const auto* dict = spec.As<DictSpec>()) return dict->keys();
  if (const auto* tuple = spec.As<NamedTupleSpec>()) return tuple->field_names();
  if (const auto* extension = spec.As<ExtensionSpec>()) return extension->component_names();
  return {};
}

}  // namespace

class ArrowColumns::AxisWriter {
 public:
  // Makes a writer for axis `axis` of `spec`, for lists of `rows` elements in total. `splits` may
  // contain the finished splits.
  static StatusOr<AxisWriter> Make(ArrowColumns& columns, const TypeSpec& spec, int axis,
                                   int64_t rows, Tensor splits = {}) {
    AxisWriter writer(columns.allowance_, spec, axis);
    if (splits.has_value()) {
      writer.axis_.splits = std::move(splits);
    } else if (HasSplits(spec, axis)) {
      SIGNET_ASSIGN_OR_RETURN(writer.axis_.splits,
                              columns.Allocate(SplitsDTypeOf(spec), {rows + 1}));
      if (SplitsDTypeOf(spec) == DType::kInt32) {
        writer.narrow_ = writer.axis_.splits.mutable_elements<int32_t>();
        *writer.narrow_++ = 0;
      } else {
        writer.wide_ = writer.axis_.splits.mutable_elements<int64_t>();
        *writer.wide_++ = 0;
      }
    }
    return writer;
  }

  static bool HasSplits(const TypeSpec& spec, int axis) {
    return axis > 0 && (spec.is(TypeKind::kStructured) || axis <= ColumnRaggedRank(spec));
  }
  static DType SplitsDTypeOf(const TypeSpec& spec) {
    const auto* ragged = spec.As<RaggedSpec>();
    return ragged != nullptr ? ragged->splits_dtype() : DType::kInt64;
  }

  // Adds one list, or `lists` lists of the same length.
  void Add(int64_t length, int64_t lists = 1) {
    if (axis_.length == kUnknownDim) axis_.length = length;
    if (length != axis_.length) other_ = length;
    if (wide_ == nullptr && narrow_ == nullptr) {
      axis_.count += lists * length;
      return;
    }
    for (int64_t i = 0; i < lists; ++i) {
      axis_.count += length;
      if (wide_ != nullptr) *wide_++ = axis_.count;
      if (narrow_ != nullptr) *narrow_++ = static_cast<int32_t>(axis_.count);
    }
  }
  // Called after each run; the run itself is small enough.
  Status CheckCount() const { return allowance_.CheckElements(axis_.count); }

  StatusOr<Axis> Finish() && {
    if (narrow_ != nullptr && axis_.count > INT32_MAX) {
      return WithReason("OUT_OF_RANGE", OutOfRange(axis_.count, " elements; int32 row splits count",
                                                   " to ", INT32_MAX));
    }
    axis_.is_uniform = other_ == kUnknownDim;
    int64_t declared = ColumnDim(spec_, number_);
    if (declared != kUnknownDim && axis_.length != kUnknownDim) {
      if (axis_.length != declared) return WrongLength(axis_.length, declared, "");
      if (!axis_.is_uniform) return WrongLength(other_, declared, "");
    }
    if (!HasSplits(spec_, number_) && !axis_.is_uniform) {
      return WrongLength(other_, axis_.length, ", the length of the first list");
    }
    return std::move(axis_);
  }

 private:
  AxisWriter(const Allowance& allowance, const TypeSpec& spec, int axis)
      : allowance_(allowance), spec_(spec), number_(axis) {}

  Status WrongLength(int64_t found, int64_t wanted, std::string_view why) const {
    return InvalidWithReason("SHAPE_MISMATCH", "expected lists of length ", wanted, " for `", spec_,
                             "`", why, ", found length ", found);
  }

  const Allowance& allowance_;
  const TypeSpec& spec_;
  const int number_;
  int64_t other_ = kUnknownDim;  // a length that differs from the first
  Axis axis_;
  int32_t* narrow_ = nullptr;  // the end of the next row, if row splits are written
  int64_t* wide_ = nullptr;
};

StatusOr<Value> ArrowColumns::Read(const TypeSpec& spec) {
  SIGNET_ASSIGN_OR_RETURN(ArrowRuns rows, AllRows());
  TypeSpec type = spec;
  if (!type) {
    SIGNET_ASSIGN_OR_RETURN(type, TypeOfArrow(stream_.rows(), {kUnknownDim}));
  }
  if (!needs_.empty() && needs_.size() != type.num_components()) {
    return Internal(needs_.size(), " needs; `", type, "` has ", type.num_components(),
                    " components");
  }
  SIGNET_ASSIGN_OR_RETURN(Components components, ReadComponents(type, rows));
  // Only the fields of a structure, which must agree, need these checks.
  SIGNET_ASSIGN_OR_RETURN(Value value, MakeValue(std::move(type), std::move(components)));
  TypeSpec exact = ExactSpecOf(value);
  return Value::Trusted(std::move(exact), {value.components().begin(), value.components().end()});
}

StatusOr<ArrowRuns> ArrowColumns::AllRows() {
  ArrowRuns rows(run_bytes_left_);
  int64_t count = 0;
  for (const ArrowArray& batch : stream_.batches()) {
    count += batch.length;
    SIGNET_RETURN_IF_ERROR(allowance_.CheckElements(count));
    SIGNET_RETURN_IF_ERROR(rows.Add({&batch, 0, batch.length}));
  }
  return rows;
}

bool ArrowColumns::IsNeeded(const TypeSpec& spec, int shared, size_t first) const {
  if (needs_.empty()) return true;
  std::vector<ComponentSpec> own;
  spec.rep().AppendComponents("", shared, own);
  auto begin = needs_.begin() + static_cast<std::ptrdiff_t>(first);
  auto end = begin + static_cast<std::ptrdiff_t>(own.size());
  return std::find(begin, end, true) != end;
}

StatusOr<Components> ArrowColumns::ReadComponents(const TypeSpec& spec, const ArrowRuns& rows) {
  int64_t count = rows.CountElements();
  // Makes the rows the outermost dimension of a type that has one.
  auto start = [&](const TypeSpec& type) -> StatusOr<Place> {
    Place place;
    if (type.shape()->has_rank() && type.shape()->rank() == 0) {
      if (count == 1) return place;
      return InvalidWithReason("SHAPE_MISMATCH", "expected one row for `", type, "`, found ",
                               count);
    }
    int64_t declared = ColumnDim(type, 0);
    if (declared != kUnknownDim && declared != count) {
      return InvalidWithReason("SHAPE_MISMATCH", "expected ", declared, " rows for `", type,
                               "`, found ", count);
    }
    place.axes.push_back({.count = count, .length = count});
    return place;
  };
  Components out;
  if (const auto* structured = spec.As<StructuredSpec>(); structured && structured->rank() <= 1) {
    SIGNET_ASSIGN_OR_RETURN(Place place, start(spec));
    SIGNET_RETURN_IF_ERROR(ReadFields(stream_.rows(), rows, spec, place, out));
    return out;
  }
  if (IsColumn(spec)) {
    const auto& columns = stream_.rows().children;
    if (columns.size() != 1) {
      return InvalidWithReason("STRUCTURE_MISMATCH", "expected one column for `", spec, "`, found ",
                               columns.size());
    }
    SIGNET_ASSIGN_OR_RETURN(Place place, start(spec));
    SIGNET_RETURN_IF_ERROR(ReadChild(stream_.rows(), rows, columns[0].name, spec, place, out));
    return out;
  }
  auto names = NamesOf(spec);
  if (names.size() != spec.children().size() ||
      !std::all_of(spec.children().begin(), spec.children().end(), IsColumn)) {
    return InvalidWithReason("STRUCTURE_MISMATCH", "expected `", spec, "`, found columns");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Place place, start(spec.children()[i]));
    SIGNET_RETURN_IF_ERROR(
        ReadChild(stream_.rows(), rows, names[i], spec.children()[i], place, out));
  }
  return out;
}

Status ArrowColumns::ReadColumn(const ArrowField& field, ArrowRuns runs, const TypeSpec& spec,
                                Place place, Components& out) {
  SIGNET_RETURN_IF_ERROR(CheckKind(field, spec));
  SIGNET_ASSIGN_OR_RETURN(std::vector<bool> optional, OptionalLevels(field, spec, place.rank()));
  place.is_needed = place.is_needed && IsNeeded(spec, place.shared, out.size());
  const ArrowField* at = &field;
  for (size_t level = 0;; ++level) {
    if (!place.is_needed && !IsFree(*at, runs)) {  // as nulls, which are not needed
      ArrowRuns nulls(run_bytes_left_);
      SIGNET_RETURN_IF_ERROR(nulls.Add({nullptr, 0, runs.CountElements()}));
      runs = std::move(nulls);
    }
    SIGNET_ASSIGN_OR_RETURN(runs, runs.Resolve());
    if (optional[level]) {
      SIGNET_ASSIGN_OR_RETURN(runs, OpenOptional(runs, spec, place));
    }
    if (!at->is_list()) break;
    bool is_passed_over = !place.is_needed && runs.single() == nullptr;
    SIGNET_ASSIGN_OR_RETURN(
        runs, is_passed_over ? OpenOptional(runs, spec, place) : OpenLists(*at, runs, spec, place));
    at = &at->children[0];
  }
  if (spec.is(TypeKind::kStructured)) return ReadFields(*at, runs, spec, place, out);
  return ReadElements(*at, runs, spec, place, out);
}

Status ArrowColumns::ReadFields(const ArrowField& field, const ArrowRuns& runs,
                                const TypeSpec& spec, const Place& place, Components& out) {
  const auto& structured = *spec.As<StructuredSpec>();
  if (field.kind != Kind::kStruct) {
    return InvalidWithReason("STRUCTURE_MISMATCH", "expected `", spec, "`, found `",
                             field.type_name, "`");
  }
  // A null is represented in the fields. Without fields, it would count as a value.
  if (structured.field_names().empty() && place.is_needed) {
    SIGNET_RETURN_IF_ERROR(CheckNoNulls(runs, spec));
  }
  if (place.shared == 0 && place.rank() > 0) out.push_back(Tensor::Scalar(place.axes[0].count));
  for (int axis = std::max(place.shared, 1); axis < place.rank(); ++axis) {
    out.push_back(place.axes[static_cast<size_t>(axis)].splits);
  }
  Place inside = place;
  inside.shared = place.rank();
  for (size_t i = 0; i < structured.field_names().size(); ++i) {
    SIGNET_RETURN_IF_ERROR(
        ReadChild(field, runs, structured.field_names()[i], spec.children()[i], inside, out));
  }
  return absl::OkStatus();
}

Status ArrowColumns::ReadChild(const ArrowField& field, const ArrowRuns& runs,
                               std::string_view name, const TypeSpec& spec, const Place& place,
                               Components& out) {
  auto is_called = [&](const ArrowField& child) { return child.name == name; };
  const auto& children = field.children;
  auto found = std::find_if(children.begin(), children.end(), is_called);
  if (found == children.end()) {
    std::vector<std::string> names;
    for (const ArrowField& child : children) names.push_back(child.name);
    std::sort(names.begin(), names.end());
    return WithField(
        name, InvalidWithReason(
                  "STRUCTURE_MISMATCH", "no such column; columns: ", ListNames(names),
                  "; a field that may be missing is declared as optional or with a default"));
  }
  if (std::find_if(found + 1, children.end(), is_called) != children.end()) {
    return WithField(name, InvalidWithReason("STRUCTURE_MISMATCH", "duplicate column name"));
  }
  auto index = static_cast<size_t>(found - children.begin());
  ArrowRuns child_runs(run_bytes_left_);
  for (const ArrowRun& run : runs) {
    const ArrowArray* array = run.array == nullptr ? nullptr : &run.array->children[index];
    SIGNET_RETURN_IF_ERROR(child_runs.Add({array, run.begin, run.end}));
  }
  return WithField(name, ReadColumn(*found, std::move(child_runs), spec, place, out));
}

StatusOr<ArrowRuns> ArrowColumns::OpenOptional(const ArrowRuns& runs, const TypeSpec& spec,
                                               Place& place) {
  int64_t rows = runs.CountElements();
  int64_t null_length = place.is_needed ? 0 : std::max(ColumnDim(spec, place.rank()), int64_t{0});
  Tensor splits;
  bool are_zeros = null_length == 0 && runs.CountNulls() == rows;
  if (are_zeros && AxisWriter::HasSplits(spec, place.rank())) {
    SIGNET_ASSIGN_OR_RETURN(splits, MakeZeros(AxisWriter::SplitsDTypeOf(spec), {rows + 1}));
  }
  SIGNET_ASSIGN_OR_RETURN(AxisWriter writer,
                          AxisWriter::Make(*this, spec, place.rank(), rows, std::move(splits)));
  ArrowRuns out(run_bytes_left_);
  for (const ArrowRun& run : runs) {
    int64_t length = run.array == nullptr ? null_length : 1;
    auto count = CheckedMultiply(run.size(), length);
    SIGNET_RETURN_IF_ERROR(allowance_.CheckElements(count.value_or(INT64_MAX)));
    writer.Add(length, run.size());
    SIGNET_RETURN_IF_ERROR(out.Add(run.array == nullptr ? ArrowRun{nullptr, 0, *count} : run));
  }
  SIGNET_ASSIGN_OR_RETURN(Axis axis, std::move(writer).Finish());
  place.axes.push_back(std::move(axis));
  return out;
}

StatusOr<ArrowRuns> ArrowColumns::OpenLists(const ArrowField& field, const ArrowRuns& runs,
                                            const TypeSpec& spec, Place& place) {
  SIGNET_RETURN_IF_ERROR(CheckNoNulls(runs, spec));
  Tensor borrowed;
  if (AxisWriter::HasSplits(spec, place.rank()) && field.kind == Kind::kList) {
    SIGNET_ASSIGN_OR_RETURN(borrowed, BorrowSplits(field, runs, AxisWriter::SplitsDTypeOf(spec)));
  }
  SIGNET_ASSIGN_OR_RETURN(
      AxisWriter writer,
      AxisWriter::Make(*this, spec, place.rank(), runs.CountElements(), std::move(borrowed)));
  ArrowRuns out(run_bytes_left_);
  for (const ArrowRun& run : runs) {
    const ArrowArray& child = run.array->children[0];
    if (field.kind == Kind::kFixedList) {
      writer.Add(field.size, run.size());
      SIGNET_RETURN_IF_ERROR(writer.CheckCount());
      SIGNET_RETURN_IF_ERROR(out.Add({&child, run.begin * field.size, run.end * field.size}));
      continue;
    }
    ArrowRun elements = {&child};
    bool in_order = VisitOffsets(*run.array, [&](auto offset) {
      elements.begin = elements.end = offset(run.begin);
      for (int64_t i = run.begin; i < run.end; ++i) {
        int64_t next = offset(i + 1);
        if (elements.begin < 0 || next < elements.end || next > child.length) return false;
        writer.Add(next - elements.end);
        elements.end = next;
      }
      return true;
    });
    if (!in_order) {
      return InvalidArgument("offsets decrease or exceed the ", child.length, " elements");
    }
    SIGNET_RETURN_IF_ERROR(writer.CheckCount());
    SIGNET_RETURN_IF_ERROR(out.Add(elements));
  }
  SIGNET_ASSIGN_OR_RETURN(Axis axis, std::move(writer).Finish());
  place.axes.push_back(std::move(axis));
  return out;
}

namespace {

const ArrowField* LookupColumn(const ArrowField& rows, std::string_view name) {
  auto found = std::find_if(rows.children.begin(), rows.children.end(),
                            [&](const ArrowField& child) { return child.name == name; });
  return found == rows.children.end() ? nullptr : &*found;
}

// Returns the names of the columns of a structure or record, and nothing for other types.
std::span<const std::string> ColumnNamesOf(const TypeSpec& spec) {
  const auto* structured = spec.As<StructuredSpec>();
  return structured != nullptr ? structured->field_names() : NamesOf(spec);
}

// Rejects columns that `spec` does not have, at any depth.
Status CheckNoUnknownColumns(const TypeSpec& spec, const ArrowField& rows) {
  auto names = ColumnNamesOf(spec);
  if (names.empty()) return absl::OkStatus();
  for (const ArrowField& child : rows.children) {
    auto found = std::find(names.begin(), names.end(), child.name);
    if (found == names.end()) {
      return WithField(
          child.name,
          InvalidWithReason("STRUCTURE_MISMATCH", "expected one of the columns ",
                            ListNames({names.begin(), names.end()}), ", found another column"));
    }
    const TypeSpec& type = spec.children()[static_cast<size_t>(found - names.begin())];
    if (!type.is(TypeKind::kStructured)) continue;
    SIGNET_RETURN_IF_ERROR(WithField(child.name, CheckNoUnknownColumns(type, child.innermost())));
  }
  return absl::OkStatus();
}

// Returns `spec` without the optional columns that are missing. If `with_nulls` is true, adds rows
// of 0 or 1 where a default replaces nulls. Equal to `spec` if there is nothing to fill in.
StatusOr<TypeSpec> PresentType(const TypeSpec& spec, const ArrowField& rows, bool with_nulls) {
  auto names = ColumnNamesOf(spec);
  const auto* structured = spec.As<StructuredSpec>();
  const int rank = structured != nullptr ? structured->rank() : 0;
  // A column of its own has nulls only as elements.
  auto with_rows = [&](const TypeSpec& type) -> StatusOr<TypeSpec> {
    bool has_place = structured != nullptr || DefaultOfElement(type);
    return with_nulls && has_place ? WithRowsForNulls(type, rank) : type;
  };
  if (names.empty()) return IsColumn(spec) ? with_rows(spec) : spec;
  NamedTypes fields;
  std::vector<bool> optional;
  for (size_t i = 0; i < names.size(); ++i) {
    TypeSpec type = spec.children()[i];
    const ArrowField* column = LookupColumn(rows, names[i]);
    bool is_optional = structured != nullptr && structured->IsOptionalChild(i);
    bool has_default = IsColumn(type) && !type.is(TypeKind::kStructured) &&
                       static_cast<bool>(DefaultOfWhole(type, rank));
    if (column == nullptr && (is_optional || has_default)) continue;
    if (column != nullptr && type.is(TypeKind::kStructured)) {
      SIGNET_ASSIGN_OR_RETURN(type, PresentType(type, column->innermost(), with_nulls));
    } else if (IsColumn(type) && !type.is(TypeKind::kStructured)) {
      is_optional |= with_nulls && has_default && !DefaultOfElement(type);
      SIGNET_ASSIGN_OR_RETURN(type, with_rows(type));
    }
    fields.emplace_back(names[i], std::move(type));
    optional.push_back(is_optional);
  }
  if (structured != nullptr) {
    return MakeStructuredType(structured->shape(), std::move(fields), std::move(optional));
  }
  if (fields.size() == names.size() && !with_nulls) return spec;
  return MakeDictType(std::move(fields));
}

// Returns the field whose children are the columns of the records in `spec`. Structures of rank 2
// or more are lists in the only column.
const ArrowField& RecordsOf(const ArrowField& rows, const TypeSpec& spec) {
  const auto* structured = spec ? spec.As<StructuredSpec>() : nullptr;
  bool is_nested = structured != nullptr && structured->rank() > 1 && rows.children.size() == 1;
  return is_nested ? rows.children[0].innermost() : rows;
}

StatusOr<Value> ReadDeclared(const ArrowStream& stream, const TypeSpec& spec, const Limits& limits,
                             const std::vector<bool>& needs) {
  const ArrowField& rows = RecordsOf(stream.rows(), spec);
  if (limits.reject_unknown_fields && spec) {
    SIGNET_RETURN_IF_ERROR(CheckNoUnknownColumns(spec, rows));
  }
  if (!spec || !spec.rep().has_notes()) return ArrowColumns(stream, limits, needs).Read(spec);
  SIGNET_ASSIGN_OR_RETURN(TypeSpec present, PresentType(spec, rows, false));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec with_nulls, PresentType(spec, rows, true));
  if (present == spec) {
    auto value = ArrowColumns(stream, limits, needs).Read(spec);
    if (value.ok() || ReasonOf(value.status()) != "NULLS" || with_nulls == spec) return value;
  }
  const std::vector<bool> all;
  SIGNET_ASSIGN_OR_RETURN(Value found, ArrowColumns(stream, limits, all).Read(with_nulls));
  return FillMissing(found, spec, limits);
}

}  // namespace

StatusOr<Value> ValueFromArrow(const Buffer& stream, const TypeSpec& spec, const Limits& limits,
                               const std::vector<bool>& needs) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(stream.size()));
  SIGNET_ASSIGN_OR_RETURN(ArrowStream read, ArrowStream::Read(stream, limits));
  auto value = ReadDeclared(read, spec, limits, needs);
  if (!value.ok()) return AtColumn(std::move(value).status());
  return value;
}

}  // namespace signet
