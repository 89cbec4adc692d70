#include "core/ops/vision/window.h"

#include <algorithm>

#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 31;  // sums and products of a few sizes fit into int64

}  // namespace

StatusOr<WindowAxis> Window::Along(int axis, int64_t size) const {
  auto i = static_cast<size_t>(axis);
  WindowAxis out{.size = size,
                 .kernel = kernel[i],
                 .stride = strides[i],
                 .dilation = dilations[i],
                 .before = before[i],
                 .after = after[i]};
  if (size >= kMaxSize || out.kernel >= kMaxSize) {
    return ResourceExhausted("spatial dimension ", axis,
                             ": expected a size and a kernel of fewer than ", kMaxSize,
                             " elements, found ", size, " and ", out.kernel);
  }
  int64_t reach = out.reach();
  if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower) {
    out.out = (size + out.stride - 1) / out.stride;
    int64_t padding = std::max<int64_t>(0, (out.out - 1) * out.stride + reach - size);
    out.before = auto_pad == AutoPad::kSameUpper ? padding / 2 : padding - padding / 2;
    out.after = padding - out.before;
    return out;
  }
  if (auto_pad == AutoPad::kValid) out.before = out.after = 0;
  int64_t room = size + out.before + out.after - reach;
  if (room < 0 && !(ceil_mode && room + out.stride > 0)) {
    return InvalidArgument("spatial dimension ", axis, ": expected at least ", reach,
                           " elements, which the window covers, found ", size, " plus padding of ",
                           out.before + out.after);
  }
  out.out = (ceil_mode ? (room + out.stride - 1) / out.stride : room / out.stride) + 1;
  // No window may start after the input and the padding before it.
  if (ceil_mode && out.out > 1 && (out.out - 1) * out.stride >= size + out.before) --out.out;
  return out;
}

StatusOr<PartialShape> Window::Over(const PartialShape& spatial) const {
  PartialShape out = PartialShape::OfRank(rank());
  for (int axis = 0; axis < rank(); ++axis) {
    bool known =
        spatial.dim(axis) != kUnknownDim && kernel[static_cast<size_t>(axis)] != kUnknownDim;
    if (!known) continue;
    SIGNET_ASSIGN_OR_RETURN(WindowAxis along, Along(axis, spatial.dim(axis)));
    out = out.WithDim(axis, along.out);
  }
  return out;
}

StatusOr<std::vector<int64_t>> SpatialInts(const OpCall& call, std::string_view name, size_t count,
                                           int64_t least, int64_t otherwise) {
  SIGNET_ASSIGN_OR_RETURN(auto given, OptionalInts(call.attributes, name));
  if (!given) return std::vector<int64_t>(count, otherwise);
  if (given->size() != count) {
    return InvalidArgument("`", name, "`: expected ", count, " integers, found ", given->size());
  }
  for (int64_t value : *given) {
    if (value < least || value >= kMaxSize) {
      return InvalidArgument("`", name, "`: expected at least ", least, " and less than ", kMaxSize,
                             ", found ", value);
    }
  }
  return *std::move(given);
}

StatusOr<AutoPad> AutoPadOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String("auto_pad"));
  if (name == "notset") return AutoPad::kNotSet;
  if (name == "valid") return AutoPad::kValid;
  if (name == "same_upper") return AutoPad::kSameUpper;
  if (name == "same_lower") return AutoPad::kSameLower;
  return InvalidArgument("unsupported auto_pad `", Printable(name),
                         "`; supported: notset, same_lower, same_upper, valid");
}

StatusOr<Window> WindowOf(const OpCall& call, std::vector<int64_t> kernel, std::string_view label) {
  Window window;
  size_t rank = kernel.size();
  window.kernel = std::move(kernel);
  auto fill = [&]() -> Status {
    for (int64_t size : window.kernel) {
      if (size == kUnknownDim || (size >= 1 && size < kMaxSize)) continue;
      return InvalidArgument("kernel: expected sizes of at least 1, found ", size);
    }
    SIGNET_ASSIGN_OR_RETURN(window.strides, SpatialInts(call, "strides", rank, 1, 1));
    SIGNET_ASSIGN_OR_RETURN(window.dilations, SpatialInts(call, "dilations", rank, 1, 1));
    SIGNET_ASSIGN_OR_RETURN(auto pads, SpatialInts(call, "pads", 2 * rank, 0, 0));
    window.before.assign(pads.begin(), pads.begin() + static_cast<ptrdiff_t>(rank));
    window.after.assign(pads.begin() + static_cast<ptrdiff_t>(rank), pads.end());
    SIGNET_ASSIGN_OR_RETURN(window.auto_pad, AutoPadOf(call));
    if (call.attributes.Has("ceil_mode")) {
      SIGNET_ASSIGN_OR_RETURN(window.ceil_mode, call.attributes.Bool("ceil_mode"));
    }
    return absl::OkStatus();
  };
  SIGNET_RETURN_IF_ERROR(WithConstraint(label, fill()));
  return window;
}

std::vector<AttributeDef> WindowAttributes() {
  return {{"strides", NoneAttribute()},
          {"pads", NoneAttribute()},
          {"dilations", NoneAttribute()},
          {"auto_pad", AttributeOf("notset")}};
}

StatusOr<const TensorSpec*> ImageInput(const OpCall& call, size_t i, bool (*fits)(DType),
                                       std::string_view expected) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, i));
  if (!fits(x->dtype())) {
    return WithConstraint("C1", InvalidArgument("input ", i, ": expected ", expected, ", found `",
                                                call.inputs[i], "`"));
  }
  const PartialShape& shape = x->shape();
  if (!shape.has_rank() || shape.rank() < 3 || shape.rank() > 2 + kMaxSpatialRank) {
    return WithConstraint(
        "C1",
        InvalidArgument("input ", i, ": expected rank 3 to ", 2 + kMaxSpatialRank,
                        " (batch, channels and spatial dimensions), found `", call.inputs[i], "`"));
  }
  return x;
}

}  // namespace signet
