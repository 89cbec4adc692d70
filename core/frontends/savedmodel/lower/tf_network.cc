// Operators of neural networks on images. The channels of an image are its last dimension (NHWC)
// unless `data_format` says otherwise.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/frontends/savedmodel/lower/tf_window.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// A filter [spatial.., in, out] as [out, in, spatial..].
Expr FilterOf(OpBuilder& build, const Operand& filter, int spatial) {
  std::vector<int64_t> perm = {spatial + 1, spatial};
  for (int axis = 0; axis < spatial; ++axis) perm.push_back(axis);
  return build.Transpose(filter, {.perm = perm});
}

Expr Convolve(OpBuilder& build, const TfWindow& window, const Operand& x, const Operand& filter,
              int64_t groups) {
  return build.Conv(x, filter,
                    {.strides = window.strides,
                     .pads = PadsOf(window),
                     .dilations = window.dilations,
                     .auto_pad = window.auto_pad,
                     .groups = groups});
}

TfOutputs ExpandConv(OpBuilder& build, const OpCall& call, TfInputs in) {
  const int spatial = call.op.name == "tf.Conv3D" ? 3 : 2;
  SIGNET_ASSIGN_OR_RETURN(TfWindow window, WindowFrom(call, spatial));
  Expr x = ChannelsFirst(build, window, in[0]);
  const int64_t channels = KnownSize(x, 1);
  const int64_t own = KnownSize(in[1], spatial);
  if (own == kUnknownDim || own == 0) return Unimplemented("expected a filter of known shape");
  // The filter states the channels per group.
  const int64_t groups = channels == kUnknownDim ? 1 : channels / own;
  Expr out =
      Convolve(build, window, x, FilterOf(build, in[1], spatial), std::max<int64_t>(groups, 1));
  return ChannelsAsBefore(build, window, out);
}

TfOutputs ExpandDepthwiseConv(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(TfWindow window, WindowFrom(call, 2));
  // The filter is [height, width, in, multiplier]: channel c * multiplier + m of the result.
  const int64_t height = KnownSize(in[1], 0);
  const int64_t width = KnownSize(in[1], 1);
  const int64_t channels = KnownSize(in[1], 2);
  const int64_t multiplier = KnownSize(in[1], 3);
  if (std::min({height, width, channels, multiplier}) < 0) {
    return Unimplemented("expected a filter of known shape, found `", in[1].spec, "`");
  }
  Expr filter = build.Reshape(build.Transpose(in[1], {.perm = {2, 3, 0, 1}}),
                              {.shape = {channels * multiplier, 1, height, width}});
  Expr out = Convolve(build, window, ChannelsFirst(build, window, in[0]), filter, channels);
  return ChannelsAsBefore(build, window, out);
}

// A transposed convolution whose sizes are known only at a call: the whole result is computed, and
// the part that padding leaves is cut from it.
Expr TransposedCut(OpBuilder& build, const TfWindow& window, const Expr& x,
                   const GraphValue& filter, const std::vector<Expr>& sizes) {
  const int spatial = window.spatial;
  Expr whole = build.ConvTranspose(x, FilterOf(build, filter, spatial),
                                   {.strides = window.strides, .dilations = window.dilations});
  std::vector<Operand> starts;
  std::vector<Operand> limits;
  std::vector<Operand> before(2, Operand(Int64Constant(build, 0)));
  std::vector<Operand> after = before;
  std::vector<int64_t> axes;
  for (int axis = 0; axis < spatial; ++axis) {
    const auto i = static_cast<size_t>(axis);
    Expr full = DimSize(build, whole, axis + 2);
    Expr first = build.AsExpr(Int64Constant(build, 0));
    if (window.auto_pad == "same_upper") {
      first = build.Floordiv(build.Maximum(build.Sub(full, sizes[i]), 0), 2);
    } else if (window.auto_pad == "notset") {
      first = build.AsExpr(Int64Constant(build, window.pads[i]));
    }
    Expr end = build.Add(first, sizes[i]);
    starts.push_back(first);
    limits.push_back(end);
    before.push_back(Operand(Int64Constant(build, 0)));
    after.push_back(build.Maximum(build.Sub(end, full), 0));
    axes.push_back(axis + 2);
  }
  Expr part = build.Slice(whole, StackScalars(build, starts), StackScalars(build, limits),
                          Ints(build, axes));
  return build.Pad(part, Zero(build, TensorDType(x)), StackScalars(build, before),
                   StackScalars(build, after));
}

