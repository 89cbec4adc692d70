// Operators that look at or change shapes.

#include <algorithm>
#include <numeric>

#include "core/frontends/onnx/lower/build/formula.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

constexpr size_t kMostNewAxes = 32;  // of a tensor of unknown rank

StatusOr<Values> ExpandIdentity(Expander&, const OpCall&, std::span<const GraphValue> inputs) {
  return Values{inputs[0]};
}

StatusOr<Values> ExpandShape(Expander& expander, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t start, call.attributes.Int("start"));
  SIGNET_ASSIGN_OR_RETURN(std::optional<int64_t> end, call.attributes.OptionalInt("end"));
  auto clamped = [&](int64_t axis) {
    return static_cast<int>(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
  };
  Formula f(expander);
  return f.Give(f.Sizes(inputs[0], clamped(start), clamped(end.value_or(rank))));
}

StatusOr<Values> ExpandSize(Expander& expander, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  return One(expander.Call1("size", {inputs[0]}));
}

// `shape` with its zeros replaced by the sizes that `x` has there.
GraphValue WithSizesForZeros(Formula& f, const GraphValue& shape, const GraphValue& x) {
  if (!f.ok()) return {};
  const PartialShape& own = *x.spec.shape();
  const PartialShape& wanted = *shape.spec.shape();
  if (!own.has_rank() || !wanted.has_rank() || wanted.rank() != 1 || wanted.dim(0) == kUnknownDim) {
    return shape;
  }
  auto length = static_cast<int>(std::min<int64_t>(wanted.dim(0), own.rank()));
  GraphValue sizes = f.Sizes(x, 0, length);
  if (wanted.dim(0) > length) {
    std::vector<int64_t> zeros(static_cast<size_t>(wanted.dim(0) - length), 0);
    sizes = f("concat", {sizes, f.Ints(zeros)});
  }
  return f("select", {f("equal", {shape, f.Int(0)}), sizes, shape});
}

StatusOr<Values> ExpandReshape(Expander& expander, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* data, TensorAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t allow_zero, call.attributes.Int("allowzero"));
  Formula f(expander);
  auto dims = KnownInts(expander, inputs, 1);
  bool is_known = dims.has_value();
  for (size_t i = 0; is_known && i < dims->size() && allow_zero == 0; ++i) {
    if ((*dims)[i] != 0) continue;
    if (!data->shape().has_rank() || static_cast<int>(i) >= data->shape().rank()) {
      return InvalidArgument("dimension ", i, " of the shape is 0, the size of the input's, but `",
                             inputs[0].spec, "` has none");
    }
    int64_t size = data->shape().dim(static_cast<int>(i));
    is_known = size != kUnknownDim;
    if (is_known) (*dims)[i] = size;
  }
  if (is_known) return f.Give(f.Reshape(inputs[0], *dims));
  GraphValue shape = inputs[1];
  if (allow_zero == 0) shape = WithSizesForZeros(f, f.Cast(shape, DType::kInt64), inputs[0]);
  return f.Give(f("reshape", {inputs[0], shape}));
}

StatusOr<Values> ExpandFlatten(Expander& expander, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  // The rank itself is an axis here, behind the last.
  SIGNET_ASSIGN_OR_RETURN(int axis,
                          given == rank ? StatusOr<int>(rank) : NormalizeAxis(given, rank));
  Formula f(expander);
  const GraphValue sizes[] = {f.Product(inputs[0], 0, axis), f.Product(inputs[0], axis, rank)};
  return f.Give(f.ReshapeTo(inputs[0], sizes));
}

StatusOr<Values> ExpandTranspose(Expander& expander, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  return expander.Call("transpose", inputs, call.attributes);
}

// Axes that are not known now: their number is, and so the rank of what comes out.

// How many there are in input 1.
StatusOr<int> NumAxes(std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* axes, TensorAt(inputs, 1));
  auto count = axes->shape().num_elements();
  if (count && *count < 64 && IsIndexDType(axes->dtype())) return static_cast<int>(*count);
  return Unimplemented("input 1 is `", inputs[1].spec, "`; takes a known number of axes, int64");
}

// bool[rank]: which dimensions are among `axes`.
GraphValue AmongAxes(Formula& f, const GraphValue& axes, int rank) {
  GraphValue one_a_row = f.Reshape(f.Range(f.Int(rank)), {rank, 1});
  GraphValue same = f("equal", {one_a_row, f.FromStart(f.Cast(axes, DType::kInt64), f.Int(rank))});
  return f("reduce_any", {same}, Attributes({{"axes", AttributeOf(1)}}));
}

