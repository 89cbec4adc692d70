// Operators that choose boxes which do not overlap.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

Expr Float32At(OpBuilder& build, TfInputs in, size_t i) {
  return CastTo(build, in[i], DType::kFloat32);
}

// Appends elements that are 0 until there are `most` of them.
Expr PaddedTo(OpBuilder& build, const Expr& x, const Expr& most) {
  Expr none = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr missing = build.Sub(most, DimSize(build, x, 0));
  return build.Pad(x, Zero(build, TensorDType(x)), none, build.Reshape(missing, {.shape = {1}}));
}

// NonMaxSuppressionV5 with scores that overlaps lower.
TfOutputs ExpandSoftBoxChoice(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool pads, call.attributes.Bool("pad_to_max_output_size"));
  Expr most = AsScalar(build, AsInt64(build, in[2]));
  auto limit = [&](size_t i) { return AsScalar(build, Float32At(build, in, i)); };
  auto chosen = build.SoftNonMaxSuppression(Float32At(build, in, 0), Float32At(build, in, 1), most,
                                            limit(3), limit(4), limit(5));
  SIGNET_RETURN_IF_ERROR(chosen.status());
  Expr index = build.AsExpr((*chosen)[0]);
  Expr own = build.AsExpr((*chosen)[1]);
  Expr count = DimSize(build, index, 0);
  if (pads) {
    index = PaddedTo(build, index, most);
    own = PaddedTo(build, own, most);
  }
  return AllOf({CastTo(build, index, DType::kInt32), CastTo(build, own, DTypeAt(in, 1)),
                CastTo(build, count, DType::kInt32)});
}

// Chooses boxes by a matrix of their overlaps.
TfOutputs ExpandOverlapChoice(OpBuilder& build, const OpCall&, TfInputs in) {
  auto chosen = build.SoftNonMaxSuppression(
      Float32At(build, in, 0), Float32At(build, in, 1), AsScalar(build, AsInt64(build, in[2])),
      AsScalar(build, Float32At(build, in, 3)), AsScalar(build, Float32At(build, in, 4)), {},
      {.overlaps = true});
  SIGNET_RETURN_IF_ERROR(chosen.status());
  return CastTo(build, (*chosen)[0], DType::kInt32);
}

// NonMaxSuppression and its versions 2 to 5.
TfOutputs ExpandBoxChoice(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool has_scores = call.op.name == "tf.NonMaxSuppressionV5";
  if (has_scores) {
    const Tensor* sigma = build.LookupConstant(in[5].components[0]);
    // The bytes of a float that is 0 are 0.
    const bool is_zero = sigma != nullptr && std::ranges::all_of(sigma->data().bytes(), [](auto b) {
                           return b == std::byte{0};
                         });
    if (!is_zero) return ExpandSoftBoxChoice(build, call, in);
  }
  Expr most = AsScalar(build, AsInt64(build, in[2]));
  Operand overlap;
  if (in.size() > 3) {
    overlap = AsScalar(build, Float32At(build, in, 3));
  } else {
    SIGNET_ASSIGN_OR_RETURN(double threshold, call.attributes.Float("iou_threshold"));
    overlap = Number(build, threshold, DType::kFloat32);
  }
  Operand least;
  if (in.size() > 4) least = AsScalar(build, Float32At(build, in, 4));
  Expr boxes = build.ExpandDims(Float32At(build, in, 0), {.axis = 0});
  Expr scores = build.ExpandDims(Float32At(build, in, 1), {.axis = 0});
  Expr chosen =
      build.NonMaxSuppression(boxes, build.ExpandDims(scores, {.axis = 0}), most, overlap, least);
  Expr index = build.Gather(chosen, Int64Constant(build, 2), {.axis = 1});
  Expr count = DimSize(build, index, 0);
  Expr own = build.Gather(in[1], index, {.axis = 0});
  if (call.attributes.Has("pad_to_max_output_size")) {
    SIGNET_ASSIGN_OR_RETURN(bool pads, call.attributes.Bool("pad_to_max_output_size"));
    if (pads) {
      own = PaddedTo(build, own, most);
      index = PaddedTo(build, index, most);
    }
  }
  std::vector<Operand> out = {CastTo(build, index, DType::kInt32)};
  if (has_scores) out.push_back(own);
  if (call.attributes.Has("pad_to_max_output_size")) {
    out.push_back(CastTo(build, count, DType::kInt32));
  }
  return AllOf(Operands(out));
}

