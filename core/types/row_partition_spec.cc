#include "signet/row_partition_spec.h"

#include "core/base/checked_math.h"

namespace signet {
namespace {

std::string TextOf(int64_t size) { return size == kUnknownDim ? "?" : Cat(size); }

bool IsKnown(int64_t size) { return size != kUnknownDim; }

Status CheckSizes(const RowPartitionSpec& spec) {
  if (spec.dtype != DType::kInt32 && spec.dtype != DType::kInt64) {
    return InvalidWithReason("DTYPE_MISMATCH", "expected row splits of int32 or int64, found `",
                             NameOf(spec.dtype), "`");
  }
  for (int64_t size : {spec.nrows, spec.nvals, spec.uniform_row_length}) {
    if (size < kUnknownDim) {
      return InvalidWithReason("INVALID_DIMENSION", "`", spec,
                               "`: expected sizes of at least 0, found ", size);
    }
  }
  return absl::OkStatus();
}

Status Contradiction(const RowPartitionSpec& spec) {
  return InvalidWithReason(
      "ROW_SPLITS", "`", spec,
      "`: the number of rows, their length, and the number of values contradict each other");
}

int64_t Merged(int64_t a, int64_t b) { return IsKnown(a) ? a : b; }
int64_t Joined(int64_t a, int64_t b) { return a == b ? a : kUnknownDim; }

}  // namespace

std::string RowPartitionSpec::ToString() const {
  return Cat(NameOf(dtype), " [nrows ", TextOf(nrows), ", nvals ", TextOf(nvals),
             ", uniform_row_length ", TextOf(uniform_row_length), "]");
}

StatusOr<RowPartitionSpec> RowPartitionSpec::Make(RowPartitionSpec parts) {
  SIGNET_RETURN_IF_ERROR(CheckSizes(parts));
  const int64_t length = parts.uniform_row_length;
  if (parts.nrows == 0 || length == 0) {
    if (parts.nvals > 0) return Contradiction(parts);
    parts.nvals = 0;
    return parts;
  }
  // Without a uniform length, the numbers of rows and values are independent.
  if (!IsKnown(length)) return parts;
  if (IsKnown(parts.nrows)) {
    auto nvals = CheckedMultiply(parts.nrows, length);
    if (!nvals || (IsKnown(parts.nvals) && parts.nvals != *nvals)) return Contradiction(parts);
    parts.nvals = *nvals;
    return parts;
  }
  if (IsKnown(parts.nvals)) {
    if (parts.nvals % length != 0) return Contradiction(parts);
    parts.nrows = parts.nvals / length;
  }
  return parts;
}

bool IsCompatible(const RowPartitionSpec& a, const RowPartitionSpec& b) {
  auto fit = [](int64_t x, int64_t y) { return !IsKnown(x) || !IsKnown(y) || x == y; };
  if (a.dtype != b.dtype || !fit(a.nrows, b.nrows) || !fit(a.nvals, b.nvals) ||
      !fit(a.uniform_row_length, b.uniform_row_length)) {
    return false;
  }
  return RowPartitionSpec::Make({Merged(a.nrows, b.nrows), Merged(a.nvals, b.nvals),
                                 Merged(a.uniform_row_length, b.uniform_row_length), a.dtype})
      .ok();
}

StatusOr<RowPartitionSpec> CommonSupertype(const RowPartitionSpec& a, const RowPartitionSpec& b) {
  if (a.dtype != b.dtype) {
    return InvalidWithReason("DTYPE_MISMATCH", "expected row splits of one dtype, found `",
                             NameOf(a.dtype), "` and `", NameOf(b.dtype), "`");
  }
  return RowPartitionSpec{Joined(a.nrows, b.nrows), Joined(a.nvals, b.nvals),
                          Joined(a.uniform_row_length, b.uniform_row_length), a.dtype};
}

}  // namespace signet