StatusOr<Values> ExpandSqueeze(Expander& expander, const OpCall&,
                               std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Formula f(expander);
  if (!IsGiven(inputs, 1)) return f.Give(f("squeeze", {inputs[0]}));
  if (auto axes = KnownInts(expander, inputs, 1)) {
    return f.Give(f("squeeze", {inputs[0]}, ListOf("axes", *axes)));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int count, NumAxes(inputs));
  GraphValue stays = f("logical_not", {AmongAxes(f, f.Reshape(inputs[1], {1, count}), rank)});
  GraphValue kept = f.Reshape(f("where_indices", {stays}), {std::max(0, rank - count)});
  GraphValue shape = f.Gather(f.Sizes(inputs[0], 0, rank), kept, 0);
  return f.Give(f("reshape", {inputs[0], shape}));
}

// Puts dimensions of size 1 at `axes` of the result, whose rank is `rank`.
StatusOr<Values> UnsqueezeAt(Formula& f, const GraphValue& x, std::span<const int64_t> axes,
                             int rank) {
  std::vector<bool> is_new(static_cast<size_t>(rank), false);
  for (int64_t given : axes) {
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
    auto at = static_cast<size_t>(axis);
    if (is_new[at]) return InvalidArgument("axis ", axis, " appears twice; takes each once");
    is_new[at] = true;
  }
  std::vector<int64_t> dims;
  int own = 0;
  for (bool one : is_new) dims.push_back(one ? 1 : x.spec.shape()->dim(own++));
  bool has_zero = std::find(dims.begin(), dims.end(), 0) != dims.end();
  auto unknown = std::count(dims.begin(), dims.end(), kUnknownDim);
  if (unknown == 0 || (unknown == 1 && !has_zero)) return f.Give(f.Reshape(x, dims));
  GraphValue out = x;
  for (int axis = 0; axis < rank; ++axis) {
    if (!is_new[static_cast<size_t>(axis)]) continue;
    out = f("expand_dims", {out}, Attributes({{"axis", AttributeOf(axis)}}));
  }
  return f.Give(out);
}

// The same for `x` of unknown rank, such as the result of branches that differ in rank. Axes that
// count from one end are added one by one, the nearest to that end first.
StatusOr<Values> UnsqueezeOfAnyRank(Formula& f, const GraphValue& x, std::vector<int64_t> axes) {
  std::sort(axes.begin(), axes.end());
  bool from_start = !axes.empty() && axes.front() >= 0;
  if (!from_start) std::reverse(axes.begin(), axes.end());
  bool from_end = !from_start && (axes.empty() || axes.front() < 0);
  if ((!from_start && !from_end) || axes.size() > kMostNewAxes) {
    return Unimplemented("axes from both ends, or more than ", kMostNewAxes, ", for `", x.spec,
                         "`; its rank must be known");
  }
  auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) {
    return InvalidArgument("axis ", *twice, " appears twice; takes each once");
  }
  GraphValue out = x;
  for (int64_t axis : axes) {
    out = f("expand_dims", {out}, Attributes({{"axis", AttributeOf(axis)}}));
  }
  return f.Give(out);
}

StatusOr<Values> ExpandUnsqueeze(Expander& expander, const OpCall&,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  Formula f(expander);
  auto known = KnownInts(expander, inputs, 1);
  if (known && !x->shape().has_rank()) return UnsqueezeOfAnyRank(f, inputs[0], *std::move(known));
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(inputs, 0));
  if (auto axes = std::move(known)) {
    return UnsqueezeAt(f, inputs[0], *axes, own + static_cast<int>(axes->size()));
  }
  SIGNET_ASSIGN_OR_RETURN(int count, NumAxes(inputs));
  int rank = own + count;
  if (own == 0) return f.Give(f.Reshape(inputs[0], std::vector<int64_t>(size_t(count), 1)));
  GraphValue is_new = AmongAxes(f, f.Reshape(inputs[1], {1, count}), rank);
  // The sizes that stay, in order: dimension i of the result is the one that so many stand before.
  GraphValue number = f("cumsum", {f.Cast(f("logical_not", {is_new}), DType::kInt64)},
                        Attributes({{"axis", AttributeOf(0)}, {"exclusive", AttributeOf(true)}}));
  GraphValue clipped = f("minimum", {number, f.Int(own - 1)});
  GraphValue sizes = f.Gather(f.Sizes(inputs[0], 0, own), clipped, 0);
  return f.Give(f("reshape", {inputs[0], f("select", {is_new, f.Int(1), sizes})}));
}

