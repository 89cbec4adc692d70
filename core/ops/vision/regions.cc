// max_roi_pool, roi_align, grid_sample, affine_grid, deform_conv, non_max_suppression: process
// regions and points of images.

#include "core/ops/def/inference.h"
#include "core/ops/def/late_inference.h"
#include "core/ops/vision/conv.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

bool IsReal(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }
constexpr std::string_view kReal = "float32 or float64";

// Returns the type of input `i`, which has `dtype` and a shape compatible with `wanted`. An error
// has the label `label`.
StatusOr<const TensorSpec*> InputLike(const OpCall& call, size_t i, DType dtype,
                                      const PartialShape& wanted, std::string_view label) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (input->dtype() == dtype && input->shape().IsCompatibleWith(wanted)) return input;
  return WithConstraint(
      label, InvalidArgument("input ", i, ": expected `", TensorType(dtype, wanted), "`, found `",
                             call.inputs[i], "`"));
}

StatusOr<const TensorSpec*> Image(const OpCall& call, int rank) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, ImageInput(call, 0, IsReal, kReal));
  if (rank == 0 || x->shape().rank() == rank) return x;
  return WithConstraint(
      "C1", InvalidArgument("input 0: expected rank ", rank, ", found `", call.inputs[0], "`"));
}

int64_t DimOf(const TensorSpec& tensor, int axis) {
  return tensor.shape().has_rank() ? tensor.shape().dim(axis) : kUnknownDim;
}

