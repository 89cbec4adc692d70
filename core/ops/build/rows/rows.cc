#include "core/ops/build/rows/rows.h"

#include <algorithm>
#include <optional>

#include "core/base/checked_math.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/outer_dimension.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

std::optional<int64_t> Known(const OpBuilder& build, const GraphValue& size) {
  const Tensor* known = build.LookupConstant(size.components[0]);
  if (known == nullptr) return std::nullopt;
  return known->scalar<int64_t>();
}

StatusOr<GraphValue> Product(OpBuilder& build, const GraphValue& a, const GraphValue& b) {
  auto x = Known(build, a);
  auto y = Known(build, b);
  if (x == 1) return b;
  if (y == 1) return a;
  auto product = x && y ? CheckedMultiply(*x, *y) : std::nullopt;
  if (product) return Int64Constant(build, *product);
  return build.Mul(a, b);
}

StatusOr<GraphValue> UniformSplits(OpBuilder& build, const GraphValue& rows,
                                   const GraphValue& length, DType dtype = DType::kInt64) {
  return build.UniformRowSplits(rows, length, {.dtype = dtype});
}

// Returns the sizes of all dimensions as far as they are known.
PartialShape SizesOf(const Rows& rows) {
  Dims sizes;
  for (const RowDim& dim : rows.dims) sizes.push_back(dim.known_length);
  return PartialShape(std::span<const int64_t>(sizes.data(), sizes.size()));
}

bool IsInt32(const GraphValue& splits) {
  return splits.spec.As<TensorSpec>()->dtype() == DType::kInt32;
}

// Returns `value` with the first dimensions `sizes`, which may be known more exactly than in its
// type.
StatusOr<GraphValue> Sized(GraphValue value, const PartialShape& sizes) {
  const PartialShape& shape = *value.spec.shape();
  SIGNET_ASSIGN_OR_RETURN(PartialShape first, shape.Slice(0, sizes.rank()).MergeWith(sizes));
  PartialShape merged = first.Concatenate(shape.Slice(sizes.rank(), shape.rank()));
  if (merged == shape) return value;
  auto children = value.spec.children();
  SIGNET_ASSIGN_OR_RETURN(
      value.spec, value.spec.rep().Rebuild(std::move(merged), {children.begin(), children.end()}));
  return value;
}

// Functions that open values.

// Returns the row splits of dimension `dim`, or a value without a type if there are none.
GraphValue OwnSplits(const GraphValue& value, int dim) {
  const auto* ragged = value.spec.As<RaggedSpec>();
  bool own =
      value.spec.is(TypeKind::kStructured) || (ragged != nullptr && dim <= ragged->ragged_rank());
  if (dim == 0 || !own) return {};
  return ComponentOf(value, static_cast<size_t>(dim));
}

// Returns the size of dimension `dim` if the value, or one of its columns, is dense there.
// Otherwise, returns a value without a type.
StatusOr<GraphValue> DenseLength(OpBuilder& build, const GraphValue& value, int dim) {
  if (value.spec.is(TypeKind::kTensor)) return DimSize(build, value, dim);
  if (const auto* ragged = value.spec.As<RaggedSpec>()) {
    if (dim <= ragged->ragged_rank()) return GraphValue();
    return DimSize(build, ComponentOf(value, 0), dim - ragged->ragged_rank());
  }
  for (const std::string& name : value.spec.As<StructuredSpec>()->field_names()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue field, FieldValue(value, name));
    SIGNET_ASSIGN_OR_RETURN(GraphValue length, DenseLength(build, field, dim));
    if (length.spec) return length;
  }
  return GraphValue();
}

StatusOr<RowDim> DimOf(OpBuilder& build, const GraphValue& value, int dim) {
  RowDim found{.splits = OwnSplits(value, dim), .known_length = value.spec.shape()->dim(dim)};
  if (found.known_length != kUnknownDim) {
    found.length = Int64Constant(build, found.known_length);
  } else if (dim == 0) {
    SIGNET_ASSIGN_OR_RETURN(found.length, CountRows(build, value));
  } else {
    SIGNET_ASSIGN_OR_RETURN(found.length, DenseLength(build, value, dim));
  }
  return found;
}

StatusOr<GraphValue> Flattened(OpBuilder& build, const GraphValue& tensor, int dims) {
  if (dims == 1) return tensor;
  return build.Flatten(tensor, {.first = 0, .last = dims - 1});
}

