#include "core/values/builders/type_inference.h"

#include <algorithm>

#include "core/types/identifier.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

std::string InLists(int count) {
  if (count == 0) return "in no list";
  return Cat("in ", count, count == 1 ? " list" : " lists");
}

}  // namespace

TypeInference::TypeInference(InferOptions options, InferLimits limits)
    : options_(std::move(options)), limits_(limits) {
  columns_.emplace_back();
}

// Returns the place of the next value, which an error calls `found`.
StatusOr<TypeInference::Column*> TypeInference::Place(std::string_view found) {
  if (frames_.empty()) {
    if (is_done_)
      return InvalidWithReason("STRUCTURE_MISMATCH", "expected nothing more, found ", found);
    return &columns_.front();
  }
  const Frame& frame = frames_.back();
  if (!frame.is_object) return frame.column;
  if (frame.field != nullptr) return frame.field;
  return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH",
                                     "expected a key or the end of the object, found ", found));
}

// Counts a complete value in the innermost list or object.
void TypeInference::EndValue() {
  if (frames_.empty()) {
    is_done_ = true;
    return;
  }
  Frame& frame = frames_.back();
  if (frame.is_object) {
    frame.field = nullptr;
  } else {
    ++frame.count;
  }
}

Status TypeInference::Push(Frame frame) {
  if (frames_.size() == static_cast<size_t>(limits_.max_depth)) {
    return WithPlace(ResourceExhausted("more than ", limits_.max_depth,
                                       " lists and objects within others, which is the limit"));
  }
  frames_.push_back(frame);
  return absl::OkStatus();
}

// Checks that `found` is in the same number of lists as the other values of its place, `wanted`
// (kNone: there are no others).
Status TypeInference::CheckDepth(std::string_view found, int wanted,
                                 std::string_view others) const {
  if (wanted == kNone || wanted == depth_) return absl::OkStatus();
  return WithPlace(InvalidWithReason("SHAPE_MISMATCH", found, " ", InLists(depth_), "; other ",
                                     others, " here are ", InLists(wanted)));
}

Status TypeInference::CheckEmptyLists(const Column& column, std::string_view found) const {
  if (column.empty_depth <= depth_) return absl::OkStatus();
  return WithPlace(InvalidWithReason("SHAPE_MISMATCH", found, " ", InLists(depth_),
                                     "; an empty list here is ", InLists(column.empty_depth - 1)));
}

Status TypeInference::BeginList() {
  SIGNET_ASSIGN_OR_RETURN(Column * column, Place("a list"));
  SIGNET_RETURN_IF_ERROR(Push({.is_object = false, .column = column}));
  ++depth_;
  return absl::OkStatus();
}

Status TypeInference::EndList() {
  if (frames_.empty() || frames_.back().is_object) {
    return WithPlace(
        InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found the end of a list"));
  }
  Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.count == 0) {
    Column& column = *frame.column;
    bool has_objects = column.object_depth != kNone;
    int values = std::max(column.scalar_depth, column.object_depth);
    if (values != kNone && depth_ > values) {
      return WithPlace(InvalidWithReason(has_objects ? "STRUCTURE_MISMATCH" : "SHAPE_MISMATCH",
                                         "an empty list ", InLists(depth_ - 1), "; the ",
                                         has_objects ? "objects" : "scalars", " here are ",
                                         InLists(values)));
    }
    column.empty_depth = std::max(column.empty_depth, depth_);
  }
  --depth_;
  EndValue();
  return absl::OkStatus();
}

Status TypeInference::BeginObject() {
  SIGNET_ASSIGN_OR_RETURN(Column * column, Place("an object"));
  if (options_ != InferOptions()) {
    return WithPlace(
        InvalidWithReason("STRUCTURE_MISMATCH",
                          "expected lists of scalars, because a dtype, ragged rank, or shape is "
                          "given, found an object"));
  }
  if (column->scalar_depth != kNone) {
    return WithPlace(InvalidWithReason(
        "STRUCTURE_MISMATCH", "expected a scalar, like the other values here, found an object"));
  }
  SIGNET_RETURN_IF_ERROR(CheckDepth("an object", column->object_depth, "objects"));
  SIGNET_RETURN_IF_ERROR(CheckEmptyLists(*column, "an object"));
  SIGNET_RETURN_IF_ERROR(Push({.is_object = true, .column = column}));
  column->object_depth = depth_;
  column->num_seen = 0;
  ++column->objects;
  return absl::OkStatus();
}