TfOutputs ExpandConvTranspose(OpBuilder& build, const OpCall& call, TfInputs in) {
  const int spatial = call.op.name == "tf.Conv2DBackpropInput" ? 2 : 3;
  SIGNET_ASSIGN_OR_RETURN(TfWindow window, WindowFrom(call, spatial));
  // The size of the result, whose forward convolution has the size of the input.
  Expr x = ChannelsFirst(build, window, in[2]);
  std::vector<int64_t> sizes;
  std::vector<Expr> given;
  const auto known = KnownInts(build, in, 0);
  const bool is_whole = known && static_cast<int>(known->size()) == spatial + 2;
  const bool is_short = known && static_cast<int>(known->size()) == spatial;
  // The sizes of the batch and of the channels may be left out.
  const int64_t skipped = window.channels_last ? 1 : 2;
  Expr count = DimSize(build, in[0], 0);
  Expr offset = build.Select(build.Equal(count, int64_t{spatial}), int64_t{0}, skipped);
  bool is_known = true;
  for (int axis = 0; axis < spatial; ++axis) {
    if (is_whole || is_short) {
      const int64_t at = axis + (is_short ? 0 : skipped);
      given.push_back(build.AsExpr(Int64Constant(build, (*known)[static_cast<size_t>(at)])));
    } else {
      given.push_back(
          build.Gather(AsInt64(build, in[0]), build.Add(offset, int64_t{axis}), {.axis = 0}));
    }
    const auto value = KnownInt(build, given.back());
    is_known = is_known && value.has_value() && KnownSize(x, axis + 2) >= 0;
    sizes.push_back(value.value_or(0));
    if (KnownSize(in[1], axis) < 0) return Unimplemented("expected a filter of known shape");
  }
  if (!is_known) {
    return ChannelsAsBefore(build, window, TransposedCut(build, window, x, in[1], given));
  }
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  std::vector<int64_t> extra;
  for (int axis = 0; axis < spatial; ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t kernel = KnownSize(in[1], axis);
    const int64_t size = KnownSize(x, axis + 2);
    const int64_t reach = (kernel - 1) * window.dilations[i] + 1;
    const int64_t full = (size - 1) * window.strides[i] + reach;
    int64_t first = 0;
    int64_t cut = 0;
    if (window.auto_pad == "same_upper") {
      cut = std::max<int64_t>(full - sizes[i], 0);
      first = cut / 2;
    } else if (window.auto_pad == "notset") {
      first = window.pads[i];
      cut = first + window.pads[i + static_cast<size_t>(spatial)];
    }
    // Positions that no window reaches are 0 and follow the others.
    const int64_t missing = sizes[i] - (full - cut);
    if (missing < 0 || missing >= window.strides[i] + reach) {
      return InvalidArgument("`input_sizes`: expected a size whose convolution has size ", size,
                             ", found ", sizes[i]);
    }
    before.push_back(first);
    after.push_back(cut - first);
    extra.push_back(missing);
  }
  std::vector<int64_t> pads = before;
  pads.insert(pads.end(), after.begin(), after.end());
  // conv_transpose has filters [in, out, spatial..]; those of TensorFlow are [spatial.., out, in].
  Expr filter = FilterOf(build, in[1], spatial);
  Expr out = build.ConvTranspose(
      x, filter, {.strides = window.strides, .pads = pads, .dilations = window.dilations});
  if (std::any_of(extra.begin(), extra.end(), [](int64_t n) { return n > 0; })) {
    std::vector<int64_t> none(static_cast<size_t>(spatial) + 2, 0);
    std::vector<int64_t> rest = none;
    std::copy(extra.begin(), extra.end(), rest.begin() + 2);
    out = build.Pad(out, {.before = none, .after = rest});
  }
  return ChannelsAsBefore(build, window, out);
}

