#include "core/frontends/onnx/import/null_inputs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/utf8.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

constexpr size_t kMostSteps = 1000;  // from one input

// Which nodes read each value, those that read it in a graph within them included.
using Consumers = std::unordered_map<std::string, std::vector<const onnx::NodeProto*>>;

// What a graph says about its values.
struct GraphFacts {
  Consumers consumers;
  std::unordered_map<std::string, const onnx::NodeProto*> producers;
  std::unordered_map<std::string, const onnx::TensorProto*> constants;
  std::set<std::string_view> outputs;
};

bool IsFloat(int64_t elem_type) {
  return elem_type == onnx::TensorProto::FLOAT || elem_type == onnx::TensorProto::DOUBLE;
}

// Returns true if `node` only moves the elements of input `name`, which have type `elem_type`: each
// of them appears in the output unchanged, perhaps next to elements of other inputs.
bool OnlyMoves(const onnx::NodeProto& node, const std::string& name, int32_t elem_type) {
  static const std::set<std::string_view> kMoves = {"Concat",    "Flatten",  "Gather", "Identity",
                                                    "Reshape",   "Slice",    "Split",  "Squeeze",
                                                    "Transpose", "Unsqueeze"};
  // Positions and shapes are read, not moved.
  auto is_first_input_only = [&] {
    for (int i = 1; i < node.input_size(); ++i) {
      if (node.input(i) == name) return false;
    }
    return true;
  };
  if (!node.domain().empty() && node.domain() != "ai.onnx") {
    if (node.domain() != "ai.onnx.ml") return false;
    return node.op_type() == "FeatureVectorizer" ||
           (node.op_type() == "ArrayFeatureExtractor" && is_first_input_only());
  }
  if (node.op_type() == "Cast") {  // NaN stays NaN
    int64_t to = 0;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "to") to = attribute.i();
    }
    return to == elem_type || (IsFloat(to) && IsFloat(elem_type));
  }
  if (!kMoves.contains(node.op_type())) return false;
  return node.op_type() == "Concat" || is_first_input_only();
}

