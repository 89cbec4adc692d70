#include "core/graph/lower/plain_result.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/function/cast.h"
#include "core/graph/lower/evaluator.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// Returns the dtype with 64 bits in which literals of these kinds are computed, or nothing if they
// have no common dtype.
std::optional<DType> WideDType(std::span<const GraphValue> inputs) {
  std::optional<DType> joined;
  for (const GraphValue& input : inputs) {
    const auto* literal = input.spec ? input.spec.As<LiteralSpec>() : nullptr;
    if (literal == nullptr) return std::nullopt;
    std::optional<DType> dtype;
    switch (literal->literal().kind()) {
      case Literal::Kind::kBool:
        dtype = DType::kBool;
        break;
      case Literal::Kind::kInt:
        dtype = DType::kInt64;
        break;
      case Literal::Kind::kFloat:
        dtype = DType::kFloat64;
        break;
      case Literal::Kind::kString:
        dtype = DType::kString;
        break;
      case Literal::Kind::kNone:
        return std::nullopt;
    }
    const bool are_numbers = dtype != DType::kBool && dtype != DType::kString &&
                             joined != DType::kBool && joined != DType::kString;
    if (joined && joined != dtype && !are_numbers) return std::nullopt;
    if (joined != DType::kFloat64) joined = dtype;
  }
  return joined;
}

// Runs the call on scalars of `dtype`. Returns nothing if it has an error.
std::optional<Tensor> Run(const FunctionLibrary& library, const OpDef& op,
                          std::span<const GraphValue> inputs, const Attributes& attributes,
                          DType dtype) {
  Evaluator run(library);
  std::vector<GraphValue> scalars;
  for (const GraphValue& input : inputs) {
    auto scalar = CastTo(Value::Trusted(input.spec, {}), TensorType(dtype, PartialShape()));
    if (!scalar.ok()) return std::nullopt;
    scalars.push_back(run.Constant(*scalar));
  }
  auto outputs = run.Call(op, scalars, attributes);
  if (!outputs.ok() || outputs->size() != 1 || !(*outputs)[0].spec.is(TypeKind::kTensor)) {
    return std::nullopt;
  }
  return *run.LookupConstant((*outputs)[0].components[0]);
}

// Returns the literal of an int64 that was computed, given the same result in float64. An int64
// that has wrapped around has no literal, and a fraction that was lost is a float.
TypeSpec LiteralOfInt(const Tensor& result, const std::optional<Tensor>& in_float64) {
  if (!in_float64 || in_float64->dtype() != DType::kFloat64) return LiteralOfElement(result, 0);
  const double expected = in_float64->scalar<double>();
  const double difference = std::abs(static_cast<double>(result.scalar<int64_t>()) - expected);
  if (difference <= 1e-9 * std::abs(expected)) return LiteralOfElement(result, 0);
  return difference < 1 ? LiteralOfElement(*in_float64, 0) : TypeSpec();
}

}  // namespace

TypeSpec LiteralOfElement(const Tensor& tensor, int64_t i) {
  return VisitDType(tensor.dtype(), [&](auto tag) -> TypeSpec {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, std::string_view>) {
      return AttributeOf(tensor.string_at(i));
    } else if constexpr (std::is_same_v<T, bool>) {
      return AttributeOf(tensor.elements<bool>()[static_cast<size_t>(i)]);
    } else if constexpr (std::is_integral_v<T>) {
      return LiteralType(Literal::Int(tensor.elements<T>()[static_cast<size_t>(i)]));
    } else if constexpr (std::is_floating_point_v<T>) {
      return AttributeOf(static_cast<double>(tensor.elements<T>()[static_cast<size_t>(i)]));
    } else {
      return {};
    }
  });
}

TypeSpec PlainResult(const FunctionLibrary& library, const OpDef& op,
                     std::span<const GraphValue> inputs, const Attributes& attributes) {
  const bool is_elementwise =
      op.family == OpFamily::kUnaryElementwise || op.family == OpFamily::kBinaryElementwise;
  if (!is_elementwise || op.infer == nullptr || attributes.Has("dtype")) return {};
  const std::optional<DType> dtype = WideDType(inputs);
  if (!dtype) return {};
  const std::optional<Tensor> result = Run(library, op, inputs, attributes, *dtype);
  if (!result || result->rank() != 0) return {};
  const bool is_quotient = result->dtype() == DType::kFloat64 && attributes.Has("to_float");
  if (result->dtype() != *dtype && result->dtype() != DType::kBool && !is_quotient) return {};
  const bool is_int = result->dtype() == DType::kInt64 && !attributes.Has("to_float");
  if (!is_int) return LiteralOfElement(*result, 0);
  return LiteralOfInt(*result, Run(library, op, inputs, attributes, DType::kFloat64));
}

}  // namespace signet
