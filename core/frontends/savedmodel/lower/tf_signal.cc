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
Expr MelWeights(OpBuilder& build, const OpCall& call, const Expr& bins, int64_t bands,
                const GraphValue& sample_rate) {
  auto limit = [&](std::string_view name) { return call.attributes.Float(name); };
  SIGNET_ASSIGN_OR_RETURN(double lower, limit("lower_frequency_limit"));
  SIGNET_ASSIGN_OR_RETURN(double upper, limit("upper_frequency_limit"));
  if (!(lower >= 0 && lower < upper)) {
    return InvalidArgument("expected frequency limits of at least 0 in ascending order, found ",
                           lower, " and ", upper);
  }
  Expr count = CastTo(build, bins, DType::kFloat64);
  Expr rate = CastTo(build, AsScalar(build, sample_rate), DType::kFloat64);
  Expr width = build.Div(rate, build.Mul(build.Sub(count, 1.0), 2.0));
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.LogicalAnd(build.Greater(width, 0.0), build.Less(build.Div(upper, width), count)),
      InvalidArgument("`upper_frequency_limit`: expected at most half of the sample rate, found ",
                      upper)));
  auto mel_of = [](double frequency) { return 1127.0 * std::log1p(frequency / 700.0); };
  const double mel_low = mel_of(lower);
  const double spacing = (mel_of(upper) - mel_low) / static_cast<double>(bands + 1);
  std::vector<double> middles;
  for (int64_t band = 1; band <= bands; ++band) middles.push_back(static_cast<double>(band));
  Expr bin = CastTo(build, build.Range({bins}), DType::kFloat64);
  Expr mel = build.Mul(build.Log1p(build.Div(build.Mul(bin, width), 700.0)), 1127.0);
  Expr place = build.ExpandDims(build.Div(build.Sub(mel, mel_low), spacing), {.axis = 1});
  Expr distance = build.Abs(build.Sub(place, build.Constant(Tensor::Of<double>({bands}, middles))));
  Expr weights = build.Maximum(build.Sub(1.0, distance), 0.0);
  Expr first = build.Floor(build.Add(build.Div(lower, width), 1.5));
  Expr last = build.Floor(build.Div(upper, width));
  Expr is_inside = build.LogicalAnd(build.GreaterEqual(bin, first), build.LessEqual(bin, last));
  return build.Select(build.ExpandDims(is_inside, {.axis = 1}), weights, 0.0);
}

TfOutputs ExpandMfcc(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t bands, call.attributes.Int("filterbank_channel_count"));
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("dct_coefficient_count"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 3 || DTypeAt(in, 0) != DType::kFloat32) {
    return InvalidArgument("expected `float32[channels, windows, frequencies]`, found `",
                           in[0].spec, "`");
  }
  Expr bins = DimSize(build, in[0], 2);
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.Greater(bins, 1),
                                        InvalidArgument("expected at least 2 frequencies")));
  if (bands < 1 || count < 1 || count > bands) {
    return InvalidArgument("expected 1 to ", bands, " coefficients of at least 1 band, found ",
                           count);
  }
  const int64_t known_bins = std::max<int64_t>(KnownSize(in[0], 2), 1);
  if (bands > kMaxWeights / known_bins || count > kMaxWeights / bands) {
    return ResourceExhausted("the filters exceed the limit of ", kMaxWeights, " numbers");
  }
  Expr weights = MelWeights(build, call, bins, bands, in[1]);
  std::vector<double> cosines;
  for (int64_t band = 0; band < bands; ++band) {
    for (int64_t i = 0; i < count; ++i) {
      const double angle = static_cast<double>(i) * std::numbers::pi / static_cast<double>(bands);
      cosines.push_back(std::sqrt(2.0 / static_cast<double>(bands)) *
                        std::cos(angle * (static_cast<double>(band) + 0.5)));
    }
  }
  Expr magnitudes = build.Sqrt(CastTo(build, in[0], DType::kFloat64));
  Expr energies = build.Matmul(magnitudes, weights);
  Expr logs = build.Log(build.Maximum(energies, 1e-12));
  Expr out = build.Matmul(logs, build.Constant(Tensor::Of<double>({bands, count}, cosines)));
  return CastTo(build, out, DType::kFloat32);
}

