#include "core/ops/build/rows/row_dims.h"

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

StatusOr<GraphValue> AsInt64(OpBuilder& build, const GraphValue& x) {
  if (x.spec.As<TensorSpec>()->dtype() == DType::kInt64) return x;
  return build.Cast(x, {.dtype = DType::kInt64});
}

// Returns the elements of a list or tuple, or of a vector of known length.
StatusOr<std::vector<GraphValue>> ElementsOf(OpBuilder& build, const GraphValue& sizes,
                                             std::string_view label) {
  std::vector<GraphValue> elements;
  if (sizes.spec && IsSequence(sizes.spec)) {
    for (size_t i = 0; i < sizes.spec.children().size(); ++i) {
      elements.push_back(ChildOf(sizes, i));
    }
    return elements;
  }
  const auto* vector = sizes.spec ? sizes.spec.As<TensorSpec>() : nullptr;
  bool fits = vector != nullptr && IsIndexDType(vector->dtype()) && vector->shape().has_rank() &&
              vector->shape().rank() == 1 && vector->shape().dim(0) != kUnknownDim;
  if (!fits) {
    return WithConstraint(label,
                          InvalidArgument("expected a list of sizes and row lengths, found `",
                                          sizes.spec ? sizes.spec.ToString() : "None", "`"));
  }
  for (int64_t i = 0; i < vector->shape().dim(0); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, build.Gather(sizes, Int64Constant(build, i)));
    elements.push_back(std::move(size));
  }
  return elements;
}

}  // namespace

StatusOr<RowDim> DimOfSize(OpBuilder& build, const Rows& rows, const GraphValue& size,
                           std::string_view label) {
  auto tensor = TensorFor(build, size, DType::kInt64);
  if (!tensor.ok()) return WithConstraint(label, tensor.status());
  const auto* spec = tensor->spec ? tensor->spec.As<TensorSpec>() : nullptr;
  bool is_size = spec != nullptr && IsIndexDType(spec->dtype()) && spec->shape() == Shape{};
  bool is_lengths = spec != nullptr && IsIndexDType(spec->dtype()) && spec->shape().has_rank() &&
                    spec->shape().rank() == 1;
  if (!is_size && (!is_lengths || rows.depth() == 0)) {
    return WithConstraint(
        label, InvalidArgument("dimension ", rows.depth(), ": expected a size",
                               rows.depth() == 0 ? "" : " or a list of row lengths", ", found `",
                               size.spec ? size.spec.ToString() : "None", "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue ints, AsInt64(build, *tensor));
  const Tensor* known = build.LookupConstant(ints.components[0]);
  for (int64_t one : known == nullptr ? std::vector<int64_t>() : IntsOf(*known)) {
    if (one >= 0) continue;
    return WithConstraint(label, InvalidArgument("dimension ", rows.depth(),
                                                 ": expected a size of at least 0, found ", one));
  }
  if (is_size) {
    return UniformDim(ints, known == nullptr ? kUnknownDim : known->scalar<int64_t>());
  }
  // There is one length per row.
  int last = rows.depth() - 1;
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build, rows, last));
  const Tensor* wanted = build.LookupConstant(count.components[0]);
  int64_t given = spec->shape().dim(0);
  if (wanted != nullptr && given != kUnknownDim && given != wanted->scalar<int64_t>()) {
    return WithConstraint(
        label, InvalidArgument("dimension ", rows.depth(), ": expected ", wanted->scalar<int64_t>(),
                               " row lengths, found ", given));
  }
  SIGNET_ASSIGN_OR_RETURN(ints, build.CheckNumValues(ints, SplitsOf(build, rows, last)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.RowSplitsFromLengths(ints));
  return RaggedDim(std::move(splits));
}

StatusOr<Rows> RowsOfSizes(OpBuilder& build, const GraphValue& sizes, std::string_view label) {
  SIGNET_ASSIGN_OR_RETURN(auto elements, ElementsOf(build, sizes, label));
  Rows rows;
  for (const GraphValue& element : elements) {
    SIGNET_ASSIGN_OR_RETURN(RowDim dim, DimOfSize(build, rows, element, label));
    rows.dims.push_back(std::move(dim));
  }
  return rows;
}

}  // namespace signet
