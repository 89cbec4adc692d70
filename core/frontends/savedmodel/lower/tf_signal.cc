// Fourier transforms, and features of sound.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// Real numbers and complex numbers with the two parts in a last dimension, as `dft` has them.
Expr WithParts(OpBuilder& build, const Operand& x) {
  if (!IsComplex(TensorDType(x))) return build.ExpandDims(x, {.axis = -1});
  const ComplexParts parts = ComplexPartsOf(build, x);
  return build.Stack({parts.real, parts.imaginary}, {.axis = -1});
}

Expr FromParts(OpBuilder& build, const Operand& x) {
  auto part = [&](int64_t i) { return build.Gather(x, Int64Constant(build, i), {.axis = -1}); };
  return ComplexOf(build, {part(0), part(1)});
}

// The axes of a transform, and the lengths of the lines along them.
struct TransformAxes {
  std::vector<int64_t> axes;
  std::vector<int64_t> lengths;  // may be empty: the sizes of the axes
};

// Returns the last axes, or those that input 2 has.
StatusOr<TransformAxes> AxesOf(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = call.op.name;
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  TransformAxes out;
  if (in.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(out.lengths, FindInts(build, call, in, 1));
  }
  if (name.ends_with("ND")) {
    SIGNET_ASSIGN_OR_RETURN(auto given, FindInts(build, call, in, 2));
    for (int64_t axis : given) {
      SIGNET_ASSIGN_OR_RETURN(int at, NormalizeAxis(axis, rank));
      if (std::ranges::count(out.axes, at) > 0) {
        return InvalidArgument("`axes`: duplicate axis ", axis);
      }
      out.axes.push_back(at);
    }
  } else {
    const int count = name.ends_with("3D") ? 3 : name.ends_with("2D") ? 2 : 1;
    if (rank < count) return InvalidArgument("expected rank ", count, " or more");
    for (int axis = rank - count; axis < rank; ++axis) out.axes.push_back(axis);
  }
  if (in.size() > 1 && out.axes.size() != out.lengths.size()) {
    return InvalidArgument("`fft_length`: expected ", out.axes.size(),
                           " lengths, one per axis, found ", out.lengths.size());
  }
  return out;
}

TfOutputs ExpandFft(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(const TransformAxes of, AxesOf(build, call, in));
  if (!IsComplex(DTypeAt(in, 0))) {
    return InvalidArgument("input 0: expected complex numbers, found `", in[0].spec, "`");
  }
  const bool inverse = call.op.name.starts_with("tf.I");
  Expr x = WithParts(build, in[0]);
  for (size_t i = of.axes.size(); i-- > 0;) {
    DftAttributes attributes{.axis = of.axes[i], .inverse = inverse};
    if (!of.lengths.empty()) attributes.length = of.lengths[i];
    x = build.Dft(x, attributes);
  }
  return FromParts(build, x);
}

TfOutputs ExpandRfft(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(const TransformAxes of, AxesOf(build, call, in));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const bool inverse = call.op.name.starts_with("tf.I");
  if (IsComplex(DTypeAt(in, 0)) != inverse) {
    return InvalidArgument("input 0: expected ", inverse ? "complex" : "real", " numbers, found `",
                           in[0].spec, "`");
  }
  if (of.axes.empty()) return InvalidArgument("`axes`: expected at least one axis");
  // The last axis holds half of the spectrum.
  const int64_t half = of.axes.back();
  const int64_t length = of.lengths.back();
  Expr x = WithParts(build, in[0]);
  if (!inverse) x = build.Dft(x, {.length = length, .axis = half, .onesided = true});
  for (size_t i = of.axes.size() - 1; i-- > 0;) {
    x = build.Dft(x, {.length = of.lengths[i], .axis = of.axes[i], .inverse = inverse});
  }
  if (!inverse) return FromParts(build, x);
  // The spectrum is cut, or filled with 0, to half of the length and one more.
  const int64_t bins = length / 2 + 1;
  const int64_t own = KnownSize(x, static_cast<int>(half));
  if (own == kUnknownDim || own > bins) {
    x = build.Slice(x, {.starts = {0}, .limits = {bins}, .axes = {half}});
  }
  if (own == kUnknownDim || own < bins) {
    std::vector<Operand> before(static_cast<size_t>(rank) + 1, Operand(Int64Constant(build, 0)));
    std::vector<Operand> after = before;
    after[static_cast<size_t>(half)] =
        build.Sub(Int64Constant(build, bins), DimSize(build, x, static_cast<int>(half)));
    x = build.Pad(x, Zero(build, TensorDType(x)), StackScalars(build, before),
                  StackScalars(build, after));
  }
  x = build.Dft(x, {.length = length, .axis = half, .inverse = true, .onesided = true});
  return build.Squeeze(x, {.axes = {-1}});
}

