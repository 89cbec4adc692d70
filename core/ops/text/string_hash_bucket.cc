// string_hash_bucket: assigns each string to a bucket, which is an integer less than `num_buckets`.
//
// The bucket is the hash modulo num_buckets, computed with unsigned integers. It is the same on
// every machine and in every version. The hash is HashBytes (core/base/hash.h), or one of the
// functions that TensorFlow uses.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"
#include "signet/sequence_spec.h"

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
  // C3: `method` is known, and `key` is two integers for `siphash` and empty otherwise.
  SIGNET_RETURN_IF_ERROR(
      CheckHashMethod(call.attributes, "C3", {"default", "farmhash", "murmur", "siphash"}));
  return OneOutput(TensorType(DType::kInt64, x->shape()));
}

}  // namespace

OpDef StringHashBucket() {
  return {
      .name = "string_hash_bucket",
      .summary = "Assigns strings to buckets by a hash",
      .description =
          "Returns the hash of each string modulo `num_buckets`. The hash is the same on every "
          "machine and in every version. `method` selects it: `default`, or the functions of "
          "TensorFlow: `farmhash` (Fingerprint64), `siphash` (SipHash-2-4 with `key`), and "
          "`murmur` (MurmurHash64A with its old seed).",
      .inputs = {"x"},
      .attributes = {{"num_buckets"}, {"method", AttributeOf("default")}, {"key", ListType({})}},
      .result = "A value of int64 with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings.",
                      "`num_buckets` is at least 1.",
                      "`method` is `default`, `farmhash`, `siphash`, or `murmur`. `key` is two "
                      "integers for `siphash`, and empty otherwise."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferStringHashBucket,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
