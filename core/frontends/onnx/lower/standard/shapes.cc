// Operators that return or change shapes.

#include <algorithm>
#include <numeric>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

constexpr size_t kMostNewAxes = 32;  // of a tensor of unknown rank

StatusOr<Values> ExpandIdentity(OpBuilder&, const OpCall&, std::span<const GraphValue> inputs) {
  return Values{inputs[0]};
}

StatusOr<Values> ExpandShape(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t start, call.attributes.Int("start"));
  SIGNET_ASSIGN_OR_RETURN(std::optional<int64_t> end, call.attributes.OptionalInt("end"));
  auto clamped = [&](int64_t axis) {
    return static_cast<int>(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
  };
  return DimSizes(build, inputs[0], clamped(start), clamped(end.value_or(rank)));
}

StatusOr<Values> ExpandSize(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  return OneOutput(build.Size(inputs[0]));
}

// Returns `shape` with its zeros replaced by the sizes of the input.
StatusOr<GraphValue> WithSizesForZeros(OpBuilder& build, const GraphValue& shape,
                                       const GraphValue& x) {
  const PartialShape& own = *x.spec.shape();
  const PartialShape& wanted = *shape.spec.shape();
  if (!own.has_rank() || !wanted.has_rank() || wanted.rank() != 1 || wanted.dim(0) == kUnknownDim) {
    // Dimensions after the last one of the input have the size 0.
    Expr sizes = build.Concat({build.DynamicShape(x), Ints(build, std::vector<int64_t>{0})});
    Expr places = build.Minimum(build.Range({build.DynamicSize(shape)}),
                                build.Sub(build.DynamicSize(sizes), Int64Constant(build, 1)));
    sizes = build.Gather(sizes, places, {.axis = 0});
    return build.Select(build.Equal(shape, Int64Constant(build, 0)), sizes, shape);
  }
  auto length = static_cast<int>(std::min<int64_t>(wanted.dim(0), own.rank()));
  Expr sizes = DimSizes(build, x, 0, length);
  if (wanted.dim(0) > length) {
    std::vector<int64_t> zeros(static_cast<size_t>(wanted.dim(0) - length), 0);
    sizes = build.Concat({sizes, Ints(build, zeros)});
  }
  return build.Select(build.Equal(shape, Int64Constant(build, 0)), sizes, shape);
}

StatusOr<Values> ExpandReshape(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* data, TensorAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t allow_zero, call.attributes.Int("allowzero"));
  auto dims = KnownInts(build, inputs, 1);
  bool is_known = dims.has_value();
  for (size_t i = 0; is_known && i < dims->size() && allow_zero == 0; ++i) {
    if ((*dims)[i] != 0) continue;
    if (!data->shape().has_rank()) {
      is_known = false;
      break;
    }
    if (static_cast<int>(i) >= data->shape().rank()) {
      return InvalidArgument("dimension ", i,
                             " of the shape is 0, which means the size of the same ",
                             "dimension of the input, but `", inputs[0].spec, "` does not have it");
    }
    int64_t size = data->shape().dim(static_cast<int>(i));
    is_known = size != kUnknownDim;
    if (is_known) (*dims)[i] = size;
  }
  if (is_known) return build.Reshape(inputs[0], {.shape = *dims});
  if (allow_zero != 0) return build.Reshape(inputs[0], inputs[1]);
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape, CastTo(build, inputs[1], DType::kInt64));
  return build.Reshape(inputs[0], WithSizesForZeros(build, shape, inputs[0]));
}

StatusOr<Values> ExpandFlatten(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  // Here, the axis may be equal to the rank.
  SIGNET_ASSIGN_OR_RETURN(int axis,
                          given == rank ? StatusOr<int>(rank) : NormalizeAxis(given, rank));
  Expr rows = DimProduct(build, inputs[0], 0, axis);
  return ReshapeTo(build, inputs[0], {rows, DimProduct(build, inputs[0], axis, rank)});
}

StatusOr<Values> ExpandTranspose(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  return build.Call("transpose", inputs, call.attributes);
}

