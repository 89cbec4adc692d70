#include "core/values/structured.h"

#include <algorithm>
#include <cstring>

#include "core/types/ragged_spec.h"
#include "core/types/structured_spec.h"
#include "core/types/tensor_spec.h"

namespace signet {
namespace {

// Row splits made up for a dense dimension are new memory; rows without values could ask for any
// amount.
constexpr int64_t kMaxUniformRows = int64_t{1} << 28;

// The dimensions of a field that its structure may share, and where the field keeps what is its
// own.
struct Column {
  int64_t nrows = 0;
  std::vector<Tensor> splits;  // of the structure's partitions, int64
  Components own;              // the components that the field adds to the structure
};

StatusOr<Tensor> UniformSplits(int64_t nrows, int64_t length) {
  if (nrows >= kMaxUniformRows) {
    return ResourceExhausted(nrows, " rows of a dense dimension; the limit is ", kMaxUniformRows);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor splits, Tensor::Allocate(DType::kInt64, {nrows + 1}));
  auto* out = splits.mutable_elements<int64_t>();
  for (int64_t i = 0; i <= nrows; ++i) out[i] = i * length;
  return splits;
}

StatusOr<Tensor> Widened(const Tensor& splits) {
  if (splits.dtype() == DType::kInt64) return splits;
  SIGNET_ASSIGN_OR_RETURN(Tensor wide, Tensor::Allocate(DType::kInt64, splits.shape()));
  auto narrow = splits.elements<int32_t>();
  std::copy(narrow.begin(), narrow.end(), wide.mutable_elements<int64_t>());
  return wide;
}

int64_t NumValues(const Tensor& splits) { return splits.elements<int64_t>().back(); }

// Appends uniform partitions for dimensions of `shape` from `axis` on, until there are
// `partitions`.
Status AddUniform(const Shape& shape, int axis, size_t partitions, Column& column) {
  while (column.splits.size() < partitions) {
    int64_t rows = column.splits.empty() ? column.nrows : NumValues(column.splits.back());
    SIGNET_ASSIGN_OR_RETURN(Tensor splits, UniformSplits(rows, shape.dim(axis++)));
    column.splits.push_back(std::move(splits));
  }
  return absl::OkStatus();
}

// Takes a tensor or ragged value apart for a structure of `rank`.
StatusOr<Column> SplitColumn(const Value& value, int rank) {
  Column column;
  size_t shared = static_cast<size_t>(std::max(rank - 1, 0));
  auto components = value.components();
  const Tensor& values = components[0];
  column.own.push_back(values);
  const auto* ragged = value.spec().As<RaggedSpec>();
  size_t ragged_rank = ragged != nullptr ? static_cast<size_t>(ragged->ragged_rank()) : 0;
  for (size_t i = 0; i < ragged_rank; ++i) {
    Tensor splits = components[1 + i];
    // The partitions of a structure are int64, and a ragged type has one dtype for all of its own.
    if (shared > 0) {
      SIGNET_ASSIGN_OR_RETURN(splits, Widened(splits));
    }
    if (i < shared) {
      column.splits.push_back(std::move(splits));
    } else {
      column.own.push_back(std::move(splits));
    }
  }
  if (ragged_rank > 0) {
    column.nrows = components[1].num_elements() - 1;
  } else if (rank > 0) {
    column.nrows = values.shape().dim(0);
  }
  SIGNET_RETURN_IF_ERROR(AddUniform(values.shape(), 1, shared, column));
  return column;
}

StatusOr<Column> SplitStructured(const Value& value, int rank) {
  Column column;
  auto components = value.components();
  if (rank == 0) {
    column.own.assign(components.begin(), components.end());
    return column;
  }
  column.nrows = components[0].scalar<int64_t>();
  auto own = components.begin() + rank;
  column.splits.assign(components.begin() + 1, own);
  column.own.assign(own, components.end());
  return column;
}

bool SameSplits(const Tensor& a, const Tensor& b) {
  return a.data().data() == b.data().data() ? a.shape() == b.shape() : SameTensor(a, b);
}

// What the fields share: taken from the first, compared with the others.
class Rows {
 public:
  explicit Rows(std::optional<int64_t> nrows) : nrows_(nrows) {}

