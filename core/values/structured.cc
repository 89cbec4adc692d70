#include "signet/structured.h"

#include <algorithm>

#include "core/types/identifier.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

using Partitions = std::vector<RowPartition>;

// The dimensions of a field that its structure may share, and the components that only the field
// has.
struct Column {
  int64_t nrows = 0;
  Partitions partitions;  // of the dimensions of the structure; int64
  Components own;         // the components that the field adds to the structure
};

// Converts to int64 the splits of a ragged column that are used in or with a structure.
StatusOr<Tensor> Widened(const Tensor& splits) {
  SIGNET_ASSIGN_OR_RETURN(RowPartition wide,
                          RowPartition::Trusted(splits).WithDType(DType::kInt64));
  return wide.row_splits();
}

// Splits a tensor or ragged value into the parts for a structure of `rank`.
StatusOr<Column> SplitColumn(const Value& value, int rank) {
  Column column;
  auto shared = static_cast<size_t>(std::max(rank - 1, 0));
  SIGNET_ASSIGN_OR_RETURN(Partitions partitions, PartitionsOf(value, rank));
  for (const RowPartition& partition : partitions) {
    SIGNET_ASSIGN_OR_RETURN(RowPartition wide, partition.WithDType(DType::kInt64));
    column.partitions.push_back(std::move(wide));
  }
  auto components = value.components();
  column.own.push_back(components[0]);
  for (size_t i = 1 + shared; i < components.size(); ++i) {
    // All row splits of a ragged type have the same dtype.
    Tensor splits = components[i];
    if (shared > 0) {
      SIGNET_ASSIGN_OR_RETURN(splits, Widened(splits));
    }
    column.own.push_back(std::move(splits));
  }
  if (rank > 0) {
    column.nrows =
        components.size() > 1 ? components[1].num_elements() - 1 : components[0].shape().dim(0);
  }
  return column;
}

StatusOr<Column> SplitStructured(const Value& value, int rank) {
  Column column;
  auto components = value.components();
  if (rank > 0) {
    column.nrows = NumRowsOf(value);
    SIGNET_ASSIGN_OR_RETURN(column.partitions, PartitionsOf(value, rank));
  }
  column.own.assign(components.begin() + rank, components.end());
  return column;
}

// The rows that the fields share: given by the caller or by the first field, and compared with the
// others.
class Rows {
 public:
  Rows(std::optional<int64_t> nrows, std::optional<Partitions> partitions)
      : nrows_(nrows), partitions_(std::move(partitions)) {
    if (!nrows_ && partitions_ && !partitions_->empty()) nrows_ = partitions_->front().nrows();
  }

  Status Merge(std::string_view field, const Column& column) {
    if (nrows_ && *nrows_ != column.nrows) {
      return InvalidWithReason(
          "ROW_COUNT", "field `", field, "` has ", column.nrows, " rows; ",
          first_.empty() ? std::string("the structure") : Cat("field `", first_, "`"), " has ",
          *nrows_);
    }
    nrows_ = column.nrows;
    if (!partitions_) partitions_ = column.partitions;
    for (size_t i = 0; i < partitions_->size(); ++i) {
      if ((*partitions_)[i].MergeWith(column.partitions[i]).ok()) continue;
      return InvalidWithReason("ROW_SPLITS",
                               first_.empty() ? Cat("the structure and field `", field)
                                              : Cat("fields `", first_, "` and `", field),
                               "` have other row lengths in dimension ", i + 1);
    }
    if (first_.empty()) first_ = field;
    return absl::OkStatus();
  }

  // Checks that each partition divides the rows of the previous one.
  Status CheckChain() const {
    if (!partitions_) return absl::OkStatus();
    int64_t count = nrows_.value_or(0);
    for (size_t i = 0; i < partitions_->size(); ++i) {
      const RowPartition& partition = (*partitions_)[i];
      if (partition.nrows() != count) {
        return InvalidWithReason(
            i == 0 ? "ROW_COUNT" : "ROW_SPLITS", "row partition ", i, " has ", partition.nrows(),
            " rows; ", i == 0 ? std::string("the structure") : Cat("row partition ", i - 1),
            " has ", count, i == 0 ? "" : " values");
      }
      count = partition.nvals();
    }
    return absl::OkStatus();
  }

