#include "signet/row_partition.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/values/row_algebra.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

bool IsSplitsDType(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

Status CheckSplitsDType(DType dtype) {
  if (IsSplitsDType(dtype)) return absl::OkStatus();
  return InvalidWithReason("DTYPE_MISMATCH", "expected row splits of int32 or int64, found `",
                           NameOf(dtype), "`");
}

// `what` is the name of the given view.
Status CheckVector(std::string_view what, const Tensor& tensor) {
  SIGNET_RETURN_IF_ERROR(CheckSplitsDType(tensor.dtype()));
  if (tensor.rank() == 1) return absl::OkStatus();
  return InvalidWithReason("ROW_SPLITS", what, ": expected a vector, found shape `", tensor.shape(),
                           "`");
}

Status CheckMadeUp(int64_t count, std::string_view what) {
  if (count <= kMaxMadeUpRows) return absl::OkStatus();
  return ResourceExhausted(count, " ", what, " exceed the limit of ", kMaxMadeUpRows);
}

Status CheckFits(DType dtype, int64_t nvals) {
  if (dtype == DType::kInt64 || nvals <= INT32_MAX) return absl::OkStatus();
  return WithReason("OUT_OF_RANGE",
                    OutOfRange(nvals, " values exceed the limit of int32 row splits, ", INT32_MAX));
}

// Adds the reason to an error of row_algebra.h.
Status WithRowReason(Status status) {
  bool is_range = status.code() == absl::StatusCode::kOutOfRange;
  return WithReason(is_range ? "OUT_OF_RANGE" : "ROW_SPLITS", std::move(status));
}

// Returns a vector of `size` elements that `fill` writes through a pointer to the first.
template <class Fill>
StatusOr<Tensor> Made(DType dtype, int64_t size, Fill fill) {
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, {size}));
  Status status = dtype == DType::kInt32 ? fill(out.mutable_elements<int32_t>())
                                         : fill(out.mutable_elements<int64_t>());
  if (!status.ok()) return WithRowReason(std::move(status));
  return out;
}

int64_t EntryAt(const Tensor& tensor, int64_t i) {
  return VisitInts(tensor, [&](auto all) { return int64_t{all[static_cast<size_t>(i)]}; });
}

// Returns elements [first, first + size) of a vector, which share its memory.
Tensor Part(const Tensor& tensor, int64_t first, int64_t size) {
  size_t width = SizeOf(tensor.dtype());
  return Tensor::Trusted(
      tensor.dtype(), {size},
      tensor.data().Slice(static_cast<size_t>(first) * width, static_cast<size_t>(size) * width));
}

std::optional<int64_t> Known(int64_t size) {
  return size == kUnknownDim ? std::nullopt : std::optional(size);
}

