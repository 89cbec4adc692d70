#include "core/frontends/onnx/lower/build/formula.h"

#include <algorithm>
#include <utility>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/values/blank.h"

namespace signet {

Attributes ListOf(std::string_view name, std::span<const int64_t> values) {
  return Attributes({{std::string(name), AttributeOf(values)}});
}

StatusOr<std::vector<GraphValue>> Formula::Give(GraphValue value) const {
  return Give(std::vector<GraphValue>{std::move(value)});
}

StatusOr<std::vector<GraphValue>> Formula::Give(std::vector<GraphValue> values) const {
  SIGNET_RETURN_IF_ERROR(status_);
  return values;
}

std::vector<GraphValue> Formula::Call(std::string_view op, std::span<const GraphValue> inputs,
                                      const Attributes& attributes) {
  if (!status_.ok()) return {};
  auto outputs = build_.Call(op, inputs, attributes);
  if (outputs.ok()) return *std::move(outputs);
  status_.Update(outputs.status());
  return {};
}

GraphValue Formula::operator()(std::string_view op, std::initializer_list<GraphValue> inputs,
                               const Attributes& attributes) {
  if (!status_.ok()) return {};
  return Take(StatusOr<GraphValue>(
      build_.CallOne(op, std::span(inputs.begin(), inputs.size()), attributes)));
}

GraphValue Formula::Int(int64_t value) { return Int64Constant(build_, value); }

GraphValue Formula::Ints(std::span<const int64_t> values) {
  return build_.Constant(Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

GraphValue Formula::Zero(DType dtype) {
  auto blank = BlankScalar(dtype);
  if (blank.ok()) return build_.Constant(*std::move(blank));
  status_.Update(blank.status());
  return {};
}

std::optional<std::vector<int64_t>> Formula::Known(const GraphValue& value) const {
  if (!value.spec || !value.spec.is(TypeKind::kTensor)) return std::nullopt;
  const Tensor* known = build_.LookupConstant(value.components[0]);
  if (known == nullptr || !IsIndexDType(known->dtype())) return std::nullopt;
  return IntsOf(*known);
}

std::optional<int64_t> Formula::KnownInt(const GraphValue& value) const {
  auto known = Known(value);
  if (!known || known->size() != 1) return std::nullopt;
  return known->front();
}

GraphValue Formula::Size(const GraphValue& x, int axis) {
  if (!status_.ok()) return {};
  return Take(DimSize(build_, x, axis));
}

GraphValue Formula::Sizes(const GraphValue& x, int begin, int end) {
  std::vector<GraphValue> sizes;
  for (int axis = begin; axis < end; ++axis) sizes.push_back(Size(x, axis));
  return Stack(sizes);
}

GraphValue Formula::Product(const GraphValue& x, int begin, int end) {
  if (!status_.ok()) return {};
  const PartialShape* shape = x.spec ? x.spec.shape() : nullptr;
  if (shape == nullptr || !shape->has_rank() || begin < 0 || end > shape->rank()) {
    status_.Update(InvalidArgument("expected a tensor with dimensions ", begin, " to ", end,
                                   ", found `", x.spec ? x.spec.ToString() : "None", "`"));
    return {};
  }
  if (begin >= end) return Int(1);
  int64_t known = KnownProduct(*shape, begin, end);
  if (known != kUnknownDim) return Int(known);
  GraphValue product = Size(x, begin);
  for (int axis = begin + 1; axis < end; ++axis) {
    if (x.spec.shape()->dim(axis) != 1) product = (*this)("mul", {product, Size(x, axis)});
  }
  return product;
}

GraphValue Formula::Range(const GraphValue& count) { return (*this)("range", {count}); }

GraphValue Formula::Stack(std::span<const GraphValue> sizes) {
  if (sizes.empty()) return Ints({});
  std::vector<GraphValue> stacked = Call("stack", sizes);
  return stacked.empty() ? GraphValue{} : stacked[0];
}

GraphValue Formula::Cast(const GraphValue& x, DType dtype) {
  if (!status_.ok()) return {};  // `dtype` may be what Take returned for an error, which is none
  const auto* tensor = x.spec ? x.spec.As<TensorSpec>() : nullptr;
  if (tensor != nullptr && tensor->dtype() == dtype) return x;
  return (*this)("cast", {x}, Attributes({{"dtype", AttributeOf(dtype)}}));
}

GraphValue Formula::Reshape(const GraphValue& x, std::span<const int64_t> dims) {
  return (*this)("reshape", {x}, ListOf("shape", dims));
}

GraphValue Formula::ReshapeTo(const GraphValue& x, std::span<const GraphValue> sizes) {
  if (!status_.ok()) return {};
  std::vector<int64_t> dims;
  for (const GraphValue& size : sizes) dims.push_back(KnownInt(size).value_or(-1));
  auto unknown = std::count(dims.begin(), dims.end(), -1);
  bool has_zero = std::find(dims.begin(), dims.end(), 0) != dims.end();
  if (unknown == 0 || (unknown == 1 && !has_zero)) return Reshape(x, dims);
  return (*this)("reshape", {x, Stack(sizes)});
}

GraphValue Formula::Transpose(const GraphValue& x, std::initializer_list<int64_t> perm) {
  return (*this)("transpose", {x}, ListOf("perm", {perm.begin(), perm.size()}));
}

GraphValue Formula::Gather(const GraphValue& x, const GraphValue& indices, int axis) {
  return (*this)("gather", {x, indices}, Attributes({{"axis", AttributeOf(axis)}}));
}

GraphValue Formula::FromStart(const GraphValue& indices, const GraphValue& size) {
  if (!status_.ok()) return {};
  auto known = Known(indices);
  if (known && std::all_of(known->begin(), known->end(), [](int64_t i) { return i >= 0; })) {
    return indices;
  }
  GraphValue wide = Cast(indices, DType::kInt64);
  return (*this)("select", {(*this)("less", {wide, Int(0)}), (*this)("add", {wide, size}), wide});
}

}  // namespace signet
