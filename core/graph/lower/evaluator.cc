#include "core/graph/lower/evaluator.h"

namespace signet {

int Evaluator::AddEdge(Tensor tensor) {
  edges_.push_back(std::move(tensor));
  return static_cast<int>(edges_.size()) - 1;
}

GraphValue Evaluator::Constant(const Value& value) {
  GraphValue constant{ExactSpecOf(value), {}};
  for (const Tensor& tensor : value.components()) constant.components.push_back(AddEdge(tensor));
  return constant;
}

const Tensor* Evaluator::LookupConstant(int edge) const {
  return &edges_[static_cast<size_t>(edge)];
}

Value Evaluator::ValueOf(const GraphValue& value) const {
  Components components;
  for (int edge : value.components) components.push_back(*LookupConstant(edge));
  Value found = Value::Trusted(value.spec, std::move(components));
  TypeSpec exact = ExactSpecOf(found);
  return Value::Trusted(std::move(exact), {found.components().begin(), found.components().end()});
}

StatusOr<std::vector<int>> Evaluator::RunGraph(const FlatGraph& graph,
                                               std::span<const GraphValue> inputs) {
  std::vector<const Tensor*> given;
  for (const GraphValue& input : inputs) {
    for (int edge : input.components) given.push_back(LookupConstant(edge));
  }
  auto check = [&] { return check_ ? check_() : absl::OkStatus(); };
  SIGNET_ASSIGN_OR_RETURN(Components made, RunFlatGraph(graph, given, {budget_, check, parallel_}));
  std::vector<int> edges;
  for (Tensor& tensor : made) edges.push_back(AddEdge(std::move(tensor)));
  return edges;
}

StatusOr<std::vector<GraphValue>> Evaluator::CallOnTensors(const OpDef& op,
                                                           std::span<const GraphValue> inputs,
                                                           const Attributes& attributes) {
  if (check_) SIGNET_RETURN_IF_ERROR(check_());
  std::vector<TypeSpec> specs;
  std::vector<const Tensor*> tensors;
  for (const GraphValue& input : inputs) {
    const Tensor* tensor = input.spec ? LookupConstant(input.components[0]) : nullptr;
    specs.push_back(tensor != nullptr ? tensor->spec() : TypeSpec());
    tensors.push_back(tensor);
  }
  OpCall call{op, specs, attributes, tensors};
  auto types = op.infer(call);
  if (!types.ok()) return AtOp(op, types.status());
  auto check = [&] { return check_ ? check_() : absl::OkStatus(); };
  auto made = RunKernelOnce(call, *types, parallel_, &budget_, check);
  if (!made.ok()) return AtOp(op, made.status());
  std::vector<GraphValue> outputs;
  for (Tensor& tensor : *made) {
    // Use the type of the tensor, because its sizes are known.
    TypeSpec spec = tensor.spec();
    outputs.push_back({std::move(spec), {AddEdge(std::move(tensor))}});
  }
  return outputs;
}

}  // namespace signet