// Both broadcast, so that a size of 1 in the shape leaves the input's.
StatusOr<Values> ExpandExpand(Expander& expander, const OpCall&,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* shape, TensorAt(inputs, 1));
  Formula f(expander);
  if (auto dims = KnownInts(expander, inputs, 1)) {
    auto length = static_cast<int>(dims->size());
    Values sizes;
    std::vector<int64_t> known;
    for (int axis = -std::max(own, length); axis < 0; ++axis) {
      int64_t wanted = axis + length >= 0 ? (*dims)[static_cast<size_t>(axis + length)] : 1;
      bool stays = wanted == 1 && axis + own >= 0;
      sizes.push_back(stays ? f.Size(inputs[0], axis + own) : f.Int(wanted));
      if (auto size = f.KnownInt(sizes.back())) known.push_back(*size);
    }
    if (known.size() == sizes.size()) {
      return f.Give(f("broadcast_to", {inputs[0]}, ListOf("shape", known)));
    }
    return f.Give(f("broadcast_to", {inputs[0], f.Stack(sizes)}));
  }
  if (!shape->shape().has_rank() || shape->shape().rank() != 1 ||
      shape->shape().dim(0) == kUnknownDim) {
    return Unimplemented("input 1 is `", inputs[1].spec, "`; takes a known number of sizes");
  }
  auto length = static_cast<int>(shape->shape().dim(0));
  int rank = std::max(own, length);
  auto padded = [&](GraphValue sizes, int count) {
    std::vector<int64_t> ones(static_cast<size_t>(rank - count), 1);
    return ones.empty() ? sizes : f("concat", {f.Ints(ones), sizes});
  };
  GraphValue wanted = padded(f.Cast(inputs[1], DType::kInt64), length);
  GraphValue sizes = padded(f.Sizes(inputs[0], 0, own), own);
  GraphValue both = f("select", {f("equal", {wanted, f.Int(1)}), sizes, wanted});
  return f.Give(f("broadcast_to", {inputs[0], both}));
}

// --- blocks of an image as channels, and back ----------------------------------------------------

struct Image {
  GraphValue sizes[4];  // batch, channels, height, width
  GraphValue block;
};

StatusOr<Image> ImageOf(Formula& f, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("blocksize"));
  if (rank != 4) return InvalidArgument("input 0 is `", inputs[0].spec, "`; takes rank 4");
  if (block < 1 || block > (1 << 20)) {
    return InvalidArgument("blocksize ", block, "; takes at least 1");
  }
  Image image;
  image.block = f.Int(block);
  for (int axis = 0; axis < 4; ++axis) image.sizes[axis] = f.Size(inputs[0], axis);
  return image;
}