// Returns the elements after the first `depth` dimensions. `depth` is at least 1.
StatusOr<GraphValue> ElementsOf(OpBuilder& build, const GraphValue& value, int depth) {
  if (depth == 1) return value;
  if (value.spec.is(TypeKind::kTensor)) return Flattened(build, value, depth);
  const PartialShape& shape = *value.spec.shape();
  PartialShape opened =
      PartialShape{KnownProduct(shape, 0, depth)}.Concatenate(shape.Slice(depth, shape.rank()));
  if (const auto* ragged = value.spec.As<RaggedSpec>()) {
    RaggedParts parts = RaggedPartsOf(value);
    int partitions = std::min(depth - 1, ragged->ragged_rank());
    parts.splits.erase(parts.splits.begin(), parts.splits.begin() + partitions);
    SIGNET_ASSIGN_OR_RETURN(parts.values, Flattened(build, parts.values, depth - partitions));
    SIGNET_ASSIGN_OR_RETURN(GraphValue elements, MakeRaggedValue(parts));
    return Sized(std::move(elements), opened);
  }
  StructureParts parts = StructurePartsOf(value);
  parts.shape = std::move(opened);
  auto last = parts.splits.begin() + depth - 2;
  SIGNET_ASSIGN_OR_RETURN(parts.nrows, build.NumValues(*last));
  parts.splits.erase(parts.splits.begin(), last + 1);
  for (FieldPart& field : parts.fields) {
    SIGNET_ASSIGN_OR_RETURN(field.value, ElementsOf(build, field.value, depth));
  }
  return MakeStructureValue(build, std::move(parts));
}

// Adds a leading dimension of size 1 to `value`. `splits` is the new partition of its rows. It is
// not needed for a tensor or a value without rows.
StatusOr<GraphValue> Boxed(OpBuilder& build, const GraphValue& value, GraphValue splits = {}) {
  const PartialShape& shape = *value.spec.shape();
  bool is_scalar = value.spec.is(TypeKind::kRagged) && shape.rank() == 0;
  if (value.spec.is(TypeKind::kTensor) || is_scalar) {
    return build.ExpandDims(ComponentOf(value, 0), {.axis = 0});
  }
  PartialShape boxed = PartialShape{1}.Concatenate(shape);
  GraphValue one = Int64Constant(build, 1);
  if (!splits.spec && shape.rank() > 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountRows(build, value));
    const auto* ragged = value.spec.As<RaggedSpec>();
    DType dtype = ragged == nullptr ? DType::kInt64 : ragged->splits_dtype();
    SIGNET_ASSIGN_OR_RETURN(splits, UniformSplits(build, one, rows, dtype));
  }
  if (value.spec.is(TypeKind::kRagged)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, WithOuterSplits(build, value, splits));
    return Sized(std::move(made), boxed);
  }
  StructureParts parts = StructurePartsOf(value);
  parts.shape = std::move(boxed);
  parts.nrows = std::move(one);
  if (splits.spec) parts.splits.insert(parts.splits.begin(), splits);
  for (FieldPart& field : parts.fields) {
    SIGNET_ASSIGN_OR_RETURN(field.value, Boxed(build, field.value, splits));
  }
  return MakeStructureValue(build, std::move(parts));
}

// Functions that close values.

class Closer {
 public:
  Closer(OpBuilder& build, const Rows& rows)
      : build_(build), rows_(rows), sizes_(SizesOf(rows)), splits_(rows.dims.size()) {}