  Status Merge(std::string_view field, const Column& column) {
    if (nrows_ && *nrows_ != column.nrows) {
      return Refuse("ROW_COUNT", "field `", field, "` has ", column.nrows, " rows; ",
                    first_.empty() ? std::string("the structure") : Cat("field `", first_, "`"),
                    " has ", *nrows_);
    }
    nrows_ = column.nrows;
    if (first_.empty()) {
      first_ = field;
      splits_ = column.splits;
      return absl::OkStatus();
    }
    for (size_t i = 0; i < splits_.size(); ++i) {
      if (!SameSplits(splits_[i], column.splits[i])) {
        return Refuse("ROW_SPLITS", "fields `", first_, "` and `", field,
                      "` have other row lengths in dimension ", i + 1);
      }
    }
    return absl::OkStatus();
  }

  // No field has spoken: takes the rows from `shape`.
  Status TakeFrom(const PartialShape& shape) {
    if (!nrows_ && shape.dim(0) != kUnknownDim) nrows_ = shape.dim(0);
    bool known = nrows_ && shape.Slice(1, shape.rank()).IsFullyDefined();
    if (!known) {
      return Refuse("ROW_COUNT", "a structure of shape `", shape,
                    "` without fields; takes its number of rows, and known sizes behind it");
    }
    Column column;
    column.nrows = *nrows_;
    Shape sizes = shape.WithDim(0, *nrows_).ToShape();
    SIGNET_RETURN_IF_ERROR(CheckShape(sizes.dims(), sizeof(int64_t)));
    SIGNET_RETURN_IF_ERROR(AddUniform(sizes, 1, static_cast<size_t>(shape.rank() - 1), column));
    splits_ = std::move(column.splits);
    return absl::OkStatus();
  }

  bool has_field() const { return !first_.empty(); }
  int64_t nrows() const { return *nrows_; }
  const std::vector<Tensor>& splits() const { return splits_; }

 private:
  std::optional<int64_t> nrows_;
  std::string_view first_;  // the field that the splits are from
  std::vector<Tensor> splits_;
};

}  // namespace

StatusOr<Value> MakeStructured(const PartialShape& shape, NamedValues fields,
                               std::optional<int64_t> nrows) {
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  NamedTypes types;
  bool is_placeholder = false;
  for (const auto& [name, value] : fields) {
    types.emplace_back(name, value.spec());
    is_placeholder |= value.is_placeholder();
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, MakeStructuredType(shape, std::move(types)));
  if (is_placeholder) return Value::OfType(std::move(spec));
  int rank = shape.rank();
  if (rank == 0 && nrows) {
    return Refuse("ROW_COUNT", "a number of rows, ", *nrows, ", of one structure; takes none");
  }
  if (nrows && *nrows < 0) return Refuse("ROW_COUNT", *nrows, " rows; takes at least 0");
  Rows rows(nrows);
  Components own;
  for (const auto& [name, value] : fields) {
    auto column = value.spec().is(TypeKind::kStructured) ? SplitStructured(value, rank)
                                                         : SplitColumn(value, rank);
    if (!column.ok()) return At(Cat("field `", name, "`"), column.status());
    if (rank > 0) SIGNET_RETURN_IF_ERROR(rows.Merge(name, *column));
    own.insert(own.end(), column->own.begin(), column->own.end());
  }
  Components components;
  if (rank > 0) {
    if (!rows.has_field()) SIGNET_RETURN_IF_ERROR(rows.TakeFrom(*spec.shape()));
    components.push_back(Tensor::Scalar(rows.nrows()));
    components.insert(components.end(), rows.splits().begin(), rows.splits().end());
  }
  components.insert(components.end(), own.begin(), own.end());
  // The declared sizes, and dense fields beside ragged ones, are checked against the rows here.
  return MakeValue(std::move(spec), std::move(components));
}

StatusOr<Value> FieldOf(const Value& structured, std::string_view name) {
  const auto* spec = structured.spec().As<StructuredSpec>();
  if (spec == nullptr) {
    return InvalidArgument("field `", Printable(name), "` of `", structured.spec(),
                           "`; takes a structure");
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

}  // namespace signet