// Decodes a WAV file: the text `RIFF`, a size, and the text `WAVE`; then chunks of a name, a size,
// and content. The first chunk is the format, and the chunk `data` has the samples.
TfOutputs ExpandDecodeWav(OpBuilder& build, const OpCall& call, TfInputs in) {
  constexpr int64_t kFormat = 12;  // the position of the first chunk
  constexpr int kMaxChunks = 16;   // before the samples
  constexpr int64_t kHeader = 44;  // bytes up to the samples, if there are no other chunks
  SIGNET_ASSIGN_OR_RETURN(int64_t wanted_channels, call.attributes.Int("desired_channels"));
  SIGNET_ASSIGN_OR_RETURN(int64_t wanted_samples, call.attributes.Int("desired_samples"));
  if (wanted_channels < -1 || wanted_samples < -1 || wanted_channels == 0) {
    return InvalidArgument("expected at least 1 channel, or -1, and at least -1 samples");
  }
  Expr file = AsScalar(build, in[0]);
  Expr size = CastTo(build, build.StringLength(file), DType::kInt64);
  // Zeros are added after the file, so that a number can be read at each position of the file.
  Expr zeros = build.Fill(Zero(build, DType::kUInt8), {.shape = std::vector<int64_t>{kHeader}});
  Expr bytes = build.Concat({build.StringBytes(file), zeros}, {.axis = 0});
  auto number_at = [&](const Operand& position, int length) {
    std::vector<int64_t> places;
    std::vector<int64_t> factors;
    for (int i = 0; i < length; ++i) {
      places.push_back(i);
      factors.push_back(int64_t{1} << (8 * i));
    }
    Expr digits = build.Gather(bytes, build.Add(position, Ints(build, places)), {.axis = 0});
    return build.ReduceSum(build.Mul(AsInt64(build, digits), Ints(build, factors)));
  };
  auto is_name = [&](const Operand& position, std::string_view name) {
    int64_t number = 0;
    for (size_t i = 0; i < 4; ++i) number |= int64_t{static_cast<uint8_t>(name[i])} << (8 * i);
    return build.Equal(number_at(position, 4), number);
  };
  auto at = [&](int64_t position) { return Int64Constant(build, position); };
  Expr is_valid = build.LogicalAnd(build.GreaterEqual(size, kHeader), is_name(at(0), "RIFF"));
  is_valid = build.LogicalAnd(is_valid, is_name(at(8), "WAVE"));
  is_valid = build.LogicalAnd(is_valid, is_name(at(kFormat), "fmt "));
  is_valid = build.LogicalAnd(is_valid, build.Equal(number_at(at(kFormat + 8), 2), int64_t{1}));
  is_valid = build.LogicalAnd(is_valid, build.Equal(number_at(at(kFormat + 22), 2), int64_t{16}));
  Expr channels = number_at(at(kFormat + 10), 2);
  is_valid = build.LogicalAnd(is_valid, build.Greater(channels, int64_t{0}));
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, is_valid, InvalidArgument("expected a WAV file with samples of 16 bits (PCM)")));
  Expr chunk = build.Minimum(build.Add(number_at(at(kFormat + 4), 4), at(kFormat + 8)), size);
  for (int i = 0; i < kMaxChunks; ++i) {
    Expr next = build.Add(build.Add(chunk, int64_t{8}), number_at(build.Add(chunk, int64_t{4}), 4));
    chunk = build.Select(is_name(chunk, "data"), chunk, build.Minimum(next, size));
  }
  Expr length = number_at(build.Add(chunk, int64_t{4}), 4);
  Expr begin = build.Add(chunk, int64_t{8});
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.LogicalAnd(is_name(chunk, "data"), build.LessEqual(build.Add(begin, length), size)),
      InvalidArgument("expected a complete chunk of samples")));
  channels = build.Maximum(channels, int64_t{1});
  Expr content = build.Substr(file, begin, length);
  Expr frame = build.Mul(channels, int64_t{2});  // bytes
  Expr count = build.Floordiv(CastTo(build, build.StringLength(content), DType::kInt64), frame);
  Expr samples = build.StringBytes(build.Substr(content, at(0), build.Mul(count, frame)));
  samples = ReshapeTo(build, samples, {count, channels, at(2)});
  const int32_t factors[] = {1, 256};
  samples = build.ReduceSum(
      build.Mul(CastTo(build, samples, DType::kInt32),
                build.Constant(Tensor::Of<int32_t>({2}, std::span<const int32_t>(factors)))),
      {.axes = {-1}});
  // From 0 to 65535 to two's complement.
  Expr above = build.GreaterEqual(samples, 32768);
  samples = CastTo(build, build.Sub(samples, build.Select(above, 65536, 0)), DType::kFloat32);
  samples = build.Div(samples, 32768.0);
  if (wanted_channels > 0) {
    // The last channel takes the place of channels that the file does not have.
    Expr channel = build.Minimum(build.Range({at(wanted_channels)}),
                                 build.Sub(build.Maximum(channels, int64_t{1}), int64_t{1}));
    samples = build.Gather(samples, channel, {.axis = 1});
  }
  if (wanted_samples >= 0) {
    samples = build.Slice(samples, {.starts = {0}, .limits = {wanted_samples}, .axes = {0}});
    Expr missing = build.Sub(at(wanted_samples), DimSize(build, samples, 0));
    Expr silence = build.Fill(Zero(build, DType::kFloat32),
                              StackScalars(build, {missing, DimSize(build, samples, 1)}));
    samples = build.Concat({samples, silence}, {.axis = 0});
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue sound, StatusOr<GraphValue>(samples));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue rate,
      StatusOr<GraphValue>(CastTo(build, number_at(at(kFormat + 12), 4), DType::kInt32)));
  return std::vector<GraphValue>{std::move(sound), std::move(rate)};
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
  ops.push_back(TfOp("DecodeWav", "Decodes sound", {"contents"},
                     {{"desired_channels", AttributeOf(-1)}, {"desired_samples", AttributeOf(-1)}},
                     ExpandDecodeWav));
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
