#include "core/ops/onnx/inputs.h"

#include <utility>

#include <absl/container/flat_hash_map.h>

#include "core/ops/inference.h"
#include "core/ops/literal_dtype.h"

namespace signet {

int64_t OpsetOf(const OpCall& call) {
  auto version = call.attributes.Int("opset");
  SIGNET_CHECK(version.ok());
  return *version;
}

bool IsGiven(std::span<const GraphValue> inputs, size_t i) {
  return i < inputs.size() && inputs[i].spec && !IsNone(inputs[i].spec);
}

GraphValue InputOr(std::span<const GraphValue> inputs, size_t i, GraphValue otherwise) {
  return IsGiven(inputs, i) ? inputs[i] : std::move(otherwise);
}

StatusOr<const TensorSpec*> TensorAt(std::span<const GraphValue> inputs, size_t i) {
  if (!IsGiven(inputs, i)) return InvalidArgument("input ", i, " is left out");
  const auto* tensor = inputs[i].spec.As<TensorSpec>();
  if (tensor != nullptr) return tensor;
  return InvalidArgument("input ", i, " is `", inputs[i].spec, "`; takes a tensor");
}

StatusOr<int> RankAt(std::span<const GraphValue> inputs, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* tensor, TensorAt(inputs, i));
  if (tensor->shape().has_rank()) return tensor->shape().rank();
  return Unimplemented("input ", i, " is `", inputs[i].spec, "`; takes a tensor of known rank");
}

std::optional<std::vector<int64_t>> KnownInts(const Expander& expander,
                                              std::span<const GraphValue> inputs, size_t i) {
  if (!IsGiven(inputs, i) || !inputs[i].spec.is(TypeKind::kTensor)) return std::nullopt;
  const Tensor* known = expander.LookupConstant(inputs[i].components[0]);
  if (known == nullptr || !IsIndexDType(known->dtype())) return std::nullopt;
  return IntsOf(*known);
}

StatusOr<std::optional<std::vector<int64_t>>> IntsOrInput(const Expander& expander,
                                                          const OpCall& call,
                                                          std::span<const GraphValue> inputs,
                                                          std::string_view name, size_t i) {
  if (IsGiven(inputs, i)) {
    auto known = KnownInts(expander, inputs, i);
    if (known) return known;
    return Unimplemented("input ", i, " (", name, ") is not known before the function runs");
  }
  return OptionalInts(call.attributes, name);
}

StatusOr<GraphValue> CastTo(Expander& expander, const GraphValue& x, DType dtype) {
  if (x.spec.As<TensorSpec>()->dtype() == dtype) return x;
  return expander.Call1("cast", {x}, Attributes({{"dtype", AttributeOf(dtype)}}));
}

namespace {

// The expansions of operators on tensors, by op. Written while ops are made, which one thread does.
absl::flat_hash_map<std::string, ExpandFn>& ExpansionsOnTensors() {
  static auto* const expansions = new absl::flat_hash_map<std::string, ExpandFn>;
  return *expansions;
}

StatusOr<std::vector<GraphValue>> ExpandOnTensors(Expander& expander, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (IsGiven(inputs, i)) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  }
  return ExpansionsOnTensors().at(call.op.name)(expander, call, inputs);
}

}  // namespace

OpDef OnnxOp(std::string name, std::string summary, std::vector<std::string> inputs,
             std::vector<AttributeDef> attributes, ExpandFn expand) {
  ExpansionsOnTensors().insert_or_assign(name, expand);
  return OnnxOpOnValues(std::move(name), std::move(summary), std::move(inputs),
                        std::move(attributes), ExpandOnTensors);
}

OpDef OnnxOpOnValues(std::string name, std::string summary, std::vector<std::string> inputs,
                     std::vector<AttributeDef> attributes, ExpandFn expand) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .inputs = std::move(inputs),
          .attributes = std::move(attributes),
          .expand = expand,
          .literals_as_tensors = false};
}

}  // namespace signet