TfOutputs ExpandBiasAdd(OpBuilder& build, const OpCall& call, TfInputs in) {
  std::string format = "NHWC";
  if (call.attributes.Has("data_format")) {
    SIGNET_ASSIGN_OR_RETURN(format, call.attributes.String("data_format"));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (!format.starts_with("NC") || rank <= 2) return build.Add(in[0], in[1]);
  return build.Add(in[0], WithTrailingOnes(build, in[1], rank - 2));
}

TfOutputs ExpandBatchNorm(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(bool is_training, call.attributes.Bool("is_training"));
  SIGNET_ASSIGN_OR_RETURN(std::string format, call.attributes.String("data_format"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 2) return InvalidArgument("expected rank 2 or more, found `", in[0].spec, "`");
  const bool is_first = format.starts_with("NC");
  const DType dtype = DTypeAt(in, 0);
  const DType parameters = DTypeAt(in, 1);
  Expr x = CastTo(build, in[0], parameters);
  auto shaped = [&](const Operand& vector) {
    return is_first ? WithTrailingOnes(build, vector, rank - 2) : build.AsExpr(vector);
  };
  Expr mean = build.AsExpr(in[3]);
  Expr variance = build.AsExpr(in[4]);
  Expr reported = variance;
  if (is_training) {
    std::vector<int64_t> axes;
    for (int axis = 0; axis < rank; ++axis) {
      if (axis != (is_first ? 1 : rank - 1)) axes.push_back(axis);
    }
    mean = build.ReduceMean(x, {.axes = axes});
    variance = build.ReduceMean(build.Square(build.Sub(x, shaped(mean))), {.axes = axes});
    Expr count = build.AsExpr(Int64Constant(build, 1));
    for (int64_t axis : axes)
      count = build.Mul(count, DimSize(build, in[0], static_cast<int>(axis)));
    Expr rest = build.Maximum(build.Sub(count, 1), 1);
    reported = build.Mul(
        variance, build.Div(CastTo(build, count, parameters), CastTo(build, rest, parameters)));
  }
  Expr factor =
      build.Mul(build.Rsqrt(build.Add(variance, Number(build, epsilon, variance))), in[1]);
  Expr y = build.Add(build.Mul(build.Sub(x, shaped(mean)), shaped(factor)), shaped(in[2]));
  std::vector<GraphValue> out;
  SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, y, dtype));
  for (const Expr* statistic : {&mean, &reported, &mean, &variance, &variance}) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), *statistic);
  }
  return out;
}

TfOutputs ExpandGlobalBatchNorm(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("variance_epsilon"));
  SIGNET_ASSIGN_OR_RETURN(bool scales, call.attributes.Bool("scale_after_normalization"));
  Expr factor = build.Rsqrt(build.Add(in[2], Number(build, epsilon, in[2])));
  if (scales) factor = build.Mul(factor, in[4]);
  return build.Add(build.Mul(build.Sub(in[0], in[1]), factor), in[3]);
}

TfOutputs ExpandLrn(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t radius, call.attributes.Int("depth_radius"));
  SIGNET_ASSIGN_OR_RETURN(double bias, call.attributes.Float("bias"));
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  SIGNET_ASSIGN_OR_RETURN(double beta, call.attributes.Float("beta"));
  if (radius < 0 || radius > (1 << 20)) return InvalidArgument("`depth_radius`: ", radius);
  const int64_t size = 2 * radius + 1;
  Expr first = build.Transpose(AsWideFloat(build, in[0]), {.perm = {0, 3, 1, 2}});
  Expr out = build.LocalResponseNorm(
      first,
      {.size = size, .alpha = alpha * static_cast<double>(size), .beta = beta, .bias = bias});
  return CastTo(build, build.Transpose(out, {.perm = {0, 2, 3, 1}}), DTypeAt(in, 0));
}

