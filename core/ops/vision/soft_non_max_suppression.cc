// soft_non_max_suppression: selects boxes, and lowers the scores of boxes that overlap them.

#include "core/ops/def/inference.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

// C1 and C2: input `i` has `dtype` and a shape compatible with `wanted`.
Status CheckInput(const OpCall& call, size_t i, DType dtype, const PartialShape& wanted,
                  std::string_view label) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (input->dtype() == dtype && input->shape().IsCompatibleWith(wanted)) return absl::OkStatus();
  return WithConstraint(
      label, InvalidArgument("input ", i, ": expected `", TensorType(dtype, wanted), "`, found `",
                             call.inputs[i], "`"));
}

StatusOr<std::vector<TypeSpec>> InferSoft(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(bool overlaps, WithConstraint("C3", call.attributes.Bool("overlaps")));
  // C1: boxes are float32[n, 4], or overlaps float32[n, n]. Scores are float32[n].
  SIGNET_RETURN_IF_ERROR(CheckInput(call, 1, DType::kFloat32, PartialShape{kUnknownDim}, "C1"));
  const PartialShape& scores = *call.inputs[1].shape();
  const int64_t count = scores.has_rank() ? scores.dim(0) : kUnknownDim;
  SIGNET_RETURN_IF_ERROR(
      CheckInput(call, 0, DType::kFloat32, PartialShape{count, overlaps ? count : 4}, "C1"));
  // C2: the number of boxes is an int64 scalar, and the other limits are float32 scalars.
  for (size_t i = 2; i < 6; ++i) {
    if (!HasInput(call, i)) continue;
    SIGNET_RETURN_IF_ERROR(
        CheckInput(call, i, i == 2 ? DType::kInt64 : DType::kFloat32, PartialShape(Shape{}), "C2"));
  }
  const PartialShape selected{kUnknownDim};
  return std::vector<TypeSpec>{TensorType(DType::kInt64, selected),
                               TensorType(DType::kFloat32, selected)};
}

}  // namespace

OpDef SoftNonMaxSuppression() {
  return {
      .name = "soft_non_max_suppression",
      .summary = "Selects boxes and lowers the scores of boxes that overlap them",
      .description =
          "Selects at most `most` boxes by descending score. A box that overlaps a selected box by "
          "more than `threshold` gets the score 0 if `sigma` is greater than 0, and else it is not "
          "selected. The scores of other boxes are multiplied by exp(-overlap^2 / (2 * sigma)) for "
          "each selected box, unless `sigma` is 0 or missing. A box is not selected if its score "
          "is or becomes at most `score_threshold`. The overlap of two boxes is the area of their "
          "intersection, divided by the area of their union. With `overlaps`, input 0 is a matrix "
          "of the overlaps of all pairs of boxes. A box is two opposite corners.",
      .inputs = {"boxes", "scores", "most", "threshold", "score_threshold?", "sigma?"},
      .attributes = {{"overlaps", AttributeOf(false)}},
      .outputs = {"indices", "scores"},
      .result =
          "Two outputs: the indices of the boxes, `int64[?]`, and their scores, "
          "`float32[?]`.",
      .constraints = {"The boxes are `float32[n, 4]` or, with `overlaps`, `float32[n, n]`. The "
                      "scores are `float32[n]`.",
                      "`most` is `int64[]`, and the other limits are `float32[]`.",
                      "`overlaps` is a bool.",
                      "`sigma` is at least 0. Without `overlaps`, `threshold` is 0 to 1."},
      .infer = InferSoft,
  };
}

}  // namespace signet