// Chooses boxes for each class of each image, and then the best of all classes.
TfOutputs ExpandCombined(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto each, FindInts(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(auto total, FindInts(build, call, in, 3));
  SIGNET_ASSIGN_OR_RETURN(bool pads_each, call.attributes.Bool("pad_per_class"));
  SIGNET_ASSIGN_OR_RETURN(bool clips, call.attributes.Bool("clip_boxes"));
  SIGNET_ASSIGN_OR_RETURN(int box_rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int score_rank, RankAt(in, 1));
  if (box_rank != 4 || score_rank != 3 || each.size() != 1 || total.size() != 1) {
    return InvalidArgument("expected boxes of rank 4 and scores of rank 3, found `", in[0].spec,
                           "` and `", in[1].spec, "`");
  }
  const int64_t own_boxes = KnownSize(in[0], 2);
  const int64_t num_classes = KnownSize(in[1], 2);
  if (own_boxes == kUnknownDim || num_classes == kUnknownDim) {
    return Unimplemented("expected a known number of classes, found `", in[0].spec, "` and `",
                         in[1].spec, "`");
  }
  if (own_boxes != 1 && own_boxes != num_classes) {
    return InvalidArgument("expected 1 or ", num_classes, " boxes per place, found ", own_boxes);
  }
  int64_t width = total[0];
  if (pads_each) width = std::min(width, each[0] * num_classes);
  Expr images = DimSize(build, in[0], 0);
  // Box b of class c is row c of [classes, boxes], or the same row for all classes.
  Expr boxes = build.Transpose(in[0], {.perm = {0, 2, 1, 3}});
  Expr scores = build.Transpose(in[1], {.perm = {0, 2, 1}});
  Expr rows = build.Flatten(boxes, {.first = 0, .last = 1});
  const bool is_shared = own_boxes == 1;
  Expr row_scores =
      is_shared ? scores
                : build.ExpandDims(build.Flatten(scores, {.first = 0, .last = 1}), {.axis = 1});
  Expr chosen = build.NonMaxSuppression(rows, row_scores, Int64Constant(build, each[0]),
                                        AsScalar(build, Float32At(build, in, 4)),
                                        AsScalar(build, Float32At(build, in, 5)));
  auto column = [&](int64_t i) {
    return build.Gather(chosen, Int64Constant(build, i), {.axis = 1});
  };
  Expr image = is_shared ? column(0) : build.Floordiv(column(0), num_classes);
  Expr kind = is_shared ? column(1) : build.Mod(column(0), num_classes);
  Expr place = column(2);
  Expr own_box = build.GatherNd(rows, build.Stack({column(0), place}, {.axis = 1}));
  Expr own_score = build.GatherNd(scores, build.Stack({image, kind, place}, {.axis = 1}));
  Expr splits = build.RowSplitsFromRowIds(image, images);
  auto best = build.SegmentTopK(own_score, splits, {}, {.k = width});
  SIGNET_RETURN_IF_ERROR(best.status());
  Expr positions = build.RowElements(splits, build.SegmentIds((*best)[1]), (*best)[0]);
  auto padded = [&](const Expr& x) {
    Expr picked = build.Gather(x, positions, {.axis = 0});
    return build.PadRows(picked, (*best)[1], {.width = width});
  };
  if (clips) own_box = build.Clip(own_box, 0.0, 1.0);
  return AllOf({padded(own_box), padded(own_score), padded(CastTo(build, kind, DType::kFloat32)),
                CastTo(build, build.RowLengths((*best)[1]), DType::kInt32)});
}

}  // namespace

std::vector<OpDef> TfDetectionOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const char* summary = "Chooses boxes that do not overlap";
  const AttributeDef pads = {"pad_to_max_output_size", AttributeOf(false)};
  std::vector<std::string> inputs = {"boxes", "scores", "max_output_size"};
  add("NonMaxSuppression", summary, inputs, {{"iou_threshold", AttributeOf(0.5)}}, ExpandBoxChoice);
  inputs.emplace_back("iou_threshold");
  add("NonMaxSuppressionV2", summary, inputs, {}, ExpandBoxChoice);
  inputs.emplace_back("score_threshold");
  add("NonMaxSuppressionV3", summary, inputs, {}, ExpandBoxChoice);
  add("NonMaxSuppressionV4", summary, inputs, {pads}, ExpandBoxChoice);
  inputs.emplace_back("soft_nms_sigma");
  add("NonMaxSuppressionV5", summary, inputs, {pads}, ExpandBoxChoice);
  add("NonMaxSuppressionWithOverlaps", summary,
      {"overlaps", "scores", "max_output_size", "overlap_threshold", "score_threshold"}, {},
      ExpandOverlapChoice);
  add("CombinedNonMaxSuppression", "Chooses boxes of several classes that do not overlap",
      {"boxes", "scores", "max_output_size_per_class", "max_total_size", "iou_threshold",
       "score_threshold"},
      {{"pad_per_class", AttributeOf(false)}, {"clip_boxes", AttributeOf(true)}}, ExpandCombined);
  return ops;
}

}  // namespace signet