// Axes whose values are known only when the function runs. Their number is known, and so is the
// rank of the result.

// Returns the number of axes in input 1.
StatusOr<int> NumAxes(std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* axes, TensorAt(inputs, 1));
  auto count = axes->shape().num_elements();
  if (count && *count < 64 && IsIndexDType(axes->dtype())) return static_cast<int>(*count);
  return Unimplemented("input 1: expected a known number of int64 axes, found `", inputs[1].spec,
                       "`");
}

// Returns bool[rank]: which dimensions are in `axes`.
StatusOr<GraphValue> AmongAxes(OpBuilder& build, const Operand& axes, int rank) {
  Expr one_a_row = build.Reshape(build.Range({Int64Constant(build, rank)}), {.shape = {rank, 1}});
  Expr same = build.Equal(
      one_a_row, FromStart(build, CastTo(build, axes, DType::kInt64), Int64Constant(build, rank)));
  return build.ReduceAny(same, {.axes = 1});
}

StatusOr<Values> ExpandSqueeze(OpBuilder& build, const OpCall&,
                               std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  if (!IsGiven(inputs, 1)) return build.Squeeze(inputs[0]);
  if (auto axes = KnownInts(build, inputs, 1)) {
    return build.Squeeze(inputs[0], {.axes = *axes});
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int count, NumAxes(inputs));
  Expr stays =
      build.LogicalNot(AmongAxes(build, build.Reshape(inputs[1], {.shape = {1, count}}), rank));
  Expr kept = build.Reshape(build.WhereIndices(stays), {.shape = {std::max(0, rank - count)}});
  Expr shape = build.Gather(DimSizes(build, inputs[0], 0, rank), kept, {.axis = 0});
  return build.Reshape(inputs[0], shape);
}

// Adds dimensions of size 1 at `axes` of the result, whose rank is `rank`.
StatusOr<Values> UnsqueezeAt(OpBuilder& build, const GraphValue& x, std::span<const int64_t> axes,
                             int rank) {
  std::vector<bool> is_new(static_cast<size_t>(rank), false);
  for (int64_t given : axes) {
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
    auto at = static_cast<size_t>(axis);
    if (is_new[at]) return InvalidArgument("duplicate axis ", axis);
    is_new[at] = true;
  }
  std::vector<int64_t> dims;
  int own = 0;
  for (bool one : is_new) dims.push_back(one ? 1 : x.spec.shape()->dim(own++));
  bool has_zero = std::find(dims.begin(), dims.end(), 0) != dims.end();
  auto unknown = std::count(dims.begin(), dims.end(), kUnknownDim);
  if (unknown == 0 || (unknown == 1 && !has_zero)) return build.Reshape(x, {.shape = dims});
  Operand out = x;
  for (int axis = 0; axis < rank; ++axis) {
    if (!is_new[static_cast<size_t>(axis)]) continue;
    out = build.ExpandDims(out, {.axis = axis});
  }
  return out;
}

// Adds dimensions to `x` of unknown rank, such as the result of branches that differ in rank. Axes
// that count from one end are added one by one, the nearest to that end first.
StatusOr<Values> UnsqueezeOfAnyRank(OpBuilder& build, const GraphValue& x,
                                    std::vector<int64_t> axes) {
  std::sort(axes.begin(), axes.end());
  bool from_start = !axes.empty() && axes.front() >= 0;
  if (!from_start) std::reverse(axes.begin(), axes.end());
  bool from_end = !from_start && (axes.empty() || axes.front() < 0);
  if ((!from_start && !from_end) || axes.size() > kMostNewAxes) {
    return Unimplemented("expected a known rank for axes from both ends, or for more than ",
                         kMostNewAxes, " axes, found `", x.spec, "`");
  }
  auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) {
    return InvalidArgument("duplicate axis ", *twice);
  }
  Operand out = x;
  for (int64_t axis : axes) {
    out = build.ExpandDims(out, {.axis = axis});
  }
  return out;
}

