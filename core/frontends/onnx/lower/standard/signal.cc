// Spectra of signals, and windows.

#include <algorithm>
#include <numbers>

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

Attributes AttributesOfDft(bool inverse, bool onesided) {
  return Attributes({{"inverse", AttributeOf(inverse)}, {"onesided", AttributeOf(onesided)}});
}

// Before version 20, the axis was an attribute.
StatusOr<Values> ExpandDft(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t inverse, call.attributes.Int("inverse"));
  SIGNET_ASSIGN_OR_RETURN(int64_t onesided, call.attributes.Int("onesided"));
  SIGNET_ASSIGN_OR_RETURN(auto axis, call.attributes.OptionalInt("axis"));
  Operand length = InputOr(inputs, 1);
  Operand at = InputOr(inputs, 2);
  Attributes attributes = AttributesOfDft(inverse != 0, onesided != 0);
  if (!IsGiven(inputs, 2)) {
    int64_t otherwise = OpsetOf(call) < 20 ? 1 : -2;
    attributes = attributes.With("axis", AttributeOf(axis.value_or(otherwise)));
    at = {};
  }
  if (!IsGiven(inputs, 1)) length = {};
  Expr y = build.CallOne("dft", {AsWideFloat(build, inputs[0]), length, at}, attributes);
  return CastTo(build, y, TensorDType(inputs[0]));
}

// Transforms the frames of the signal, each multiplied by the window.
StatusOr<Values> ExpandStft(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t onesided, call.attributes.Int("onesided"));
  if (!IsGiven(inputs, 2) && !IsGiven(inputs, 3)) {
    return InvalidArgument("expected a window or a length of frames, found neither");
  }
  Expr signal = WithTrailingOnes(build, AsWideFloat(build, inputs[0]), rank == 2 ? 1 : 0);
  Expr step = AsScalar(build, CastTo(build, inputs[1], DType::kInt64));
  Expr length = IsGiven(inputs, 3) ? AsScalar(build, CastTo(build, inputs[3], DType::kInt64))
                                   : DimSize(build, inputs[2], 0);
  Expr room = DimSize(build, signal, 1) - length;
  Expr frames = build.Maximum(build.Floordiv(room, step) + 1, 0);
  Expr starts = WithTrailingOnes(build, build.Range({frames}) * step, 1);
  Expr places = starts + build.Range({length});
  Expr cut = build.Gather(signal, places, {.axis = 1});
  if (IsGiven(inputs, 2)) {
    cut = cut * WithTrailingOnes(build, CastTo(build, inputs[2], TensorDType(signal)), 1);
  }
  Expr y = build.CallOne("dft", {cut},
                         AttributesOfDft(false, onesided != 0).With("axis", AttributeOf(2)));
  return CastTo(build, y, TensorDType(inputs[0]));
}

StatusOr<Values> ExpandMel(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("output_datatype"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, OnnxDTypeAttribute(number, "output_datatype"));
  std::vector<Operand> scalars;
  for (size_t i = 0; i < 5; ++i) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
    scalars.push_back(
        AsScalar(build, CastTo(build, inputs[i], i < 3 ? DType::kInt64 : DType::kFloat64)));
  }
  return CastTo(build,
                build.MelWeightMatrix(scalars[0], scalars[1], scalars[2], scalars[3], scalars[4]),
                dtype);
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
  Expr size = AsScalar(build, CastTo(build, inputs[0], DType::kInt64));
  Expr steps = periodic != 0 ? size : size - 1;
  auto wide = [&](const Operand& x) { return CastTo(build, x, DType::kFloat64); };
  auto constant = [&](double value) { return Number(build, value, DType::kFloat64); };
  Expr unit = constant(2 * std::numbers::pi) / wide(steps);
  Expr x = wide(build.Range({size})) * unit;
  Expr y = constant(window.a[0]) - constant(window.a[1]) * build.Cos(x);
  if (window.a[2] != 0) {
    y = y + constant(window.a[2]) * build.Cos(x * constant(2));
  }
  return CastTo(build, y, dtype);
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
