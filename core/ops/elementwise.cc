// Elementwise ops: one row of a table each. The constraints are those of docs/ops.md.

#include "core/ops/elementwise.h"

#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/broadcast_rows.h"
#include "core/ops/inference.h"
#include "core/ops/parts.h"
#include "core/types/ragged_spec.h"

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

// Whether the ragged inputs have the very same partitions, by edge, and dense ones only broadcast
// behind these: then the op works on the flat values as they are.
bool ShareRows(std::span<const GraphValue> inputs, const GraphValue& ragged) {
  const auto& spec = *ragged.spec.As<RaggedSpec>();
  const PartialShape& shape = spec.shape();
  for (const GraphValue& input : inputs) {
    if (!input.spec || &input == &ragged) continue;
    const PartialShape& own = *input.spec.shape();
    if (input.spec.is(TypeKind::kRagged)) {
      bool same = own.has_rank() && shape.has_rank() && own.rank() == shape.rank() &&
                  std::equal(input.components.begin() + 1, input.components.end(),
                             ragged.components.begin() + 1, ragged.components.end());
      if (!same) return false;
    } else {
      int behind = shape.has_rank() ? shape.rank() - spec.ragged_rank() - 1 : 0;
      if (!own.has_rank() || own.rank() > behind) return false;
    }
  }
  return true;
}

// The op on the flat values of inputs that share the rows of `ragged`.
StatusOr<std::vector<GraphValue>> CallOnFlatValues(Expander& expander, const OpCall& call,
                                                   std::span<const GraphValue> inputs,
                                                   const GraphValue& ragged) {
  std::vector<GraphValue> flat(inputs.begin(), inputs.end());
  for (GraphValue& input : flat) {
    if (input.spec && input.spec.is(TypeKind::kRagged)) input = ComponentOf(input, 0);
  }
  SIGNET_ASSIGN_OR_RETURN(auto values, expander.Call(call.op.name, flat, call.attributes));
  SIGNET_CHECK(values.size() == 1);
  // The outer dimensions are those of the operand, the inner ones those of the flat result.
  const auto& spec = *ragged.spec.As<RaggedSpec>();
  const auto& result = *values[0].spec.As<TensorSpec>();
  PartialShape shape = spec.shape();
  if (spec.ragged_rank() == 0) {  // no rows: all dimensions broadcast
    shape = result.shape();
  } else if (shape.has_rank() && result.shape().has_rank()) {
    shape = shape.Slice(0, spec.ragged_rank() + 1)
                .Concatenate(result.shape().Slice(1, result.shape().rank()));
  }
  GraphValue out = ragged;
  out.components[0] = values[0].components[0];
  SIGNET_ASSIGN_OR_RETURN(out.spec, MakeRaggedType(result.dtype(), std::move(shape),
                                                   spec.ragged_rank(), spec.splits_dtype()));
  return std::vector<GraphValue>{std::move(out)};
}

// `fixed` is the number of an input that does not stretch, or -1.
StatusOr<std::vector<GraphValue>> ExpandBeside(Expander& expander, const OpCall& call,
                                               std::span<const GraphValue> inputs, int fixed) {
  const GraphValue* ragged = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].spec || inputs[i].spec.is(TypeKind::kTensor)) continue;
    if (inputs[i].spec.is(TypeKind::kStructured)) {
      return Unimplemented("C1 input ", i, " is `", inputs[i].spec,
                           "`; structures have no arithmetic, their fields do");
    }
    if (!inputs[i].spec.is(TypeKind::kRagged)) {
      return InvalidArgument("C1 input ", i, " is `", inputs[i].spec,
                             "`; takes a tensor or a ragged value");
    }
    if (ragged == nullptr) ragged = &inputs[i];
  }
  if (ragged == nullptr) return TensorInput(call, 0).status();
  if (ShareRows(inputs, *ragged)) return CallOnFlatValues(expander, call, inputs, *ragged);
  SIGNET_ASSIGN_OR_RETURN(CommonValues common, BroadcastValues(expander, inputs, "C4", fixed));
  SIGNET_ASSIGN_OR_RETURN(auto out, expander.Call(call.op.name, common.elements, call.attributes));
  if (common.rows.depth() == 0) return out;
  SIGNET_CHECK(out.size() == 1);
  SIGNET_ASSIGN_OR_RETURN(out[0], CloseRows(expander, common.rows, out[0]));
  return out;
}

}  // namespace

bool Contains(DTypeGroup group, DType dtype) {
  switch (group) {
    case kBool:
      return dtype == DType::kBool;
    case kInteger:
      return IsInteger(dtype);
    case kReal:
      return IsInteger(dtype) || IsFloat(dtype);
    case kFloat:
      return IsFloat(dtype);
    case kFloatOrComplex:
      return IsFloat(dtype) || IsComplex(dtype);
    case kNumeric:
      return IsNumeric(dtype);
    case kOrdered:
      return IsInteger(dtype) || IsFloat(dtype) || dtype == DType::kString;
    case kAny:
      return true;
  }
  __builtin_unreachable();
}

std::string_view NameOf(DTypeGroup group) {
  switch (group) {
    case kBool:
      return "bool";
    case kInteger:
      return "an integer dtype";
    case kReal:
      return "an integer or float dtype";
    case kFloat:
      return "a float dtype";
    case kFloatOrComplex:
      return "a float or complex dtype";
    case kNumeric:
      return "an integer, float or complex dtype";
    case kOrdered:
      return "an integer or float dtype, or string";
    case kAny:
      return "any dtype";
  }
  __builtin_unreachable();
}

StatusOr<const TensorSpec*> TensorInputOf(const OpCall& call, size_t i, DTypeGroup group) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (Contains(group, input->dtype())) return input;
  return InvalidArgument("C2 input ", i, " is `", call.inputs[i], "`; takes ", NameOf(group));
}

Status CheckSameDType(const OpCall& call, size_t i, size_t j, std::string_view label) {
  DType first = call.inputs[i].As<TensorSpec>()->dtype();
  DType second = call.inputs[j].As<TensorSpec>()->dtype();
  if (first == second) return absl::OkStatus();
  return InvalidArgument(label, " input ", i, " is `", call.inputs[i], "` and input ", j, " is `",
                         call.inputs[j], "`; takes one dtype, which `cast` gives");
}

StatusOr<PartialShape> BroadcastInputs(const OpCall& call, std::string_view label) {
  PartialShape shape = PartialShape::OfRank(0);
  for (const TypeSpec& input : call.inputs) {
    if (!input) continue;
    auto both = BroadcastShapes(shape, *input.shape());
    if (!both.ok()) return Labelled(label, both.status());
    shape = *std::move(both);
  }
  return shape;
}

StatusOr<std::vector<GraphValue>> ExpandElementwise(Expander& expander, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  return ExpandBeside(expander, call, inputs, -1);
}

StatusOr<std::vector<GraphValue>> ExpandBesideFirst(Expander& expander, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  return ExpandBeside(expander, call, inputs, 0);
}

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