StatusOr<std::vector<TypeSpec>> InferRegions(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  bool align = call.op.name == "roi_align";
  // C1: x is an image [batch, channels, height, width] of float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, Image(call, 4));
  // C2: the regions have the dtype of x. For roi_align they are [n, 4], with the batch indices in
  // input 2 (int64[n]); for max_roi_pool they are [n, 5], and the first column is the batch index.
  SIGNET_ASSIGN_OR_RETURN(
      const TensorSpec* rois,
      InputLike(call, 1, x->dtype(), PartialShape{kUnknownDim, align ? 4 : 5}, "C2"));
  if (align) {
    SIGNET_RETURN_IF_ERROR(
        InputLike(call, 2, DType::kInt64, PartialShape{DimOf(*rois, 0)}, "C2").status());
  }
  // C3: `size` has two integers, and the other attributes have supported values.
  SIGNET_ASSIGN_OR_RETURN(auto size, WithConstraint("C3", call.attributes.Ints("size")));
  bool fits = size.size() == 2 && size[0] > 0 && size[1] > 0;
  if (!fits)
    return WithConstraint("C3", InvalidArgument("size: expected two integers of at least 1"));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Float("spatial_scale").status()));
  if (align) {
    SIGNET_ASSIGN_OR_RETURN(std::string mode, WithConstraint("C3", call.attributes.String("mode")));
    if (mode != "avg" && mode != "max") {
      return WithConstraint(
          "C3", InvalidArgument("unsupported mode `", Printable(mode), "`; supported: avg, max"));
    }
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Bool("half_pixel").status()));
    SIGNET_ASSIGN_OR_RETURN(int64_t ratio,
                            WithConstraint("C3", call.attributes.Int("sampling_ratio")));
    if (ratio < 0 || ratio > 1024) {
      return WithConstraint("C3",
                            InvalidArgument("sampling_ratio: expected 0 to 1024, found ", ratio));
    }
  }
  PartialShape out{DimOf(*rois, 0), x->shape().dim(1), size[0], size[1]};
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferGridSample(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  // C1: x is an image of float32 or float64 with two or three spatial dimensions.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, Image(call, 0));
  int rank = x->shape().rank();
  if (rank < 4)
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected rank 4 or 5, found `", call.inputs[0], "`"));
  // C2: the grid has the dtype of x and the shape [batch, spatial..., coordinates].
  PartialShape wanted = PartialShape::OfRank(rank).WithDim(0, x->shape().dim(0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* grid,
                          InputLike(call, 1, x->dtype(), wanted.WithDim(rank - 1, rank - 2), "C2"));
  // C3: the attributes have supported values. The mode cubic requires two spatial dimensions.
  SIGNET_ASSIGN_OR_RETURN(std::string mode, WithConstraint("C3", call.attributes.String("mode")));
  if (mode != "linear" && mode != "nearest" && (mode != "cubic" || rank != 4)) {
    return WithConstraint("C3",
                          InvalidArgument("unsupported mode `", Printable(mode),
                                          "`; supported: linear, nearest, and, for rank 4, cubic"));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string padding,
                          WithConstraint("C3", call.attributes.String("padding")));
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    return WithConstraint("C3", InvalidArgument("unsupported padding `", Printable(padding),
                                                "`; supported: border, reflection, zeros"));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Bool("align_corners").status()));
  PartialShape out = x->shape().Slice(0, 2).Concatenate(
      grid->shape().has_rank() ? grid->shape().Slice(1, rank - 1) : PartialShape::OfRank(rank - 2));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferAffineGrid(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  // C1: theta is [batch, 2, 3] or [batch, 3, 4], of float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* theta, TensorInput(call, 0));
  const PartialShape& shape = theta->shape();
  bool fits = IsReal(theta->dtype()) && (shape.IsCompatibleWith(PartialShape{kUnknownDim, 2, 3}) ||
                                         shape.IsCompatibleWith(PartialShape{kUnknownDim, 3, 4}));
  if (!fits) {
    return WithConstraint(
        "C1",
        InvalidArgument(
            "input 0: expected shape [batch, 2, 3] or [batch, 3, 4] and dtype float32 or float64, "
            "found `",
            call.inputs[0], "`"));
  }
  // C2: the size is int64[4] or int64[5]: batch, channels, and spatial sizes.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* size,
                          InputLike(call, 1, DType::kInt64, PartialShape{kUnknownDim}, "C2"));
  int64_t length = DimOf(*size, 0);
  if (length == kUnknownDim && shape.has_rank() && shape.dim(1) != kUnknownDim) {
    length = shape.dim(1) + 2;
  }
  if (length == kUnknownDim) return LateOutput(call);
  if (length != 4 && length != 5) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected `int64[4]` or `int64[5]`, found `", call.inputs[1],
                              "`"));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Bool("align_corners").status()));
  auto rank = static_cast<int>(length);
  PartialShape out = PartialShape::OfRank(rank).WithDim(rank - 1, rank - 2);
  if (const Tensor* known = call.constant(1)) {
    auto sizes = known->elements<int64_t>();
    out = out.WithDim(0, sizes[0]);
    for (int i = 2; i < rank; ++i) out = out.WithDim(i - 1, sizes[static_cast<size_t>(i)]);
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(out.dims())));
  }
  return OneOutput(TensorType(theta->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferDeformConv(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  // C1: x is an image [batch, channels, height, width] of float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, Image(call, 4));
  // C2: the weights, offsets, bias, and mask have the dtype of x.
  constexpr int kRanks[] = {4, 4, 4, 1, 4};
  for (size_t i = 1; i < 5; ++i) {
    if (i >= 3 && !HasInput(call, i)) continue;
    SIGNET_RETURN_IF_ERROR(
        InputLike(call, i, x->dtype(), PartialShape::OfRank(kRanks[i]), "C2").status());
  }
  const PartialShape& w = *call.inputs[1].shape();
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, WithConstraint("C3", call.attributes.Int("groups")));
  SIGNET_ASSIGN_OR_RETURN(int64_t offset_groups,
                          WithConstraint("C3", call.attributes.Int("offset_groups")));
  if (groups < 1 || offset_groups < 1) {
    return WithConstraint(
        "C3", InvalidArgument("groups and offset_groups: expected at least 1, found ", groups,
                              " and ", offset_groups));
  }
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, KernelOf(w), "C5"));
  SIGNET_ASSIGN_OR_RETURN(
      PartialShape out,
      ConvShape(x->shape(), w, HasInput(call, 3) ? call.inputs[3].shape() : nullptr, nullptr,
                groups, window));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferNonMaxSuppression(const OpCall& call) {
  if (!KnowsRanks(call)) {
    return OneOutput(TensorType(DType::kInt64, PartialShape()));
  }
  // C1: boxes are float32[batch, boxes, 4], scores float32[batch, classes, boxes].
  SIGNET_ASSIGN_OR_RETURN(
      const TensorSpec* boxes,
      InputLike(call, 0, DType::kFloat32, PartialShape{kUnknownDim, kUnknownDim, 4}, "C1"));
  SIGNET_RETURN_IF_ERROR(InputLike(call, 1, DType::kFloat32,
                                   PartialShape{DimOf(*boxes, 0), kUnknownDim, DimOf(*boxes, 1)},
                                   "C1")
                             .status());
  // C2: the largest number of boxes per class is an int64, and the thresholds are float32. They are
  // scalars or vectors with one element.
  for (size_t i = 2; i < 5; ++i) {
    if (!HasInput(call, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* limit, TensorInput(call, i));
    DType dtype = i == 2 ? DType::kInt64 : DType::kFloat32;
    bool fits = limit->dtype() == dtype && (limit->shape().IsCompatibleWith(Shape{}) ||
                                            limit->shape().IsCompatibleWith(Shape{1}));
    if (fits) continue;
    return WithConstraint(
        "C2", InvalidArgument("input ", i, ": expected `", TensorType(dtype, Shape{}),
                              "` or a vector with one element, found `", call.inputs[i], "`"));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Bool("center_point").status()));
  return OneOutput(TensorType(DType::kInt64, PartialShape{kUnknownDim, 3}));
}

}  // namespace