// A graph that was optimized: a product or a convolution, and the operators that follow it.
TfOutputs ExpandFused(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto fused, call.attributes.Strings("fused_ops"));
  if (in.size() < 2) return InvalidArgument("expected at least 2 inputs, found ", in.size());
  NamedTypes attributes;
  const bool is_matmul = call.op.name == "tf._FusedMatMul";
  const char* base = is_matmul                                          ? "tf.MatMul"
                     : call.op.name == "tf._FusedDepthwiseConv2dNative" ? "tf.DepthwiseConv2dNative"
                                                                        : "tf.Conv2D";
  for (const char* name : {"transpose_a", "transpose_b", "strides", "padding", "dilations",
                           "data_format", "explicit_paddings"}) {
    if (is_matmul == std::string_view(name).starts_with("transpose")) {
      attributes.emplace_back(name, call.attributes.Lookup(name));
    }
  }
  Expr out =
      build.CallOne(std::string_view(base), {in[0], in[1]}, Attributes(std::move(attributes)));
  size_t next = 2;
  for (const std::string& op : fused) {
    if (op == "BiasAdd" || op == "Add") {
      if (next >= in.size()) return InvalidArgument("missing input ", next, " of ", op);
      out = build.Add(out, in[next++]);
    } else if (op == "Relu") {
      out = build.Relu(out);
    } else if (op == "Relu6" || op == "Elu" || op == "LeakyRelu") {
      NamedTypes more;
      if (op == "LeakyRelu") more.emplace_back("alpha", call.attributes.Lookup("leakyrelu_alpha"));
      out = build.CallOne(Cat("tf.", op), {out}, Attributes(std::move(more)));
    } else if (op == "Sigmoid") {
      out = build.Sigmoid(out);
    } else if (op == "Tanh") {
      out = build.Tanh(out);
    } else {
      return Unimplemented("unsupported fused operator `", Printable(op), "`");
    }
  }
  return out;
}

// A graph that was optimized: padding, resizing, and the convolution that follows.
TfOutputs ExpandFusedPad(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool resizes = call.op.name == "tf.FusedResizeAndPadConv2D";
  Operand x = in[0];
  if (resizes) {
    x = build.CallOne(
        "tf.ResizeBilinear", {x, in[1]},
        Attributes({{"align_corners", call.attributes.Lookup("resize_align_corners")}}));
  }
  x = build.CallOne(std::string_view("tf.MirrorPad"), {x, in[resizes ? 2 : 1]},
                    Attributes({{"mode", call.attributes.Lookup("mode")}}));
  return build.CallOne(std::string_view("tf.Conv2D"), {x, in[resizes ? 3 : 2]},
                       Attributes({{"strides", call.attributes.Lookup("strides")},
                                   {"padding", call.attributes.Lookup("padding")}}));
}

// A graph that was optimized: a batch normalization, a sum, and an activation.
TfOutputs ExpandFusedBatchNorm(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation_mode"));
  if (in.size() < 5) return InvalidArgument("expected at least 5 inputs, found ", in.size());
  if (activation != "Identity" && activation != "Relu") {
    return Unimplemented("unsupported `activation_mode` `", Printable(activation),
                         "`; supported: Identity, Relu");
  }
  NamedTypes attributes;
  for (const char* name : {"epsilon", "data_format", "is_training"}) {
    attributes.emplace_back(name, call.attributes.Lookup(name));
  }
  auto out = build.CallAll(std::string_view("tf.FusedBatchNormV3"), Operands(in.first(5)),
                           Attributes(std::move(attributes)));
  SIGNET_RETURN_IF_ERROR(out.status());
  Expr y = build.AsExpr((*out)[0]);
  if (in.size() > 5) y = build.Add(y, in[5]);
  if (activation == "Relu") y = build.Relu(y);
  SIGNET_ASSIGN_OR_RETURN((*out)[0], y);
  return out;
}

}  // namespace

