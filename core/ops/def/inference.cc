#include "core/ops/def/inference.h"

#include "core/base/checked_math.h"

namespace signet {

StatusOr<const TensorSpec*> TensorInput(const OpCall& call, size_t i) {
  const auto* tensor = HasInput(call, i) ? call.inputs[i].As<TensorSpec>() : nullptr;
  if (tensor != nullptr) return tensor;
  if (HasInput(call, i)) {
    return WithConstraint(
        "C1", InvalidArgument("input ", i, ": expected a tensor, found `", call.inputs[i], "`"));
  }
  return WithConstraint("C1", InvalidArgument("missing input ", i, "; expected a tensor"));
}

StatusOr<int> AxisAttribute(const OpCall& call, std::string_view name, int rank,
                            std::string_view label) {
  auto axis = call.attributes.Int(name);
  if (!axis.ok()) return WithConstraint(label, axis.status());
  return WithConstraint(label, NormalizeAxis(*axis, rank));
}

TypeSpec NoneAttribute() { return LiteralType(Literal()); }

bool IsNone(const Attributes& attributes, std::string_view name) {
  TypeSpec found = attributes.Lookup(name);
  if (!found) return true;
  const auto* literal = found.As<LiteralSpec>();
  return literal != nullptr && literal->literal().is(Literal::Kind::kNone);
}

StatusOr<std::optional<std::vector<int64_t>>> OptionalInts(const Attributes& attributes,
                                                           std::string_view name) {
  if (IsNone(attributes, name)) return std::optional<std::vector<int64_t>>();
  SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> ints, attributes.Ints(name));
  return std::optional<std::vector<int64_t>>(std::move(ints));
}

Status CheckOutputSize(std::span<const int64_t> dims) {
  if (dims.size() > size_t{kMaxOutputRank}) [[unlikely]] {
    return InvalidArgument("expected a shape of at most ", kMaxOutputRank, " dimensions, found ",
                           dims.size());
  }
  int64_t product = 1;
  bool fits = true;
  for (int64_t dim : dims) fits &= dim > 0 && !__builtin_mul_overflow(product, dim, &product);
  if (fits && product <= kMaxOutputElements) return absl::OkStatus();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] < 0) {
      return InvalidArgument("dimension ", axis, ": expected at least 0, found ", dims[axis]);
    }
  }
  auto elements = CheckedProduct(dims);
  if (elements && *elements <= kMaxOutputElements) return absl::OkStatus();
  return ResourceExhausted("output shape `", PartialShape(dims), "` exceeds the limit of ",
                           kMaxOutputElements, " elements");
}

Status CheckOutputSize(const PartialShape& shape) {
  if (!shape.has_rank()) return absl::OkStatus();
  std::vector<int64_t> known;
  for (int64_t dim : shape.dims()) {
    known.push_back(dim == kUnknownDim ? 1 : dim);
  }
  return CheckOutputSize(known);
}

int64_t KnownProduct(const PartialShape& shape, int first, int last) {
  int64_t product = 1;
  bool unknown = false;
  for (int axis = first; axis < last; ++axis) {
    int64_t dim = shape.dim(axis);
    if (dim == 0) return 0;
    auto next = dim == kUnknownDim ? std::nullopt : CheckedMultiply(product, dim);
    unknown = unknown || !next;
    if (next) product = *next;
  }
  return unknown ? kUnknownDim : product;
}

bool IsIndexDType(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

std::vector<int64_t> IntsOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kInt32) {
    auto ints = tensor.elements<int32_t>();
    return {ints.begin(), ints.end()};
  }
  auto ints = tensor.elements<int64_t>();
  return {ints.begin(), ints.end()};
}

}  // namespace signet
