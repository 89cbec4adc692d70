#include "core/frontends/savedmodel/lower/tf_window.h"

#include "core/ops/def/attribute_list.h"

namespace signet {

std::vector<AttributeDef> WindowAttributes(const char* format, bool has_dilations,
                                           bool has_kernel) {
  std::vector<AttributeDef> out = {{"strides"},
                                   {"padding"},
                                   {"explicit_paddings", ListType({})},
                                   {"data_format", AttributeOf(format)}};
  if (has_dilations) out.push_back({"dilations", ListType({})});
  if (has_kernel) out.push_back({"ksize"});
  return out;
}

StatusOr<std::vector<int64_t>> SpatialEntries(std::vector<int64_t> all, std::string_view name,
                                              bool channels_last, int spatial) {
  if (all.empty()) return std::vector<int64_t>(static_cast<size_t>(spatial), 1);
  if (static_cast<int>(all.size()) != spatial + 2) {
    return InvalidArgument("`", name, "`: expected ", spatial + 2, " integers, found ", all.size());
  }
  const size_t channel = channels_last ? all.size() - 1 : 1;
  if (all[0] != 1 || all[channel] != 1) {
    return Unimplemented("unsupported `", name, "` over the batch or the channels");
  }
  all.erase(all.begin() + static_cast<int64_t>(channel));
  all.erase(all.begin());
  return all;
}

StatusOr<TfWindow> WindowFrom(const OpCall& call, int spatial) {
  TfWindow window{.spatial = spatial};
  auto entries = [&](const char* name) -> StatusOr<std::vector<int64_t>> {
    SIGNET_ASSIGN_OR_RETURN(auto all, call.attributes.Ints(name));
    return SpatialEntries(std::move(all), name, window.channels_last, spatial);
  };
  SIGNET_ASSIGN_OR_RETURN(std::string format, call.attributes.String("data_format"));
  window.channels_last = !format.empty() && format.back() == 'C';
  if (!window.channels_last && !format.starts_with("NC")) {
    return Unimplemented("unsupported data_format `", format, "`");
  }
  if (call.attributes.Has("strides")) {
    SIGNET_ASSIGN_OR_RETURN(window.strides, entries("strides"));
  }
  window.dilations.assign(static_cast<size_t>(spatial), 1);
  if (call.attributes.Has("dilations")) {
    SIGNET_ASSIGN_OR_RETURN(window.dilations, entries("dilations"));
  }
  if (call.attributes.Has("ksize")) {
    SIGNET_ASSIGN_OR_RETURN(window.kernel, entries("ksize"));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string padding, call.attributes.String("padding"));
  if (padding == "SAME") {
    window.auto_pad = "same_upper";
  } else if (padding == "VALID") {
    window.auto_pad = "valid";
  } else if (padding == "EXPLICIT" && call.attributes.Has("explicit_paddings")) {
    SIGNET_ASSIGN_OR_RETURN(auto pads, call.attributes.Ints("explicit_paddings"));
    if (static_cast<int>(pads.size()) != 2 * (spatial + 2)) {
      return InvalidArgument("`explicit_paddings`: expected ", 2 * (spatial + 2), " integers");
    }
    const size_t first = window.channels_last ? 1 : 2;
    for (size_t side : {size_t{0}, size_t{1}}) {
      for (size_t axis = 0; axis < static_cast<size_t>(spatial); ++axis) {
        window.pads.push_back(pads[2 * (first + axis) + side]);
      }
    }
    window.auto_pad = "notset";
  } else {
    return InvalidArgument("`padding`: expected SAME, VALID, or EXPLICIT, found `", padding, "`");
  }
  return window;
}

Expr ChannelsFirst(OpBuilder& build, const TfWindow& window, const Operand& x) {
  if (!window.channels_last) return build.AsExpr(x);
  std::vector<int64_t> perm = {0, window.spatial + 1};
  for (int axis = 1; axis <= window.spatial; ++axis) perm.push_back(axis);
  return build.Transpose(x, {.perm = perm});
}

Expr ChannelsAsBefore(OpBuilder& build, const TfWindow& window, const Operand& x) {
  if (!window.channels_last) return build.AsExpr(x);
  std::vector<int64_t> perm = {0};
  for (int axis = 2; axis <= window.spatial + 1; ++axis) perm.push_back(axis);
  perm.push_back(1);
  return build.Transpose(x, {.perm = perm});
}

AttributeArgument PadsOf(const TfWindow& window) {
  if (window.pads.empty()) return kUnset;
  return AttributeArgument(window.pads);
}

}  // namespace signet
