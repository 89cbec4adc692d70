// lookup_value: returns the row of a table that belongs to each key.
//
//   lookup_value(keys, vocabulary, values, default)   keys: string[i], values: float32[n, d]  =>
//   float32[i, d]

#include "core/ops/build/flat_values.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"
#include "core/ops/indexing/vocabulary.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferLookupValue(const OpCall& call) {
  // C1, C2: see CheckVocabulary.
  SIGNET_RETURN_IF_ERROR(CheckVocabulary(call));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 2));
  // C3: `values` has one row per word of the vocabulary.
  const PartialShape& rows = values->shape();
  const PartialShape& words = *call.inputs[1].shape();
  bool fits = !rows.has_rank() ||
              (rows.rank() > 0 && (!words.has_rank() || rows.Slice(0, 1).IsCompatibleWith(words)));
  if (!fits) {
    return WithConstraint("C3", InvalidArgument("input 2: expected one row per word of input 1, `",
                                                call.inputs[1], "`, found `", call.inputs[2], "`"));
  }
  // C4: `default` is a scalar of the dtype of `values`. If it is missing, it is 0, False, or "".
  if (HasInput(call, 3)) {
    const auto* missing = call.inputs[3].As<TensorSpec>();
    bool scalar = missing != nullptr && missing->dtype() == values->dtype() &&
                  missing->shape().IsCompatibleWith(Shape{});
    if (!scalar) {
      return WithConstraint(
          "C4", InvalidArgument("input 3: expected `", TensorType(values->dtype(), Shape{}),
                                "`, found `", call.inputs[3], "`"));
    }
  }
  PartialShape row = rows.has_rank() ? rows.Slice(1, rows.rank()) : PartialShape();
  PartialShape shape = call.inputs[0].shape()->Concatenate(row);
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape));
  return OneOutput(TensorType(values->dtype(), std::move(shape)));
}

StatusOr<std::vector<GraphValue>> ExpandLookupValue(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  std::vector<GraphValue> tensors(inputs.begin(), inputs.end());
  if (tensors.size() > 3 && tensors[2].spec.is(TypeKind::kTensor) && IsPlainLiteral(tensors[3])) {
    DType dtype = tensors[2].spec.As<TensorSpec>()->dtype();
    SIGNET_ASSIGN_OR_RETURN(tensors[3], WithConstraint("C4", TensorFor(build, tensors[3], dtype)));
    return build.Call(call.op.name, tensors, call.attributes);
  }
  if (IsPlainLiteral(tensors[0]) && tensors[1].spec.is(TypeKind::kTensor)) {
    DType dtype = tensors[1].spec.As<TensorSpec>()->dtype();
    SIGNET_ASSIGN_OR_RETURN(tensors[0], WithConstraint("C1", TensorFor(build, tensors[0], dtype)));
    return build.Call(call.op.name, tensors, call.attributes);
  }
  // Only keys may be ragged.
  for (size_t i = 1; i < inputs.size(); ++i) {
    bool ragged = inputs[i].spec && inputs[i].spec.is(TypeKind::kRagged);
    if (ragged) return TensorInput(call, i).status();
  }
  return ExpandOnFlatValues(build, call, tensors);
}

}  // namespace

OpDef LookupValue() {
  return {
      .name = "lookup_value",
      .summary = "Returns the row of a table for each key",
      .description =
          "Returns the row of `values` at the position of each key in the vocabulary. If the "
          "vocabulary does not contain the key, the result is `default`, or 0, False, or \"\" "
          "without `default`.",
      .inputs = {"keys", "vocabulary", "values", "default?"},
      .result =
          "A value with the dtype of `values`, and the shape of the keys followed by the shape of "
          "a row.",
      .constraints = {"The keys and the vocabulary are tensors of the same dtype: string, int32, "
                      "int64, float32, or float64.",
                      "The vocabulary is a vector.",
                      "`values` has one row per word of the vocabulary.",
                      "`default` is a scalar of the dtype of `values`."},
      .composites =
          "On ragged keys, the op looks up the flat values. On sparse keys, it looks up the stored "
          "values, and the rows of the table are scalars.",
      .infer = InferLookupValue,
      .expand = ExpandLookupValue,
      .expand_sparse = ExpandSparseOnValues,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
