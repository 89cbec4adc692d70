// Shape and PartialShape: the sizes of a tensor, known when it runs, perhaps unknown in its type.
//
// Notation: `[2, 3]`, `[]` for a scalar, `?` for an unknown dimension, `[...]` for unknown rank.
// Rules: RFC FunctionType, trace types; docs/reference/function-types.md has the table. Values, not
// thread-safe.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include <absl/container/inlined_vector.h>

#include "signet/status.h"

namespace signet {

using Dims = absl::InlinedVector<int64_t, 6>;

// Sizes of a value; each at least 0.
class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int axis) const { return dims_[static_cast<size_t>(axis)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }
  // Product of the dimensions. Only for shapes that passed CheckShape or belong to a tensor.
  int64_t num_elements() const;
  bool operator==(const Shape&) const = default;

  void set_dim(int axis, int64_t size) { dims_[static_cast<size_t>(axis)] = size; }
  void push_back(int64_t size) { dims_.push_back(size); }
  std::string ToString() const;

 private:
  Dims dims_;
};

// Refuses negative dimensions, and shapes whose elements or bytes (at `element_size`) overflow
// int64.
Status CheckShape(std::span<const int64_t> dims, size_t element_size);

inline constexpr int64_t kUnknownDim = -1;

// Sizes as a type knows them: unknown rank, or a list of dimensions, each known or unknown.
class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(std::initializer_list<int64_t> dims) : dims_(std::in_place, dims) {}
  explicit PartialShape(std::span<const int64_t> dims)
      : dims_(std::in_place, dims.begin(), dims.end()) {}
  PartialShape(const Shape& shape) : PartialShape(shape.dims()) {}  // NOLINT: every shape is one
  static PartialShape OfRank(int rank);                             // all dimensions unknown

  bool has_rank() const { return dims_.has_value(); }
  int rank() const { return static_cast<int>(dims_->size()); }                      // has_rank()
  int64_t dim(int axis) const { return (*dims_)[static_cast<size_t>(axis)]; }       // has_rank()
  std::span<const int64_t> dims() const { return {dims_->data(), dims_->size()}; }  // has_rank()
  bool IsFullyDefined() const;
  std::optional<int64_t> num_elements() const;  // empty when not fully defined, or too large
  Shape ToShape() const;                        // IsFullyDefined()

  // Every shape that fits *this fits `other`.
  bool IsSubtypeOf(const PartialShape& other) const;
  // Some full shape fits both.
  bool IsCompatibleWith(const PartialShape& other) const;
  // Join: [2, 3] and [2, 4] => [2, ?]; different ranks => unknown rank.
  PartialShape MostSpecificCommonSupertype(const PartialShape& other) const;
  // Meet: [2, ?] and [?, 3] => [2, 3]; refused (INCOMPATIBLE_SHAPES) when no shape fits both.
  StatusOr<PartialShape> MergeWith(const PartialShape& other) const;
  PartialShape Concatenate(const PartialShape& other) const;
  PartialShape WithDim(int axis, int64_t size) const;  // has_rank()
  PartialShape Slice(int first, int last) const;       // dimensions [first, last); has_rank()
  bool operator==(const PartialShape&) const = default;

  uint64_t Hash() const;
  std::string ToString() const;  // `[2, ?]`

 private:
  std::optional<Dims> dims_;
};

// Broadcasts as numpy does: [2, 1] and [3] => [2, 3]. Unknown against 1 or unknown stays unknown;
// unknown against n > 1 is n. Refused when two known sizes differ and neither is 1.
StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);

// `axis` in [-rank, rank) => [0, rank); refused otherwise.
StatusOr<int> NormalizeAxis(int64_t axis, int rank);

}  // namespace signet
