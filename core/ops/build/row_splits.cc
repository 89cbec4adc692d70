#include "core/ops/build/row_splits.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

bool IsRagged(const GraphValue& value) { return value.spec && value.spec.is(TypeKind::kRagged); }

Status RejectWithoutSplits(const TypeSpec& values) {
  const bool is_records = values && values.is(TypeKind::kStructured);
  return WithConstraint(
      "C1", InvalidArgument("expected a ragged value, or a tensor and row splits; found `",
                            values ? values.ToString() : "None", "` without row splits",
                            is_records ? "; use one of its fields" : ""));
}

}  // namespace

StatusOr<const TensorSpec*> SplitsInput(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, TensorInput(call, i));
  bool fits =
      IsIndexDType(splits->dtype()) &&
      (!splits->shape().has_rank() || (splits->shape().rank() == 1 && splits->shape().dim(0) != 0));
  if (fits) return splits;
  return WithConstraint(
      "C1",
      InvalidArgument(
          "input ", i,
          ": expected row splits, a vector of int32 or int64 with at least one entry, found `",
          call.inputs[i], "`"));
}

StatusOr<const TensorSpec*> Int64ScalarInput(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, i));
  if (x->dtype() == DType::kInt64 && x->shape().IsCompatibleWith(Shape{})) return x;
  return WithConstraint(
      "C1", InvalidArgument("input ", i, ": expected `int64[]`, found `", call.inputs[i], "`"));
}

int64_t KnownRows(const TensorSpec& splits) {
  bool known = splits.shape().has_rank() && splits.shape().dim(0) > 0;
  return known ? splits.shape().dim(0) - 1 : kUnknownDim;
}

int64_t KnownValues(const OpCall& call, size_t i) {
  const Tensor* splits = call.constant(i);
  if (splits == nullptr || splits->num_elements() == 0) return kUnknownDim;
  return IntsOf(*splits).back();
}

Status CheckSegmentInputs(const OpCall& call) {
  if (HasInput(call, 0) && !HasInput(call, 1)) return RejectWithoutSplits(call.inputs[0]);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (HasInput(call, i)) SIGNET_RETURN_IF_ERROR(TensorInput(call, i).status());
  }
  return absl::OkStatus();
}

StatusOr<GraphValue> Int64Splits(OpBuilder& build, const GraphValue& splits) {
  if (splits.spec.As<TensorSpec>()->dtype() == DType::kInt64) return splits;
  return build.Cast(splits, {.dtype = DType::kInt64});
}

StatusOr<std::vector<GraphValue>> SplitsOfRows(const GraphValue& value) {
  std::vector<GraphValue> splits;
  if (IsRagged(value)) {
    splits = RaggedPartsOf(value).splits;
  } else if (value.spec && value.spec.is(TypeKind::kStructured) && value.spec.shape()->has_rank()) {
    splits = StructurePartsOf(value).splits;
  }
  if (!splits.empty()) return splits;
  return WithConstraint("C1",
                        InvalidArgument("expected row splits or a value with ragged rows, found `",
                                        value.spec ? value.spec.ToString() : "None", "`"));
}

StatusOr<RaggedParts> PartsOfRows(const GraphValue& values) {
  if (!IsRagged(values)) return RejectWithoutSplits(values.spec);
  RaggedParts parts = RaggedPartsOf(values);
  if (parts.splits.empty()) return RejectWithoutSplits(values.spec);
  return parts;
}

}  // namespace signet