  StatusOr<GraphValue> Close(const GraphValue& elements, const TypeSpec& like) {
    if (rows_.depth() == 1) return Sized(elements, sizes_);
    if (elements.spec.is(TypeKind::kStructured)) return CloseStructure(elements, like);
    // Dimensions [dense, depth) become dimensions of a tensor.
    int dense = rows_.depth();
    while (elements.spec.is(TypeKind::kTensor) && dense > 1 && IsDense(dense - 1, like)) --dense;
    GraphValue closed = elements;
    if (dense < rows_.depth()) {
      SIGNET_ASSIGN_OR_RETURN(closed, Reshaped(elements, dense));
    }
    bool narrow = !in_structure_ && AreNarrow(elements.spec);
    for (int dim = dense - 1; dim > 0; --dim) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                              narrow ? SplitsOf(build_, rows_, dim, DType::kInt32) : Splits(dim));
      SIGNET_ASSIGN_OR_RETURN(closed, WithOuterSplits(build_, closed, splits));
    }
    return Sized(std::move(closed), sizes_);
  }

 private:
  const RowDim& dim(int i) const { return rows_.dims[static_cast<size_t>(i)]; }

  bool IsDense(int i, const TypeSpec& like) const {
    return dim(i).is_uniform() && (!dim(i).splits.spec || (like && like.is(TypeKind::kTensor)));
  }

  // Returns true if there are row splits and all of them are int32.
  bool AreNarrow(const TypeSpec& elements) const {
    const auto* ragged = elements.As<RaggedSpec>();
    bool some = ragged != nullptr;
    bool all = ragged == nullptr || ragged->splits_dtype() == DType::kInt32;
    for (const RowDim& dim : rows_.dims) {
      if (!dim.splits.spec) continue;
      some = true;
      all = all && IsInt32(dim.splits);
    }
    return some && all;
  }

  StatusOr<GraphValue> Splits(int i) {
    GraphValue& splits = splits_[static_cast<size_t>(i)];
    if (!splits.spec) {
      SIGNET_ASSIGN_OR_RETURN(splits, SplitsOf(build_, rows_, i));
    }
    return splits;
  }

  StatusOr<GraphValue> CloseStructure(const GraphValue& elements, const TypeSpec& like) {
    in_structure_ = true;
    StructureParts parts = StructurePartsOf(elements);
    parts.shape = sizes_.Concatenate(parts.shape.Slice(1, parts.shape.rank()));
    SIGNET_ASSIGN_OR_RETURN(parts.nrows, CountAt(build_, rows_, 0));
    for (int i = rows_.depth() - 1; i > 0; --i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Splits(i));
      SIGNET_ASSIGN_OR_RETURN(splits, Int64Splits(build_, splits));
      parts.splits.insert(parts.splits.begin(), std::move(splits));
    }
    const auto* fields = like ? like.As<StructuredSpec>() : nullptr;
    for (FieldPart& field : parts.fields) {
      TypeSpec kind = fields == nullptr ? TypeSpec() : fields->LookupField(field.name);
      SIGNET_ASSIGN_OR_RETURN(field.value, Close(field.value, kind));
    }
    return MakeStructureValue(build_, std::move(parts));
  }

  // Returns `tensor` with dimensions [first, depth) instead of its dimension 0.
  StatusOr<GraphValue> Reshaped(const GraphValue& tensor, int first) {
    std::vector<GraphValue> sizes;
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountAt(build_, rows_, first - 1));
    sizes.push_back(std::move(rows));
    for (int i = first; i < rows_.depth(); ++i) sizes.push_back(dim(i).length);
    const PartialShape& shape = *tensor.spec.shape();
    for (int axis = 1; axis < shape.rank(); ++axis) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build_, tensor, axis));
      sizes.push_back(std::move(size));
    }
    std::vector<int64_t> known;
    size_t unknown = 0;
    bool empty = false;
    for (const GraphValue& size : sizes) {
      auto value = Known(build_, size);
      known.push_back(value.value_or(-1));
      unknown += !value;
      empty |= value == 0;
    }
    // reshape computes one unknown size, unless there are no elements.
    if (unknown == 0 || (unknown == 1 && !empty)) {
      return build_.Reshape(tensor, {.shape = known});
    }
    return build_.Reshape(tensor, build_.Stack(sizes));
  }

  OpBuilder& build_;
  const Rows& rows_;
  const PartialShape sizes_;
  bool in_structure_ = false;       // the row splits of structures are int64
  std::vector<GraphValue> splits_;  // the row splits of requested dimensions
};

// Functions that merge rows.