StatusOr<Values> ExpandUnsqueeze(OpBuilder& build, const OpCall&,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  auto known = KnownInts(build, inputs, 1);
  if (known && !x->shape().has_rank())
    return UnsqueezeOfAnyRank(build, inputs[0], *std::move(known));
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(inputs, 0));
  if (auto axes = std::move(known)) {
    return UnsqueezeAt(build, inputs[0], *axes, own + static_cast<int>(axes->size()));
  }
  SIGNET_ASSIGN_OR_RETURN(int count, NumAxes(inputs));
  int rank = own + count;
  if (own == 0) return build.Reshape(inputs[0], {.shape = std::vector<int64_t>(size_t(count), 1)});
  Operand is_new = AmongAxes(build, build.Reshape(inputs[1], {.shape = {1, count}}), rank);
  // The remaining sizes, in order: the index of a dimension is the number of remaining ones before
  // it.
  Expr number = build.Cumsum(CastTo(build, build.LogicalNot(is_new), DType::kInt64),
                             {.axis = 0, .exclusive = true});
  Expr clipped = build.Minimum(number, Int64Constant(build, own - 1));
  Expr sizes = build.Gather(DimSizes(build, inputs[0], 0, own), clipped, {.axis = 0});
  return build.Reshape(inputs[0], build.Select(is_new, Int64Constant(build, 1), sizes));
}

// Broadcasts both, so that a size of 1 in the shape keeps the size of the input.
StatusOr<Values> ExpandExpand(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* shape, TensorAt(inputs, 1));
  if (auto dims = KnownInts(build, inputs, 1)) {
    auto length = static_cast<int>(dims->size());
    std::vector<Operand> sizes;
    std::vector<int64_t> known;
    for (int axis = -std::max(own, length); axis < 0; ++axis) {
      int64_t wanted = axis + length >= 0 ? (*dims)[static_cast<size_t>(axis + length)] : 1;
      bool stays = wanted == 1 && axis + own >= 0;
      sizes.push_back(stays ? Operand(DimSize(build, inputs[0], axis + own))
                            : Int64Constant(build, wanted));
      if (auto size = KnownInt(build, sizes.back())) known.push_back(*size);
    }
    if (known.size() == sizes.size()) {
      return build.BroadcastTo(inputs[0], {.shape = known});
    }
    return build.BroadcastTo(inputs[0], StackScalars(build, sizes));
  }
  if (!shape->shape().has_rank() || shape->shape().rank() != 1 ||
      shape->shape().dim(0) == kUnknownDim) {
    return Unimplemented("input 1: expected a known number of sizes, found `", inputs[1].spec, "`");
  }
  auto length = static_cast<int>(shape->shape().dim(0));
  int rank = std::max(own, length);
  auto padded = [&](const Expr& sizes, int count) {
    std::vector<int64_t> ones(static_cast<size_t>(rank - count), 1);
    return ones.empty() ? sizes : build.Concat({Ints(build, ones), sizes});
  };
  Expr wanted = padded(CastTo(build, inputs[1], DType::kInt64), length);
  Expr sizes = padded(DimSizes(build, inputs[0], 0, own), own);
  Expr both = build.Select(build.Equal(wanted, Int64Constant(build, 1)), sizes, wanted);
  return build.BroadcastTo(inputs[0], both);
}

// --- blocks of an image as channels, and back ----------------------------------------------------

struct Image {
  std::vector<Expr> sizes;  // batch, channels, height, width
  GraphValue block;
};

StatusOr<Image> ImageOf(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("blocksize"));
  if (rank != 4) return InvalidArgument("input 0: expected rank 4, found `", inputs[0].spec, "`");
  if (block < 1 || block > (1 << 20)) {
    return InvalidArgument("blocksize: expected at least 1, found ", block);
  }
  Image image;
  image.block = Int64Constant(build, block);
  for (int axis = 0; axis < 4; ++axis) image.sizes.push_back(DimSize(build, inputs[0], axis));
  return image;
}

