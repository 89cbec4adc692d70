// string_hash_bucket: assigns each string to a bucket, which is an integer less than `num_buckets`.
//
// The bucket is HashBytes(text) modulo num_buckets (core/base/hash.h), computed with unsigned
// integers. It is the same on every machine and in every version.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringHashBucket(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  // C2: `num_buckets` is at least 1.
  SIGNET_ASSIGN_OR_RETURN(int64_t buckets,
                          WithConstraint("C2", call.attributes.Int("num_buckets")));
  if (buckets < 1)
    return WithConstraint("C2",
                          InvalidArgument("num_buckets: expected at least 1, found ", buckets));
  return OneOutput(TensorType(DType::kInt64, x->shape()));
}

}  // namespace

OpDef StringHashBucket() {
  return {
      .name = "string_hash_bucket",
      .summary = "Assigns strings to buckets by a hash",
      .description =
          "Returns the hash of each string modulo `num_buckets`. The hash is the same on every "
          "machine and in every version.",
      .inputs = {"x"},
      .attributes = {{"num_buckets"}},
      .result = "A value of int64 with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings.",
                      "`num_buckets` is at least 1."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferStringHashBucket,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