Status TypeInference::Key(std::string_view name) {
  bool fits = !frames_.empty() && frames_.back().is_object && frames_.back().field == nullptr;
  if (!fits)
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found a key"));
  Frame& frame = frames_.back();
  Column& column = *frame.column;
  auto found = column.fields.find(name);
  if (found == column.fields.end()) {
    SIGNET_RETURN_IF_ERROR(AddField(column, name).status());
    found = column.fields.find(name);
  }
  auto& [key, field] = *found;
  if (field->last_object == column.objects) {
    return WithPlace(
        InvalidWithReason("STRUCTURE_MISMATCH", "duplicate key `", Printable(name), "`"));
  }
  field->last_object = column.objects;
  ++column.num_seen;
  frame.key = key;
  frame.field = field;
  return absl::OkStatus();
}

// Adds a key that no earlier object at this place had.
StatusOr<TypeInference::Column*> TypeInference::AddField(Column& column, std::string_view name) {
  if (column.objects > 1) {
    std::vector<std::string> keys;
    for (const auto& [key, field] : column.fields) keys.push_back(key);
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "key `", Printable(name),
                                       "`; the objects before have ",
                                       keys.empty() ? "no keys" : ListNames(keys)));
  }
  if (!IsFieldName(name)) {
    return WithPlace(InvalidWithReason(
        "STRUCTURE_MISMATCH",
        "expected a key of a letter, then letters, digits, or underscores, found `",
        Printable(name), "`"));
  }
  if (static_cast<int64_t>(columns_.size()) > limits_.max_fields) {
    return WithPlace(
        ResourceExhausted("more than ", limits_.max_fields, " different keys, which is the limit",
                          limits_.fields_flag.empty() ? "" : Cat(" (", limits_.fields_flag, ")")));
  }
  auto added = column.fields.emplace(name, &columns_.emplace_back()).first;
  column.order.push_back(added->first);
  return added->second;
}

Status TypeInference::EndObject() {
  bool fits = !frames_.empty() && frames_.back().is_object && frames_.back().field == nullptr;
  if (!fits)
    return WithPlace(
        InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found the end of an object"));
  const Column& column = *frames_.back().column;
  if (column.num_seen < column.fields.size()) {
    std::vector<std::string> missing;
    for (const auto& [key, field] : column.fields) {
      if (field->last_object != column.objects) missing.push_back(key);
    }
    return WithPlace(InvalidWithReason("STRUCTURE_MISMATCH", "no ",
                                       missing.size() == 1 ? "key " : "keys ", ListNames(missing),
                                       "; the objects before have them"));
  }
  frames_.pop_back();
  EndValue();
  return absl::OkStatus();
}

Status TypeInference::AddScalar(Kind kind) {
  static constexpr std::string_view kOne[] = {"a bool", "an integer", "a float", "text"};
  static constexpr std::string_view kMany[] = {"bools", "integers", "floats", "texts"};
  std::string_view found = kOne[static_cast<size_t>(kind)];
  SIGNET_ASSIGN_OR_RETURN(Column * column, Place(found));
  if (column->object_depth != kNone) {
    return WithPlace(InvalidWithReason(
        "STRUCTURE_MISMATCH", "expected an object, like the other values here, found ", found));
  }
  SIGNET_RETURN_IF_ERROR(CheckDepth(found, column->scalar_depth, "scalars"));
  SIGNET_RETURN_IF_ERROR(CheckEmptyLists(*column, found));
  // If the dtype is given, each scalar must convert to it, independently of the others.
  if (column->kind && *column->kind != kind && !options_.dtype) {
    auto is_number = [](Kind k) { return k == Kind::kInt || k == Kind::kFloat; };
    if (!is_number(*column->kind) || !is_number(kind)) {
      return WithPlace(InvalidWithReason("DTYPE_MISMATCH", "expected ",
                                         kMany[static_cast<size_t>(*column->kind)],
                                         ", like the other values here, found ", found));
    }
    kind = Kind::kFloat;
  }
  column->scalar_depth = depth_;
  column->kind = kind;
  EndValue();
  return absl::OkStatus();
}

Status TypeInference::Null() {
  SIGNET_RETURN_IF_ERROR(Place("null").status());
  return WithPlace(InvalidWithReason("NOT_CONVERTIBLE",
                                     "expected a value, or an empty list for none, found null"));
}

Status TypeInference::Bool() { return AddScalar(Kind::kBool); }
Status TypeInference::Float() { return AddScalar(Kind::kFloat); }
Status TypeInference::String() { return AddScalar(Kind::kString); }

Status TypeInference::Int(absl::int128 value) {
  SIGNET_ASSIGN_OR_RETURN(Column * column, Place("an integer"));
  if (value < INT32_MIN || value > INT32_MAX) column->is_wide = true;
  return AddScalar(Kind::kInt);
}

std::string TypeInference::Path() const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (!frame.is_object) {
      path += Cat("[", frame.count, "]");
    } else if (frame.field != nullptr) {
      path = JoinPath(path, Printable(frame.key));
    }
  }
  return path;
}

