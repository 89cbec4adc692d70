// MakeValue: checks the components of a value while it traverses the type.

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/values/row_algebra.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"
#include "signet/value.h"

namespace signet {
namespace {

// The dimensions of the structure around a field: the number of elements of dimensions 0 to i
// together, the row splits between dimensions i and i + 1, and the size that dense fields give to
// dimension i (the sizes must agree even if there are no rows).
struct Outer {
  absl::InlinedVector<int64_t, 4> counts;
  absl::InlinedVector<const Tensor*, 4> splits;
  absl::InlinedVector<int64_t*, 4> sizes;

  int rank() const { return static_cast<int>(counts.size()); }
  int64_t count(int axis) const { return counts[static_cast<size_t>(axis)]; }
};

int64_t Entry(const Tensor& splits, int64_t i) {
  return VisitInts(splits, [i](auto all) { return int64_t{all[static_cast<size_t>(i)]}; });
}

class ValueChecker {
 public:
  explicit ValueChecker(std::span<const Tensor> components) : components_(components) {}

  // Returns the index of the component that the error is about.
  size_t fault() const { return fault_; }

  Status Check(const TypeSpec& spec, const Outer& outer) {
    switch (spec.kind()) {
      case TypeKind::kTensor: {
        const auto& tensor = *spec.As<TensorSpec>();
        return CheckColumn(tensor.dtype(), tensor.shape(), 0, DType::kInt64, outer);
      }
      case TypeKind::kRagged: {
        const auto& ragged = *spec.As<RaggedSpec>();
        return CheckColumn(ragged.dtype(), ragged.shape(), ragged.ragged_rank(),
                           ragged.splits_dtype(), outer);
      }
      case TypeKind::kSparse:
        return CheckSparse(*spec.As<SparseSpec>());
      case TypeKind::kStructured:
        return CheckStructured(*spec.As<StructuredSpec>(), outer);
      case TypeKind::kLiteral:
        return absl::OkStatus();
      case TypeKind::kList:
      case TypeKind::kTuple:
      case TypeKind::kDict:
      case TypeKind::kNamedTuple:
      case TypeKind::kExtension:
        for (const TypeSpec& child : spec.children()) {
          SIGNET_RETURN_IF_ERROR(Check(child, {}));
        }
        return absl::OkStatus();
      case TypeKind::kAny:
        return InvalidWithReason("STRUCTURE_MISMATCH",
                                 "expected a type that values can have, found `", spec, "`");
    }
    __builtin_unreachable();
  }

 private:
  template <class... Parts>
  Status Fault(size_t component, std::string_view reason, const Parts&... parts) {
    fault_ = component;
    return InvalidWithReason(reason, parts...);
  }

  // Consumes the next component, which must be a tensor of `dtype` and `shape`.
  Status Take(DType dtype, const PartialShape& shape) {
    size_t at = next_++;
    const Tensor& tensor = components_[at];
    if (!tensor.has_value()) return Fault(at, "STRUCTURE_MISMATCH", "no tensor");
    if (tensor.dtype() != dtype) {
      return Fault(at, "DTYPE_MISMATCH", "expected `", NameOf(dtype), shape, "`, found `",
                   NameOf(tensor.dtype()), tensor.shape(), "`");
    }
    if (!PartialShape(tensor.shape()).IsSubtypeOf(shape)) {
      return Fault(at, "SHAPE_MISMATCH", "expected `", NameOf(dtype), shape, "`, found `",
                   NameOf(dtype), tensor.shape(), "`");
    }
    return absl::OkStatus();
  }

  // Consumes the next component, which must be the row splits of `rows` rows (-1: any number), each
  // of `length` values (unless unknown). Sets `count` to the number of values.
  Status TakeSplits(DType dtype, int64_t rows, int64_t length, int64_t& count) {
    size_t at = next_;
    SIGNET_RETURN_IF_ERROR(Take(dtype, PartialShape::OfRank(1)));
    const Tensor& splits = components_[at];
    int64_t n = splits.num_elements();
    if (n == 0) return Fault(at, "ROW_SPLITS", "expected at least one entry, found none");
    if (rows >= 0 && n != rows + 1) {
      return Fault(at, "ROW_SPLITS", "expected ", rows, " rows, found ", n - 1);
    }
    if (Entry(splits, 0) != 0) {
      return Fault(at, "ROW_SPLITS", "expected 0 as the first entry, found ", Entry(splits, 0));
    }
    int64_t row = VisitInts(splits, [](auto all) { return FirstBackwardRow(all); });
    if (row >= 0) {
      return Fault(at, "ROW_SPLITS", "decreases at row ", row, ", from ", Entry(splits, row),
                   " to ", Entry(splits, row + 1));
    }
    if (length != kUnknownDim) SIGNET_RETURN_IF_ERROR(CheckUniform(at, splits, length));
    count = Entry(splits, n - 1);
    return absl::OkStatus();
  }