  // Fills in from `shape` what neither the caller nor a field determines.
  Status Complete(const PartialShape& shape) {
    if (!nrows_ && shape.dim(0) != kUnknownDim) nrows_ = shape.dim(0);
    if (nrows_ && partitions_) return absl::OkStatus();
    if (!nrows_ || !shape.Slice(1, shape.rank()).IsFullyDefined()) {
      return InvalidWithReason(
          "ROW_COUNT", "a structure of shape `", shape,
          "` without fields: expected its number of rows and known sizes of the other dimensions");
    }
    Shape sizes = shape.WithDim(0, *nrows_).ToShape();
    SIGNET_RETURN_IF_ERROR(CheckShape(sizes.dims(), sizeof(int64_t)));
    SIGNET_ASSIGN_OR_RETURN(partitions_, PartitionsOfShape(sizes, sizes.rank()));
    return absl::OkStatus();
  }

  // Appends nrows and the row splits, after Complete.
  void AppendTo(Components& out) const {
    out.push_back(Tensor::Scalar(*nrows_));
    for (const RowPartition& partition : *partitions_) out.push_back(partition.row_splits());
  }

 private:
  std::optional<int64_t> nrows_;
  std::optional<Partitions> partitions_;
  std::string_view first_;  // name of the first field
};

// Checks that a structure of this rank can have the given rows and partitions.
Status CheckGiven(const PartialShape& shape, std::optional<int64_t> nrows,
                  const std::optional<Partitions>& partitions) {
  if (!shape.has_rank())
    return InvalidArgument("expected a structure of known rank, found an unknown rank");
  size_t wanted = static_cast<size_t>(std::max(shape.rank() - 1, 0));
  if (partitions && partitions->size() != wanted) {
    return InvalidWithReason("ROW_SPLITS", "expected ", wanted,
                             " row partitions for a structure of rank ", shape.rank(), ", found ",
                             partitions->size());
  }
  if (nrows && shape.rank() == 0) {
    return InvalidWithReason("ROW_COUNT", "expected no number of rows for one structure, found ",
                             *nrows);
  }
  if (nrows && *nrows < 0)
    return InvalidWithReason("ROW_COUNT", "expected at least 0 rows, found ", *nrows);
  return absl::OkStatus();
}

// Returns `shape` with the lengths of uniform partitions filled in.
StatusOr<PartialShape> WithLengths(PartialShape shape,
                                   const std::optional<Partitions>& partitions) {
  for (size_t i = 0; partitions && i < partitions->size(); ++i) {
    auto length = (*partitions)[i].uniform_row_length();
    auto axis = static_cast<int>(i + 1);
    if (!length || *length == shape.dim(axis)) continue;
    if (shape.dim(axis) != kUnknownDim) {
      return InvalidWithReason("SHAPE_MISMATCH", "row partition ", i, ": expected rows of length ",
                               shape.dim(axis), " for `", shape, "`, found ", *length);
    }
    shape = shape.WithDim(axis, *length);
  }
  return shape;
}

bool HasSplits(const Value& value, DType dtype) {
  const auto* ragged = value.spec() ? value.spec().As<RaggedSpec>() : nullptr;
  return ragged != nullptr && ragged->splits_dtype() == dtype;
}

