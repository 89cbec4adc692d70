#include "core/model/onnx/null_inputs.h"

#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace signet {
namespace {

constexpr size_t kMostSteps = 1000;  // from one input

using Consumers = std::unordered_map<std::string, std::vector<const onnx::NodeProto*>>;

bool IsFloat(int64_t elem_type) {
  return elem_type == onnx::TensorProto::FLOAT || elem_type == onnx::TensorProto::DOUBLE;
}

// Whether the elements of the output are those of input `name`, of type `elem_type`, and others, in
// some order.
bool OnlyMoves(const onnx::NodeProto& node, const std::string& name, int32_t elem_type) {
  static const std::set<std::string_view> kMoves = {"Concat",  "Flatten",   "Identity", "Reshape",
                                                    "Squeeze", "Transpose", "Unsqueeze"};
  if (!node.domain().empty() && node.domain() != "ai.onnx") {
    return node.domain() == "ai.onnx.ml" && node.op_type() == "FeatureVectorizer";
  }
  if (node.op_type() == "Cast") {  // NaN stays NaN
    int64_t to = 0;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "to") to = attribute.i();
    }
    return to == elem_type || (IsFloat(to) && IsFloat(elem_type));
  }
  if (!kMoves.contains(node.op_type())) return false;
  // A shape or axes are read, not moved.
  for (int i = 1; i < node.input_size() && node.op_type() != "Concat"; ++i) {
    if (node.input(i) == name) return false;
  }
  return true;
}

// What an Imputer replaces in elements of type `elem_type`.
std::optional<Literal> ReplacedBy(const onnx::NodeProto& node, int32_t elem_type) {
  if (node.domain() != "ai.onnx.ml" || node.op_type() != "Imputer") return std::nullopt;
  const bool is_integer = elem_type == onnx::TensorProto::INT64;
  for (const auto& attribute : node.attribute()) {
    if (is_integer && attribute.name() == "replaced_value_int64") {
      return Literal::Int(attribute.i());
    }
    if (!is_integer && attribute.name() == "replaced_value_float") {
      return Literal::Float(static_cast<double>(attribute.f()));
    }
  }
  return is_integer ? Literal::Int(0) : Literal::Float(0);
}

std::optional<Literal> FindNull(const std::string& input, int32_t elem_type,
                                const Consumers& consumers,
                                const std::set<std::string_view>& outputs) {
  std::optional<Literal> found;
  std::set<std::string> seen = {input};
  std::vector<std::string> to_visit = {input};
  while (!to_visit.empty()) {
    std::string name = std::move(to_visit.back());
    to_visit.pop_back();
    if (outputs.contains(name) || seen.size() > kMostSteps) return std::nullopt;
    auto at = consumers.find(name);
    if (at == consumers.end()) continue;
    for (const onnx::NodeProto* node : at->second) {
      if (auto replaced = ReplacedBy(*node, elem_type)) {
        if (found && !(*found == *replaced)) return std::nullopt;
        found = std::move(replaced);
      } else if (OnlyMoves(*node, name, elem_type) && node->output_size() == 1) {
        if (seen.insert(node->output(0)).second) to_visit.push_back(node->output(0));
      } else {
        return std::nullopt;
      }
    }
  }
  return found;
}

}  // namespace

std::map<std::string, Literal> FindNullInputs(const onnx::GraphProto& graph) {
  std::map<std::string, Literal> nulls;
  bool has_imputer = false;
  for (const auto& node : graph.node()) {
    has_imputer |= node.op_type() == "Imputer";
    // A graph within a node may read any input.
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0) return nulls;
    }
  }
  if (!has_imputer) return nulls;
  Consumers consumers;
  for (const auto& node : graph.node()) {
    for (const std::string& input : node.input()) {
      auto& nodes = consumers[input];
      if (nodes.empty() || nodes.back() != &node) nodes.push_back(&node);
    }
  }
  std::set<std::string_view> outputs;
  for (const auto& output : graph.output()) outputs.insert(output.name());
  for (const auto& input : graph.input()) {
    int32_t elem_type = input.type().tensor_type().elem_type();
    if (!IsFloat(elem_type) && elem_type != onnx::TensorProto::INT64) continue;
    if (auto found = FindNull(input.name(), elem_type, consumers, outputs)) {
      nulls.emplace(input.name(), *std::move(found));
    }
  }
  return nulls;
}

}  // namespace signet