  Status CheckUniform(size_t at, const Tensor& splits, int64_t length) {
    int64_t row = VisitInts(splits, [&](auto all) { return FirstRowOtherThan(all, length); });
    if (row < 0) return absl::OkStatus();
    return Fault(at, "SHAPE_MISMATCH", "row ", row, ": expected ", length, " values, found ",
                 Entry(splits, row + 1) - Entry(splits, row));
  }

  // Checks a tensor (of ragged rank 0) or a ragged tensor, alone or as a field.
  Status CheckColumn(DType dtype, const PartialShape& shape, int ragged_rank, DType splits_dtype,
                     const Outer& outer) {
    size_t at = next_;
    if (ragged_rank == 0) {
      SIGNET_RETURN_IF_ERROR(Take(dtype, shape));
    } else if (shape.has_rank()) {
      PartialShape row = shape.Slice(ragged_rank + 1, shape.rank());
      SIGNET_RETURN_IF_ERROR(Take(dtype, PartialShape::OfRank(1).Concatenate(row)));
    } else {
      SIGNET_RETURN_IF_ERROR(Take(dtype, {}));
      if (components_[at].rank() == 0) {
        return Fault(at, "SHAPE_MISMATCH", "expected at least one dimension, found `",
                     NameOf(dtype), "[]`");
      }
    }
    const Tensor& values = components_[at];
    int shared = std::min(ragged_rank, std::max(outer.rank() - 1, 0));  // partitions
    int64_t count = kUnknownDim;
    size_t last = at;  // the component that determines the number of values
    if (outer.rank() > 0) count = outer.count(shared);
    if (count == kUnknownDim && shape.has_rank() && shape.rank() > 0) count = shape.dim(0);
    for (int i = shared; i < ragged_rank; ++i) {
      last = next_;
      int64_t length = shape.has_rank() ? shape.dim(i + 1) : kUnknownDim;
      SIGNET_RETURN_IF_ERROR(TakeSplits(splits_dtype, count, length, count));
    }
    if ((ragged_rank > 0 || outer.rank() > 0) && values.shape().dim(0) != count) {
      if (last == at) {
        return Fault(at, "ROW_COUNT", "expected ", count, " rows, found ", values.shape().dim(0));
      }
      return Fault(last, "ROW_SPLITS", "ends at ", count, "; there are ", values.shape().dim(0),
                   " values");
    }
    // For dimensions of the structure that are dense here: its rows must have the same lengths.
    for (int axis = ragged_rank + 1; axis < outer.rank(); ++axis) {
      int64_t size = values.shape().dim(axis - ragged_rank);
      SIGNET_RETURN_IF_ERROR(CheckUniform(at, *outer.splits[static_cast<size_t>(axis - 1)], size));
      int64_t& agreed = *outer.sizes[static_cast<size_t>(axis)];
      if (agreed != kUnknownDim && agreed != size) {
        return Fault(at, "SHAPE_MISMATCH", "dimension ", axis, ": expected ", agreed,
                     ", as in another field, found ", size);
      }
      agreed = size;
    }
    return absl::OkStatus();
  }

  Status CheckStructured(const StructuredSpec& spec, Outer outer) {
    Dims own(static_cast<size_t>(spec.rank() - outer.rank()), kUnknownDim);
    for (int64_t& size : own) outer.sizes.push_back(&size);
    if (spec.rank() > 0 && outer.rank() == 0) {
      size_t at = next_;
      SIGNET_RETURN_IF_ERROR(Take(DType::kInt64, Shape{}));
      int64_t nrows = components_[at].scalar<int64_t>();
      if (nrows < 0) return Fault(at, "ROW_COUNT", "expected at least 0, found ", nrows);
      int64_t known = spec.shape().dim(0);
      if (known != kUnknownDim && nrows != known) {
        return Fault(at, "SHAPE_MISMATCH", "expected ", known, " for `", spec.shape(), "`, found ",
                     nrows);
      }
      outer.counts.push_back(nrows);
    }
    for (int axis = outer.rank(); axis < spec.rank(); ++axis) {
      outer.splits.push_back(&components_[next_]);
      int64_t count = 0;
      SIGNET_RETURN_IF_ERROR(
          TakeSplits(spec.splits_dtype(), outer.counts.back(), spec.shape().dim(axis), count));
      outer.counts.push_back(count);
    }
    for (const TypeSpec& field : spec.children()) SIGNET_RETURN_IF_ERROR(Check(field, outer));
    return absl::OkStatus();
  }

