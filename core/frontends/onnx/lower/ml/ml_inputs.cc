#include "core/frontends/onnx/lower/ml/ml_inputs.h"

#include <algorithm>
#include <utility>

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {

GraphValue ListInputs::Get(std::string_view name) const {
  const auto& names = call_.op.inputs;
  auto found = std::find(names.begin(), names.end(), Cat(name, "?"));
  SIGNET_CHECK(found != names.end());
  return InputOr(inputs_, static_cast<size_t>(found - names.begin()));
}

StatusOr<const Tensor*> ListInputs::Known(std::string_view name) const {
  GraphValue value = Get(name);
  if (!value.spec) return nullptr;
  if (!value.spec.is(TypeKind::kTensor)) {
    return InvalidArgument(name, ": expected a tensor, found `", value.spec, "`");
  }
  const Tensor* known = build_.LookupConstant(value.components[0]);
  if (known != nullptr) return known;
  return Unimplemented(name, ": expected a value that is known before the function runs");
}

StatusOr<std::vector<int64_t>> ListInputs::Ints(std::string_view name) const {
  SIGNET_ASSIGN_OR_RETURN(const Tensor* known, Known(name));
  if (known == nullptr) return std::vector<int64_t>();
  if (known->dtype() == DType::kUInt8) {
    auto bytes = known->elements<uint8_t>();
    return std::vector<int64_t>(bytes.begin(), bytes.end());
  }
  if (IsIndexDType(known->dtype())) return IntsOf(*known);
  return InvalidArgument(name, ": expected integers, found `", known->spec(), "`");
}

StatusOr<std::vector<double>> ListInputs::Numbers(std::string_view name) const {
  SIGNET_ASSIGN_OR_RETURN(const Tensor* known, Known(name));
  if (known == nullptr) return std::vector<double>();
  if (known->dtype() == DType::kFloat64) {
    auto numbers = known->elements<double>();
    return std::vector<double>(numbers.begin(), numbers.end());
  }
  if (known->dtype() == DType::kFloat32) {
    auto numbers = known->elements<float>();
    return std::vector<double>(numbers.begin(), numbers.end());
  }
  return InvalidArgument(name, ": expected float32 or float64, found `", known->spec(), "`");
}

StatusOr<std::vector<std::string>> ListInputs::Strings(std::string_view name) const {
  SIGNET_ASSIGN_OR_RETURN(const Tensor* known, Known(name));
  std::vector<std::string> out;
  if (known == nullptr) return out;
  if (!known->is_string()) {
    return InvalidArgument(name, ": expected strings, found `", known->spec(), "`");
  }
  for (int64_t i = 0; i < known->num_elements(); ++i) out.emplace_back(known->string_at(i));
  return out;
}

StatusOr<std::vector<double>> ListInputs::NumbersOrTensor(std::string_view name) const {
  std::string as_tensor = Cat(name, "_as_tensor");
  return Numbers(Has(as_tensor) ? std::string_view(as_tensor) : name);
}

std::vector<std::string> InputsAndLists(std::vector<std::string> inputs,
                                        std::initializer_list<std::string_view> lists) {
  for (std::string_view list : lists) inputs.push_back(Cat(list, "?"));
  return inputs;
}

GraphValue NumbersConstant(OpBuilder& build, DType dtype, std::span<const double> numbers,
                           PartialShape shape) {
  Shape own{static_cast<int64_t>(numbers.size())};
  if (shape.has_rank()) own = Shape(shape.dims());
  if (dtype == DType::kFloat64) return build.Constant(Tensor::Of<double>(own, numbers));
  std::vector<float> narrow(numbers.size());
  std::transform(numbers.begin(), numbers.end(), narrow.begin(),
                 [](double number) { return static_cast<float>(number); });
  return build.Constant(Tensor::Of<float>(own, std::span<const float>(narrow)));
}

GraphValue NumberConstant(OpBuilder& build, DType dtype, double number) {
  switch (dtype) {
    case DType::kFloat64:
      return build.Constant(Tensor::Scalar(number));
    case DType::kInt32:
      return build.Constant(Tensor::Scalar(static_cast<int32_t>(number)));
    case DType::kInt64:
      return build.Constant(Tensor::Scalar(static_cast<int64_t>(number)));
    default:
      return build.Constant(Tensor::Scalar(static_cast<float>(number)));
  }
}

StatusOr<GraphValue> FloatRows(OpBuilder& build, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  if (rank != 1 && rank != 2) {
    return InvalidArgument("input 0: expected a row or a matrix of rows, found `", inputs[0].spec,
                           "`");
  }
  GraphValue rows = inputs[0];
  if (rank == 1) {
    SIGNET_ASSIGN_OR_RETURN(rows, build.ExpandDims(rows, {.axis = 0}));
  }
  if (x->dtype() == DType::kFloat64) return rows;
  return CastTo(build, rows, DType::kFloat32);
}

StatusOr<GraphValue> Float32Rows(OpBuilder& build, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, FloatRows(build, inputs));
  return CastTo(build, rows, DType::kFloat32);
}

