#include "core/frontends/onnx/lower/build/inputs.h"

#include <utility>

#include <absl/container/flat_hash_map.h>

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/literal_dtype.h"

namespace signet {

int64_t OpsetOf(const OpCall& call) {
  auto version = call.attributes.Int("opset");
  SIGNET_CHECK(version.ok());  // ExpandOnnxOp checked it
  return *version;
}

bool IsGiven(std::span<const GraphValue> inputs, size_t i) {
  return i < inputs.size() && inputs[i].spec && !IsNone(inputs[i].spec);
}

GraphValue InputOr(std::span<const GraphValue> inputs, size_t i, GraphValue otherwise) {
  if (IsGiven(inputs, i)) return inputs[i];
  return otherwise;
}

StatusOr<const TensorSpec*> TensorAt(std::span<const GraphValue> inputs, size_t i) {
  if (!IsGiven(inputs, i)) return InvalidArgument("missing input ", i);
  const auto* tensor = inputs[i].spec.As<TensorSpec>();
  if (tensor != nullptr) return tensor;
  return InvalidArgument("input ", i, ": expected a tensor, found `", inputs[i].spec, "`");
}

StatusOr<int> RankAt(std::span<const GraphValue> inputs, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* tensor, TensorAt(inputs, i));
  if (tensor->shape().has_rank()) return tensor->shape().rank();
  return Unimplemented("input ", i, ": expected a tensor of known rank, found `", inputs[i].spec,
                       "`");
}

std::optional<std::vector<int64_t>> KnownInts(const OpBuilder& build,
                                              std::span<const GraphValue> inputs, size_t i) {
  if (!IsGiven(inputs, i) || !inputs[i].spec.is(TypeKind::kTensor)) return std::nullopt;
  const Tensor* known = build.LookupConstant(inputs[i].components[0]);
  if (known == nullptr || !IsIndexDType(known->dtype())) return std::nullopt;
  return IntsOf(*known);
}

namespace {

// The expansion of one ONNX operator.
struct OnnxExpansion {
  ExpandFn expand;
  bool tensors_only;  // rejects inputs that are not tensors
};

// Returns the expansions by op. They are added while the registry is built, on one thread.
absl::flat_hash_map<std::string, OnnxExpansion>& Expansions() {
  static auto* const expansions = new absl::flat_hash_map<std::string, OnnxExpansion>;
  return *expansions;
}

// Checks the conditions of all ONNX operators, then expands the call. A native model may call these
// ops too, with any attributes and inputs.
StatusOr<std::vector<GraphValue>> ExpandOnnxOp(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  if (call.attributes.Has("opset")) {
    SIGNET_RETURN_IF_ERROR(call.attributes.Int("opset").status());
  }
  const OnnxExpansion& expansion = Expansions().at(call.op.name);
  if (expansion.tensors_only && !inputs.empty() && !IsGiven(inputs, 0) &&
      !call.op.inputs[0].ends_with('?')) {
    return InvalidArgument("missing input 0 (", call.op.inputs[0], ")");
  }
  for (size_t i = 0; expansion.tensors_only && i < inputs.size(); ++i) {
    if (IsGiven(inputs, i)) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  }
  return expansion.expand(build, call, inputs);
}

OpDef MakeOnnxOp(std::string name, std::string summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, OnnxExpansion expansion) {
  Expansions().insert_or_assign(name, expansion);
  return {.name = std::move(name),
          .summary = std::move(summary),
          .inputs = std::move(inputs),
          .attributes = std::move(attributes),
          .expand = ExpandOnnxOp,
          .literals_as_tensors = false};
}

}  // namespace

std::string ContribName(std::string_view name) { return Cat("onnx.com.microsoft.", name); }

OpDef OnnxOp(std::string name, std::string summary, std::vector<std::string> inputs,
             std::vector<AttributeDef> attributes, ExpandFn expand) {
  return MakeOnnxOp(std::move(name), std::move(summary), std::move(inputs), std::move(attributes),
                    {expand, true});
}

OpDef OnnxOpOnValues(std::string name, std::string summary, std::vector<std::string> inputs,
                     std::vector<AttributeDef> attributes, ExpandFn expand) {
  return MakeOnnxOp(std::move(name), std::move(summary), std::move(inputs), std::move(attributes),
                    {expand, false});
}

}  // namespace signet