// What an Imputer replaces in elements of type `elem_type`.
std::optional<Literal> ReplacedBy(const onnx::NodeProto& node, int32_t elem_type) {
  if (node.domain() != "ai.onnx.ml" || node.op_type() != "Imputer") return std::nullopt;
  if (elem_type == onnx::TensorProto::STRING) return std::nullopt;
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

// The element of a tensor that is one string or one float.
std::optional<Literal> ScalarOf(const onnx::TensorProto& tensor) {
  for (int64_t dim : tensor.dims()) {
    if (dim != 1) return std::nullopt;
  }
  if (tensor.data_type() == onnx::TensorProto::STRING && tensor.string_data_size() == 1) {
    const std::string& text = tensor.string_data(0);
    if (AsUtf8(text) == text) return Literal::String(text);
  }
  return std::nullopt;
}

// The value that `test` compares value `name` with: NaN, or a constant text.
std::optional<Literal> TestedFor(const onnx::NodeProto& test, const std::string& name,
                                 const GraphFacts& facts) {
  if (!test.domain().empty() && test.domain() != "ai.onnx") return std::nullopt;
  if (test.op_type() == "IsNaN" && test.input_size() == 1 && test.input(0) == name) {
    return Literal::Float(std::numeric_limits<double>::quiet_NaN());
  }
  if (test.op_type() != "Equal" || test.input_size() != 2) return std::nullopt;
  const int own = test.input(0) == name ? 0 : 1;
  if (test.input(own) != name) return std::nullopt;
  auto constant = facts.constants.find(test.input(1 - own));
  return constant == facts.constants.end() ? std::nullopt : ScalarOf(*constant->second);
}

// What `Where(IsNaN(x), fill, x)` or `Where(Equal(x, ""), fill, x)` replaces in value `name`.
std::optional<Literal> ReplacedByWhere(const onnx::NodeProto& node, const std::string& name,
                                       const GraphFacts& facts) {
  bool is_where =
      node.op_type() == "Where" && (node.domain().empty() || node.domain() == "ai.onnx");
  if (!is_where || node.input_size() != 3 || node.input(2) != name || node.input(1) == name) {
    return std::nullopt;
  }
  auto test = facts.producers.find(node.input(0));
  return test == facts.producers.end() ? std::nullopt : TestedFor(*test->second, name, facts);
}

// Returns true if `node` tests which elements of `name` are missing, and only a Where that replaces
// these elements reads the answer.
bool OnlyTests(const onnx::NodeProto& node, const std::string& name, const GraphFacts& facts) {
  if (!TestedFor(node, name, facts) || node.output_size() != 1) return false;
  if (facts.outputs.contains(node.output(0))) return false;
  auto readers = facts.consumers.find(node.output(0));
  if (readers == facts.consumers.end()) return false;
  return std::all_of(readers->second.begin(), readers->second.end(),
                     [&](const onnx::NodeProto* reader) {
                       return ReplacedByWhere(*reader, name, facts).has_value();
                     });
}

bool IsSame(const Literal& a, const Literal& b) { return LiteralType(a) == LiteralType(b); }

// A value for elements that nothing reads.
Literal AnyValueOf(int32_t elem_type) {
  if (elem_type == onnx::TensorProto::STRING) return Literal::String("");
  if (elem_type == onnx::TensorProto::INT64) return Literal::Int(0);
  return Literal::Float(std::numeric_limits<double>::quiet_NaN());
}

std::optional<Literal> FindNull(const std::string& input, int32_t elem_type,
                                const GraphFacts& facts) {
  std::optional<Literal> found;
  std::set<std::string> seen = {input};
  std::vector<std::string> to_visit = {input};
  while (!to_visit.empty()) {
    std::string name = std::move(to_visit.back());
    to_visit.pop_back();
    if (facts.outputs.contains(name) || seen.size() > kMostSteps) return std::nullopt;
    auto at = facts.consumers.find(name);
    if (at == facts.consumers.end()) continue;
    for (const onnx::NodeProto* node : at->second) {
      auto replaced = ReplacedBy(*node, elem_type);
      if (!replaced) replaced = ReplacedByWhere(*node, name, facts);
      if (replaced) {
        if (found && !IsSame(*found, *replaced)) return std::nullopt;
        found = std::move(replaced);
      } else if (OnlyMoves(*node, name, elem_type)) {
        for (const std::string& output : node->output()) {
          if (seen.insert(output).second) to_visit.push_back(output);
        }
      } else if (!OnlyTests(*node, name, facts)) {
        return std::nullopt;
      }
    }
  }
  return found ? found : AnyValueOf(elem_type);
}

// Adds `reader` to the readers of each value that `node`, or a graph within it, reads.
void AddReaders(const onnx::NodeProto& reader, const onnx::NodeProto& node, Consumers& consumers) {
  auto add = [&](const std::string& name) {
    auto& nodes = consumers[name];
    if (nodes.empty() || nodes.back() != &reader) nodes.push_back(&reader);
  };
  for (const std::string& input : node.input()) add(input);
  auto add_graph = [&](const onnx::GraphProto& graph) {
    for (const auto& inner : graph.node()) AddReaders(reader, inner, consumers);
    for (const auto& output : graph.output()) add(output.name());
  };
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) add_graph(attribute.g());
    for (const auto& graph : attribute.graphs()) add_graph(graph);
  }
}

GraphFacts FactsOf(const onnx::GraphProto& graph) {
  GraphFacts facts;
  for (const auto& tensor : graph.initializer()) facts.constants[tensor.name()] = &tensor;
  for (const auto& node : graph.node()) {
    AddReaders(node, node, facts.consumers);
    for (const std::string& output : node.output()) facts.producers[output] = &node;
    if (node.op_type() != "Constant" || node.output_size() != 1) continue;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value") facts.constants[node.output(0)] = &attribute.t();
    }
  }
  for (const auto& output : graph.output()) facts.outputs.insert(output.name());
  return facts;
}

}  // namespace

std::map<std::string, Literal> FindNullInputs(const onnx::GraphProto& graph) {
  const GraphFacts facts = FactsOf(graph);
  std::map<std::string, Literal> nulls;
  for (const auto& input : graph.input()) {
    int32_t elem_type = input.type().tensor_type().elem_type();
    bool may_be_missing = IsFloat(elem_type) || elem_type == onnx::TensorProto::INT64 ||
                          elem_type == onnx::TensorProto::STRING;
    if (!may_be_missing || facts.constants.contains(input.name())) continue;
    if (auto found = FindNull(input.name(), elem_type, facts)) {
      nulls.emplace(input.name(), *std::move(found));
    }
  }
  return nulls;
}

}  // namespace signet