Status TypeInference::WithPlace(Status status) const {
  std::string path = Path();
  if (path.empty()) return status;
  return WithField(path, At(Cat("`", path, "`"), std::move(status)));
}

StatusOr<TypeSpec> TypeInference::Finish() const {
  if (!is_done_) return InvalidWithReason("STRUCTURE_MISMATCH", "expected a value, found the end");
  const Column& whole = columns_.front();
  return whole.object_depth != kNone ? TypeOf(whole) : TypeOfScalars(whole, options_);
}

StatusOr<TypeSpec> TypeInference::TypeOf(const Column& column) const {
  if (column.object_depth == kNone) return TypeOfScalars(column, {});
  NamedTypes fields;
  for (std::string_view name : column.order) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeOf(*column.fields.find(name)->second));
    fields.emplace_back(name, std::move(type));
  }
  return MakeStructuredType(PartialShape::OfRank(column.object_depth), std::move(fields));
}

StatusOr<TypeSpec> TypeInference::TypeOfScalars(const Column& column,
                                                const InferOptions& options) const {
  DType dtype = options.dtype.value_or(DType::kFloat32);
  if (column.kind && !options.dtype) {
    switch (*column.kind) {
      case Kind::kBool:
        dtype = DType::kBool;
        break;
      case Kind::kInt:
        dtype = column.is_wide ? DType::kInt64 : DType::kInt32;
        break;
      case Kind::kFloat:
        dtype = DType::kFloat32;
        break;
      case Kind::kString:
        dtype = DType::kString;
        break;
    }
  }
  const Shape inner = options.inner_shape.value_or(Shape());
  SIGNET_RETURN_IF_ERROR(WithReason("INVALID_DIMENSION", CheckShape(inner.dims(), 1)));
  // The least depth of scalars under the options.
  int needed = inner.rank();
  if (options.ragged_rank) {
    if (*options.ragged_rank < 0) {
      return InvalidWithReason("SHAPE_MISMATCH", "expected a ragged rank of at least 0, found ",
                               *options.ragged_rank);
    }
    bool has_rows = *options.ragged_rank > 0 || options.inner_shape;
    needed += *options.ragged_rank + (has_rows ? 1 : 0);
  }
  // Without scalars, there is no limit to the depth of the lists.
  int rank = column.scalar_depth;
  if (rank == kNone) rank = std::max(column.empty_depth, needed);
  bool fits = options.ragged_rank && options.inner_shape ? rank == needed : rank >= needed;
  if (!fits) {
    return InvalidWithReason("SHAPE_MISMATCH", "expected scalars ", InLists(needed),
                             " for ragged rank ", options.ragged_rank.value_or(0),
                             " and inner shape `", inner, "`, found scalars ", InLists(rank));
  }
  int ragged_rank = options.ragged_rank.value_or(std::max(rank - 1 - inner.rank(), 0));
  PartialShape shape = PartialShape::OfRank(rank - inner.rank()).Concatenate(inner);
  if (ragged_rank == 0) return TensorType(dtype, std::move(shape));
  return MakeRaggedType(dtype, std::move(shape), ragged_rank, options.splits_dtype);
}

}  // namespace signet