StatusOr<RowDim> MergeDim(OpBuilder& build, const Rows& a, const Rows& b, int dim,
                          std::string_view label) {
  const RowDim& x = a.dims[static_cast<size_t>(dim)];
  const RowDim& y = b.dims[static_cast<size_t>(dim)];
  RowDim merged{.length = x.is_uniform() ? x.length : y.length,
                .known_length = x.known_length != kUnknownDim ? x.known_length : y.known_length};
  if (y.known_length != kUnknownDim && y.known_length != merged.known_length) {
    return WithConstraint(
        label, InvalidArgument("dimension ", dim, ": expected equal sizes, found ", x.known_length,
                               " and ", y.known_length));
  }
  if (x.splits.spec || y.splits.spec) {
    DType made = IsInt32(x.splits.spec ? x.splits : y.splits) ? DType::kInt32 : DType::kInt64;
    SIGNET_ASSIGN_OR_RETURN(merged.splits, SplitsOf(build, a, dim, made));
    SIGNET_ASSIGN_OR_RETURN(GraphValue other, SplitsOf(build, b, dim, made));
    if (merged.splits.components[0] == other.components[0]) return merged;
    // int64 row splits are preferred.
    if (IsInt32(merged.splits) && !IsInt32(other)) std::swap(merged.splits, other);
    SIGNET_ASSIGN_OR_RETURN(merged.splits, build.CheckSameSplits(merged.splits, other));
    return merged;
  }
  bool same = x.length.components[0] == y.length.components[0] ||
              (x.known_length != kUnknownDim && x.known_length == y.known_length);
  if (!same) {
    SIGNET_RETURN_IF_ERROR(CheckSameSize(
        build, x.length, y.length,
        WithConstraint(label, InvalidArgument("dimension ", dim, ": expected equal sizes"))));
  }
  return merged;
}

}  // namespace

RowDim RaggedDim(GraphValue splits) { return {.splits = std::move(splits)}; }

RowDim UniformDim(OpBuilder& build, int64_t length) {
  return {.length = Int64Constant(build, length), .known_length = length};
}

RowDim UniformDim(GraphValue length, int64_t known_length) {
  return {.length = std::move(length), .known_length = known_length};
}

StatusOr<int> RankOf(const GraphValue& value) {
  const TypeSpec& spec = value.spec;
  bool fits = spec && (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) ||
                       spec.is(TypeKind::kStructured));
  if (!fits) {
    return InvalidArgument("expected a tensor, a ragged value, or a structure, found `",
                           spec ? spec.ToString() : "None", "`");
  }
  if (!spec.shape()->has_rank()) {
    return Unimplemented("expected a value of known rank, found `", spec, "`");
  }
  return spec.shape()->rank();
}

StatusOr<Opened> OpenRows(OpBuilder& build, const GraphValue& value, int depth) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankOf(value));
  if (rank < depth) {
    return InvalidArgument("expected a rank of at least ", depth, ", found `", value.spec, "`");
  }
  Opened opened;
  if (depth == 0) {
    SIGNET_ASSIGN_OR_RETURN(opened.elements, Boxed(build, value));
    return opened;
  }
  for (int dim = 0; dim < depth; ++dim) {
    SIGNET_ASSIGN_OR_RETURN(RowDim found, DimOf(build, value, dim));
    opened.rows.dims.push_back(std::move(found));
  }
  SIGNET_ASSIGN_OR_RETURN(opened.elements, ElementsOf(build, value, depth));
  return opened;
}

StatusOr<Opened> OpenToTensor(OpBuilder& build, const GraphValue& value, int depth) {
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, value, depth));
  if (opened.elements.spec.is(TypeKind::kRagged)) {
    opened.elements = ComponentOf(opened.elements, 0);
  }
  return opened;
}

StatusOr<GraphValue> CloseRows(OpBuilder& build, const Rows& rows, const GraphValue& elements,
                               const TypeSpec& like) {
  if (rows.depth() == 0) return WithoutOuter(build, elements);
  return Closer(build, rows).Close(elements, like);
}

StatusOr<GraphValue> CountRows(OpBuilder& build, const GraphValue& value) {
  const auto* ragged = value.spec.As<RaggedSpec>();
  if (value.spec.is(TypeKind::kStructured)) return ComponentOf(value, 0);
  if (ragged == nullptr) return DimSize(build, value, 0);
  if (ragged->ragged_rank() == 0) return DimSize(build, ComponentOf(value, 0), 0);
  return build.NumRows(ComponentOf(value, 1));
}

StatusOr<GraphValue> CountAt(OpBuilder& build, const Rows& rows, int level) {
  if (level < 0) return Int64Constant(build, 1);
  const RowDim& dim = rows.dims[static_cast<size_t>(level)];
  if (level == 0) return dim.length;
  if (dim.splits.spec) return build.NumValues(dim.splits);
  SIGNET_ASSIGN_OR_RETURN(GraphValue outer, CountAt(build, rows, level - 1));
  return Product(build, outer, dim.length);
}