constexpr int64_t kMaxWindow = int64_t{1} << 24;   // samples
constexpr int64_t kMaxWeights = int64_t{1} << 26;  // elements of a matrix of filters

// The magnitudes of the spectra of windows of each channel, [channels, windows, frequencies].
TfOutputs ExpandSpectrogram(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t window, call.attributes.Int("window_size"));
  SIGNET_ASSIGN_OR_RETURN(int64_t stride, call.attributes.Int("stride"));
  SIGNET_ASSIGN_OR_RETURN(bool squared, call.attributes.Bool("magnitude_squared"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 2 || DTypeAt(in, 0) != DType::kFloat32) {
    return InvalidArgument("expected `float32[samples, channels]`, found `", in[0].spec, "`");
  }
  if (window < 2 || window > kMaxWindow) {
    return InvalidArgument("`window_size`: expected 2 to ", kMaxWindow, ", found ", window);
  }
  if (stride < 1) return InvalidArgument("`stride`: expected at least 1, found ", stride);
  // The window of Hann, one period long.
  std::vector<double> weights;
  for (int64_t i = 0; i < window; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i);
    weights.push_back(0.5 - 0.5 * std::cos(angle / static_cast<double>(window)));
  }
  Expr rest = build.Sub(DimSize(build, in[0], 0), Int64Constant(build, window - stride));
  Expr count = build.Maximum(build.Floordiv(rest, Int64Constant(build, stride)), 0);
  Expr starts = build.Mul(build.Range({count}), Int64Constant(build, stride));
  Expr places =
      build.Add(build.ExpandDims(starts, {.axis = 1}), build.Range({Int64Constant(build, window)}));
  Expr samples = CastTo(build, build.Transpose(in[0], {.perm = {1, 0}}), DType::kFloat64);
  Expr windows = build.Mul(build.Gather(samples, places, {.axis = 1}),
                           build.Constant(Tensor::Of<double>({window}, weights)));
  const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window)));
  Expr spectrum =
      build.Dft(WithParts(build, windows), {.length = length, .axis = 2, .onesided = true});
  Expr size = build.ReduceSum(build.Square(spectrum), {.axes = {-1}});
  return CastTo(build, squared ? size : build.Sqrt(size), DType::kFloat32);
}

// Weights of frequencies in bands with equal widths on the mel scale, [frequencies, bands]. Band b
// is a triangle from the middle of the previous band to the middle of the next one.
StatusOr<std::vector<double>> MelWeights(const OpCall& call, int64_t bins, int64_t bands,
                                         int64_t rate) {
  SIGNET_ASSIGN_OR_RETURN(double lower, call.attributes.Float("lower_frequency_limit"));
  SIGNET_ASSIGN_OR_RETURN(double upper, call.attributes.Float("upper_frequency_limit"));
  if (!(lower >= 0 && lower < upper)) {
    return InvalidArgument("expected frequency limits of at least 0 in ascending order, found ",
                           lower, " and ", upper);
  }
  auto mel_of = [](double frequency) { return 1127.0 * std::log1p(frequency / 700.0); };
  const double mel_low = mel_of(lower);
  const double spacing = (mel_of(upper) - mel_low) / static_cast<double>(bands + 1);
  auto middle = [&](int64_t band) { return mel_low + spacing * static_cast<double>(band + 1); };
  const double width = 0.5 * static_cast<double>(rate) / static_cast<double>(bins - 1);
  if (!(upper / width < static_cast<double>(bins))) {
    return InvalidArgument("`upper_frequency_limit`: expected at most half of the sample rate of ",
                           rate, ", found ", upper);
  }
  const auto first = static_cast<int64_t>(1.5 + lower / width);
  const auto last = static_cast<int64_t>(upper / width);
  std::vector<double> weights(static_cast<size_t>(bins * bands), 0.0);
  int64_t band = 0;  // the first one whose middle is not below the frequency
  for (int64_t i = first; i <= last; ++i) {
    const double mel = mel_of(static_cast<double>(i) * width);
    while (band < bands && middle(band) < mel) ++band;
    const double begin = band == 0 ? mel_low : middle(band - 1);
    const double of_previous = (middle(band) - mel) / (middle(band) - begin);
    double* const row = weights.data() + i * bands;
    if (band > 0) row[band - 1] = of_previous;
    if (band < bands) row[band] = 1 - of_previous;
  }
  return weights;
}