StatusOr<ClassLabels> LabelsOf(const ListInputs& lists, std::string_view ints) {
  for (std::string_view name : {std::string_view("classlabels_strings"), ints}) {
    SIGNET_ASSIGN_OR_RETURN(const Tensor* labels, lists.Known(name));
    if (labels == nullptr || labels->num_elements() == 0) continue;
    if (labels->rank() != 1 || (!labels->is_string() && labels->dtype() != DType::kInt64)) {
      return InvalidArgument(name, ": expected a list, found `", labels->spec(), "`");
    }
    return ClassLabels{lists.Get(name), labels->num_elements()};
  }
  return InvalidArgument("expected classlabels_strings or ", ints, ", found neither");
}

StatusOr<GraphValue> LabelAt(OpBuilder& build, const ClassLabels& labels, const GraphValue& index) {
  const Tensor* known = build.LookupConstant(labels.labels.components[0]);
  if (known != nullptr && known->dtype() == DType::kInt64) {
    // Often the labels are equal to the indices.
    auto elements = known->elements<int64_t>();
    bool same = true;
    for (size_t i = 0; i < elements.size(); ++i) same &= elements[i] == static_cast<int64_t>(i);
    if (same) return index;
  }
  return build.Gather(labels.labels, index);
}

StatusOr<GraphValue> GreatestColumn(OpBuilder& build, const GraphValue& scores) {
  return build.Argmax(scores, {.axis = 1});
}

namespace {

using Values = std::vector<GraphValue>;

// Returns the softmax, except that elements that are 0 remain 0.
Expr SoftmaxZero(OpBuilder& build, const GraphValue& x, DType dtype) {
  auto number = [&](double value) { return NumberConstant(build, dtype, value); };
  Expr most = build.ReduceMax(x, {.axes = 1, .keepdims = true});
  Expr counts = build.Greater(build.Abs(x), number(1e-7));
  Expr shares = build.Select(counts, build.Exp(x - most), number(0));
  return shares / build.ReduceSum(shares, {.axes = 1, .keepdims = true});
}

// Returns sqrt(2) * erfinv(2 x - 1), by Winitzki's approximation (2008), which ONNX Runtime uses.
Expr Probit(OpBuilder& build, const GraphValue& x, DType dtype) {
  constexpr double kA = 0.147;
  auto number = [&](double value) { return NumberConstant(build, dtype, value); };
  Expr y = build.Mul(x, number(2)) - number(1);
  Expr log = build.Log((number(1) - y) * (y + number(1)));
  Expr v = log * number(0.5) + number(2 / (3.14159 * kA));
  Expr root = build.Sqrt(build.Square(v) - log * number(1 / kA));
  return build.Sqrt(root - v) * build.Sign(y) * number(1.41421356);
}

}  // namespace

StatusOr<GraphValue> PostTransform(OpBuilder& build, const GraphValue& scores,
                                   std::string_view transform) {
  DType dtype = scores.spec.As<TensorSpec>()->dtype();
  if (transform == "NONE") return scores;
  if (transform == "LOGISTIC") return build.Sigmoid(scores);
  if (transform == "SOFTMAX") return build.Softmax(scores);
  if (transform == "SOFTMAX_ZERO") return SoftmaxZero(build, scores, dtype);
  if (transform == "PROBIT") return Probit(build, scores, dtype);
  return InvalidArgument(
      "post_transform: expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, or PROBIT, found `",
      Printable(transform), "`");
}

GraphValue TextConstant(OpBuilder& build, std::string_view text) {
  return build.Constant(Tensor::Strings({}, {&text, 1}));
}

}  // namespace signet
