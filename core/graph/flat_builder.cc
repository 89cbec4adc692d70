#include "core/graph/flat_builder.h"

#include <algorithm>
#include <optional>

#include "core/base/hash.h"
#include "core/function/cast.h"
#include "core/graph/run_kernel.h"
#include "core/types/extension_spec.h"
#include "core/types/literal_spec.h"
#include "core/types/ragged_spec.h"
#include "core/types/tensor_spec.h"

namespace signet {
namespace {

bool IsPlain(const TypeSpec& spec) {
  return spec.is(TypeKind::kLiteral) ||
         ((spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple)) && IsStatic(spec));
}

bool IsNone(const TypeSpec& spec) {
  const auto* literal = spec.As<LiteralSpec>();
  return literal != nullptr && literal->literal().is(Literal::Kind::kNone);
}

DType JoinedDType(std::span<const TypeSpec> specs);

// What a literal, or a list of such, becomes by itself.
DType DefaultDType(const TypeSpec& spec) {
  if (const auto* literal = spec.As<LiteralSpec>()) {
    switch (literal->literal().kind()) {
      case Literal::Kind::kBool:
        return DType::kBool;
      case Literal::Kind::kFloat:
        return DType::kFloat32;
      case Literal::Kind::kString:
        return DType::kString;
      case Literal::Kind::kInt: {
        auto value = literal->literal().AsInt64();
        bool narrow = value && *value >= INT32_MIN && *value <= INT32_MAX;
        return narrow ? DType::kInt32 : DType::kInt64;
      }
      case Literal::Kind::kNone:
        break;
    }
    return DType::kFloat32;
  }
  return JoinedDType(spec.children());
}

// What literals that share a dtype become: ints with a float among them are floats; a wide int
// widens the others.
DType JoinedDType(std::span<const TypeSpec> specs) {
  DType joined = DType::kInt32;
  for (const TypeSpec& spec : specs) {
    DType dtype = DefaultDType(spec);
    if (!IsInteger(dtype) || dtype == DType::kInt64) joined = dtype;
    if (!IsInteger(joined)) return joined;
  }
  return specs.empty() ? DType::kFloat32 : joined;
}

std::optional<DType> TensorDType(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return tensor->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  return std::nullopt;
}

// The dtype of the inputs of `op` that have none of their own: that of their first tensor; without
// one, what their literals make together.
DType SharedDType(const OpDef& op, std::span<const GraphValue> inputs) {
  std::vector<TypeSpec> literals;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TypeSpec& spec = inputs[i].spec;
    if (!spec || HasOwnDType(op, i)) continue;
    if (auto dtype = TensorDType(spec)) return *dtype;
    if (IsPlain(spec) && !IsNone(spec)) literals.push_back(spec);
  }
  return JoinedDType(literals);
}

std::string TypesOf(std::span<const GraphValue> values) {
  std::vector<TypeSpec> types;
  for (const GraphValue& value : values) types.push_back(value.spec);
  return Join(types, "`, `");
}

constexpr size_t kSharedConstantBytes = 4096;  // larger constants are not worth comparing

uint64_t HashTensor(const Tensor& tensor) {
  uint64_t hash = static_cast<uint64_t>(tensor.dtype());
  for (int64_t dim : tensor.shape().dims()) hash = MixHash(hash, static_cast<uint64_t>(dim));
  return MixHash(MixHash(hash, HashBytes(tensor.data().text())), HashBytes(tensor.bytes().text()));
}

}  // namespace

int FlatBuilder::AddEdge(TypeSpec spec, Tensor constant) {
  graph_.edges.push_back({std::move(spec), std::move(constant)});
  return static_cast<int>(graph_.edges.size()) - 1;
}

int FlatBuilder::AddConstant(const Tensor& tensor) {
  if (!options_.optimize || tensor.num_bytes() > kSharedConstantBytes) {
    return AddEdge(tensor.spec(), tensor);
  }
  uint64_t hash = HashTensor(tensor);
  auto [first, last] = constants_.equal_range(hash);
  for (; first != last; ++first) {
    const Tensor& known = graph_.edges[static_cast<size_t>(first->second)].constant;
    if (SameTensor(known, tensor)) return first->second;
  }
  int edge = AddEdge(tensor.spec(), tensor);
  constants_.emplace(hash, edge);
  return edge;
}

GraphValue FlatBuilder::AddInput(const TypeSpec& spec) {
  GraphValue value{spec, {}};
  for (const ComponentSpec& component : ComponentsOf(spec)) {
    value.components.push_back(AddEdge(component.spec));
  }
  graph_.num_inputs = static_cast<int>(graph_.edges.size());
  return value;
}

GraphValue FlatBuilder::Constant(const Value& value) {
  GraphValue constant{value.spec(), {}};
  for (const Tensor& tensor : value.components())
    constant.components.push_back(AddConstant(tensor));
  return constant;
}

const Tensor* FlatBuilder::LookupConstant(int edge) const {
  const Tensor& tensor = graph_.edges[static_cast<size_t>(edge)].constant;
  return tensor.has_value() ? &tensor : nullptr;
}

StatusOr<std::vector<GraphValue>> FlatBuilder::Call(std::string_view op,
                                                    std::span<const GraphValue> inputs,
                                                    const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(const OpDef* def, OpRegistry::Builtin().Find(op));
  return Call(*def, inputs, attributes);
}