TfOutputs ExpandMfcc(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t bands, call.attributes.Int("filterbank_channel_count"));
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("dct_coefficient_count"));
  SIGNET_ASSIGN_OR_RETURN(auto rate, FindInts(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 3 || DTypeAt(in, 0) != DType::kFloat32) {
    return InvalidArgument("expected `float32[channels, windows, frequencies]`, found `",
                           in[0].spec, "`");
  }
  if (rate.size() != 1 || rate[0] < 1) {
    return InvalidArgument("`sample_rate`: expected a number of at least 1");
  }
  const int64_t bins = KnownSize(in[0], 2);
  if (bins == kUnknownDim) {
    return Unimplemented("expected a known number of frequencies, found `", in[0].spec, "`");
  }
  if (bins < 2) return InvalidArgument("expected at least 2 frequencies, found ", bins);
  if (bands < 1 || count < 1 || count > bands) {
    return InvalidArgument("expected 1 to ", bands, " coefficients of at least 1 band, found ",
                           count);
  }
  if (bands > kMaxWeights / bins || count > kMaxWeights / bands) {
    return ResourceExhausted("the filters exceed the limit of ", kMaxWeights, " numbers");
  }
  SIGNET_ASSIGN_OR_RETURN(auto weights, MelWeights(call, bins, bands, rate[0]));
  std::vector<double> cosines;
  for (int64_t band = 0; band < bands; ++band) {
    for (int64_t i = 0; i < count; ++i) {
      const double angle = static_cast<double>(i) * std::numbers::pi / static_cast<double>(bands);
      cosines.push_back(std::sqrt(2.0 / static_cast<double>(bands)) *
                        std::cos(angle * (static_cast<double>(band) + 0.5)));
    }
  }
  Expr magnitudes = build.Sqrt(CastTo(build, in[0], DType::kFloat64));
  Expr energies =
      build.Matmul(magnitudes, build.Constant(Tensor::Of<double>({bins, bands}, weights)));
  Expr logs = build.Log(build.Maximum(energies, 1e-12));
  Expr out = build.Matmul(logs, build.Constant(Tensor::Of<double>({bands, count}, cosines)));
  return CastTo(build, out, DType::kFloat32);
}

}  // namespace

std::vector<OpDef> TfSignalOps() {
  std::vector<OpDef> ops;
  for (const char* name : {"FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    ops.push_back(TfOp(name, "Computes a Fourier transform", {"input"}, {}, ExpandFft));
  }
  for (const char* name : {"RFFT", "IRFFT", "RFFT2D", "IRFFT2D", "RFFT3D", "IRFFT3D"}) {
    ops.push_back(TfOp(name, "Computes a Fourier transform of real numbers",
                       {"input", "fft_length"}, {}, ExpandRfft));
  }
  for (const char* name : {"FFTND", "IFFTND"}) {
    ops.push_back(
        TfOp(name, "Computes a Fourier transform", {"input", "fft_length", "axes"}, {}, ExpandFft));
  }
  for (const char* name : {"RFFTND", "IRFFTND"}) {
    ops.push_back(TfOp(name, "Computes a Fourier transform of real numbers",
                       {"input", "fft_length", "axes"}, {}, ExpandRfft));
  }
  ops.push_back(TfOp("AudioSpectrogram", "Computes the spectra of windows of sound", {"input"},
                     {{"window_size"}, {"stride"}, {"magnitude_squared", AttributeOf(false)}},
                     ExpandSpectrogram));
  ops.push_back(TfOp("Mfcc", "Computes the mel-frequency cepstral coefficients of spectra",
                     {"spectrogram", "sample_rate"},
                     {{"upper_frequency_limit", AttributeOf(4000.0)},
                      {"lower_frequency_limit", AttributeOf(20.0)},
                      {"filterbank_channel_count", AttributeOf(40)},
                      {"dct_coefficient_count", AttributeOf(13)}},
                     ExpandMfcc));
  return ops;
}

}  // namespace signet
