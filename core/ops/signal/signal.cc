// dft, mel_weight_matrix: compute spectra of signals.

#include <algorithm>

#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/signal/signal_ops.h"

namespace signet {
namespace {

bool IsWideFloat(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }

// Reads one number from an attribute or an input.
StatusOr<IntList> OneNumber(const OpCall& call, std::string_view name, size_t input) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(call, name, input));
  if (!list.given || list.length == 1 || list.length < 0) return list;
  return InvalidArgument("`", name, "`: expected one number, found ", list.length);
}

StatusOr<std::vector<TypeSpec>> InferDft(const OpCall& call) {
  // C1: the input is a tensor. C2: it has dtype float32 or float64, and the size of the last
  // dimension is 1 or 2.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  bool fits = IsWideFloat(x->dtype()) && (!shape.has_rank() || shape.rank() >= 2);
  int64_t parts = fits && shape.has_rank() ? shape.dim(shape.rank() - 1) : kUnknownDim;
  if (!fits || (parts != kUnknownDim && parts != 1 && parts != 2)) {
    return WithConstraint(
        "C2",
        InvalidArgument(
            "input 0: expected float32 or float64 of rank 2 or more, with 1 or 2 elements in the "
            "last dimension, found `",
            call.inputs[0], "`"));
  }
  // C3: `length` is at least 1. C4: `axis` is a dimension, but not the last one.
  SIGNET_ASSIGN_OR_RETURN(IntList length, WithConstraint("C3", OneNumber(call, "length", 1)));
  SIGNET_ASSIGN_OR_RETURN(IntList axis, WithConstraint("C4", OneNumber(call, "axis", 2)));
  SIGNET_ASSIGN_OR_RETURN(bool inverse, call.attributes.Bool("inverse"));
  SIGNET_ASSIGN_OR_RETURN(bool onesided, call.attributes.Bool("onesided"));
  if (length.known && length.known->at(0) < 1) {
    return WithConstraint(
        "C3", InvalidArgument("length: expected at least 1, found ", length.known->at(0)));
  }
  if (!axis.given)
    return WithConstraint("C4",
                          InvalidArgument("missing `axis`; pass it as an attribute or as input 2"));
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  PartialShape out = shape;
  if (!axis.known) {
    out = PartialShape::OfRank(shape.rank());
  } else {
    SIGNET_ASSIGN_OR_RETURN(int at,
                            WithConstraint("C4", NormalizeAxis(axis.known->at(0), shape.rank())));
    if (at == shape.rank() - 1)
      return WithConstraint(
          "C4", InvalidArgument("axis: expected a dimension before the last one, found ", at));
    int64_t n = shape.dim(at);
    if (inverse && onesided && n != kUnknownDim) n = 2 * (std::max<int64_t>(n, 1) - 1);
    if (length.given) n = length.known ? length.known->at(0) : kUnknownDim;
    out = out.WithDim(at, n == kUnknownDim || inverse || !onesided ? n : n / 2 + 1);
  }
  out = out.WithDim(shape.rank() - 1, inverse && onesided ? 1 : 2);
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferMel(const OpCall& call) {
  // C1: the counts and the rate are int64 scalars. C2: the edges are float64 scalars.
  for (size_t i = 0; i < 5; ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* given, TensorInput(call, i));
    DType wanted = i < 3 ? DType::kInt64 : DType::kFloat64;
    if (given->dtype() == wanted && given->shape().IsCompatibleWith(Shape{})) continue;
    return WithConstraint(i < 3 ? "C1" : "C2",
                          InvalidArgument("input ", i, ": expected `", NameOf(wanted),
                                          "[]`, found `", call.inputs[i], "`"));
  }
  auto known = [&](size_t i) {
    return call.constant(i) == nullptr ? kUnknownDim : call.constant(i)->scalar<int64_t>();
  };
  int64_t length = known(1);
  int64_t bins = known(0);
  PartialShape out = {length < 0 ? kUnknownDim : length / 2 + 1, std::max(bins, kUnknownDim)};
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(DType::kFloat64, std::move(out)));
}

}  // namespace

std::vector<OpDef> SignalOps() {
  return {
      {.name = "dft",
       .summary = "Computes discrete Fourier transforms along an axis",
       .description =
           "Computes the transforms of the lines along `axis`, in float64. The last dimension of x "
           "holds a real number (1) or the two parts of a complex number (2). Each line is cut, or "
           "filled with 0, to `length`. With `inverse`, the result is divided by the length. With "
           "`onesided`, only the first length / 2 + 1 results are returned. With both, a line is "
           "such a half of the spectrum of real numbers, and the result holds these real numbers; "
           "`length` is then twice the size minus 2 unless it is given. `length` and `axis` are "
           "attributes or inputs.",
       .inputs = {"x", "length?", "axis?"},
       .attributes = {{"length", NoneAttribute()},
                      {"axis", NoneAttribute()},
                      {"inverse", AttributeOf(false)},
                      {"onesided", AttributeOf(false)}},
       .result = "A tensor of the dtype of x whose last dimension is 2, or 1 with `inverse` and "
                 "`onesided`.",
       .constraints = {"The input is a tensor.",
                       "The dtype is float32 or float64, the rank is at least 2, and the last "
                       "dimension is 1 or 2.",
                       "`length` is at least 1.", "`axis` is a dimension except the last one."},
       .infer = InferDft,
       .own_dtypes = {"length", "axis"}},
      {.name = "mel_weight_matrix",
       .summary = "Creates a matrix that converts spectra to the mel scale",
       .description = "Returns a matrix whose columns are triangular filters that have equal "
                      "widths on the mel scale.",
       .inputs = {"num_bins", "dft_length", "sample_rate", "lower_edge", "upper_edge"},
       .result = "float64[dft_length / 2 + 1, num_bins].",
       .constraints =
           {"The numbers of bins, the DFT length, and the sample rate are `int64[]`.",
            "The edges are `float64[]`.",
            "The counts are at least 0, the rate is at least 1, and the edges are in order.",
            "The upper edge is within the spectrum."},
       .infer = InferMel},
  };
}

}  // namespace signet
