// Fourier transforms.

#include "core/frontends/savedmodel/lower/tf_op.h"

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

int NumAxes(const OpCall& call) {
  return call.op.name.ends_with("3D") ? 3 : call.op.name.ends_with("2D") ? 2 : 1;
}

TfOutputs ExpandFft(OpBuilder& build, const OpCall& call, TfInputs in) {
  const int count = NumAxes(call);
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < count) return InvalidArgument("expected rank ", count, " or more");
  const bool inverse = call.op.name.starts_with("tf.I");
  Expr x = WithParts(build, in[0]);
  for (int i = 0; i < count; ++i) x = build.Dft(x, {.axis = rank - 1 - i, .inverse = inverse});
  return FromParts(build, x);
}

TfOutputs ExpandRfft(OpBuilder& build, const OpCall& call, TfInputs in) {
  const int count = NumAxes(call);
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(auto lengths, FindInts(build, call, in, 1));
  if (rank < count || static_cast<int>(lengths.size()) != count) {
    return InvalidArgument("expected rank ", count, " or more and as many lengths");
  }
  Expr x = WithParts(build, in[0]);
  if (call.op.name.starts_with("tf.RFFT")) {
    x = build.Dft(x, {.length = lengths.back(), .axis = rank - 1, .onesided = true});
    for (int i = 1; i < count; ++i) {
      const int64_t length = lengths[static_cast<size_t>(count - 1 - i)];
      x = build.Dft(x, {.length = length, .axis = rank - 1 - i});
    }
    return FromParts(build, x);
  }
  // The spectrum is cut, or filled with 0, to half of the length and one more.
  for (int i = 1; i < count; ++i) {
    const int64_t length = lengths[static_cast<size_t>(count - 1 - i)];
    x = build.Dft(x, {.length = length, .axis = rank - 1 - i, .inverse = true});
  }
  const int64_t bins = lengths.back() / 2 + 1;
  const int64_t own = KnownSize(x, rank - 1);
  if (own == kUnknownDim || own > bins) {
    x = build.Slice(x, {.starts = {0}, .limits = {bins}, .axes = {rank - 1}});
  }
  if (own == kUnknownDim || own < bins) {
    std::vector<Operand> before(static_cast<size_t>(rank) + 1, Operand(Int64Constant(build, 0)));
    std::vector<Operand> after = before;
    after[static_cast<size_t>(rank) - 1] =
        build.Sub(Int64Constant(build, bins), DimSize(build, x, rank - 1));
    x = build.Pad(x, Zero(build, TensorDType(x)), StackScalars(build, before),
                  StackScalars(build, after));
  }
  x = build.Dft(x, {.length = lengths.back(), .axis = rank - 1, .inverse = true, .onesided = true});
  return build.Squeeze(x, {.axes = {-1}});
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
  return ops;
}

}  // namespace signet
