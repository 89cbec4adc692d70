// Special functions: elementwise ops that mathematics defines by integrals or series.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

struct SpecialFunction {
  std::string_view name;
  std::string_view summary;
  std::string_view description;
};

constexpr SpecialFunction kOfOne[] = {
    {"bessel_i0", "Computes the modified Bessel function I0",
     "Returns the modified Bessel function of the first kind of order 0."},
    {"bessel_i0e", "Computes the scaled modified Bessel function I0",
     "Returns exp(-abs(x)) * bessel_i0(x), which does not overflow."},
    {"bessel_i1", "Computes the modified Bessel function I1",
     "Returns the modified Bessel function of the first kind of order 1."},
    {"bessel_i1e", "Computes the scaled modified Bessel function I1",
     "Returns exp(-abs(x)) * bessel_i1(x), which does not overflow."},
    {"bessel_j0", "Computes the Bessel function J0",
     "Returns the Bessel function of the first kind of order 0."},
    {"bessel_j1", "Computes the Bessel function J1",
     "Returns the Bessel function of the first kind of order 1."},
    {"bessel_k0", "Computes the modified Bessel function K0",
     "Returns the modified Bessel function of the second kind of order 0. The result is infinite "
     "at 0, and NaN below 0."},
    {"bessel_k0e", "Computes the scaled modified Bessel function K0",
     "Returns exp(x) * bessel_k0(x), which does not underflow."},
    {"bessel_k1", "Computes the modified Bessel function K1",
     "Returns the modified Bessel function of the second kind of order 1. The result is infinite "
     "at 0, and NaN below 0."},
    {"bessel_k1e", "Computes the scaled modified Bessel function K1",
     "Returns exp(x) * bessel_k1(x), which does not underflow."},
    {"bessel_y0", "Computes the Bessel function Y0",
     "Returns the Bessel function of the second kind of order 0. The result is -inf at 0, and NaN "
     "below 0."},
    {"bessel_y1", "Computes the Bessel function Y1",
     "Returns the Bessel function of the second kind of order 1. The result is -inf at 0, and NaN "
     "below 0."},
    {"dawsn", "Computes the Dawson function",
     "Returns exp(-x^2) times the integral of exp(t^2) from 0 to x."},
    {"expint", "Computes the exponential integral Ei",
     "Returns the integral of exp(t) / t from -inf to x. The result is -inf at 0, and NaN below "
     "0."},
    {"spence", "Computes the Spence function",
     "Returns the integral of -log(t) / (t - 1) from 1 to x, which is the dilogarithm of 1 - x. "
     "The result is NaN below 0."},
};

constexpr SpecialFunction kOfTwo[] = {
    {"igamma", "Computes the regularized lower incomplete gamma function",
     "Returns the integral of t^(x - 1) * exp(-t) from 0 to y, divided by the gamma function of x. "
     "The result is NaN if y is less than 0 or x is not greater than 0."},
    {"igammac", "Computes the regularized upper incomplete gamma function",
     "Returns 1 - igamma(x, y), and is exact where that is near 0."},
    {"next_after", "Returns the next number in the direction of another one",
     "Returns the number of the dtype next to x in the direction of y, or y if both are equal."},
    {"polygamma", "Computes derivatives of the digamma function",
     "Returns the derivative of order x of the digamma function at y. The result is NaN if x is "
     "not an integer of at least 0."},
    {"zeta", "Computes the Hurwitz zeta function",
     "Returns the sum of (n + y)^-x over all n of at least 0. The result is infinite if x is 1, or "
     "if a term is infinite and x is even. It is NaN if x is less than 1, if a term is infinite "
     "and x is not even, or if y is less than 0 and x is not an integer."},
};

constexpr SpecialFunction kOfThree[] = {
    {"betainc", "Computes the regularized incomplete beta function",
     "Returns the integral of t^(a - 1) * (1 - t)^(b - 1) from 0 to x, divided by the same "
     "integral "
     "from 0 to 1. The result is NaN unless a and b are greater than 0, and x is from 0 to 1."},
};

StatusOr<std::vector<TypeSpec>> InferSpecial(const OpCall& call) {
  // C1: the inputs are tensors. C2: they have a float dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kFloat));
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(TensorInputOf(call, i, DTypeGroup::kFloat).status());
    // C3: their dtypes are equal.
    SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, i, "C3"));
  }
  // C4: their shapes broadcast.
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, BroadcastInputs(call, "C4"));
  return OneOutput(TensorType(x->dtype(), std::move(shape)));
}

OpDef MakeSpecialOp(const SpecialFunction& function, std::vector<std::string> inputs) {
  const size_t count = inputs.size();
  OpDef op = {
      .name = std::string(function.name),
      .summary = std::string(function.summary),
      .description = std::string(function.description),
      .inputs = std::move(inputs),
      .result = Cat("A value of the same dtype with the ",
                    count > 1 ? "broadcast shape." : "shape of x."),
      .constraints = {"The inputs are tensors or ragged values.", "The dtype is a float dtype."},
      .composites = count > 1 ? "Ragged values broadcast as in elementwise ops."
                              : "On a ragged value, the op works on the flat values.",
      .infer = InferSpecial,
      .expand = ExpandElementwise,
  };
  if (count > 1) {
    op.constraints.emplace_back("The inputs have the same dtype.");
    op.constraints.emplace_back("The shapes broadcast.");
  }
  if (count == 1) op.family = OpFamily::kUnaryElementwise;
  if (count == 2) op.family = OpFamily::kBinaryElementwise;
  return op;
}

}  // namespace

std::vector<OpDef> SpecialFunctionOps() {
  std::vector<OpDef> ops;
  for (const SpecialFunction& function : kOfOne) ops.push_back(MakeSpecialOp(function, {"x"}));
  for (const SpecialFunction& function : kOfTwo) ops.push_back(MakeSpecialOp(function, {"x", "y"}));
  for (const SpecialFunction& function : kOfThree)
    ops.push_back(MakeSpecialOp(function, {"a", "b", "x"}));
  return ops;
}

}  // namespace signet
