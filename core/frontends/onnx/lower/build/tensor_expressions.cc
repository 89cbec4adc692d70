#include "core/frontends/onnx/lower/build/tensor_expressions.h"

#include <algorithm>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/ops/def/inference.h"
#include "core/values/zero_scalar.h"

namespace signet {

namespace {

// Returns the type of `x`, or null if there is none.
TypeSpec SpecOf(const Operand& x) { return x.value().ok() ? x.value()->spec : TypeSpec(); }

}  // namespace

bool IsGiven(const Operand& x) { return !x.value().ok() || x.value()->spec; }

DType TensorDType(const Operand& x) {
  TypeSpec spec = SpecOf(x);
  const auto* tensor = spec ? spec.As<TensorSpec>() : nullptr;
  return tensor == nullptr ? DType::kFloat32 : tensor->dtype();
}

StatusOr<int> TensorRank(const Operand& x) {
  SIGNET_RETURN_IF_ERROR(x.value().status());
  return RankAt({&*x.value(), 1}, 0);
}

int64_t KnownSize(const Operand& x, int axis) {
  TypeSpec spec = SpecOf(x);
  const PartialShape* shape = spec ? spec.shape() : nullptr;
  bool has_axis = shape != nullptr && shape->has_rank() && axis >= 0 && axis < shape->rank();
  return has_axis ? shape->dim(axis) : kUnknownDim;
}

std::optional<std::vector<int64_t>> KnownInts(const OpBuilder& build, const Operand& x) {
  if (!x.value().ok()) return std::nullopt;
  return KnownInts(build, {&*x.value(), 1}, 0);
}

std::optional<int64_t> KnownInt(const OpBuilder& build, const Operand& x) {
  auto known = KnownInts(build, x);
  if (!known || known->size() != 1) return std::nullopt;
  return known->front();
}

GraphValue Ints(OpBuilder& build, std::span<const int64_t> values) {
  return build.Constant(Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

Expr Zero(OpBuilder& build, DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(auto blank, ZeroScalar(dtype));
  return build.AsExpr(build.Constant(std::move(blank)));
}

Expr Number(OpBuilder& build, double value, DType dtype) {
  return CastTo(build, build.Constant(Tensor::Scalar(value)), dtype);
}

Expr Number(OpBuilder& build, double value, const Operand& like) {
  SIGNET_RETURN_IF_ERROR(like.value().status());
  return Number(build, value, TensorDType(like));
}

Expr DimSizes(OpBuilder& build, const Operand& x, int begin, int end) {
  std::vector<Operand> sizes;
  for (int axis = begin; axis < end; ++axis) sizes.push_back(DimSize(build, x, axis));
  return StackScalars(build, sizes);
}

Expr DimProduct(OpBuilder& build, const Operand& x, int begin, int end) {
  SIGNET_RETURN_IF_ERROR(x.value().status());
  const TypeSpec& spec = x.value()->spec;
  const PartialShape* shape = spec ? spec.shape() : nullptr;
  if (shape == nullptr || !shape->has_rank() || begin < 0 || end > shape->rank()) {
    return InvalidArgument("expected a tensor with dimensions ", begin, " to ", end, ", found `",
                           spec ? spec.ToString() : "None", "`");
  }
  int64_t known = begin >= end ? 1 : KnownProduct(*shape, begin, end);
  if (known != kUnknownDim) return build.AsExpr(Int64Constant(build, known));
  Expr product = DimSize(build, x, begin);
  for (int axis = begin + 1; axis < end; ++axis) {
    if (shape->dim(axis) != 1) product = product * DimSize(build, x, axis);
  }
  return product;
}

Expr StackScalars(OpBuilder& build, const Operands& scalars) {
  SIGNET_RETURN_IF_ERROR(scalars.values().status());
  return scalars.values()->empty() ? build.AsExpr(Ints(build, {})) : build.Stack(scalars);
}

Expr CastTo(OpBuilder& build, const Operand& x, DType dtype) {
  SIGNET_RETURN_IF_ERROR(x.value().status());
  const auto* tensor = x.value()->spec ? x.value()->spec.As<TensorSpec>() : nullptr;
  if (tensor != nullptr && tensor->dtype() == dtype) return build.AsExpr(x);
  return build.Cast(x, {.dtype = dtype});
}

Expr AsFloat(OpBuilder& build, const Operand& x) {
  return IsInteger(TensorDType(x)) ? CastTo(build, x, DType::kFloat64) : build.AsExpr(x);
}

Expr AsWideFloat(OpBuilder& build, const Operand& x) {
  DType dtype = TensorDType(x);
  bool half = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  return half ? CastTo(build, x, DType::kFloat32) : AsFloat(build, x);
}

Expr ReshapeTo(OpBuilder& build, const Operand& x, const Operands& sizes) {
  SIGNET_RETURN_IF_ERROR(x.value().status());
  SIGNET_RETURN_IF_ERROR(sizes.values().status());
  std::vector<int64_t> dims;
  for (const GraphValue& size : *sizes.values()) {
    dims.push_back(KnownInt(build, size).value_or(-1));
  }
  auto unknown = std::count(dims.begin(), dims.end(), -1);
  bool has_zero = std::find(dims.begin(), dims.end(), 0) != dims.end();
  if (unknown == 0 || (unknown == 1 && !has_zero)) return build.Reshape(x, {.shape = dims});
  return build.Reshape(x, StackScalars(build, sizes));
}

Expr ReshapeLike(OpBuilder& build, const Operand& x, const Operand& like) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(like));
  std::vector<Operand> sizes;
  for (int axis = 0; axis < rank; ++axis) sizes.push_back(DimSize(build, like, axis));
  return ReshapeTo(build, x, sizes);
}

Expr AsScalar(OpBuilder& build, const Operand& x) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  return rank == 0 ? build.AsExpr(x) : build.Reshape(x, {.shape = {}});
}

Expr WithTrailingOnes(OpBuilder& build, const Operand& x, int count) {
  Expr out = build.AsExpr(x);
  for (int i = 0; i < count; ++i) out = build.ExpandDims(out, {.axis = -1});
  return out;
}

Expr Permute(OpBuilder& build, const Operand& x, std::span<const int64_t> perm) {
  bool same = true;
  for (size_t i = 0; i < perm.size(); ++i) same = same && perm[i] == static_cast<int64_t>(i);
  return same ? build.AsExpr(x) : build.Transpose(x, {.perm = perm});
}

Expr FromStart(OpBuilder& build, const Operand& indices, const Operand& size) {
  SIGNET_RETURN_IF_ERROR(indices.value().status());
  auto known = KnownInts(build, indices);
  if (known && std::all_of(known->begin(), known->end(), [](int64_t i) { return i >= 0; })) {
    return build.AsExpr(indices);
  }
  Expr wide = CastTo(build, indices, DType::kInt64);
  Expr below = build.Less(wide, 0);
  return build.Select(below, wide + size, wide);
}

}  // namespace signet
