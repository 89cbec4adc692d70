// Pooling operators on images.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/frontends/savedmodel/lower/tf_window.h"

namespace signet {
namespace {

TfOutputs ExpandPool(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_max = call.op.name.starts_with("tf.MaxPool");
  const int spatial = call.op.name.ends_with("3D") ? 3 : 2;
  SIGNET_ASSIGN_OR_RETURN(TfWindow window, WindowFrom(call, spatial));
  if (call.op.name == "tf.MaxPoolV2") {
    SIGNET_ASSIGN_OR_RETURN(auto kernel, FindInts(build, call, in, 1));
    SIGNET_ASSIGN_OR_RETURN(auto strides, FindInts(build, call, in, 2));
    const bool last = window.channels_last;
    SIGNET_ASSIGN_OR_RETURN(window.kernel, SpatialEntries(kernel, "ksize", last, spatial));
    SIGNET_ASSIGN_OR_RETURN(window.strides, SpatialEntries(strides, "strides", last, spatial));
  }
  Expr x = ChannelsFirst(build, window, in[0]);
  if (!is_max) {
    return ChannelsAsBefore(build, window,
                            build.AveragePool(x, {.kernel = window.kernel,
                                                  .strides = window.strides,
                                                  .pads = PadsOf(window),
                                                  .auto_pad = window.auto_pad}));
  }
  auto out = build.MaxPool(x, {.kernel = window.kernel,
                               .strides = window.strides,
                               .pads = PadsOf(window),
                               .auto_pad = window.auto_pad});
  SIGNET_RETURN_IF_ERROR(out.status());
  return ChannelsAsBefore(build, window, (*out)[0]);
}

// The position of each largest element, counted row by row with the channels last, within its image
// or within the batch.
TfOutputs ExpandMaxPoolWithArgmax(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(TfWindow window, WindowFrom(call, 2));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "Targmax"));
  SIGNET_ASSIGN_OR_RETURN(bool has_batch, call.attributes.Bool("include_batch_in_index"));
  Expr x = ChannelsFirst(build, window, in[0]);
  auto found = build.MaxPool(x, {.kernel = window.kernel,
                                 .strides = window.strides,
                                 .pads = PadsOf(window),
                                 .auto_pad = window.auto_pad,
                                 .indices = true});
  SIGNET_RETURN_IF_ERROR(found.status());
  // The op counts in [batch, channels, height, width].
  const GraphValue& place = (*found)[1];
  Expr channels = DimSize(build, x, 1);
  Expr plane = build.Mul(DimSize(build, x, 2), DimSize(build, x, 3));
  Expr image = build.Mul(channels, plane);
  Expr pixel = build.Mod(place, plane);
  Expr channel = build.Mod(build.Floordiv(place, plane), channels);
  Expr position = build.Add(build.Mul(pixel, channels), channel);
  if (has_batch) {
    position = build.Add(position, build.Mul(build.Floordiv(place, image), image));
  }
  return AllOf({ChannelsAsBefore(build, window, (*found)[0]),
                CastTo(build, ChannelsAsBefore(build, window, position), dtype)});
}

}  // namespace

std::vector<OpDef> TfPoolingOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  for (const char* name : {"MaxPool", "AvgPool"}) {
    add(name, "Combines the elements of each window", {"input"},
        WindowAttributes("NHWC", false, true), ExpandPool);
  }
  for (const char* name : {"MaxPool3D", "AvgPool3D"}) {
    add(name, "Combines the elements of each window", {"input"},
        WindowAttributes("NDHWC", false, true), ExpandPool);
  }
  add("MaxPoolV2", "Finds the largest element of each window", {"input", "ksize", "strides"},
      {{"padding"}, {"data_format", AttributeOf("NHWC")}}, ExpandPool);
  add("MaxPoolWithArgmax", "Finds the largest element of each window, and its position", {"input"},
      {{"ksize"},
       {"strides"},
       {"Targmax", AttributeOf(DType::kInt64)},
       {"padding"},
       {"data_format", AttributeOf("NHWC")},
       {"include_batch_in_index", AttributeOf(false)}},
      ExpandMaxPoolWithArgmax);
  return ops;
}

}  // namespace signet
