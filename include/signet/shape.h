// Shape, PartialShape: the sizes of a tensor, and the sizes in its type, some of which may be
// unknown.
//
//   signet::PartialShape declared{2, signet::kUnknownDim};                        // [2, ?]
//   bool fits = signet::PartialShape(signet::Shape{2, 3}).IsSubtypeOf(declared);  // true
//
// Notation: `[2, 3]`, `[]` for a scalar, `?` for an unknown dimension, `[...]` for unknown rank.
// Rules: RFC FunctionType, trace types; docs/reference/function-types.md has the table. Values; not
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

// The sizes of a value, each at least 0.
class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int axis) const { return dims_[static_cast<size_t>(axis)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }
  // Returns the product of the dimensions. Requires a shape that passed CheckShape or belongs to a
  // tensor.
  int64_t num_elements() const;
  bool operator==(const Shape&) const = default;

  void set_dim(int axis, int64_t size) { dims_[static_cast<size_t>(axis)] = size; }
  void push_back(int64_t size) { dims_.push_back(size); }
  std::string ToString() const;

 private:
  Dims dims_;
};

// Returns an error for negative dimensions, and for shapes whose number of elements or bytes (at
// `element_size`) overflows int64.
Status CheckShape(std::span<const int64_t> dims, size_t element_size);

inline constexpr int64_t kUnknownDim = -1;

// The sizes in a type: an unknown rank, or a list of dimensions, each known or unknown.
class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(std::initializer_list<int64_t> dims) : dims_(std::in_place, dims) {}
  explicit PartialShape(std::span<const int64_t> dims)
      : dims_(std::in_place, dims.begin(), dims.end()) {}
  PartialShape(const Shape& shape) : PartialShape(shape.dims()) {}  // NOLINT: also a partial shape
  static PartialShape OfRank(int rank);                             // all dimensions unknown

  bool has_rank() const { return dims_.has_value(); }
  // The next three require has_rank().
  int rank() const { return static_cast<int>(dims_->size()); }
  int64_t dim(int axis) const { return (*dims_)[static_cast<size_t>(axis)]; }
  std::span<const int64_t> dims() const { return {dims_->data(), dims_->size()}; }
  bool IsFullyDefined() const;
  std::optional<int64_t> num_elements() const;  // empty if not fully defined or too large
  Shape ToShape() const;                        // requires IsFullyDefined()

  // Returns true if every shape that fits this one also fits `other`.
  bool IsSubtypeOf(const PartialShape& other) const;
  // Returns true if some full shape fits both.
  bool IsCompatibleWith(const PartialShape& other) const;
  // Returns the join: [2, 3] and [2, 4] => [2, ?]; different ranks => unknown rank.
  PartialShape MostSpecificCommonSupertype(const PartialShape& other) const;
  // Returns the meet: [2, ?] and [?, 3] => [2, 3]. Returns an error (INCOMPATIBLE_SHAPES) if no
  // shape fits both.
  StatusOr<PartialShape> MergeWith(const PartialShape& other) const;
  PartialShape Concatenate(const PartialShape& other) const;
  PartialShape WithDim(int axis, int64_t size) const;  // requires has_rank()
  // dimensions [first, last); requires has_rank()
  PartialShape Slice(int first, int last) const;
  bool operator==(const PartialShape&) const = default;

  uint64_t Hash() const;
  std::string ToString() const;  // `[2, ?]`

 private:
  std::optional<Dims> dims_;
};

// Broadcasts as numpy does: [2, 1] and [3] => [2, 3]. Unknown with 1 or unknown is unknown; unknown
// with n > 1 is n. Returns an error if two known sizes differ and neither is 1.
StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);

// Converts `axis` from [-rank, rank) to [0, rank). Returns an error if it is out of range.
StatusOr<int> NormalizeAxis(int64_t axis, int rank);

}  // namespace signet