std::vector<OpDef> TfNetworkOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("Conv2D", "Computes a convolution", {"input", "filter"},
      WindowAttributes("NHWC", true, false), ExpandConv);
  add("Conv3D", "Computes a convolution", {"input", "filter"},
      WindowAttributes("NDHWC", true, false), ExpandConv);
  add("DepthwiseConv2dNative", "Computes a convolution of each channel", {"input", "filter"},
      WindowAttributes("NHWC", true, false), ExpandDepthwiseConv);
  add("Conv2DBackpropInput", "Computes a transposed convolution",
      {"input_sizes", "filter", "out_backprop"}, WindowAttributes("NHWC", true, false),
      ExpandConvTranspose);
  add("Conv3DBackpropInputV2", "Computes a transposed convolution",
      {"input_sizes", "filter", "out_backprop"}, WindowAttributes("NDHWC", true, false),
      ExpandConvTranspose);
  add("BiasAdd", "Adds a bias to each channel", {"value", "bias"},
      {{"data_format", AttributeOf("NHWC")}}, ExpandBiasAdd);
  add("BiasAddV1", "Adds a bias to each channel", {"value", "bias"}, {}, ExpandBiasAdd);
  for (const char* name : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    add(name, "Normalizes channels", {"x", "scale", "offset", "mean", "variance"},
        {{"epsilon", AttributeOf(1e-4)},
         {"data_format", AttributeOf("NHWC")},
         {"is_training", AttributeOf(true)}},
        ExpandBatchNorm);
  }
  add("BatchNormWithGlobalNormalization", "Normalizes channels", {"t", "m", "v", "beta", "gamma"},
      {{"variance_epsilon"}, {"scale_after_normalization"}}, ExpandGlobalBatchNorm);
  add("LRN", "Normalizes elements by the channels around them", {"input"},
      {{"depth_radius", AttributeOf(5)},
       {"bias", AttributeOf(1.0)},
       {"alpha", AttributeOf(1.0)},
       {"beta", AttributeOf(0.5)}},
      ExpandLrn);
  std::vector<AttributeDef> fused = WindowAttributes("NHWC", true, false);
  for (AttributeDef& attribute : fused) {
    if (!attribute.default_value) attribute.default_value = ListType({});
  }
  fused.push_back({"fused_ops", ListType({})});
  fused.push_back({"leakyrelu_alpha", AttributeOf(0.2)});
  add("_FusedConv2D", "Computes a convolution and what follows it", {"inputs..."}, fused,
      ExpandFused);
  add("_FusedDepthwiseConv2dNative", "Computes a convolution and what follows it", {"inputs..."},
      fused, ExpandFused);
  add("_FusedMatMul", "Multiplies matrices and computes what follows", {"inputs..."},
      {{"transpose_a", AttributeOf(false)},
       {"transpose_b", AttributeOf(false)},
       {"fused_ops", ListType({})},
       {"leakyrelu_alpha", AttributeOf(0.2)}},
      ExpandFused);
  const std::vector<AttributeDef> padded = {{"mode"}, {"strides"}, {"padding"}};
  add("FusedPadConv2D", "Pads images and computes a convolution", {"input", "paddings", "filter"},
      padded, ExpandFusedPad);
  std::vector<AttributeDef> resized = padded;
  resized.push_back({"resize_align_corners", AttributeOf(false)});
  add("FusedResizeAndPadConv2D", "Resizes and pads images and computes a convolution",
      {"input", "size", "paddings", "filter"}, resized, ExpandFusedPad);
  add("_FusedBatchNormEx", "Normalizes channels and computes an activation", {"inputs..."},
      {{"epsilon", AttributeOf(1e-4)},
       {"data_format", AttributeOf("NHWC")},
       {"is_training", AttributeOf(true)},
       {"activation_mode", AttributeOf("Identity")}},
      ExpandFusedBatchNorm);
  return ops;
}

}  // namespace signet
