#include "core/ops/build/row_splits.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"

namespace signet {

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
  if (HasInput(call, 0) && !HasInput(call, 1)) {
    return WithConstraint(
        "C1", InvalidArgument("expected a ragged value, or a tensor and row splits; found `",
                              call.inputs[0], "` without row splits"));
  }
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  return TensorInput(call, 1).status();
}

StatusOr<GraphValue> Int64Splits(OpBuilder& build, const GraphValue& splits) {
  if (splits.spec.As<TensorSpec>()->dtype() == DType::kInt64) return splits;
  return build.Cast(splits, {.dtype = DType::kInt64});
}

StatusOr<GraphValue> InnermostSplits(const GraphValue& ragged) {
  const auto* structure = ragged.spec ? ragged.spec.As<StructuredSpec>() : nullptr;
  if (structure != nullptr && structure->shape().has_rank() && structure->rank() > 1) {
    return StructurePartsOf(ragged).splits.back();
  }
  const auto* spec = ragged.spec ? ragged.spec.As<RaggedSpec>() : nullptr;
  if (spec == nullptr || spec->ragged_rank() == 0) {
    return WithConstraint(
        "C1", InvalidArgument("expected row splits or a value with ragged rows, found `",
                              ragged.spec ? ragged.spec.ToString() : "None", "`"));
  }
  return ComponentOf(ragged, ragged.components.size() - 1);
}

}  // namespace signet
