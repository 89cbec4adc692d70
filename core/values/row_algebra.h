// RowAlgebra: the loops over row partitions, which values and kernels share.
//
// A partition divides values into rows, in order and without gaps. Its views, of one partition:
//
//   row splits  0 4 4 7 8      rows + 1 numbers from 0, never decreasing; the last is the number
//                              of values
//   lengths     4 0 3 1
//   starts      0 4 4 7        limits  4 4 7 8
//   row ids     0 0 0 0 2 2 2 3        the row of each value
//   offsets     0 1 2 3 0 1 2 0        the position of each value in its row
//
// In, T, and Out are int32_t or int64_t. Functions that return a Status check numbers from outside;
// the others require row splits that passed CheckRowSplits. `out` must have room for the result;
// each function states its size. Rules: docs/reference/types.md, row partitions. Stateless;
// thread-safe.

#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "signet/tensor.h"

namespace signet {

// Calls `visit` with the elements of an index tensor, a span of int32_t or int64_t.
template <class Visitor>
decltype(auto) VisitInts(const Tensor& tensor, Visitor&& visit) {
  if (tensor.dtype() == DType::kInt32) return visit(tensor.elements<int32_t>());
  return visit(tensor.elements<int64_t>());
}

// Returns the first row that ends before it starts, or -1.
template <class T>
int64_t FirstBackwardRow(std::span<const T> splits) {
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    if (splits[row + 1] < splits[row]) return static_cast<int64_t>(row);
  }
  return -1;
}

// Row splits from other views. `out` has one more number than there are rows.

// Checks that there is at least one entry, that the first is 0, and that none decreases.
template <class T>
Status CheckRowSplits(std::span<const T> splits) {
  if (splits.empty()) return InvalidArgument("row_splits: expected at least one entry, found none");
  if (splits[0] != 0)
    return InvalidArgument("row_splits: expected 0 as the first entry, found ", splits[0]);
  if (int64_t row = FirstBackwardRow(splits); row >= 0) {
    auto at = static_cast<size_t>(row);
    return InvalidArgument("row_splits decrease at row ", row, ", from ", splits[at], " to ",
                           splits[at + 1]);
  }
  return absl::OkStatus();
}

// Returns OUT_OF_RANGE if the sum does not fit in Out.
template <class In, class Out>
Status FillSplitsFromLengths(std::span<const In> lengths, Out* out) {
  Out end = 0;
  *out++ = end;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) {
      return InvalidArgument("length ", i, ": expected at least 0, found ", lengths[i]);
    }
    if (__builtin_add_overflow(end, lengths[i], &end)) {
      return OutOfRange("lengths up to ", i, " add up to more than an ",
                        NameOf(DTypeOf<Out>::value), " holds");
    }
    *out++ = end;
  }
  return absl::OkStatus();
}

// `ids` are at least 0, never decrease, and are less than `nrows`. Their number fits in Out.
template <class In, class Out>
Status FillSplitsFromRowIds(std::span<const In> ids, int64_t nrows, Out* out) {
  int64_t row = 0;
  out[0] = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < row) {
      if (i == 0) return InvalidArgument("row id 0: expected at least 0, found ", ids[0]);
      return InvalidArgument("row id ", i, ": expected at least ", ids[i - 1],
                             ", the previous id, found ", ids[i]);
    }
    if (ids[i] >= nrows) {
      return InvalidArgument("row id ", i, ": expected less than ", nrows,
                             ", the number of rows, found ", ids[i]);
    }
    while (row < ids[i]) out[++row] = static_cast<Out>(i);
  }
  while (row < nrows) out[++row] = static_cast<Out>(ids.size());
  return absl::OkStatus();
}