// Converts the row splits of all ragged fields to int64 if one of them has int64.
Status UnifySplits(NamedValues& fields) {
  bool has_wide = std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    return HasSplits(field.second, DType::kInt64);
  });
  for (auto& [name, value] : fields) {
    if (!has_wide || !HasSplits(value, DType::kInt32)) continue;
    const auto& ragged = *value.spec().As<RaggedSpec>();
    SIGNET_ASSIGN_OR_RETURN(TypeSpec wide,
                            MakeRaggedType(ragged.dtype(), ragged.shape(), ragged.ragged_rank()));
    if (value.is_placeholder()) {
      value = Value::OfType(std::move(wide));
      continue;
    }
    Components components(value.components().begin(), value.components().end());
    for (size_t i = 1; i < components.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(components[i], Widened(components[i]));
    }
    value = Value::Trusted(std::move(wide), std::move(components));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Value> MakeStructured(const PartialShape& shape, NamedValues fields,
                               std::optional<int64_t> nrows,
                               std::optional<std::vector<RowPartition>> partitions) {
  SIGNET_RETURN_IF_ERROR(CheckGiven(shape, nrows, partitions));
  SIGNET_RETURN_IF_ERROR(UnifySplits(fields));
  NamedTypes types;
  for (const auto& [name, value] : fields) types.emplace_back(name, value.spec());
  // Columns are merged and components are stored in the order of the names.
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  bool is_placeholder = false;
  for (const auto& [name, value] : fields) {
    SIGNET_RETURN_IF_ERROR(CheckField(name, value.spec(), shape));
    is_placeholder |= value.is_placeholder();
  }
  for (size_t i = 0; partitions && i < partitions->size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN((*partitions)[i], (*partitions)[i].WithDType(DType::kInt64));
  }
  Rows rows(nrows, partitions);
  int rank = shape.rank();
  Components own;
  for (const auto& [name, value] : fields) {
    if (is_placeholder) break;
    auto column = value.spec().is(TypeKind::kStructured) ? SplitStructured(value, rank)
                                                         : SplitColumn(value, rank);
    if (!column.ok()) return At(Cat("field `", name, "`"), column.status());
    if (rank > 0) SIGNET_RETURN_IF_ERROR(rows.Merge(name, *column));
    own.insert(own.end(), column->own.begin(), column->own.end());
  }
  SIGNET_ASSIGN_OR_RETURN(PartialShape sizes, WithLengths(shape, partitions));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, MakeStructuredType(std::move(sizes), std::move(types)));
  if (is_placeholder) return Value::OfType(std::move(spec));
  Components components;
  if (rank > 0) {
    SIGNET_RETURN_IF_ERROR(rows.CheckChain());
    SIGNET_RETURN_IF_ERROR(rows.Complete(*spec.shape()));
    rows.AppendTo(components);
  }
  components.insert(components.end(), own.begin(), own.end());
  // This checks the declared sizes, and dense fields next to ragged ones, against the rows.
  return MakeValue(std::move(spec), std::move(components));
}

int64_t NumRowsOf(const Value& structured) { return structured.components()[0].scalar<int64_t>(); }

std::span<const std::string> FieldNamesOf(const Value& structured) {
  return structured.spec().As<StructuredSpec>()->field_names();
}

StatusOr<Value> FieldOf(const Value& structured, std::string_view name) {
  const auto* spec = structured.spec().As<StructuredSpec>();
  if (spec == nullptr) {
    return InvalidArgument("field `", Printable(name), "`: expected a structure, found `",
                           structured.spec(), "`");
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec field, spec->FindField(name));
  if (structured.is_placeholder()) return Value::OfType(std::move(field));
  Components components;
  auto positions = FieldComponents(structured.spec(), name);
  for (int i : *positions) {
    components.push_back(structured.components()[static_cast<size_t>(i)]);
  }
  return Value::Trusted(std::move(field), std::move(components));
}

StatusOr<Value> FieldAt(const Value& structured, std::span<const std::string> path) {
  Value value = structured;
  std::string at;
  for (const std::string& name : path) {
    if (name.empty()) {
      return InvalidArgument("expected the name of a field, found an empty name");
    }
    bool is_structure = value.spec() && value.spec().is(TypeKind::kStructured);
    auto field = is_structure ? FieldOf(value, name)
                              : NotFound("field `", Printable(name),
                                         "`: expected a structure, found `", value.spec(), "`");
    if (!field.ok()) {
      return at.empty() ? field.status() : WithField(at, At(Cat("`", at, "`"), field.status()));
    }
    value = *std::move(field);
    at = JoinPath(at, name);
  }
  return value;
}

}  // namespace signet
