// Elementwise ops: one row of a table per op.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"
#include "core/ops/elementwise/sparse_arithmetic.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

using enum DTypeGroup;

// The dtype of the output.
enum class Result : uint8_t { kSame, kBool, kMagnitude };

struct Row {
  std::string_view name;
  std::string_view summary;
  std::string_view description;
  DTypeGroup dtypes;
  Result result = Result::kSame;
  const char* flag = nullptr;  // an attribute whose default is False
  ExpandFn expand_sparse = nullptr;
};

constexpr Row kUnary[] = {
    {.name = "abs",
     .summary = "Computes the magnitude",
     .description = "Returns the absolute value. The magnitude of a complex number has the "
                    "corresponding float dtype. The smallest integer stays the same.",
     .dtypes = kNumeric,
     .result = Result::kMagnitude,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "acos",
     .summary = "Computes the arc cosine",
     .description = "The result is in radians. It is NaN outside the range from -1 to 1.",
     .dtypes = kFloatOrComplex},
    {.name = "acosh",
     .summary = "Computes the inverse hyperbolic cosine",
     .description = "The result is NaN below 1.",
     .dtypes = kFloatOrComplex},
    {.name = "asin",
     .summary = "Computes the arc sine",
     .description = "The result is in radians. It is NaN outside the range from -1 to 1.",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "asinh",
     .summary = "Computes the inverse hyperbolic sine",
     .description = "Returns the inverse of `sinh`.",
     .dtypes = kFloatOrComplex},
    {.name = "atan",
     .summary = "Computes the arc tangent",
     .description = "The result is in radians.",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "atanh",
     .summary = "Computes the inverse hyperbolic tangent",
     .description = "The result is NaN outside the range from -1 to 1.",
     .dtypes = kFloatOrComplex},
    {.name = "ceil",
     .summary = "Rounds up",
     .description = "Returns the smallest integer that is not less than x.",
     .dtypes = kFloat,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "cos",
     .summary = "Computes the cosine",
     .description = "x is in radians.",
     .dtypes = kFloatOrComplex},
    {.name = "cosh",
     .summary = "Computes the hyperbolic cosine",
     .description = "Returns (exp(x) + exp(-x)) / 2.",
     .dtypes = kFloatOrComplex},
    {.name = "erf",
     .summary = "Computes the error function",
     .description = "Returns the Gauss error function.",
     .dtypes = kFloat,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "exp",
     .summary = "Computes the exponential function",
     .description = "Returns e to the power x.",
     .dtypes = kFloatOrComplex},
    {.name = "expm1",
     .summary = "Computes the exponential function minus 1",
     .description = "Returns exp(x) - 1, and is exact near 0.",
     .dtypes = kFloat,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "floor",
     .summary = "Rounds down",
     .description = "Returns the largest integer that is not greater than x.",
     .dtypes = kFloat,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "gelu",
     .summary = "Computes the Gaussian error linear unit",
     .description = "Returns x / 2 * (1 + erf(x / sqrt(2))). With `approximate`, uses an "
                    "approximation by tanh.",
     .dtypes = kFloat,
     .flag = "approximate",
     .expand_sparse = ExpandSparseOnValues},
    {.name = "is_finite",
     .summary = "Checks whether numbers are finite",
     .description = "Returns True where x is neither infinite nor NaN.",
     .dtypes = kFloatOrComplex,
     .result = Result::kBool},
    {.name = "is_inf",
     .summary = "Checks whether numbers are infinite",
     .description = "Returns True where x is infinite, of either sign. A complex number is "
                    "infinite if one of its parts is.",
     .dtypes = kFloatOrComplex,
     .result = Result::kBool,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "is_nan",
     .summary = "Checks whether numbers are NaN",
     .description = "Returns True where x is NaN. A complex number is NaN if one of its parts is.",
     .dtypes = kFloatOrComplex,
     .result = Result::kBool,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "log",
     .summary = "Computes the natural logarithm",
     .description = "The result is NaN below 0, and -inf at 0.",
     .dtypes = kFloatOrComplex},
    {.name = "log1p",
     .summary = "Computes the natural logarithm of 1 + x",
     .description = "Returns log(1 + x), and is exact near 0.",
     .dtypes = kFloat,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "logical_not",
     .summary = "Negates bools",
     .description = "Returns True where x is False.",
     .dtypes = kBool},
    {.name = "neg",
     .summary = "Changes the sign",
     .description = "Returns -x.",
     .dtypes = kNumeric,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "reciprocal",
     .summary = "Computes 1 / x",
     .description = "Returns 1 / x.",
     .dtypes = kFloatOrComplex},
    {.name = "relu",
     .summary = "Replaces numbers below 0 by 0",
     .description = "Returns x, or 0 where x is less than 0. NaN stays NaN.",
     .dtypes = kReal,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "round",
     .summary = "Rounds to the nearest integer",
     .description = "Returns the nearest integer, with halves rounded to the even one.",
     .dtypes = kFloat,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "rsqrt",
     .summary = "Computes 1 / sqrt(x)",
     .description = "Returns 1 / sqrt(x).",
     .dtypes = kFloatOrComplex},
    {.name = "sigmoid",
     .summary = "Computes the logistic function",
     .description = "Returns 1 / (1 + exp(-x)).",
     .dtypes = kFloat},
    {.name = "sign",
     .summary = "Computes the sign",
     .description = "Returns -1, 0, or 1. NaN stays NaN.",
     .dtypes = kReal,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "sin",
     .summary = "Computes the sine",
     .description = "x is in radians.",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "sinh",
     .summary = "Computes the hyperbolic sine",
     .description = "Returns (exp(x) - exp(-x)) / 2.",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "softplus",
     .summary = "Computes log(1 + exp(x))",
     .description = "Returns log(1 + exp(x)), without overflow.",
     .dtypes = kFloat},
    {.name = "sqrt",
     .summary = "Computes the square root",
     .description = "The result is NaN below 0.",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "square",
     .summary = "Computes the square",
     .description = "Returns x * x.",
     .dtypes = kNumeric,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "tan",
     .summary = "Computes the tangent",
     .description = "x is in radians.",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
    {.name = "tanh",
     .summary = "Computes the hyperbolic tangent",
     .description = "Returns sinh(x) / cosh(x).",
     .dtypes = kFloatOrComplex,
     .expand_sparse = ExpandSparseOnValues},
};

constexpr Row kBinary[] = {
    {.name = "add",
     .summary = "Adds",
     .description = "Returns x + y.",
     .dtypes = kNumeric,
     .expand_sparse = ExpandSparseAdd},
    {.name = "bitwise_and",
     .summary = "Computes the bitwise and",
     .description = "Returns the bits that are set in both.",
     .dtypes = kInteger},
    {.name = "bitwise_or",
     .summary = "Computes the bitwise or",
     .description = "Returns the bits that are set in at least one.",
     .dtypes = kInteger},
    {.name = "bitwise_xor",
     .summary = "Computes the bitwise exclusive or",
     .description = "Returns the bits that are set in exactly one.",
     .dtypes = kInteger},
    {.name = "div",
     .summary = "Divides",
     .description = "Returns x / y. The quotient of integers is rounded toward zero. With "
                    "`to_float`, integers are converted to float64 first, as `/` does in Python "
                    "and in the model language.",
     .dtypes = kNumeric,
     .flag = "to_float",
     .expand_sparse = ExpandSparseScaled},
    {.name = "equal",
     .summary = "Checks whether elements are equal",
     .description = "Returns True where x equals y. NaN does not equal any number.",
     .dtypes = kAny,
     .result = Result::kBool},
    {.name = "floordiv",
     .summary = "Divides and rounds down",
     .description = "Returns x / y, rounded down.",
     .dtypes = kReal},
    {.name = "greater",
     .summary = "Checks whether x is greater than y",
     .description = "Returns True where x is greater than y, and False where one of them is NaN. "
                    "Strings are compared by their bytes.",
     .dtypes = kOrdered,
     .result = Result::kBool},
    {.name = "greater_equal",
     .summary = "Checks whether x is at least y",
     .description = "Returns True where x is at least y, and False where one of them is NaN. "
                    "Strings are compared by their bytes.",
     .dtypes = kOrdered,
     .result = Result::kBool},
    {.name = "less",
     .summary = "Checks whether x is less than y",
     .description = "Returns True where x is less than y, and False where one of them is NaN. "
                    "Strings are compared by their bytes.",
     .dtypes = kOrdered,
     .result = Result::kBool},
    {.name = "less_equal",
     .summary = "Checks whether x is at most y",
     .description = "Returns True where x is at most y, and False where one of them is NaN. "
                    "Strings are compared by their bytes.",
     .dtypes = kOrdered,
     .result = Result::kBool},
    {.name = "logical_and",
     .summary = "Computes the logical and",
     .description = "Returns True where both are True.",
     .dtypes = kBool},
    {.name = "logical_or",
     .summary = "Computes the logical or",
     .description = "Returns True where at least one is True.",
     .dtypes = kBool},
    {.name = "logical_xor",
     .summary = "Computes the logical exclusive or",
     .description = "Returns True where exactly one is True.",
     .dtypes = kBool},
    {.name = "maximum",
     .summary = "Returns the greater of two elements",
     .description = "Returns the greater element. The result is NaN if one of them is NaN.",
     .dtypes = kReal},
    {.name = "minimum",
     .summary = "Returns the lesser of two elements",
     .description = "Returns the lesser element. The result is NaN if one of them is NaN.",
     .dtypes = kReal},
    {.name = "mod",
     .summary = "Computes the remainder",
     .description = "Returns x - y * floordiv(x, y), which has the sign of y. With `truncated`, "
                    "the remainder has the sign of x, as in C.",
     .dtypes = kReal,
     .flag = "truncated"},
    {.name = "mul",
     .summary = "Multiplies",
     .description = "Returns x * y.",
     .dtypes = kNumeric,
     .expand_sparse = ExpandSparseScaled},
    {.name = "not_equal",
     .summary = "Checks whether elements differ",
     .description = "Returns True where x does not equal y. NaN differs from every number.",
     .dtypes = kAny,
     .result = Result::kBool},
    {.name = "pow",
     .summary = "Raises to a power",
     .description = "Returns x to the power y.",
     .dtypes = kNumeric},
    {.name = "shift_left",
     .summary = "Shifts bits to the left",
     .description =
         "Returns x * 2^y without the bits beyond the dtype, or x where y is less than 0.",
     .dtypes = kInteger},
    {.name = "shift_right",
     .summary = "Shifts bits to the right",
     .description = "Returns x / 2^y rounded down, or x where y is less than 0.",
     .dtypes = kInteger},
    {.name = "sub",
     .summary = "Subtracts",
     .description = "Returns x - y.",
     .dtypes = kNumeric,
     .expand_sparse = ExpandSparseAdd},
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
  // C1: the input is a tensor. C2: it has a dtype that the op accepts.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, row.dtypes));
  SIGNET_RETURN_IF_ERROR(CheckFlag(row, call));
  return OneOutput(TensorType(ResultDType(row.result, x->dtype()), x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferBinary(const OpCall& call) {
  const Row& row = RowOf(kBinary, call.op);
  // C1: the inputs are tensors. C2: they have a dtype that the op accepts.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, row.dtypes));
  SIGNET_RETURN_IF_ERROR(TensorInputOf(call, 1, row.dtypes).status());
  // C3: their dtypes are equal.
  SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, 1, "C3"));
  // C4: their shapes broadcast.
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, BroadcastInputs(call, "C4"));
  SIGNET_RETURN_IF_ERROR(CheckFlag(row, call));
  return OneOutput(TensorType(ResultDType(row.result, x->dtype()), std::move(shape)));
}

std::string ResultText(Result result, bool broadcasts) {
  std::string shape = broadcasts ? "the broadcast shape" : "the shape of x";
  switch (result) {
    case Result::kSame:
      return Cat("A value of the same dtype with ", shape, ".");
    case Result::kBool:
      return Cat("A value of bool with ", shape, ".");
    case Result::kMagnitude:
      return Cat("A value of the same dtype with ", shape, "; of a complex dtype, the float dtype ",
                 "of its parts.");
  }
  __builtin_unreachable();
}

// Expands a division. With `to_float`, integers are converted to float64.
StatusOr<std::vector<GraphValue>> ExpandDivision(OpBuilder& build, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  const bool is_sparse = std::any_of(inputs.begin(), inputs.end(), [](const GraphValue& input) {
    return input.spec && input.spec.is(TypeKind::kSparse);
  });
  SIGNET_ASSIGN_OR_RETURN(const bool to_float, call.attributes.Bool("to_float"));
  if (!to_float) {
    return is_sparse ? ExpandSparseScaled(build, call, inputs)
                     : ExpandElementwise(build, call, inputs);
  }
  std::vector<GraphValue> operands(inputs.begin(), inputs.end());
  auto is_integer = [](const GraphValue& operand) {
    if (!operand.spec) return false;
    if (const auto* tensor = operand.spec.As<TensorSpec>()) return IsInteger(tensor->dtype());
    if (const auto* ragged = operand.spec.As<RaggedSpec>()) return IsInteger(ragged->dtype());
    const auto* sparse = operand.spec.As<SparseSpec>();
    return sparse != nullptr && IsInteger(sparse->dtype());
  };
  if (std::all_of(operands.begin(), operands.end(), is_integer)) {
    for (GraphValue& operand : operands) {
      SIGNET_ASSIGN_OR_RETURN(operand, build.Cast(operand, {.dtype = DType::kFloat64}));
    }
  }
  return build.Call("div", operands, {});
}

bool IsDivision(std::string_view op) {
  return op == "div" || op == "floordiv" || op == "mod" || op == "pow";
}

std::vector<std::string> Constraints(const Row& row, bool binary) {
  std::string dtype = row.dtypes == kAny ? "The dtype is any dtype."
                                         : Cat("The dtype is ", NameOf(row.dtypes), ".");
  if (!binary) return {"The input is a tensor or a ragged value.", dtype};
  std::vector<std::string> constraints = {"The inputs are tensors or ragged values.", dtype,
                                          "The inputs have the same dtype.",
                                          "The shapes broadcast."};
  if (row.expand_sparse == ExpandSparseAdd)
    constraints[3] += " Sparse inputs have the same dense shape.";
  if (row.name == "pow") {
    constraints.push_back("No integer is raised to a power less than 0.");
  } else if (IsDivision(row.name)) {
    constraints.push_back(
        "No integer is divided by 0, and the smallest integer is not divided by -1.");
  }
  return constraints;
}

std::string Composites(const Row& row, bool binary) {
  std::string text = binary ? "Ragged values, and tensors next to them, broadcast to common rows."
                            : "On a ragged value, the op works on the flat values.";
  if (row.expand_sparse == ExpandSparseOnValues) {
    text += " On a sparse value, the op works on the stored values, because it maps 0 to 0.";
  } else if (row.expand_sparse == ExpandSparseAdd) {
    text +=
        " The result of two sparse values has an entry where at least one of them has one, even if "
        "the result is 0.";
  } else if (row.expand_sparse == ExpandSparseScaled) {
    text += row.name == "mul" ? " A sparse value is multiplied by a scalar tensor, in any order."
                              : " A sparse value is divided by a scalar tensor.";
  }
  return text;
}

OpDef MakeOp(const Row& row, std::vector<std::string> inputs, InferFn infer, OpFamily family) {
  const bool binary = inputs.size() == 2;
  OpDef op = {.name = std::string(row.name),
              .summary = std::string(row.summary),
              .description = std::string(row.description),
              .inputs = std::move(inputs),
              .result = ResultText(row.result, binary),
              .constraints = Constraints(row, binary),
              .composites = Composites(row, binary),
              .infer = infer,
              .expand = ExpandElementwise,
              .expand_sparse = row.expand_sparse,
              .family = family};
  if (row.flag != nullptr) op.attributes = {{row.flag, AttributeOf(false)}};
  if (row.name == "div") {
    op.expand = ExpandDivision;
    op.expand_sparse = ExpandDivision;
    op.expand_tensors_if = row.flag;
    op.result =
        "A value of the same dtype with the broadcast shape; with `to_float`, of float64 "
        "if the inputs are integers.";
  }
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
