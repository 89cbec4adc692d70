// Spectra of signals, and the windows that cut them.

#include <algorithm>
#include <numbers>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

Attributes DftAttributes(bool inverse, bool onesided) {
  return Attributes({{"inverse", AttributeOf(inverse)}, {"onesided", AttributeOf(onesided)}});
}

// The axis was an attribute before version 20.
StatusOr<Values> ExpandDft(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t inverse, call.attributes.Int("inverse"));
  SIGNET_ASSIGN_OR_RETURN(int64_t onesided, call.attributes.Int("onesided"));
  SIGNET_ASSIGN_OR_RETURN(auto axis, call.attributes.OptionalInt("axis"));
  Arithmetic f(build);
  GraphValue length = InputOr(inputs, 1);
  GraphValue at = InputOr(inputs, 2);
  Attributes attributes = DftAttributes(inverse != 0, onesided != 0);
  if (!IsGiven(inputs, 2)) {
    int64_t otherwise = OpsetOf(call) < 20 ? 1 : -2;
    attributes = attributes.With("axis", AttributeOf(axis.value_or(otherwise)));
    at = {};
  }
  if (!IsGiven(inputs, 1)) length = {};
  GraphValue y = f("dft", {f.AsWideFloat(inputs[0]), length, at}, attributes);
  return f.Give(f.Cast(y, f.DTypeOf(inputs[0])));
}

// Frames of the signal, each times the window.
StatusOr<Values> ExpandStft(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t onesided, call.attributes.Int("onesided"));
  if (!IsGiven(inputs, 2) && !IsGiven(inputs, 3)) {
    return InvalidArgument("neither a window nor a length of frames; takes one");
  }
  Arithmetic f(build);
  GraphValue signal = f.WithOnesBehind(f.AsWideFloat(inputs[0]), rank == 2 ? 1 : 0);
  GraphValue step = f.AsScalar(f.Cast(inputs[1], DType::kInt64));
  GraphValue length =
      IsGiven(inputs, 3) ? f.AsScalar(f.Cast(inputs[3], DType::kInt64)) : f.Size(inputs[2], 0);
  GraphValue room = f("sub", {f.Size(signal, 1), length});
  GraphValue frames = f("maximum", {f("add", {f("floordiv", {room, step}), f.Int(1)}), f.Int(0)});
  GraphValue starts = f.WithOnesBehind(f("mul", {f.Range(frames), step}), 1);
  GraphValue places = f("add", {starts, f.Range(length)});
  GraphValue cut = f("gather", {signal, places}, IntAttribute("axis", 1));
  if (IsGiven(inputs, 2)) {
    GraphValue window = f.WithOnesBehind(f.Cast(inputs[2], f.DTypeOf(signal)), 1);
    cut = f("mul", {cut, window});
  }
  GraphValue y = f("dft", {cut}, DftAttributes(false, onesided != 0).With("axis", AttributeOf(2)));
  return f.Give(f.Cast(y, f.DTypeOf(inputs[0])));
}

StatusOr<Values> ExpandMel(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("output_datatype"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, OnnxDTypeAttribute(number, "output_datatype"));
  Arithmetic f(build);
  Values scalars;
  for (size_t i = 0; i < 5; ++i) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
    scalars.push_back(f.AsScalar(f.Cast(inputs[i], i < 3 ? DType::kInt64 : DType::kFloat64)));
  }
  Values weights = f.Call("mel_weight_matrix", scalars);
  return f.Give(weights.empty() ? GraphValue{} : f.Cast(weights[0], dtype));
}

// --- windows ------------------------------------------------------------------------------------

struct Window {
  std::string_view name;
  // a[0] - a[1] cos(x) + a[2] cos(2x), where x goes from 0 to 2 pi
  double a[3];
};
constexpr Window kWindows[] = {
    {"onnx.BlackmanWindow", {0.42, 0.5, 0.08}},
    {"onnx.HammingWindow", {25.0 / 46, 21.0 / 46, 0}},
    {"onnx.HannWindow", {0.5, 0.5, 0}},
};

StatusOr<Values> ExpandWindow(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  const Window& window = *std::find_if(std::begin(kWindows), std::end(kWindows),
                                       [&](const Window& w) { return w.name == call.op.name; });
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("output_datatype"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, OnnxDTypeAttribute(number, "output_datatype"));
  SIGNET_ASSIGN_OR_RETURN(int64_t periodic, call.attributes.Int("periodic"));
  Arithmetic f(build);
  GraphValue size = f.AsScalar(f.Cast(inputs[0], DType::kInt64));
  GraphValue steps = periodic != 0 ? size : f("sub", {size, f.Int(1)});
  auto wide = [&](const GraphValue& x) { return f.Cast(x, DType::kFloat64); };
  auto constant = [&](double value) { return f.Number(value, DType::kFloat64); };
  GraphValue unit = f("div", {constant(2 * std::numbers::pi), wide(steps)});
  GraphValue x = f("mul", {wide(f.Range(size)), unit});
  GraphValue y =
      f("sub", {constant(window.a[0]), f("mul", {constant(window.a[1]), f("cos", {x})})});
  if (window.a[2] != 0) {
    GraphValue twice = f("cos", {f("mul", {x, constant(2)})});
    y = f("add", {y, f("mul", {constant(window.a[2]), twice})});
  }
  return f.Give(f.Cast(y, dtype));
}

}  // namespace

std::vector<OpDef> OnnxSignalOps() {
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.DFT", "Takes discrete Fourier transforms along an axis",
                       {"input", "dft_length?", "axis?"},
                       {OpsetAttribute(),
                        {"axis", NoneAttribute()},
                        {"inverse", AttributeOf(0)},
                        {"onesided", AttributeOf(0)}},
                       ExpandDft));
  ops.push_back(OnnxOp("onnx.STFT", "Takes Fourier transforms of frames of a signal",
                       {"signal", "frame_step", "window?", "frame_length?"},
                       {{"onesided", AttributeOf(1)}}, ExpandStft));
  ops.push_back(
      OnnxOp("onnx.MelWeightMatrix", "Makes the weights of bins of the mel scale",
             {"num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz", "upper_edge_hertz"},
             {{"output_datatype", AttributeOf(1)}}, ExpandMel));
  for (const Window& window : kWindows) {
    ops.push_back(OnnxOp(std::string(window.name), "Makes a window of cosines", {"size"},
                         {{"output_datatype", AttributeOf(1)}, {"periodic", AttributeOf(1)}},
                         ExpandWindow));
  }
  return ops;
}

}  // namespace signet
