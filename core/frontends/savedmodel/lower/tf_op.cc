#include "core/frontends/savedmodel/lower/tf_op.h"

#include <complex>
#include <limits>

#include <absl/container/flat_hash_map.h>

namespace signet {
namespace {

struct TfExpansion {
  ExpandFn expand;
  bool tensors_only;
};

// The expansions by op. They are added while the registry is built, on one thread.
absl::flat_hash_map<std::string, TfExpansion>& TfExpansions() {
  static auto* const expansions = new absl::flat_hash_map<std::string, TfExpansion>;
  return *expansions;
}

// A native model may call these ops too, with any attributes and inputs.
TfOutputs ExpandTfOp(OpBuilder& build, const OpCall& call, TfInputs inputs) {
  const TfExpansion& expansion = TfExpansions().at(call.op.name);
  for (size_t i = 0; expansion.tensors_only && i < inputs.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  }
  return expansion.expand(build, call, inputs);
}

OpDef MakeTfOp(std::string_view name, std::string summary, std::vector<std::string> inputs,
               std::vector<AttributeDef> attributes, TfExpansion expansion) {
  std::string full = Cat("tf.", name);
  TfExpansions().insert_or_assign(full, expansion);
  return {.name = std::move(full),
          .summary = std::move(summary),
          .inputs = std::move(inputs),
          .attributes = std::move(attributes),
          .expand = ExpandTfOp,
          .literals_as_tensors = false};
}

}  // namespace

OpDef TfOp(std::string_view name, std::string summary, std::vector<std::string> inputs,
           std::vector<AttributeDef> attributes, ExpandFn expand) {
  return MakeTfOp(name, std::move(summary), std::move(inputs), std::move(attributes),
                  {expand, true});
}

OpDef TfOpOnValues(std::string_view name, std::string summary, std::vector<std::string> inputs,
                   std::vector<AttributeDef> attributes, ExpandFn expand) {
  return MakeTfOp(name, std::move(summary), std::move(inputs), std::move(attributes),
                  {expand, false});
}

namespace {

StatusOr<const Tensor*> FindConstant(OpBuilder& build, const OpCall& call, TfInputs inputs,
                                     size_t i) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  const Tensor* known = build.LookupConstant(inputs[i].components[0]);
  if (known != nullptr) return known;
  return Unimplemented("`", i < call.op.inputs.size() ? call.op.inputs[i] : Cat("input ", i),
                       "`: expected a constant, found a value that is not known before the call");
}

}  // namespace

StatusOr<std::vector<int64_t>> FindInts(OpBuilder& build, const OpCall& call, TfInputs inputs,
                                        size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const Tensor* known, FindConstant(build, call, inputs, i));
  if (!IsIndexDType(known->dtype())) {
    return InvalidArgument("input ", i, ": expected int32 or int64, found `", known->spec(), "`");
  }
  return IntsOf(*known);
}

StatusOr<int64_t> AxisAt(OpBuilder& build, const OpCall& call, TfInputs inputs, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, inputs, i));
  if (axes.size() == 1) return axes[0];
  return InvalidArgument("expected one axis, found ", axes.size());
}

StatusOr<std::vector<std::string>> FindTexts(OpBuilder& build, const OpCall& call, TfInputs inputs,
                                             size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const Tensor* known, FindConstant(build, call, inputs, i));
  if (!known->is_string()) {
    return InvalidArgument("input ", i, ": expected `string`, found `", known->spec(), "`");
  }
  std::vector<std::string> texts;
  for (int64_t k = 0; k < known->num_elements(); ++k) texts.emplace_back(known->string_at(k));
  return texts;
}

StatusOr<std::string> FindText(OpBuilder& build, const OpCall& call, TfInputs inputs, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(auto texts, FindTexts(build, call, inputs, i));
  if (texts.size() == 1) return texts[0];
  return InvalidArgument("input ", i, ": expected one text, found ", texts.size());
}

StatusOr<DType> TfDType(const OpCall& call, std::string_view name) {
  auto dtype = call.attributes.DTypeNamed(name);
  if (dtype.ok()) return dtype;
  return Unimplemented("unsupported dtype `", call.attributes.Lookup(name), "` of `", name, "`");
}

Expr RoundAwayFromZero(OpBuilder& build, const Operand& x) {
  Expr below = build.Floor(x);
  Expr rest = build.Sub(x, below);
  Expr goes_up =
      build.Select(build.Less(x, 0.0), build.Greater(rest, 0.5), build.GreaterEqual(rest, 0.5));
  return build.Select(goes_up, build.Add(below, 1.0), below);
}

ComplexParts ComplexPartsOf(OpBuilder& build, const Operand& x) {
  const bool is_wide = TensorDType(x) == DType::kComplex128;
  const DType real = is_wide ? DType::kFloat64 : DType::kFloat32;
  // A cast returns the real part, and -i moves the imaginary part there.
  const GraphValue turn = is_wide ? build.Constant(Tensor::Scalar(std::complex<double>(0, -1)))
                                  : build.Constant(Tensor::Scalar(std::complex<float>(0, -1)));
  return {build.Cast(x, {.dtype = real}), build.Cast(build.Mul(x, turn), {.dtype = real})};
}

Expr ComplexOf(OpBuilder& build, const ComplexParts& parts) {
  const bool is_wide = TensorDType(parts.real) == DType::kFloat64;
  const DType dtype = is_wide ? DType::kComplex128 : DType::kComplex64;
  const GraphValue unit = is_wide ? build.Constant(Tensor::Scalar(std::complex<double>(0, 1)))
                                  : build.Constant(Tensor::Scalar(std::complex<float>(0, 1)));
  return build.Add(build.Cast(parts.real, {.dtype = dtype}),
                   build.Mul(build.Cast(parts.imaginary, {.dtype = dtype}), unit));
}

StatusOr<GraphValue> ExtremeNumber(OpBuilder& build, DType dtype, bool is_lowest) {
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) {
    const double most = dtype == DType::kFloat16 ? 65504 : 3.3895313892515355e38;
    return Number(build, is_lowest ? -most : most, dtype);
  }
  return VisitDType(dtype, [&]<class T>(TypeTag<T>) -> StatusOr<GraphValue> {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      return build.Constant(Tensor::Scalar(is_lowest ? std::numeric_limits<T>::lowest()
                                                     : std::numeric_limits<T>::max()));
    } else {
      return Unimplemented("unsupported dtype `", NameOf(dtype), "`");
    }
  });
}

Status CheckSparseIndices(OpBuilder& build, const Expr& indices, const Expr& shape, bool in_order) {
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.ReduceAll(build.LogicalAnd(build.GreaterEqual(indices, 0), build.Less(indices, shape))),
      InvalidArgument("expected indices within the shape")));
  if (!in_order) return absl::OkStatus();
  Expr places = build.RavelIndices(indices, shape);
  Expr first = build.Slice(places, {.starts = {0}, .limits = {-1}, .axes = {0}});
  Expr second = build.Slice(places, {.starts = {1}, .limits = {INT64_MAX}, .axes = {0}});
  return CheckCondition(build, build.ReduceAll(build.Less(first, second)),
                        InvalidArgument("expected different indices in ascending order"));
}

DType DTypeAt(TfInputs inputs, size_t i) { return TensorDType(Operand(inputs[i])); }

}  // namespace signet