StatusOr<GraphValue> SplitsOf(OpBuilder& build, const Rows& rows, int dim, DType dtype) {
  const RowDim& found = rows.dims[static_cast<size_t>(dim)];
  if (found.splits.spec) return found.splits;
  SIGNET_ASSIGN_OR_RETURN(GraphValue outer, CountAt(build, rows, dim - 1));
  return UniformSplits(build, outer, found.length, dtype);
}

StatusOr<GraphValue> Compose(OpBuilder& build, const Rows& rows, int outer, int inner) {
  SIGNET_CHECK(outer < inner);
  if (outer < 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue all, CountAt(build, rows, inner));
    return UniformSplits(build, Int64Constant(build, 1), all);
  }
  // Consecutive uniform dimensions, from the innermost on, are merged into one.
  GraphValue length = Int64Constant(build, 1);
  int dim = inner;
  for (; dim > outer && !rows.dims[static_cast<size_t>(dim)].splits.spec; --dim) {
    SIGNET_ASSIGN_OR_RETURN(length,
                            Product(build, length, rows.dims[static_cast<size_t>(dim)].length));
  }
  GraphValue splits;
  if (dim < inner) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build, rows, dim));
    bool narrow = dim > outer && IsInt32(rows.dims[static_cast<size_t>(dim)].splits);
    SIGNET_ASSIGN_OR_RETURN(
        splits, UniformSplits(build, count, length, narrow ? DType::kInt32 : DType::kInt64));
  }
  for (; dim > outer; --dim) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue next, SplitsOf(build, rows, dim));
    if (splits.spec) {
      SIGNET_ASSIGN_OR_RETURN(next, build.Gather(splits, next));
    }
    splits = std::move(next);
  }
  return splits;
}

StatusOr<GraphValue> RowIdsOf(OpBuilder& build, const Rows& rows, int outer, int inner) {
  if (outer == inner) {
    return build.Range({CountAt(build, rows, inner)});
  }
  return build.SegmentIds(Compose(build, rows, outer, inner));
}

StatusOr<Rows> JoinDims(OpBuilder& build, const Rows& rows, int outer, int inner) {
  auto first = rows.dims.begin() + outer;
  auto last = rows.dims.begin() + inner + 1;
  bool is_uniform = std::all_of(first, last, [](const RowDim& dim) { return dim.is_uniform(); });
  bool has_splits = std::any_of(
      first, last, [](const RowDim& dim) { return static_cast<bool>(dim.splits.spec); });
  RowDim joined{.known_length = KnownProduct(SizesOf(rows), outer, inner + 1)};
  if (outer == 0) {
    SIGNET_ASSIGN_OR_RETURN(joined.length, CountAt(build, rows, inner));
  } else if (is_uniform) {
    joined.length = first->length;
    for (auto dim = first + 1; dim != last; ++dim) {
      SIGNET_ASSIGN_OR_RETURN(joined.length, Product(build, joined.length, dim->length));
    }
  }
  if (outer > 0 && has_splits) {
    SIGNET_ASSIGN_OR_RETURN(joined.splits, Compose(build, rows, outer - 1, inner));
  }
  Rows made;
  made.dims.assign(rows.dims.begin(), first);
  made.dims.push_back(std::move(joined));
  made.dims.insert(made.dims.end(), last, rows.dims.end());
  return made;
}

StatusOr<Rows> MergeRows(OpBuilder& build, const Rows& a, const Rows& b, int depth,
                         std::string_view label) {
  Rows merged;
  for (int dim = 0; dim < depth; ++dim) {
    SIGNET_ASSIGN_OR_RETURN(RowDim same, MergeDim(build, a, b, dim, label));
    merged.dims.push_back(std::move(same));
  }
  return merged;
}

Status CheckSizes(OpBuilder& build, const GraphValue& sizes, const GraphValue& wanted,
                  const Status& error) {
  if (sizes.components == wanted.components) return absl::OkStatus();
  bool is_scalar = sizes.spec.shape()->has_rank() && sizes.spec.shape()->rank() == 0;
  if (is_scalar) return CheckSameSize(build, sizes, wanted, error);
  return CheckCondition(build, build.ReduceAll(build.Equal(sizes, wanted)), error);
}

}  // namespace signet