StatusOr<Values> ExpandDepthToSpace(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Image image, ImageOf(build, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  bool depth_first = mode == "DCR";
  if (!depth_first && mode != "CRD")
    return InvalidArgument("mode: expected DCR or CRD, found `", mode, "`");
  const Expr &n = image.sizes[0], &c = image.sizes[1], &h = image.sizes[2], &w = image.sizes[3];
  const GraphValue& b = image.block;
  Expr depth = c / build.Mul(b, b);
  Expr moved = depth_first ? build.Transpose(ReshapeTo(build, inputs[0], {n, b, b, depth, h, w}),
                                             {.perm = {0, 3, 4, 1, 5, 2}})
                           : build.Transpose(ReshapeTo(build, inputs[0], {n, depth, b, b, h, w}),
                                             {.perm = {0, 1, 4, 2, 5, 3}});
  return ReshapeTo(build, moved, {n, depth, h * b, w * b});
}

StatusOr<Values> ExpandSpaceToDepth(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Image image, ImageOf(build, call, inputs));
  const Expr &n = image.sizes[0], &c = image.sizes[1], &h = image.sizes[2], &w = image.sizes[3];
  const GraphValue& b = image.block;
  Expr rows = h / b;
  Expr columns = w / b;
  Expr blocks = ReshapeTo(build, inputs[0], {n, c, rows, b, columns, b});
  Expr moved = build.Transpose(blocks, {.perm = {0, 3, 5, 1, 2, 4}});
  return ReshapeTo(build, moved, {n, c * build.Mul(b, b), rows, columns});
}

// Returns the list of integers in an optional attribute, one per dimension.
StatusOr<std::vector<int64_t>> OnePerDimension(const OpCall& call, std::string_view name,
                                               size_t count, int64_t otherwise) {
  SIGNET_ASSIGN_OR_RETURN(auto given, OptionalInts(call.attributes, name));
  if (!given) return std::vector<int64_t>(count, otherwise);
  if (given->size() == count) return *given;
  return InvalidArgument(name, ": expected ", count, " integers, found ", given->size());
}

// Converts [batch, channels x block, number of blocks] to [batch, channels, image...]: adds each
// block at its position.
StatusOr<Values> ExpandCol2Im(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* image, TensorAt(inputs, 1));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  int64_t count = image->shape().num_elements().value_or(0);
  if (rank == 3 && !image->shape().num_elements()) {
    return Unimplemented("image_shape: expected a known number of sizes, found `", inputs[1].spec,
                         "`");
  }
  if (rank != 3 || count < 1 || count > 30) {
    return InvalidArgument(
        "expected rank 3 for input 0 and a known number of sizes for input 1, found `",
        inputs[0].spec, "` and `", inputs[1].spec, "`");
  }
  auto num_dims = static_cast<size_t>(count);
  SIGNET_ASSIGN_OR_RETURN(auto strides, OnePerDimension(call, "strides", num_dims, 1));
  SIGNET_ASSIGN_OR_RETURN(auto dilations, OnePerDimension(call, "dilations", num_dims, 1));
  SIGNET_ASSIGN_OR_RETURN(auto pads, OnePerDimension(call, "pads", 2 * num_dims, 0));
  // The index of each element of each block in the flat image. Elements outside use one index after
  // it.
  Operand place = Int64Constant(build, 0);
  Operand inside = build.Constant(Tensor::Scalar(true));
  Operand block_size = Int64Constant(build, 1);
  Operand image_size = Int64Constant(build, 1);
  std::vector<Operand> sizes;
  for (size_t i = 0; i < num_dims; ++i) {
    GraphValue at = Int64Constant(build, static_cast<int64_t>(i));
    Expr size = build.Gather(CastTo(build, inputs[1], DType::kInt64), at, {.axis = 0});
    Expr block = build.Gather(CastTo(build, inputs[2], DType::kInt64), at, {.axis = 0});
    Expr reach = (block - 1) * dilations[i];
    Expr around =
        build.Add(Int64Constant(build, pads[i]), Int64Constant(build, pads[num_dims + i]));
    Expr room = size + around - (reach + 1);
    Expr blocks = build.Floordiv(room, strides[i]) + 1;
    std::vector<int64_t> along_block(2 * num_dims, 1);
    std::vector<int64_t> along_blocks = along_block;
    along_block[i] = -1;
    along_blocks[num_dims + i] = -1;
    Expr from = build.Reshape(build.Range({blocks}), {.shape = along_blocks}) * strides[i];
    Expr step = build.Reshape(build.Range({block}), {.shape = along_block}) * dilations[i];
    Expr coordinate = from + step - pads[i];
    inside = build.LogicalAnd(inside, build.GreaterEqual(coordinate, 0));
    inside = build.LogicalAnd(inside, build.Less(coordinate, size));
    place = (place * size) + coordinate;
    block_size = block_size * block;
    image_size = image_size * size;
    sizes.push_back(size);
  }
  place = build.Reshape(build.Select(inside, place, image_size), {.shape = {-1, 1}});
  // The elements of all blocks as rows, for all channels of all batches.
  Expr batch = DimSize(build, inputs[0], 0);
  Expr channels = DimSize(build, inputs[0], 1) / block_size;
  Expr columns = batch * channels;
  Expr rows = ReshapeTo(build, inputs[0], {columns, block_size * DimSize(build, inputs[0], 2)});
  Expr updates = build.Transpose(rows, {.perm = {1, 0}});
  Expr zero = Zero(build, inputs[0].spec.As<TensorSpec>()->dtype());
  Expr none = build.BroadcastTo(zero, build.Stack({build.Add(image_size, 1), columns}));
  Expr sums = build.ScatterNd(none, place, updates, {.reduction = "add"});
  sums = build.Transpose(build.Slice(sums, Int64Constant(build, 0), image_size), {.perm = {1, 0}});
  sizes.insert(sizes.begin(), {batch, channels});
  return ReshapeTo(build, sums, sizes);
}

}  // namespace