  Status CheckSparse(const SparseSpec& spec) {
    size_t at = next_;
    int64_t rank = spec.shape().has_rank() ? spec.shape().rank() : kUnknownDim;
    SIGNET_RETURN_IF_ERROR(Take(DType::kInt64, {kUnknownDim, rank}));
    SIGNET_RETURN_IF_ERROR(Take(spec.dtype(), PartialShape::OfRank(1)));
    SIGNET_RETURN_IF_ERROR(Take(DType::kInt64, {rank}));
    const Tensor& indices = components_[at];
    const Tensor& values = components_[at + 1];
    auto dense_shape = components_[at + 2].elements<int64_t>();
    for (int64_t size : dense_shape) {
      if (size < 0)
        return Fault(at + 2, "SPARSE", "expected dimensions of at least 0, found ", size);
    }
    if (!CheckedProduct(dense_shape)) {
      return Fault(at + 2, "SPARSE", "more elements than an int64 counts");
    }
    if (!PartialShape(dense_shape).IsSubtypeOf(spec.shape())) {
      return Fault(at + 2, "SHAPE_MISMATCH", "expected `", spec.shape(), "`, found `",
                   PartialShape(dense_shape), "`");
    }
    if (indices.shape().dim(1) != static_cast<int64_t>(dense_shape.size())) {
      return Fault(at, "SPARSE", "expected ", dense_shape.size(),
                   " columns, one per dimension of dense_shape, found ", indices.shape().dim(1));
    }
    if (indices.shape().dim(0) != values.shape().dim(0)) {
      return Fault(at, "SPARSE", "expected ", values.shape().dim(0), " rows, one per value, found ",
                   indices.shape().dim(0));
    }
    return CheckIndices(at, indices, dense_shape);
  }

  Status CheckIndices(size_t at, const Tensor& indices, std::span<const int64_t> dense_shape) {
    auto all = indices.elements<int64_t>();
    size_t rank = dense_shape.size();
    for (int64_t row = 0; row < indices.shape().dim(0); ++row) {
      auto index = all.subspan(static_cast<size_t>(row) * rank, rank);
      for (size_t axis = 0; axis < rank; ++axis) {
        if (index[axis] < 0 || index[axis] >= dense_shape[axis]) {
          return Fault(at, "SPARSE", "row ", row, " has ", index[axis], " for dimension ", axis,
                       ", whose size is ", dense_shape[axis]);
        }
      }
      if (row == 0) continue;
      auto previous = all.subspan(static_cast<size_t>(row - 1) * rank, rank);
      if (!std::lexicographical_compare(previous.begin(), previous.end(), index.begin(),
                                        index.end())) {
        bool same = std::equal(previous.begin(), previous.end(), index.begin());
        return Fault(at, "SPARSE", "row ", row, same ? " repeats row " : " is less than row ",
                     row - 1, "; expected each index once, in row-major order");
      }
    }
    return absl::OkStatus();
  }

  std::span<const Tensor> components_;
  size_t next_ = 0;
  size_t fault_ = 0;
};

}  // namespace

StatusOr<Value> MakeValue(TypeSpec spec, Components components) {
  if (components.size() != spec.num_components()) {
    return InvalidWithReason("STRUCTURE_MISMATCH", "number of components of `", spec,
                             "`: expected ", spec.num_components(), ", found ", components.size());
  }
  ValueChecker checker({components.data(), components.size()});
  if (Status status = checker.Check(spec, {}); !status.ok()) {
    auto specs = ComponentsOf(spec);
    std::string name = checker.fault() < specs.size() ? specs[checker.fault()].name : "";
    return name.empty() ? status : WithField(name, At(Cat("`", name, "`"), std::move(status)));
  }
  return Value::Trusted(std::move(spec), std::move(components));
}

}  // namespace signet
