// string_fingerprint: computes a 64-bit hash of each string, or of the bytes of each integer.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringFingerprint(const OpCall& call) {
  // C1: the input is a tensor of strings or integers.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() != DType::kString && !IsInteger(x->dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected dtype string or an integer dtype, found `",
                              call.inputs[0], "`"));
  }
  // C2: `method` is known, and `key` is two integers for `siphash` and empty otherwise.
  SIGNET_RETURN_IF_ERROR(CheckHashMethod(call.attributes, "C2", {"farmhash", "siphash"}));
  return OneOutput(TensorType(DType::kUInt64, x->shape()));
}

}  // namespace

OpDef StringFingerprint() {
  return {
      .name = "string_fingerprint",
      .summary = "Computes a 64-bit hash of each string",
      .description =
          "Returns the hash Fingerprint64 of FarmHash, with which TensorFlow crosses features, or "
          "with `method=\"siphash\"` the hash SipHash-2-4 with `key`. The hash is the same on "
          "every machine and in every version. `string_hash_bucket` returns it modulo the number "
          "of buckets. The hash of an integer is the hash of its bytes, the lowest byte first.",
      .inputs = {"x"},
      .attributes = {{"method", AttributeOf("farmhash")}, {"key", ListType({})}},
      .result = "A value of uint64 with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings or integers.",
                      "`method` is `farmhash` or `siphash`. `key` is two integers for `siphash`, "
                      "and empty otherwise."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferStringFingerprint,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
