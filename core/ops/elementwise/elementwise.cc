// Elementwise ops: one row of a table each. The constraints are those of docs/reference/ops.md.

#include <algorithm>

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

using enum DTypeGroup;

// What the output's dtype is.
enum class Result : uint8_t { kSame, kBool, kMagnitude };

struct Row {
  std::string_view name;
  std::string_view summary;
  DTypeGroup dtypes;
  Result result = Result::kSame;
  const char* flag = nullptr;  // an attribute that is False unless given
};

constexpr Row kUnary[] = {
    {"abs", "Takes the magnitude", kNumeric, Result::kMagnitude},
    {"acos", "Takes the arc cosine", kFloatOrComplex},
    {"acosh", "Takes the inverse hyperbolic cosine", kFloatOrComplex},
    {"asin", "Takes the arc sine", kFloatOrComplex},
    {"asinh", "Takes the inverse hyperbolic sine", kFloatOrComplex},
    {"atan", "Takes the arc tangent", kFloatOrComplex},
    {"atanh", "Takes the inverse hyperbolic tangent", kFloatOrComplex},
    {"ceil", "Rounds up", kFloat},
    {"cos", "Takes the cosine", kFloatOrComplex},
    {"cosh", "Takes the hyperbolic cosine", kFloatOrComplex},
    {"erf", "Takes the error function", kFloat},
    {"exp", "Takes the exponential", kFloatOrComplex},
    {"expm1", "Takes the exponential, less 1", kFloat},
    {"floor", "Rounds down", kFloat},
    {"gelu", "Applies the Gaussian error linear unit", kFloat, Result::kSame, "approximate"},
    {"is_finite", "Finds numbers that are neither infinite nor NaN", kFloatOrComplex,
     Result::kBool},
    {"is_inf", "Finds infinities", kFloatOrComplex, Result::kBool},
    {"is_nan", "Finds NaNs", kFloatOrComplex, Result::kBool},
    {"log", "Takes the natural logarithm", kFloatOrComplex},
    {"log1p", "Takes the natural logarithm of 1 more", kFloat},
    {"logical_not", "Negates bools", kBool},
    {"neg", "Changes the sign", kNumeric},
    {"reciprocal", "Divides 1 by each element", kFloatOrComplex},
    {"relu", "Replaces what is below 0 by 0", kReal},
    {"round", "Rounds to the nearest integer, halves to the even one", kFloat},
    {"rsqrt", "Divides 1 by the square root", kFloatOrComplex},
    {"sigmoid", "Applies 1 / (1 + exp(-x))", kFloat},
    {"sign", "Gives -1, 0 or 1 as the sign is", kReal},
    {"sin", "Takes the sine", kFloatOrComplex},
    {"sinh", "Takes the hyperbolic sine", kFloatOrComplex},
    {"softplus", "Applies log(1 + exp(x))", kFloat},
    {"sqrt", "Takes the square root", kFloatOrComplex},
    {"square", "Multiplies by itself", kNumeric},
    {"tan", "Takes the tangent", kFloatOrComplex},
    {"tanh", "Takes the hyperbolic tangent", kFloatOrComplex},
};

constexpr Row kBinary[] = {
    {"add", "Adds", kNumeric},
    {"bitwise_and", "Keeps the bits that both have", kInteger},
    {"bitwise_or", "Takes the bits that either has", kInteger},
    {"bitwise_xor", "Takes the bits that just one has", kInteger},
    {"div", "Divides; integers toward zero", kNumeric},
    {"equal", "Finds equal elements", kAny, Result::kBool},
    {"floordiv", "Divides and rounds down", kReal},
    {"greater", "Finds where the first is above the second", kOrdered, Result::kBool},
    {"greater_equal", "Finds where the first is not below the second", kOrdered, Result::kBool},
    {"less", "Finds where the first is below the second", kOrdered, Result::kBool},
    {"less_equal", "Finds where the first is not above the second", kOrdered, Result::kBool},
    {"logical_and", "Finds where both are true", kBool},
    {"logical_or", "Finds where either is true", kBool},
    {"logical_xor", "Finds where just one is true", kBool},
    {"maximum", "Takes the greater of two", kReal},
    {"minimum", "Takes the lesser of two", kReal},
    {"mod", "Takes the remainder", kReal, Result::kSame, "truncated"},
    {"mul", "Multiplies", kNumeric},
    {"not_equal", "Finds unequal elements", kAny, Result::kBool},
    {"pow", "Raises to a power", kNumeric},
    {"shift_left", "Shifts bits to the left", kInteger},
    {"shift_right", "Shifts bits to the right", kInteger},
    {"sub", "Subtracts", kNumeric},
};

const Row& RowOf(std::span<const Row> rows, const OpDef& op) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.name == op.name; });
}

DType ResultDType(Result result, DType dtype) {
  switch (result) {
    case Result::kSame:
      return dtype;
    case Result::kBool:
      return DType::kBool;
    case Result::kMagnitude:
      return dtype == DType::kComplex64    ? DType::kFloat32
             : dtype == DType::kComplex128 ? DType::kFloat64
                                           : dtype;
  }
  __builtin_unreachable();
}

Status CheckFlag(const Row& row, const OpCall& call) {
  if (row.flag == nullptr) return absl::OkStatus();
  return call.attributes.Bool(row.flag).status();
}

StatusOr<std::vector<TypeSpec>> InferUnary(const OpCall& call) {
  const Row& row = RowOf(kUnary, call.op);
  // C1: the input is a tensor. C2: of a dtype that the op takes.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, row.dtypes));
  SIGNET_RETURN_IF_ERROR(CheckFlag(row, call));
  return OneOutput(TensorType(ResultDType(row.result, x->dtype()), x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferBinary(const OpCall& call) {
  const Row& row = RowOf(kBinary, call.op);
  // C1: the inputs are tensors. C2: of a dtype that the op takes.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, row.dtypes));
  SIGNET_RETURN_IF_ERROR(TensorInputOf(call, 1, row.dtypes).status());
  // C3: their dtypes are equal.
  SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, 1, "C3"));
  // C4: their shapes broadcast.
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, BroadcastInputs(call, "C4"));
  SIGNET_RETURN_IF_ERROR(CheckFlag(row, call));
  return OneOutput(TensorType(ResultDType(row.result, x->dtype()), std::move(shape)));
}

OpDef MakeOp(const Row& row, std::vector<std::string> inputs, InferFn infer, OpFamily family) {
  OpDef op = {.name = std::string(row.name),
              .summary = std::string(row.summary),
              .inputs = std::move(inputs),
              .infer = infer,
              .expand = ExpandElementwise,
              .family = family};
  if (row.flag != nullptr) op.attributes = {{row.flag, AttributeOf(false)}};
  if (row.result == Result::kSame) op.aliasing = Aliasing::kInPlace;
  return op;
}

}  // namespace

std::vector<OpDef> ElementwiseOps() {
  std::vector<OpDef> ops;
  for (const Row& row : kUnary) {
    ops.push_back(MakeOp(row, {"x"}, InferUnary, OpFamily::kUnaryElementwise));
  }
  for (const Row& row : kBinary) {
    ops.push_back(MakeOp(row, {"x", "y"}, InferBinary, OpFamily::kBinaryElementwise));
  }
  return ops;
}

}  // namespace signet