// Appends the partitions of the dimensions of `shape` from `axis` on, until there are `count`. The
// first divides values into `nrows` rows.
Status AppendUniform(const Shape& shape, int axis, int64_t nrows, size_t count,
                     std::vector<RowPartition>& out) {
  while (out.size() < count) {
    SIGNET_ASSIGN_OR_RETURN(
        RowPartition partition,
        RowPartition::FromUniformRowLength(DType::kInt64, shape.dim(axis++), std::nullopt, nrows));
    nrows = partition.nvals();
    out.push_back(std::move(partition));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<RowPartition> RowPartition::FromRowSplits(Tensor row_splits) {
  SIGNET_RETURN_IF_ERROR(CheckVector("row_splits", row_splits));
  Status status = VisitInts(row_splits, [](auto all) { return CheckRowSplits(all); });
  if (!status.ok()) return WithRowReason(std::move(status));
  return RowPartition(std::move(row_splits), std::nullopt);
}

StatusOr<RowPartition> RowPartition::FromRowLengths(const Tensor& lengths) {
  SIGNET_RETURN_IF_ERROR(CheckVector("row_lengths", lengths));
  SIGNET_ASSIGN_OR_RETURN(
      Tensor splits, Made(lengths.dtype(), lengths.num_elements() + 1, [&](auto* out) {
        return VisitInts(lengths, [&](auto all) { return FillSplitsFromLengths(all, out); });
      }));
  return RowPartition(std::move(splits), std::nullopt);
}

StatusOr<RowPartition> RowPartition::FromValueRowIds(const Tensor& ids,
                                                     std::optional<int64_t> nrows) {
  SIGNET_RETURN_IF_ERROR(CheckVector("value_rowids", ids));
  if (nrows && *nrows < 0)
    return InvalidWithReason("ROW_SPLITS", "expected at least 0 rows, found ", *nrows);
  SIGNET_RETURN_IF_ERROR(CheckFits(ids.dtype(), ids.num_elements()));
  int64_t last = ids.num_elements() == 0 ? -1 : EntryAt(ids, ids.num_elements() - 1);
  int64_t rows = nrows ? *nrows : std::max<int64_t>(last, -1);
  SIGNET_RETURN_IF_ERROR(CheckMadeUp(rows, "rows by their ids"));
  if (!nrows) ++rows;
  SIGNET_ASSIGN_OR_RETURN(
      Tensor splits, Made(ids.dtype(), rows + 1, [&](auto* out) {
        return VisitInts(ids, [&](auto all) { return FillSplitsFromRowIds(all, rows, out); });
      }));
  return RowPartition(std::move(splits), std::nullopt);
}

StatusOr<RowPartition> RowPartition::FromRowStarts(const Tensor& starts, int64_t nvals) {
  SIGNET_RETURN_IF_ERROR(CheckVector("row_starts", starts));
  if (nvals < 0)
    return InvalidWithReason("ROW_SPLITS", "expected at least 0 values, found ", nvals);
  SIGNET_RETURN_IF_ERROR(CheckFits(starts.dtype(), nvals));
  SIGNET_ASSIGN_OR_RETURN(
      Tensor splits, Made(starts.dtype(), starts.num_elements() + 1, [&](auto* out) {
        return VisitInts(starts, [&](auto all) { return FillSplitsFromStarts(all, nvals, out); });
      }));
  return RowPartition(std::move(splits), std::nullopt);
}

StatusOr<RowPartition> RowPartition::FromRowLimits(const Tensor& limits) {
  SIGNET_RETURN_IF_ERROR(CheckVector("row_limits", limits));
  SIGNET_ASSIGN_OR_RETURN(
      Tensor splits, Made(limits.dtype(), limits.num_elements() + 1, [&](auto* out) {
        return VisitInts(limits, [&](auto all) { return FillSplitsFromLimits(all, out); });
      }));
  return RowPartition(std::move(splits), std::nullopt);
}

StatusOr<RowPartition> RowPartition::FromUniformRowLength(DType dtype, int64_t length,
                                                          std::optional<int64_t> nvals,
                                                          std::optional<int64_t> nrows) {
  SIGNET_RETURN_IF_ERROR(CheckSplitsDType(dtype));
  if (length < 0)
    return InvalidWithReason("ROW_SPLITS", "expected rows of length 0 or more, found ", length);
  if (nvals && *nvals < 0)
    return InvalidWithReason("ROW_SPLITS", "expected at least 0 values, found ", *nvals);
  if (nrows && *nrows < 0)
    return InvalidWithReason("ROW_SPLITS", "expected at least 0 rows, found ", *nrows);
  if (!nvals && !nrows) {
    return InvalidWithReason("ROW_SPLITS", "rows of length ", length,
                             ": expected the number of rows, of values, or both, found neither");
  }
  int64_t rows = nrows ? *nrows : (length == 0 ? 0 : *nvals / length);
  SIGNET_RETURN_IF_ERROR(CheckMadeUp(rows, "rows of one length"));
  auto product = CheckedMultiply(rows, length);
  if (nvals && product != *nvals) {
    return InvalidWithReason("ROW_SPLITS", *nvals, " values; ", rows, " rows of length ", length,
                             " have another number");
  }
  if (!product) {
    return WithReason("OUT_OF_RANGE", OutOfRange(rows, " rows of length ", length,
                                                 " have more values than an int64 counts"));
  }
  SIGNET_RETURN_IF_ERROR(CheckFits(dtype, *product));
  SIGNET_ASSIGN_OR_RETURN(Tensor splits, Made(dtype, rows + 1, [&](auto* out) -> Status {
                            FillUniformSplits(rows, length, out);
                            return absl::OkStatus();
                          }));
  return RowPartition(std::move(splits), length);
}

RowPartition RowPartition::Trusted(Tensor row_splits, std::optional<int64_t> uniform_row_length) {
  return RowPartition(std::move(row_splits), uniform_row_length);
}

int64_t RowPartition::nvals() const { return EntryAt(row_splits_, nrows()); }

RowPartitionSpec RowPartition::spec() const {
  return {nrows(), nvals(), uniform_row_length_.value_or(kUnknownDim), dtype()};
}

StatusOr<Tensor> RowPartition::RowLengths() const {
  return Made(dtype(), nrows(), [&](auto* out) -> Status {
    VisitInts(row_splits_, [&](auto all) { FillLengths(all, out); });
    return absl::OkStatus();
  });
}

Tensor RowPartition::RowStarts() const { return Part(row_splits_, 0, nrows()); }

Tensor RowPartition::RowLimits() const { return Part(row_splits_, 1, nrows()); }

StatusOr<Tensor> RowPartition::ValueRowIds() const {
  SIGNET_RETURN_IF_ERROR(CheckMadeUp(nvals(), "values in rows"));
  return Made(dtype(), nvals(), [&](auto* out) -> Status {
    VisitInts(row_splits_, [&](auto all) { FillRowIds(all, out); });
    return absl::OkStatus();
  });
}

StatusOr<Tensor> RowPartition::OffsetsInRows() const {
  SIGNET_RETURN_IF_ERROR(CheckMadeUp(nvals(), "values in rows"));
  return Made(dtype(), nvals(), [&](auto* out) -> Status {
    VisitInts(row_splits_, [&](auto all) { FillOffsets(all, out); });
    return absl::OkStatus();
  });
}

StatusOr<RowPartition> RowPartition::MergeWith(const RowPartition& other) const {
  bool shared = row_splits_.data().data() == other.row_splits_.data().data() &&
                dtype() == other.dtype() && nrows() == other.nrows();
  if (!shared) {
    Status status = VisitInts(row_splits_, [&](auto a) {
      return VisitInts(other.row_splits_, [&](auto b) { return CheckSameRows(a, b); });
    });
    if (!status.ok()) return WithRowReason(std::move(status));
  }
  const RowPartition& wider = dtype() == DType::kInt64 ? *this : other;
  return RowPartition(wider.row_splits_,
                      uniform_row_length_ ? uniform_row_length_ : other.uniform_row_length_);
}

StatusOr<RowPartition> RowPartition::WithDType(DType dtype) const {
  SIGNET_RETURN_IF_ERROR(CheckSplitsDType(dtype));
  if (dtype == this->dtype()) return *this;
  SIGNET_RETURN_IF_ERROR(CheckFits(dtype, nvals()));
  SIGNET_ASSIGN_OR_RETURN(Tensor splits, Made(dtype, nrows() + 1, [&]<class T>(T* out) -> Status {
                            VisitInts(row_splits_, [&](auto all) {
                              for (auto split : all) *out++ = static_cast<T>(split);
                            });
                            return absl::OkStatus();
                          }));
  return RowPartition(std::move(splits), uniform_row_length_);
}

StatusOr<std::vector<RowPartition>> PartitionsOf(const Value& value, int rank) {
  const TypeSpec& spec = value.spec();
  bool has_rows =
      spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) || spec.is(TypeKind::kStructured);
  if (!has_rows || value.is_placeholder()) {
    return InvalidWithReason("STRUCTURE_MISMATCH",
                             "expected a tensor, a ragged value, or a structure, found `", spec,
                             "`");
  }
  if (spec.is(TypeKind::kTensor)) return PartitionsOfShape(value.tensor().shape(), rank);
  const auto* ragged = spec.As<RaggedSpec>();
  auto components = value.components();
  // The axes of the explicit partitions, and their number.
  int explicit_count = ragged != nullptr ? ragged->ragged_rank()
                                         : std::max(spec.As<StructuredSpec>()->rank() - 1, 0);
  const Shape dense = ragged != nullptr ? components[0].shape() : Shape();
  int known_rank = ragged != nullptr ? explicit_count + dense.rank() : spec.shape()->rank();
  if (rank < 0 || rank > known_rank) {
    return InvalidWithReason("SHAPE_MISMATCH", "the first ", rank, " dimensions of `", spec,
                             "`; it has ", known_rank);
  }
  std::vector<RowPartition> out;
  for (int i = 0; i < explicit_count && i + 1 < rank; ++i) {
    int64_t length = spec.shape()->has_rank() ? spec.shape()->dim(i + 1) : kUnknownDim;
    out.push_back(RowPartition::Trusted(components[static_cast<size_t>(i) + 1], Known(length)));
  }
  int64_t nrows = out.empty() ? (dense.rank() > 0 ? dense.dim(0) : 0) : out.back().nvals();
  SIGNET_RETURN_IF_ERROR(
      AppendUniform(dense, 1, nrows, static_cast<size_t>(std::max(rank - 1, 0)), out));
  return out;
}

StatusOr<std::vector<RowPartition>> PartitionsOfShape(const Shape& shape, int rank) {
  if (rank < 0 || rank > shape.rank()) {
    return InvalidWithReason("SHAPE_MISMATCH", "the first ", rank, " dimensions of `", shape,
                             "`; it has ", shape.rank());
  }
  std::vector<RowPartition> out;
  int64_t nrows = shape.rank() > 0 ? shape.dim(0) : 0;
  SIGNET_RETURN_IF_ERROR(
      AppendUniform(shape, 1, nrows, static_cast<size_t>(std::max(rank - 1, 0)), out));
  return out;
}

}  // namespace signet
