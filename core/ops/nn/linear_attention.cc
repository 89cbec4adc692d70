// linear_attention: computes a recurrent layer whose state is a matrix.

#include "core/ops/nn/linear_attention.h"

#include "core/base/checked_math.h"
#include "core/ops/def/inference.h"
#include "core/ops/nn/nn_ops.h"

namespace signet {
namespace {

using AttentionIn = LinearAttentionInput;

Status UnexpectedShape(const char* name, const PartialShape& shape, std::string_view wanted) {
  return WithConstraint(
      "C3", InvalidArgument("`", name, "`: expected shape `", wanted, "`, found `", shape, "`"));
}

// Sets `size` to `more` if `size` is unknown. Returns false if both are known and differ.
bool MergeSize(int64_t& size, int64_t more) {
  if (more == kUnknownDim) return true;
  if (size == kUnknownDim) size = more;
  return size == more;
}

StatusOr<std::vector<TypeSpec>> InferLinearAttention(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(LinearAttentionForm form, LinearAttentionFormOf(call));
  // C1: query, key, and value are given, and all inputs are tensors. C2: all inputs have the same
  // dtype, float32 or float64.
  std::vector<const PartialShape*> shapes(AttentionIn::kCount, nullptr);
  DType dtype = DType::kFloat32;
  for (size_t i = 0; i < AttentionIn::kCount; ++i) {
    if (i > AttentionIn::kValue && !HasInput(call, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    shapes[i] = &input->shape();
    if (i == 0) dtype = input->dtype();
    if (input->dtype() != dtype || (dtype != DType::kFloat32 && dtype != DType::kFloat64)) {
      return WithConstraint(
          "C2",
          InvalidArgument("input ", i,
                          ": expected float32 or float64, the same dtype for all inputs, found `",
                          call.inputs[i], "`"));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(LinearAttentionSizes sizes, LinearAttentionSizesOf(form, shapes));
  int64_t width = sizes.values == kUnknownDim ? kUnknownDim : sizes.values * form.q_heads;
  PartialShape y({sizes.batch, sizes.steps, width});
  PartialShape state({sizes.batch, form.kv_heads, sizes.keys, sizes.values});
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(y)));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(state)));
  return std::vector<TypeSpec>{TensorType(dtype, y), TensorType(dtype, state)};
}

}  // namespace

StatusOr<LinearAttentionForm> LinearAttentionFormOf(const OpCall& call) {
  LinearAttentionForm form;
  // C4: the number of query heads is a multiple of the number of key heads.
  SIGNET_ASSIGN_OR_RETURN(form.q_heads, WithConstraint("C4", call.attributes.Int("q_num_heads")));
  SIGNET_ASSIGN_OR_RETURN(form.kv_heads, WithConstraint("C4", call.attributes.Int("kv_num_heads")));
  SIGNET_ASSIGN_OR_RETURN(form.scale, WithConstraint("C4", call.attributes.Float("scale")));
  if (form.kv_heads < 1 || form.q_heads < 1 || form.q_heads % form.kv_heads != 0) {
    return WithConstraint(
        "C4",
        InvalidArgument("q_num_heads: expected a multiple of kv_num_heads, both at least 1, found ",
                        form.q_heads, " and ", form.kv_heads));
  }
  return form;
}

StatusOr<LinearAttentionSizes> LinearAttentionSizesOf(const LinearAttentionForm& form,
                                                      std::span<const PartialShape* const> shapes) {
  LinearAttentionSizes sizes;
  constexpr const char* kNames[] = {"query", "key",  "value",     "past_state",
                                    "decay", "beta", "erase_gate"};
  // Returns the size of one head in the last dimension.
  auto head = [](const PartialShape& shape, int64_t heads) {
    int64_t size = shape.dim(2);
    return size == kUnknownDim ? size : size % heads == 0 ? size / heads : int64_t{-2};
  };
  for (size_t i = 0; i < AttentionIn::kCount; ++i) {
    const PartialShape* shape = shapes[i];
    if (shape == nullptr || !shape->has_rank()) continue;
    if (i == AttentionIn::kState) {
      bool fits = shape->rank() == 4;
      int64_t heads = form.kv_heads;
      fits = fits && MergeSize(sizes.batch, shape->dim(0)) && MergeSize(heads, shape->dim(1)) &&
             MergeSize(sizes.keys, shape->dim(2)) && MergeSize(sizes.values, shape->dim(3));
      if (!fits) return UnexpectedShape(kNames[i], *shape, "[batch, heads, keys, values]");
      continue;
    }
    bool fits = shape->rank() == 3 && MergeSize(sizes.batch, shape->dim(0)) &&
                MergeSize(sizes.steps, shape->dim(1));
    int64_t size =
        fits ? head(*shape, i == AttentionIn::kQuery ? form.q_heads : form.kv_heads) : -2;
    if (i == AttentionIn::kQuery || i == AttentionIn::kKey || i == AttentionIn::kEraseGate) {
      fits = size != -2 && MergeSize(sizes.keys, size);
    } else if (i == AttentionIn::kValue) {
      fits = size != -2 && MergeSize(sizes.values, size);
    } else if (i == AttentionIn::kDecay) {
      fits = size == 1 || (size != -2 && MergeSize(sizes.keys, size));
    } else {
      fits = fits && (size == kUnknownDim || size == 1 || shape->dim(2) == 1);
    }
    if (!fits) return UnexpectedShape(kNames[i], *shape, "[batch, steps, heads * size]");
  }
  if (sizes.values != kUnknownDim && !CheckedMultiply(sizes.values, form.q_heads)) {
    return WithConstraint(
        "C3", ResourceExhausted(form.q_heads, " query heads times values of size ", sizes.values,
                                " exceed the range of int64"));
  }
  return sizes;
}

OpDef LinearAttention() {
  return {
      .name = "linear_attention",
      .summary = "Updates a state by keys and values, and reads it by queries",
      .description =
          "Computes a layer whose state is a matrix per head, as ONNX defines LinearAttention. "
          "`query` is `[batch, steps, q_num_heads * keys]`, `key` is `[batch, steps, kv_num_heads "
          "* keys]`, and `value` is `[batch, steps, kv_num_heads * values]`. The state is `[batch, "
          "kv_num_heads, keys, values]`; it starts as `past_state`, or as 0. In each step, the "
          "state is multiplied by `exp(decay)`, where `decay` is `[batch, steps, kv_num_heads]` or "
          "has a number per element of a key, and the product of key and value is added. With "
          "`beta`, `[batch, steps, kv_num_heads or 1]`, the added product uses `beta` times the "
          "difference between the value and what the state returns for the key, or for the key "
          "times `erase_gate`, which has the size of the key. The queries are then multiplied by "
          "the state and by `scale`; a scale of 0 means one over the square root of `keys`. "
          "Consecutive query heads share a state.",
      .inputs = {"query", "key", "value", "past_state?", "decay?", "beta?", "erase_gate?"},
      .attributes = {{"q_num_heads"}, {"kv_num_heads"}, {"scale", AttributeOf(0.0)}},
      .outputs = {"values", "last_state"},
      .result = "Two outputs: `[batch, steps, q_num_heads * values]`, and the last state.",
      .constraints = {"`query`, `key`, and `value` are given, and all inputs are tensors.",
                      "All inputs have the same dtype, float32 or float64.",
                      "Dimensions with the same name have the same size.",
                      "`q_num_heads` is a multiple of `kv_num_heads`, which is at least 1."},
      .infer = InferLinearAttention,
  };
}

}  // namespace signet