std::vector<OpDef> OnnxShapeOps() {
  OpDef identity =
      OnnxOpOnValues("onnx.Identity", "Gives its input", {"input"}, {}, ExpandIdentity);
  identity.any_type = true;  // also for optional values
  return {
      std::move(identity),
      OnnxOp("onnx.Shape", "Gives the sizes of dimensions", {"data"},
             {{"start", AttributeOf(0)}, {"end", NoneAttribute()}}, ExpandShape),
      OnnxOp("onnx.Size", "Counts elements", {"data"}, {}, ExpandSize),
      OnnxOp("onnx.Reshape", "Gives elements another shape", {"data", "shape?"},
             {{"allowzero", AttributeOf(0)}}, ExpandReshape),
      OnnxOp("onnx.Flatten", "Makes two dimensions of all", {"input"}, {{"axis", AttributeOf(1)}},
             ExpandFlatten),
      OnnxOp("onnx.Transpose", "Reorders dimensions", {"data"}, {{"perm", NoneAttribute()}},
             ExpandTranspose),
      OnnxOp("onnx.Squeeze", "Drops dimensions of size 1", {"data", "axes?"}, {}, ExpandSqueeze),
      OnnxOp("onnx.Unsqueeze", "Adds dimensions of size 1", {"data", "axes?"}, {}, ExpandUnsqueeze),
      OnnxOp("onnx.Expand", "Repeats along dimensions of size 1", {"input", "shape"}, {},
             ExpandExpand),
      OnnxOp("onnx.DepthToSpace", "Makes blocks of an image of channels", {"input"},
             {{"blocksize"}, {"mode", AttributeOf("DCR")}}, ExpandDepthToSpace),
      OnnxOp("onnx.SpaceToDepth", "Makes channels of blocks of an image", {"input"},
             {{"blocksize"}}, ExpandSpaceToDepth),
      OnnxOp(
          "onnx.Col2Im", "Adds blocks to an image", {"input", "image_shape", "block_shape"},
          {{"dilations", NoneAttribute()}, {"pads", NoneAttribute()}, {"strides", NoneAttribute()}},
          ExpandCol2Im),
  };
}

}  // namespace signet