// `nvals` fits in Out.
template <class In, class Out>
Status FillSplitsFromStarts(std::span<const In> starts, int64_t nvals, Out* out) {
  if (starts.empty() && nvals > 0) {
    return InvalidArgument("row_starts: expected at least one entry for ", nvals,
                           " values, found none");
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i == 0 && starts[0] != 0) {
      return InvalidArgument("row_starts: expected 0 as the first entry, found ", starts[0]);
    }
    if (i > 0 && starts[i] < starts[i - 1]) {
      return InvalidArgument("row_starts decrease at row ", i, ", from ", starts[i - 1], " to ",
                             starts[i]);
    }
    out[i] = static_cast<Out>(starts[i]);
  }
  if (!starts.empty() && starts.back() > nvals) {
    return InvalidArgument("row ", starts.size() - 1, " starts at ", starts.back(), "; there are ",
                           nvals, " values");
  }
  out[starts.size()] = static_cast<Out>(nvals);
  return absl::OkStatus();
}

template <class In, class Out>
Status FillSplitsFromLimits(std::span<const In> limits, Out* out) {
  out[0] = 0;
  for (size_t i = 0; i < limits.size(); ++i) {
    if (i == 0 && limits[0] < 0) {
      return InvalidArgument("row_limits: expected at least 0 as the first entry, found ",
                             limits[0]);
    }
    if (i > 0 && limits[i] < limits[i - 1]) {
      return InvalidArgument("row_limits decrease at row ", i, ", from ", limits[i - 1], " to ",
                             limits[i]);
    }
    out[i + 1] = static_cast<Out>(limits[i]);
  }
  return absl::OkStatus();
}

// `nrows` times `length` fits in Out.
template <class Out>
void FillUniformSplits(int64_t nrows, int64_t length, Out* out) {
  for (int64_t i = 0; i <= nrows; ++i) out[i] = static_cast<Out>(i * length);
}

// Views of row splits.

// Writes one number per row.
template <class T, class Out>
void FillLengths(std::span<const T> splits, Out* out) {
  for (size_t i = 1; i < splits.size(); ++i) *out++ = static_cast<Out>(splits[i] - splits[i - 1]);
}

// Writes one number per value.
template <class T, class Out>
void FillRowIds(std::span<const T> splits, Out* out) {
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    std::fill(out + splits[row], out + splits[row + 1], static_cast<Out>(row));
  }
}

// Writes one number per value.
template <class T, class Out>
void FillOffsets(std::span<const T> splits, Out* out) {
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    for (T i = splits[row]; i < splits[row + 1]; ++i) out[i] = static_cast<Out>(i - splits[row]);
  }
}

// Comparison.

// Returns the first row whose length is not `length`, or -1.
template <class T>
int64_t FirstRowOtherThan(std::span<const T> splits, int64_t length) {
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    if (int64_t{splits[row + 1]} - int64_t{splits[row]} != length) return static_cast<int64_t>(row);
  }
  return -1;
}

// Returns OK if both divide values in the same way, and otherwise the first row that differs.
template <class A, class B>
Status CheckSameRows(std::span<const A> a, std::span<const B> b) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return absl::OkStatus();
  for (size_t row = 0; row + 1 < std::min(a.size(), b.size()); ++row) {
    int64_t x = int64_t{a[row + 1]} - int64_t{a[row]};
    int64_t y = int64_t{b[row + 1]} - int64_t{b[row]};
    if (x != y) {
      return InvalidArgument("row ", row, ": expected the same number of values, found ", x,
                             " and ", y);
    }
  }
  return InvalidArgument("expected the same number of rows, found ", a.size() - 1, " and ",
                         b.size() - 1);
}

// Selection of rows.

// Writes the splits of the rows `rows` of a partition, each of which exists. Returns the number of
// their values, or nothing if there are more than `most`, which fits in Out. `out` has one more
// number than `rows`.
template <class T, class In, class Out>
std::optional<int64_t> FillGatheredSplits(std::span<const T> splits, std::span<const In> rows,
                                          int64_t most, Out* out) {
  int64_t total = 0;
  *out++ = 0;
  for (In at : rows) {
    auto row = static_cast<size_t>(at);
    int64_t length = int64_t{splits[row + 1]} - int64_t{splits[row]};
    if (length > most - total) return std::nullopt;
    total += length;
    *out++ = static_cast<Out>(total);
  }
  return total;
}

}  // namespace signet