OpDef MaxRoiPool() {
  return {
      .name = "max_roi_pool",
      .summary = "Finds the largest element of each cell of regions",
      .description =
          "Divides each region `[n, 5]` (batch index, left, top, right, bottom) into `size` cells, "
          "and returns the largest element of each cell. Coordinates are multiplied by "
          "`spatial_scale`. Empty cells are 0.",
      .inputs = {"x", "rois"},
      .attributes = {{"size"}, {"spatial_scale", AttributeOf(1.0)}},
      .result = "A tensor `[n, channels, size...]` of the dtype of x.",
      .constraints = {"x is float32 or float64 of rank 4.", "The regions have the dtype of x.",
                      "`size` has two integers of at least 1.",
                      "The result has at most 2^31 elements.",
                      "Batch indices are within the batch (OUT_OF_RANGE)."},
      .infer = InferRegions,
  };
}

OpDef RoiAlign() {
  return {
      .name = "roi_align",
      .summary = "Samples the cells of regions",
      .description =
          "Divides each region `[n, 4]` (left, top, right, bottom) into `size` cells, and samples "
          "each cell by interpolating between the elements of x. Coordinates are multiplied by "
          "`spatial_scale`.",
      .inputs = {"x", "rois", "batch_indices"},
      .attributes = {{"size"},
                     {"mode", AttributeOf("avg")},
                     {"half_pixel", AttributeOf(true)},
                     {"sampling_ratio", AttributeOf(0)},
                     {"spatial_scale", AttributeOf(1.0)}},
      .result = "A tensor `[n, channels, size...]` of the dtype of x.",
      .constraints =
          {"x is float32 or float64 of rank 4.",
           "The regions have the dtype of x. The batch indices are int64, with one per region.",
           "`size` has two integers of at least 1, `mode` is `avg` or `max`, and `sampling_ratio` "
           "is 0 to 1024.",
           "The result has at most 2^31 elements.",
           "Batch indices are within the batch (OUT_OF_RANGE). A cell has at most 4096 elements "
           "along a dimension."},
      .infer = InferRegions,
  };
}