StatusOr<std::vector<GraphValue>> FlatBuilder::Call(const OpDef& op,
                                                    std::span<const GraphValue> inputs,
                                                    const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(CheckArity(op, inputs.size()));
  SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(op, attributes));
  std::vector<GraphValue> converted;
  if (op.literals_as_tensors) {
    SIGNET_ASSIGN_OR_RETURN(converted, TensorsForLiterals(op, inputs));
    inputs = converted;
  }
  bool all_tensors = std::all_of(inputs.begin(), inputs.end(), [](const GraphValue& input) {
    return !input.spec || input.spec.is(TypeKind::kTensor);
  });
  if (all_tensors && op.infer != nullptr) return CallOnTensors(op, inputs, complete);
  if (op.expand == nullptr) {
    return Unimplemented("`", op.name, "` on `", TypesOf(inputs), "`; takes tensors");
  }
  if (depth_ == options_.max_depth) {
    return ResourceExhausted("expansion of `", op.name, "` goes deeper than ", options_.max_depth);
  }
  std::vector<TypeSpec> specs;
  for (const GraphValue& input : inputs) specs.push_back(input.spec);
  ++depth_;
  auto outputs = op.expand(*this, {op, specs, complete}, inputs);
  --depth_;
  return outputs;
}

StatusOr<std::vector<GraphValue>> FlatBuilder::TensorsForLiterals(
    const OpDef& op, std::span<const GraphValue> inputs) {
  std::vector<GraphValue> out(inputs.begin(), inputs.end());
  const DType shared = SharedDType(op, inputs);
  for (size_t i = 0; i < out.size(); ++i) {
    TypeSpec spec = out[i].spec;
    if (!spec || !IsPlain(spec)) continue;
    if (IsNone(spec)) {  // an optional input left out
      out[i] = GraphValue{};
      continue;
    }
    DType dtype = HasOwnDType(op, i) ? DefaultDType(spec) : shared;
    auto tensor = CastTo(Value::Trusted(spec, {}), TensorType(dtype, PartialShape()));
    if (!tensor.ok()) return At(Cat("input ", i, " of `", op.name, "`"), tensor.status());
    out[i] = Constant(*tensor);
  }
  return out;
}

StatusOr<bool> FlatBuilder::Fold(const OpDef& op, const OpCall& call,
                                 std::span<const TypeSpec> types,
                                 std::vector<Tensor>& outputs) const {
  if (!options_.optimize || !op.foldable || call.inputs.empty()) return false;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i] && call.constants[i] == nullptr) return false;
  }
  for (const TypeSpec& type : types) {
    const auto& spec = *type.As<TensorSpec>();
    auto elements = spec.shape().num_elements();
    if (elements && static_cast<size_t>(*elements) > options_.max_folded_bytes / 16) return false;
  }
  SIGNET_ASSIGN_OR_RETURN(outputs, RunKernelOnce(call, types));
  return true;
}

StatusOr<std::vector<GraphValue>> FlatBuilder::CallOnTensors(const OpDef& op,
                                                             std::span<const GraphValue> inputs,
                                                             const Attributes& attributes) {
  FlatNode node{&op, {}, attributes, {}};
  uint64_t fingerprint = MixHash(HashBytes(op.name), attributes.fingerprint());
  for (const GraphValue& input : inputs) {
    node.inputs.push_back(input.spec ? input.components[0] : kNoEdge);
    fingerprint = MixHash(fingerprint, static_cast<uint64_t>(node.inputs.back()));
  }
  auto values = [&](const std::vector<int>& edges) {
    std::vector<GraphValue> out;
    for (int edge : edges) out.push_back({graph_.edges[static_cast<size_t>(edge)].spec, {edge}});
    return out;
  };
  if (options_.optimize && op.foldable) {
    auto [first, last] = calls_.equal_range(fingerprint);
    for (; first != last; ++first) {
      const FlatNode& made = graph_.nodes[first->second];
      if (made.op == &op && made.inputs == node.inputs && made.attributes == attributes) {
        return values(made.outputs);
      }
    }
  }
  NodeInputs known = InputsOf(graph_, node.inputs);
  OpCall call{op, known.specs, attributes, known.constants};
  auto types = op.infer(call);
  if (!types.ok()) return At(Cat("`", op.name, "`"), types.status());
  std::vector<Tensor> folded;
  auto was_folded = Fold(op, call, *types, folded);
  if (!was_folded.ok()) return At(Cat("`", op.name, "`"), was_folded.status());
  if (*was_folded) {
    for (const Tensor& tensor : folded) node.outputs.push_back(AddConstant(tensor));
    return values(node.outputs);
  }
  if (graph_.nodes.size() == static_cast<size_t>(options_.max_nodes)) {
    return ResourceExhausted("the specialised function has more than ", options_.max_nodes,
                             " nodes");
  }
  for (TypeSpec& type : *types) node.outputs.push_back(AddEdge(std::move(type)));
  std::vector<int> outputs = node.outputs;
  calls_.emplace(fingerprint, graph_.nodes.size());
  graph_.nodes.push_back(std::move(node));
  return values(outputs);
}

FlatGraph FlatBuilder::Finish(const GraphValue& result) && {
  graph_.results.assign(result.components.begin(), result.components.end());
  return std::move(graph_);
}

}  // namespace signet