StatusOr<Values> ExpandDepthToSpace(Expander& expander, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  Formula f(expander);
  SIGNET_ASSIGN_OR_RETURN(Image image, ImageOf(f, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  bool depth_first = mode == "DCR";
  if (!depth_first && mode != "CRD") return InvalidArgument("mode `", mode, "`; takes DCR or CRD");
  const auto& [n, c, h, w] = image.sizes;
  const GraphValue& b = image.block;
  GraphValue depth = f("div", {c, f("mul", {b, b})});
  const GraphValue by_depth[] = {n, b, b, depth, h, w};
  const GraphValue by_column[] = {n, depth, b, b, h, w};
  GraphValue apart = f.ReshapeTo(inputs[0], depth_first ? by_depth : by_column);
  GraphValue moved =
      depth_first ? f.Transpose(apart, {0, 3, 4, 1, 5, 2}) : f.Transpose(apart, {0, 1, 4, 2, 5, 3});
  const GraphValue out[] = {n, depth, f("mul", {h, b}), f("mul", {w, b})};
  return f.Give(f.ReshapeTo(moved, out));
}

StatusOr<Values> ExpandSpaceToDepth(Expander& expander, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  Formula f(expander);
  SIGNET_ASSIGN_OR_RETURN(Image image, ImageOf(f, call, inputs));
  const auto& [n, c, h, w] = image.sizes;
  const GraphValue& b = image.block;
  GraphValue rows = f("div", {h, b});
  GraphValue columns = f("div", {w, b});
  const GraphValue blocks[] = {n, c, rows, b, columns, b};
  GraphValue moved = f.Transpose(f.ReshapeTo(inputs[0], blocks), {0, 3, 5, 1, 2, 4});
  const GraphValue out[] = {n, f("mul", {c, f("mul", {b, b})}), rows, columns};
  return f.Give(f.ReshapeTo(moved, out));
}

// A list of integers that an attribute may have, one a dimension.
StatusOr<std::vector<int64_t>> OnePerDimension(const OpCall& call, std::string_view name,
                                               size_t count, int64_t otherwise) {
  SIGNET_ASSIGN_OR_RETURN(auto given, OptionalInts(call.attributes, name));
  if (!given) return std::vector<int64_t>(count, otherwise);
  if (given->size() == count) return *given;
  return InvalidArgument(given->size(), " ", name, "; takes ", count);
}

// [batch, channels x block, number of blocks]  =>  [batch, channels, image...]: the sum of the
// blocks where they stand.
StatusOr<Values> ExpandCol2Im(Expander& expander, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* image, TensorAt(inputs, 1));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  int64_t count = image->shape().num_elements().value_or(0);
  if (rank == 3 && !image->shape().num_elements()) {
    return Unimplemented("image_shape is `", inputs[1].spec, "`; takes a known number of sizes");
  }
  if (rank != 3 || count < 1 || count > 30) {
    return InvalidArgument("inputs 0 and 1 are `", inputs[0].spec, "` and `", inputs[1].spec,
                           "`; takes rank 3, and a known number of sizes");
  }
  auto num_dims = static_cast<size_t>(count);
  SIGNET_ASSIGN_OR_RETURN(auto strides, OnePerDimension(call, "strides", num_dims, 1));
  SIGNET_ASSIGN_OR_RETURN(auto dilations, OnePerDimension(call, "dilations", num_dims, 1));
  SIGNET_ASSIGN_OR_RETURN(auto pads, OnePerDimension(call, "pads", 2 * num_dims, 0));
  Formula f(expander);
  // Where each element of each block stands in the flat image; outside, in one place behind it.
  GraphValue place = f.Int(0);
  GraphValue inside = expander.Constant(Tensor::Scalar(true));
  GraphValue block_size = f.Int(1);
  GraphValue image_size = f.Int(1);
  Values sizes;
  for (size_t i = 0; i < num_dims; ++i) {
    GraphValue at = f.Int(static_cast<int64_t>(i));
    GraphValue size = f.Gather(f.Cast(inputs[1], DType::kInt64), at, 0);
    GraphValue block = f.Gather(f.Cast(inputs[2], DType::kInt64), at, 0);
    GraphValue reach = f("mul", {f("sub", {block, f.Int(1)}), f.Int(dilations[i])});
    GraphValue around = f("add", {f.Int(pads[i]), f.Int(pads[num_dims + i])});
    GraphValue room = f("sub", {f("add", {size, around}), f("add", {reach, f.Int(1)})});
    GraphValue blocks = f("add", {f("floordiv", {room, f.Int(strides[i])}), f.Int(1)});
    std::vector<int64_t> along_block(2 * num_dims, 1);
    std::vector<int64_t> along_blocks = along_block;
    along_block[i] = -1;
    along_blocks[num_dims + i] = -1;
    GraphValue from = f("mul", {f.Reshape(f.Range(blocks), along_blocks), f.Int(strides[i])});
    GraphValue step = f("mul", {f.Reshape(f.Range(block), along_block), f.Int(dilations[i])});
    GraphValue coordinate = f("sub", {f("add", {from, step}), f.Int(pads[i])});
    inside = f("logical_and", {inside, f("greater_equal", {coordinate, f.Int(0)})});
    inside = f("logical_and", {inside, f("less", {coordinate, size})});
    place = f("add", {f("mul", {place, size}), coordinate});
    block_size = f("mul", {block_size, block});
    image_size = f("mul", {image_size, size});
    sizes.push_back(size);
  }
  place = f.Reshape(f("select", {inside, place, image_size}), {-1, 1});
  // The elements of all blocks as rows, of all channels of all batches.
  GraphValue batch = f.Size(inputs[0], 0);
  GraphValue channels = f("div", {f.Size(inputs[0], 1), block_size});
  const GraphValue rows[] = {f("mul", {batch, channels}),
                             f("mul", {block_size, f.Size(inputs[0], 2)})};
  GraphValue updates = f.Transpose(f.ReshapeTo(inputs[0], rows), {1, 0});
  const GraphValue flat[] = {f("add", {image_size, f.Int(1)}), rows[0]};
  GraphValue none =
      f("broadcast_to", {f.Zero(inputs[0].spec.As<TensorSpec>()->dtype()), f.Stack(flat)});
  GraphValue sums =
      f("scatter_nd", {none, place, updates}, Attributes({{"reduction", AttributeOf("add")}}));
  sums = f.Transpose(f("slice", {sums, f.Int(0), image_size}), {1, 0});
  sizes.insert(sizes.begin(), {batch, channels});
  return f.Give(f.ReshapeTo(sums, sizes));
}

}  // namespace

std::vector<OpDef> OnnxShapeOps() {
  OpDef identity =
      OnnxOpOnValues("onnx.Identity", "Gives its input", {"input"}, {}, ExpandIdentity);
  identity.any_type = true;  // optional values, too
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
