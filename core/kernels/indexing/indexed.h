// Indexed: finds the elements that indices select, for the kernels that gather and scatter them.

#pragma once

#include "core/base/constraint.h"
#include "core/kernels/loops/row_access.h"

namespace signet {

inline int64_t Product(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) product *= dim;
  return product;
}

// Checks that `indices` has the rank of `x` and is not larger in any dimension other than `axis`
// (C3).
inline Status CheckIndexShape(const Shape& x, const Shape& indices, int axis) {
  bool fits = x.rank() == indices.rank();
  for (int k = 0; fits && k < x.rank(); ++k) fits = k == axis || indices.dim(k) <= x.dim(k);
  if (fits) return absl::OkStatus();
  return WithConstraint("C3", InvalidArgument("indices: expected the rank of `", x,
                                              "` and no larger dimension, except axis ", axis,
                                              ", found `", indices, "`"));
}

// Calls visit(i, at, step) for each element `i` of `indices`, until it returns false. If element
// `i` is the index j, it selects element at + j * step of `x`. The shapes have passed
// CheckIndexShape.
template <class Visit>
void ForEachIndexed(const Shape& x, const Shape& indices, int axis, Visit visit) {
  int64_t count = indices.num_elements();
  if (count == 0) return;
  Dims strides(static_cast<size_t>(x.rank()), 1);
  for (size_t k = strides.size(); k-- > 1;) {
    strides[k - 1] = strides[k] * x.dim(static_cast<int>(k));
  }
  int64_t step = strides[static_cast<size_t>(axis)];
  strides[static_cast<size_t>(axis)] = 0;
  const size_t last = strides.size() - 1;
  const int64_t run = indices.dim(static_cast<int>(last));
  const int64_t stride = strides[last];
  Dims index(last, 0);
  int64_t at = 0;
  for (int64_t first = 0; first < count; first += run) {
    for (int64_t j = 0; j < run; ++j) {
      if (!visit(first + j, at + j * stride, step)) return;
    }
    for (size_t k = last; k-- > 0;) {
      at += strides[k];
      if (++index[k] < indices.dim(static_cast<int>(k))) break;
      at -= strides[k] * index[k];
      index[k] = 0;
    }
  }
}

// Computes the positions that the vectors of `indices` select in a tensor of shape `x`, one for
// each of `positions`. Positions count slices of the dimensions after the indexed ones. The vectors
// have at most as many elements as x has dimensions. Returns OUT_OF_RANGE with the label `label` if
// an index is out of range. Without a context, does not check whether the call must end.
inline Status FindPositions(KernelContext* context, const Shape& x, const Tensor& indices,
                            std::string_view label, std::span<int64_t> positions) {
  int64_t width = indices.shape().dim(indices.rank() - 1);
  for (int64_t i = 0; i < std::ssize(positions); ++i) {
    if (context != nullptr && i % kStopSegment == kStopSegment - 1) {
      SIGNET_RETURN_IF_ERROR(context->CheckStop());
    }
    int64_t position = 0;
    for (int k = 0; k < width; ++k) {
      int64_t index = IntAt(indices, i * width + k);
      if (index < 0 || index >= x.dim(k)) {
        return WithConstraint(
            label, OutOfRange("vector ", i, ": expected an index of at least 0 and less than ",
                              x.dim(k), " into dimension ", k, ", found ", index));
      }
      position = position * x.dim(k) + index;
    }
    positions[static_cast<size_t>(i)] = position;
  }
  return absl::OkStatus();
}

// Returns `count` positions in scratch memory, see FindPositions.
inline StatusOr<std::span<const int64_t>> PositionsOf(KernelContext& context, const Shape& x,
                                                      const Tensor& indices, int64_t count,
                                                      std::string_view label) {
  SIGNET_ASSIGN_OR_RETURN(std::byte * room,
                          context.Scratch(static_cast<size_t>(count) * sizeof(int64_t)));
  std::span<int64_t> positions(reinterpret_cast<int64_t*>(room), static_cast<size_t>(count));
  SIGNET_RETURN_IF_ERROR(FindPositions(&context, x, indices, label, positions));
  return positions;
}

}  // namespace signet
