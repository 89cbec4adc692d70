#include "signet/shape.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/base/hash.h"

namespace signet {
namespace {

void AppendDims(std::string& out, std::span<const int64_t> dims) {
  out.push_back('[');
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) out.append(", ");
    if (dims[i] == kUnknownDim) {
      out.push_back('?');
    } else {
      AppendPart(out, dims[i]);
    }
  }
  out.push_back(']');
}

// Combines two shapes of the same rank, dimension by dimension.
template <class Combine>
Dims Zip(std::span<const int64_t> a, std::span<const int64_t> b, Combine combine) {
  Dims out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = combine(a[i], b[i]);
  return out;
}

PartialShape FromDims(const Dims& dims) {
  return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
}

}  // namespace

int64_t Shape::num_elements() const {
  int64_t product = 1;
  for (int64_t dim : dims_) product *= dim;
  return product;
}

std::string Shape::ToString() const {
  std::string out;
  AppendDims(out, dims());
  return out;
}

Status CheckShape(std::span<const int64_t> dims, size_t element_size) {
  int64_t product = static_cast<int64_t>(element_size);
  bool fits = true;
  for (int64_t dim : dims) fits &= dim > 0 && !__builtin_mul_overflow(product, dim, &product);
  if (fits) return absl::OkStatus();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] < 0) {
      return InvalidWithReason("INVALID_DIMENSION", "dimension ", axis,
                               ": expected at least 0, found ", dims[axis]);
    }
  }
  auto elements = CheckedProduct(dims);
  auto bytes = elements ? CheckedMultiply(*elements, static_cast<int64_t>(element_size)) : elements;
  if (!bytes) {
    return InvalidWithReason("SHAPE_TOO_LARGE", "shape `",
                             Shape(dims.first(std::min<size_t>(dims.size(), 8))),
                             dims.size() > 8 ? "..." : "", "` with ", element_size,
                             " bytes per element exceeds the limit of ", INT64_MAX, " bytes");
  }
  return absl::OkStatus();
}

PartialShape PartialShape::OfRank(int rank) {
  PartialShape out;
  out.dims_ = Dims(static_cast<size_t>(rank), kUnknownDim);
  return out;
}

bool PartialShape::IsFullyDefined() const {
  return has_rank() && std::find(dims_->begin(), dims_->end(), kUnknownDim) == dims_->end();
}

std::optional<int64_t> PartialShape::num_elements() const {
  return IsFullyDefined() ? CheckedProduct(dims()) : std::nullopt;
}

Shape PartialShape::ToShape() const { return Shape(dims()); }

bool PartialShape::IsSubtypeOf(const PartialShape& other) const {
  if (!other.has_rank()) return true;
  if (!has_rank() || rank() != other.rank()) return false;
  return std::equal(dims_->begin(), dims_->end(), other.dims_->begin(),
                    [](int64_t a, int64_t b) { return b == kUnknownDim || a == b; });
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (!has_rank() || !other.has_rank()) return true;
  return rank() == other.rank() &&
         std::equal(dims_->begin(), dims_->end(), other.dims_->begin(), [](int64_t a, int64_t b) {
           return a == b || a == kUnknownDim || b == kUnknownDim;
         });
}

PartialShape PartialShape::MostSpecificCommonSupertype(const PartialShape& other) const {
  if (!has_rank() || !other.has_rank() || rank() != other.rank()) return {};
  return FromDims(
      Zip(dims(), other.dims(), [](int64_t a, int64_t b) { return a == b ? a : kUnknownDim; }));
}

StatusOr<PartialShape> PartialShape::MergeWith(const PartialShape& other) const {
  if (!IsCompatibleWith(other)) {
    return InvalidWithReason("INCOMPATIBLE_SHAPES", "shapes `", *this, "` and `", other,
                             "` are incompatible");
  }
  if (!has_rank()) return other;
  if (!other.has_rank()) return *this;
  return FromDims(
      Zip(dims(), other.dims(), [](int64_t a, int64_t b) { return a == kUnknownDim ? b : a; }));
}

PartialShape PartialShape::Concatenate(const PartialShape& other) const {
  if (!has_rank() || !other.has_rank()) return {};
  PartialShape out = *this;
  out.dims_->insert(out.dims_->end(), other.dims_->begin(), other.dims_->end());
  return out;
}

PartialShape PartialShape::WithDim(int axis, int64_t size) const {
  PartialShape out = *this;
  (*out.dims_)[static_cast<size_t>(axis)] = size;
  return out;
}

PartialShape PartialShape::Slice(int first, int last) const {
  return PartialShape(
      dims().subspan(static_cast<size_t>(first), static_cast<size_t>(last - first)));
}

uint64_t PartialShape::Hash() const {
  if (!has_rank()) return 0x7172u;
  uint64_t hash = dims_->size();
  for (int64_t dim : *dims_) hash = MixHash(hash, static_cast<uint64_t>(dim));
  return hash;
}

std::string PartialShape::ToString() const {
  if (!has_rank()) return "[...]";
  std::string out;
  AppendDims(out, dims());
  return out;
}

StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape();
  const PartialShape& longer = a.rank() >= b.rank() ? a : b;
  const PartialShape& shorter = a.rank() >= b.rank() ? b : a;
  PartialShape out = longer;
  int offset = longer.rank() - shorter.rank();
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    int64_t x = longer.dim(offset + axis);
    int64_t y = shorter.dim(axis);
    int64_t size;
    if (x == y || y == 1) {
      size = x;
    } else if (x == 1) {
      size = y;
    } else if (x == kUnknownDim) {
      size = y;
    } else if (y == kUnknownDim) {
      size = x;
    } else {
      return InvalidArgument("shapes `", a, "` and `", b, "` do not broadcast: dimension ",
                             offset + axis, ": expected equal sizes or 1, found ", x, " and ", y);
    }
    out = out.WithDim(offset + axis, size);
  }
  return out;
}

StatusOr<int> NormalizeAxis(int64_t axis, int rank) {
  if (rank == 0) return InvalidArgument("expected no axis for a value of rank 0, found ", axis);
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("expected an axis from ", -rank, " to ", rank - 1,
                           " for a value of rank ", rank, ", found ", axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace signet
