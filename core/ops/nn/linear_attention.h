// LinearAttentionForm, LinearAttentionSizes: the attributes and sizes of linear_attention, for
// inference and the kernel.
//
//   query [batch, steps, q_heads * keys], key [batch, steps, kv_heads * keys],
//   value [batch, steps, kv_heads * values]
//     =>  y [batch, steps, q_heads * values], state [batch, kv_heads, keys, values]

#pragma once

#include <span>

#include "core/ops/def/op_def.h"
#include "signet/shape.h"

namespace signet {

struct LinearAttentionInput {
  enum : size_t { kQuery, kKey, kValue, kState, kDecay, kBeta, kEraseGate, kCount };
};

struct LinearAttentionForm {
  int64_t q_heads = 1;
  int64_t kv_heads = 1;
  double scale = 0;  // 0: one over the square root of `keys`
};
StatusOr<LinearAttentionForm> LinearAttentionFormOf(const OpCall& call);

struct LinearAttentionSizes {
  int64_t batch = kUnknownDim;
  int64_t steps = kUnknownDim;
  int64_t keys = kUnknownDim;    // the size of one key
  int64_t values = kUnknownDim;  // the size of one value
};

// Combines the shapes of the inputs; null means that an input is missing. Returns an error if the
// shapes contradict each other.
StatusOr<LinearAttentionSizes> LinearAttentionSizesOf(const LinearAttentionForm& form,
                                                      std::span<const PartialShape* const> shapes);

}  // namespace signet