OpDef GridSample() {
  return {
      .name = "grid_sample",
      .summary = "Samples a tensor at the points of a grid",
      .description =
          "Returns x at the points `grid[batch, positions..., coordinates]`. Coordinates range "
          "from -1 to 1; the coordinate of the last dimension comes first.",
      .inputs = {"x", "grid"},
      .attributes = {{"mode", AttributeOf("linear")},
                     {"padding", AttributeOf("zeros")},
                     {"align_corners", AttributeOf(false)}},
      .result = "A tensor `[batch, channels, positions...]` of the dtype of x.",
      .constraints = {"x is float32 or float64 of rank 4 or 5.",
                      "The grid has the dtype, the rank, and the batch of x, with one coordinate "
                      "per spatial dimension.",
                      "`mode` is `linear`, `nearest`, or, for rank 4, `cubic`. `padding` is "
                      "`zeros`, `border`, or `reflection`.",
                      "The result has at most 2^31 elements."},
      .infer = InferGridSample,
  };
}

OpDef AffineGrid() {
  return {
      .name = "affine_grid",
      .summary = "Creates a grid by an affine transformation",
      .description =
          "Returns the grid that the transformation `theta`, `[batch, 2, 3]` or `[batch, 3, 4]`, "
          "creates for an image of the given size (batch, channels, spatial dimensions).",
      .inputs = {"theta", "size"},
      .attributes = {{"align_corners", AttributeOf(false)}},
      .result = "A tensor `[batch, spatial..., coordinates]` of the dtype of theta.",
      .constraints =
          {"theta is float32 or float64 and has the shape `[batch, 2, 3]` or `[batch, 3, 4]`.",
           "`size` is int64[4] or int64[5]: the batch, the channels, and the spatial sizes.",
           "`align_corners` is a bool."},
      .infer = InferAffineGrid,
  };
}

OpDef DeformConv() {
  OpDef op{
      .name = "deform_conv",
      .summary = "Computes a convolution with displaced windows",
      .description =
          "Computes `conv` with windows whose elements are displaced by `offset[batch, "
          "offset_groups * window * 2, positions...]` and interpolated between elements of x. The "
          "first offset of an element is vertical and the second is horizontal. The elements are "
          "multiplied by `mask` if it is given.",
      .inputs = {"x", "w", "offset", "bias?", "mask?"},
      .attributes = WindowAttributes(),
      .result = "A tensor `[batch, out, positions...]` of the dtype of x.",
      .constraints = {"x is float32 or float64 of rank 4.",
                      "The other inputs have the dtype of x, and rank 4 except for the bias.",
                      "`groups` divides the channels of x and of the result.",
                      "The bias is a vector with one element per channel of the result.",
                      "The window fits, and its attributes have one integer per spatial dimension.",
                      "The offsets and the mask have the sizes of the window and the result, and "
                      "`offset_groups` divides the channels.",
                      "", "The result has at most 2^31 elements."},
      .infer = InferDeformConv,
  };
  op.attributes.push_back({"groups", AttributeOf(1)});
  op.attributes.push_back({"offset_groups", AttributeOf(1)});
  return op;
}

OpDef NonMaxSuppression() {
  return {
      .name = "non_max_suppression",
      .summary = "Selects boxes that do not overlap",
      .description =
          "Selects, for each batch entry and class, boxes by descending score, without those that "
          "overlap an earlier selected box by more than `iou_threshold` (0 if it is missing). "
          "Boxes with a score of at most `score_threshold` are not selected. At most "
          "`most_per_class` boxes are selected; if it is missing or 0, no box is selected. A box "
          "is two corners, each with the vertical coordinate first, or, with `center_point`, the "
          "center, with the horizontal coordinate first, and the width and height.",
      .inputs = {"boxes", "scores", "most_per_class?", "iou_threshold?", "score_threshold?"},
      .attributes = {{"center_point", AttributeOf(false)}},
      .result = "`int64[n, 3]`: rows of batch entry, class, and box.",
      .constraints = {"The boxes are `float32[batch, boxes, 4]`, and the scores are "
                      "`float32[batch, classes, boxes]`.",
                      "The limits are scalars, or vectors with one element.",
                      "`center_point` is a bool.", "`iou_threshold` is 0 to 1."},
      .infer = InferNonMaxSuppression,
  };
}

}  // namespace signet
