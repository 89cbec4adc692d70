// GraphInterpreter: computes tensors of a GraphDef of TensorFlow, node by node, with dead tensors.
//
//   GraphInterpreter(graph).Run({{"x:0", x}}, {"y:0"})   =>   {y}
//
// The executor of TensorFlow has the same rules:
//   1. A node runs once per iteration of the frames that contain it.
//   2. A node is dead if a data input or a control input is dead. All outputs of it are then dead.
//   3. Switch passes its value to one output. The other output is dead.
//   4. Merge passes the input that is live. It is dead if all inputs are dead.
//   5. Enter passes a value to the first iteration of a frame, or to all of them if it is constant.
//      NextIteration passes a value to the next one. Exit passes the first live value to the parent
//      frame.
//   6. A function runs as a graph of its own.
//
// For tests. It shares no code with the importer, and it has only the operators that the random
// graphs contain. A graph that breaks a rule, such as a Merge of two live inputs, is an error.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "signet/status.h"
#include "tensorflow/graph.pb.h"

namespace signet {

// A tensor of the interpreter: numbers are in `floats` if the dtype is DT_FLOAT, else in `ints`. A
// list of tensors has the dtype DT_VARIANT. Elements that are not set have no dtype.
struct GraphArray {
  tensorflow::DataType dtype = tensorflow::DT_INVALID;
  std::vector<int64_t> dims = {};
  std::vector<int64_t> ints = {};
  std::vector<float> floats = {};
  std::vector<GraphArray> items = {};

  size_t size() const { return dtype == tensorflow::DT_FLOAT ? floats.size() : ints.size(); }
};

class GraphInterpreter {
 public:
  using Arrays = std::vector<GraphArray>;

  explicit GraphInterpreter(const tensorflow::GraphDef& graph) : graph_(graph) {
    for (const auto& node : graph.node()) top_.nodes[node.name()] = &node;
    for (const auto& function : graph.library().function()) {
      Body& body = functions_[function.signature().name()];
      body.function = &function;
      for (const auto& node : function.node_def()) body.nodes[node.name()] = &node;
    }
  }

  // Returns the tensors `fetched`. `fed` are the tensors that have a value.
  StatusOr<Arrays> Run(const std::map<std::string, GraphArray>& fed,
                       const std::vector<std::string>& fetched) {
    error_.clear();
    Call call{.body = &top_};
    for (const auto& [name, value] : fed) {
      const Source source = SourceOf(call, name);
      call.fed[{source.node, source.output}] = value;
    }
    RunNeeded(call, fetched);
    Arrays out;
    for (const std::string& name : fetched) {
      auto value = Read(call, name, {});
      if (!value) Fail(Cat("the result ", name, " is dead"));
      if (!error_.empty()) return InvalidArgument(error_);
      out.push_back(*std::move(value));
    }
    return out;
  }

 private:
  using Node = tensorflow::NodeDef;
  using Iterations = std::vector<int>;  // one number per frame, from the outermost frame
  using Maybe = std::optional<GraphArray>;
  struct Body {
    const tensorflow::FunctionDef* function = nullptr;
    std::map<std::string, const Node*> nodes = {};
    std::map<const Node*, std::vector<std::string>> frames = {};
  };
  struct Result {
    bool is_live = false;
    std::vector<Maybe> outputs = {};
  };
  using Attributes = std::map<std::string, tensorflow::AttrValue>;
  struct Call {
    Body* body = nullptr;
    Attributes attributes = {};
    Arrays arguments = {};
    std::map<std::pair<const Node*, int>, GraphArray> fed = {};
    std::map<std::pair<const Node*, Iterations>, Result> results = {};
  };
  struct Source {
    const Node* node = nullptr;
    int output = 0;
    int argument = -1;
  };

  static constexpr int kMaxIterations = 1000;
  static constexpr int64_t kMaxRuns = 200'000;

  void Fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
  }

  // Operators on references compute the same.
  static std::string OpOf(const Node& node) {
    return node.op().starts_with("Ref") ? node.op().substr(3) : node.op();
  }

  static tensorflow::AttrValue Attribute(const Node& node, const char* name) {
    auto found = node.attr().find(name);
    return found == node.attr().end() ? tensorflow::AttrValue() : found->second;
  }

  // Returns the value of an attribute, which may be one of the attributes of the call.
  tensorflow::AttrValue Resolved(const Call& call, const tensorflow::AttrValue& value) {
    if (value.value_case() != tensorflow::AttrValue::kPlaceholder) return value;
    auto found = call.attributes.find(value.placeholder());
    if (found != call.attributes.end()) return found->second;
    Fail(Cat("no attribute ", value.placeholder()));
    return {};
  }

  // --- references -------------------------------------------------------------------------------

  Source SourceOf(const Call& call, std::string text) {
    if (text.starts_with('^')) text.erase(0, 1);
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    if (const auto* function = call.body->function; function != nullptr) {
      const auto& inputs = function->signature().input_arg();
      for (int i = 0; i < inputs.size(); ++i) {
        if (inputs[i].name() == name) return {.argument = i};
      }
    }
    auto found = call.body->nodes.find(name);
    if (found == call.body->nodes.end()) {
      Fail(Cat("no node ", text));
      return {};
    }
    Source out{.node = found->second};
    if (colon == std::string::npos) return out;
    const std::string rest = text.substr(colon + 1);
    const size_t second = rest.find(':');
    if (second == std::string::npos) {
      out.output = std::stoi(rest);
      return out;
    }
    const std::string output = rest.substr(0, second);
    out.output = std::stoi(rest.substr(second + 1));
    const std::string& op = out.node->op();
    if (auto called = functions_.find(op); called != functions_.end()) {
      const auto& outputs = called->second.function->signature().output_arg();
      for (int i = 0; i < outputs.size(); ++i) {
        if (outputs[i].name() == output) out.output = i;
      }
    }
    if (output == "output_true" || output == "value_index" || output == "indices" ||
        output == "flow") {
      out.output = 1;
    }
    return out;
  }

  // The names of the frames that contain a node, from the outermost frame.
  std::vector<std::string> FrameOf(Call& call, const Node* node) {
    auto known = call.body->frames.find(node);
    if (known != call.body->frames.end()) return known->second;
    call.body->frames[node] = {};
    std::vector<std::string> frame;
    bool is_first = true;
    for (const std::string& input : node->input()) {
      const Source source = SourceOf(call, input);
      if (source.node == nullptr && source.argument < 0) continue;
      if (source.node != nullptr && OpOf(*source.node) == "NextIteration") continue;
      std::vector<std::string> other;
      if (source.node != nullptr) other = FrameOf(call, source.node);
      if (!is_first && other != frame) Fail(Cat("inputs of two frames: ", node->name()));
      frame = std::move(other);
      is_first = false;
    }
    if (OpOf(*node) == "Enter") frame.push_back(Attribute(*node, "frame_name").s());
    if (OpOf(*node) == "Exit" && !frame.empty()) frame.pop_back();
    call.body->frames[node] = frame;
    return frame;
  }

  // Returns the value of an input in the iterations of the node that reads it, if it is live.
  Maybe Read(Call& call, const std::string& input, const Iterations& at) {
    const Source source = SourceOf(call, input);
    if (source.argument >= 0) {
      if (!at.empty()) Fail(Cat("an argument in a frame: ", input));
      return call.arguments[static_cast<size_t>(source.argument)];
    }
    if (source.node == nullptr || !error_.empty()) return std::nullopt;
    if (auto fed = call.fed.find({source.node, source.output}); fed != call.fed.end()) {
      return fed->second;
    }
    const Result& result = RunNode(call, source.node, at);
    if (!result.is_live) return std::nullopt;
    const auto output = static_cast<size_t>(source.output);
    if (output >= result.outputs.size()) {
      Fail(Cat("no output ", input));
      return std::nullopt;
    }
    return result.outputs[output];
  }

  // --- nodes ------------------------------------------------------------------------------------

  // Runs all nodes outside of frames that the references need, because they may have assertions.
  void RunNeeded(Call& call, std::vector<std::string> references) {
    std::set<const Node*> needed;
    while (!references.empty() && error_.empty()) {
      const Source source = SourceOf(call, references.back());
      references.pop_back();
      if (source.node == nullptr || call.fed.contains({source.node, source.output})) continue;
      if (!needed.insert(source.node).second) continue;
      references.insert(references.end(), source.node->input().begin(), source.node->input().end());
    }
    for (const Node* node : needed) {
      if (FrameOf(call, node).empty()) RunNode(call, node, {});
    }
  }

  const Result& RunNode(Call& call, const Node* node, const Iterations& at) {
    auto [found, is_new] = call.results.try_emplace({node, at});
    if (!is_new) return found->second;
    if (++num_runs_ > kMaxRuns) Fail("the graph runs too long");
    if (!error_.empty()) return found->second;
    if (FrameOf(call, node).size() != at.size()) {
      Fail(Cat("read from another frame: ", node->name()));
      return found->second;
    }
    Result result = ResultOf(call, *node, at);
    return call.results[{node, at}] = std::move(result);
  }

  Result ResultOf(Call& call, const Node& node, const Iterations& at) {
    const std::string op = OpOf(node);
    if (op == "Merge") return MergeOf(call, node, at);
    if (op == "Exit") return ExitOf(call, node, at);
    if (op == "Enter") {
      Iterations parent = at;
      const int iteration = parent.back();
      parent.pop_back();
      if (iteration > 0 && !Attribute(node, "is_constant").b()) return {};
      auto value = Read(call, node.input(0), parent);
      if (!value) return {};
      return {.is_live = true, .outputs = {std::move(value)}};
    }
    if (op == "NextIteration") {
      Iterations before = at;
      if (before.back() == 0) return {};
      --before.back();
      auto value = Read(call, node.input(0), before);
      if (!value) return {};
      return {.is_live = true, .outputs = {std::move(value)}};
    }
    // All inputs are computed, because a node that is not needed may have an assertion.
    Arrays inputs;
    bool is_live = true;
    for (const std::string& input : node.input()) {
      if (input.starts_with('^')) {
        const Source source = SourceOf(call, input);
        if (source.node != nullptr && !RunNode(call, source.node, at).is_live) is_live = false;
        continue;
      }
      auto value = Read(call, input, at);
      is_live = is_live && value.has_value();
      if (value) inputs.push_back(*std::move(value));
    }
    if (!is_live) return {};
    if (!error_.empty()) return {};
    if (op == "Switch") {
      Result out{.is_live = true, .outputs = {std::nullopt, std::nullopt}};
      out.outputs[inputs[1].ints[0] != 0 ? 1 : 0] = inputs[0];
      return out;
    }
    Result out{.is_live = true};
    for (GraphArray& value : OutputsOf(call, node, std::move(inputs))) {
      out.outputs.emplace_back(std::move(value));
    }
    return out;
  }

  Result MergeOf(Call& call, const Node& node, const Iterations& at) {
    Result out;
    for (int i = 0; i < node.input_size(); ++i) {
      if (node.input(i).starts_with('^')) continue;
      const Source source = SourceOf(call, node.input(i));
      const std::string op = source.node == nullptr ? "" : OpOf(*source.node);
      if (op == "NextIteration" && at.back() == 0) continue;
      auto value = Read(call, node.input(i), at);
      if (!value) continue;
      if (out.is_live) Fail(Cat("two live inputs: ", node.name()));
      GraphArray position{.dtype = tensorflow::DT_INT32, .ints = {i}};
      out = {.is_live = true, .outputs = {std::move(value), std::move(position)}};
    }
    return out;
  }

  Result ExitOf(Call& call, const Node& node, const Iterations& at) {
    const Source source = SourceOf(call, node.input(0));
    Iterations inside = at;
    inside.push_back(0);
    for (; inside.back() < kMaxIterations; ++inside.back()) {
      auto value = Read(call, node.input(0), inside);
      if (value) return {.is_live = true, .outputs = {std::move(value)}};
      // There is another iteration if the condition of the loop is true.
      auto going = Read(call, source.node->input(1), inside);
      if (!error_.empty() || !going || going->ints[0] == 0) return {};
    }
    Fail(Cat("too many iterations: ", node.name()));
    return {};
  }

  // --- functions --------------------------------------------------------------------------------

  // `attributes` are the attributes of `caller`.
  template <class AttributeMap>
  Arrays CallFunction(const Call& caller, const std::string& name, const AttributeMap& attributes,
                      Arrays arguments) {
    auto found = functions_.find(name);
    if (found == functions_.end()) {
      Fail(Cat("no function ", name));
      return {};
    }
    const tensorflow::FunctionDef& function = *found->second.function;
    Call call{.body = &found->second, .arguments = std::move(arguments)};
    for (const auto& [key, value] : attributes) call.attributes[key] = Resolved(caller, value);
    std::vector<std::string> results;
    for (const auto& [key, value] : function.ret()) results.push_back(value);
    RunNeeded(call, std::move(results));
    Arrays out;
    for (const auto& output : function.signature().output_arg()) {
      auto value = Read(call, function.ret().at(output.name()), {});
      if (!value) {
        Fail(Cat("the output ", output.name(), " of ", name, " is dead"));
        return {};
      }
      out.push_back(*std::move(value));
    }
    return out;
  }

  Arrays CallFunction(const Call& caller, const tensorflow::NameAttrList& function,
                      Arrays arguments) {
    return CallFunction(caller, function.name(), function.attr(), std::move(arguments));
  }

  Arrays OutputsOf(const Call& call, const Node& node, Arrays inputs) {
    const std::string op = OpOf(node);
    if (functions_.contains(op)) return CallFunction(call, op, node.attr(), std::move(inputs));
    if (op == "PartitionedCall" || op == "StatefulPartitionedCall") {
      return CallFunction(call, Attribute(node, "f").func(), std::move(inputs));
    }
    auto rest = [&] { return Arrays(inputs.begin() + 1, inputs.end()); };
    if (op == "If" || op == "StatelessIf") {
      const char* branch = inputs[0].ints[0] != 0 ? "then_branch" : "else_branch";
      return CallFunction(call, Attribute(node, branch).func(), rest());
    }
    if (op == "Case" || op == "StatelessCase") {
      const auto branches = Attribute(node, "branches");
      const int count = branches.list().func_size();
      int64_t selected = inputs[0].ints[0];
      if (selected < 0 || selected >= count) selected = count - 1;
      return CallFunction(call, branches.list().func(static_cast<int>(selected)), rest());
    }
    if (op == "While" || op == "StatelessWhile") {
      for (int i = 0; i < kMaxIterations && error_.empty(); ++i) {
        auto going = CallFunction(call, Attribute(node, "cond").func(), inputs);
        if (going.empty() || going[0].ints[0] == 0) return inputs;
        inputs = CallFunction(call, Attribute(node, "body").func(), std::move(inputs));
      }
      Fail(Cat("too many iterations: ", node.name()));
      return {};
    }
    return Compute(call, node, std::move(inputs));
  }

  // --- operators --------------------------------------------------------------------------------

  static GraphArray ConstantOf(const tensorflow::TensorProto& tensor) {
    GraphArray out{.dtype = tensor.dtype()};
    size_t size = 1;
    for (const auto& dim : tensor.tensor_shape().dim()) {
      out.dims.push_back(dim.size());
      size *= static_cast<size_t>(dim.size());
    }
    for (float value : tensor.float_val()) out.floats.push_back(value);
    for (int64_t value : tensor.int_val()) out.ints.push_back(value);
    for (int64_t value : tensor.int64_val()) out.ints.push_back(value);
    for (bool value : tensor.bool_val()) out.ints.push_back(value ? 1 : 0);
    if (out.dtype == tensorflow::DT_FLOAT) {
      out.floats.resize(size, out.floats.empty() ? 0.0F : out.floats.back());
    } else {
      out.ints.resize(size, out.ints.empty() ? 0 : out.ints.back());
    }
    return out;
  }

  static GraphArray Element(const GraphArray& array, size_t i) {
    GraphArray out{.dtype = array.dtype};
    if (array.dtype == tensorflow::DT_FLOAT) {
      out.floats = {array.floats[i]};
    } else {
      out.ints = {array.ints[i]};
    }
    return out;
  }

  static GraphArray Joined(const Arrays& elements, tensorflow::DataType dtype) {
    GraphArray out{.dtype = dtype, .dims = {static_cast<int64_t>(elements.size())}};
    for (const GraphArray& element : elements) {
      out.floats.insert(out.floats.end(), element.floats.begin(), element.floats.end());
      out.ints.insert(out.ints.end(), element.ints.begin(), element.ints.end());
    }
    return out;
  }

  // Applies a function to the elements of scalars and vectors. A vector may have the size 1.
  static GraphArray Each(const Arrays& inputs, const std::function<GraphArray(const Arrays&)>& f) {
    size_t size = 1;
    bool is_vector = false;
    for (const GraphArray& input : inputs) {
      size = std::max(size, input.size());
      is_vector = is_vector || !input.dims.empty();
    }
    Arrays elements;
    for (size_t i = 0; i < size; ++i) {
      Arrays at;
      for (const GraphArray& input : inputs) at.push_back(Element(input, i % input.size()));
      elements.push_back(f(at));
    }
    return is_vector ? Joined(elements, elements[0].dtype) : elements[0];
  }

  static GraphArray BoolOf(bool value) {
    return {.dtype = tensorflow::DT_BOOL, .ints = {value ? 1 : 0}};
  }

  template <class T>
  static bool IsTrue(const std::string& op, T a, T b) {
    if (op == "Less") return a < b;
    if (op == "LessEqual") return a <= b;
    if (op == "Greater") return a > b;
    if (op == "Equal") return a == b;
    return a != b;
  }

  static std::optional<int64_t> IntegerOf(const std::string& op, int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (op == "AddV2" || op == "Add") return static_cast<int64_t>(x + y);
    if (op == "Sub") return static_cast<int64_t>(x - y);
    if (op == "Mul") return static_cast<int64_t>(x * y);
    if (op == "Maximum") return std::max(a, b);
    if (op == "Minimum") return std::min(a, b);
    if (op == "FloorMod") return ((a % b) + b) % b;
    return std::nullopt;
  }

  static std::optional<float> FloatOf(const std::string& op, float a, float b) {
    if (op == "AddV2" || op == "Add") return a + b;
    if (op == "Sub") return a - b;
    if (op == "Mul") return a * b;
    return std::nullopt;
  }

  Arrays Compute(const Call& call, const Node& node, Arrays inputs) {
    const std::string op = OpOf(node);
    if (op == "Placeholder") return {};  // It is fed, and a control input reads it.
    if (op == "Const") return {ConstantOf(Attribute(node, "value").tensor())};
    if (op == "NoOp") return {};
    if (op == "Identity" || op == "IdentityN" || op == "LoopCond" || op == "StopGradient" ||
        op == "PlaceholderWithDefault") {
      return inputs;
    }
    if (op == "Unpack") {
      Arrays out;
      for (size_t i = 0; i < inputs[0].size(); ++i) out.push_back(Element(inputs[0], i));
      return out;
    }
    if (op == "Split") {
      Arrays out;
      for (size_t i = 0; i < inputs[1].size(); ++i) {
        out.push_back(Element(inputs[1], i));
        out.back().dims = {1};
      }
      return out;
    }
    if (op == "Pack") return {Joined(inputs, inputs[0].dtype)};
    if (op == "Sum") {
      uint64_t sum = 0;
      for (int64_t value : inputs[0].ints) sum += static_cast<uint64_t>(value);
      return {{.dtype = inputs[0].dtype, .ints = {static_cast<int64_t>(sum)}}};
    }
    if (op == "TopKV2") {
      // All elements of integers, in descending order. Equal elements keep their order.
      std::vector<int64_t> order(inputs[0].size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
      const std::vector<int64_t>& values = inputs[0].ints;
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return values[static_cast<size_t>(a)] > values[static_cast<size_t>(b)];
      });
      GraphArray sorted{.dtype = inputs[0].dtype, .dims = inputs[0].dims};
      for (int64_t i : order) sorted.ints.push_back(values[static_cast<size_t>(i)]);
      return {sorted, {.dtype = tensorflow::DT_INT32, .dims = inputs[0].dims, .ints = order}};
    }
    if (op == "Range") {
      GraphArray out{.dtype = inputs[0].dtype};
      for (int64_t i = inputs[0].ints[0]; i < inputs[1].ints[0]; ++i) out.ints.push_back(i);
      out.dims = {static_cast<int64_t>(out.ints.size())};
      return {out};
    }
    if (op == "Assert") {
      if (inputs[0].ints[0] == 0) Fail(Cat("assertion failed: ", node.name()));
      return {};
    }
    if (op.starts_with("TensorList") || op == "EmptyTensorList") return ComputeList(node, inputs);
    if (op.starts_with("TensorArray")) return ComputeArray(node, inputs);
    if (inputs.empty()) {
      Fail(Cat("no inputs of ", node.name()));
      return {};
    }
    return {Each(inputs, [&](const Arrays& at) { return ElementOf(call, node, at); })};
  }

  // --- lists ------------------------------------------------------------------------------------

  static GraphArray ListOf(size_t size) {
    return {.dtype = tensorflow::DT_VARIANT, .items = Arrays(size)};
  }

  void SetItem(GraphArray& list, int64_t index, const GraphArray& item, bool grows) {
    const auto i = static_cast<size_t>(index);
    if (grows && i >= list.items.size()) list.items.resize(i + 1);
    if (i >= list.items.size()) return Fail("a list is too short");
    list.items[i] = item;
  }

  // Returns an element. An element that is not set is zero.
  GraphArray ItemOf(const GraphArray& list, int64_t index, const std::vector<int64_t>& dims) {
    if (index < 0 || static_cast<size_t>(index) >= list.items.size()) {
      Fail("an index is out of the range of a list");
      return {};
    }
    const GraphArray& item = list.items[static_cast<size_t>(index)];
    if (item.dtype != tensorflow::DT_INVALID) return item;
    const size_t size = dims.empty() ? 1 : static_cast<size_t>(dims[0]);
    return {.dtype = tensorflow::DT_INT64, .dims = dims, .ints = std::vector<int64_t>(size)};
  }

  // Joins elements of integers along a new dimension.
  GraphArray StackOf(const GraphArray& list, const std::vector<int64_t>& indices,
                     const std::vector<int64_t>& dims) {
    GraphArray out{.dtype = tensorflow::DT_INT64, .dims = {static_cast<int64_t>(indices.size())}};
    out.dims.insert(out.dims.end(), dims.begin(), dims.end());
    for (int64_t index : indices) {
      const GraphArray item = ItemOf(list, index, dims);
      out.ints.insert(out.ints.end(), item.ints.begin(), item.ints.end());
    }
    return out;
  }

  static std::vector<int64_t> AllOf(const GraphArray& list) {
    std::vector<int64_t> out;
    for (size_t i = 0; i < list.items.size(); ++i) out.push_back(static_cast<int64_t>(i));
    return out;
  }

  static GraphArray LengthOf(const GraphArray& list) {
    return {.dtype = tensorflow::DT_INT32, .ints = {static_cast<int64_t>(list.items.size())}};
  }

  Arrays ComputeList(const Node& node, Arrays& inputs) {
    const std::string op = OpOf(node);
    if (op == "EmptyTensorList") return {ListOf(0)};
    if (op == "TensorListReserve") return {ListOf(static_cast<size_t>(inputs[1].ints[0]))};
    if (op == "TensorListFromTensor") {
      GraphArray out = ListOf(0);
      for (size_t i = 0; i < inputs[0].size(); ++i) out.items.push_back(Element(inputs[0], i));
      return {out};
    }
    if (op == "TensorListSetItem") {
      SetItem(inputs[0], inputs[1].ints[0], inputs[2],
              Attribute(node, "resize_if_index_out_of_bounds").b());
      return {inputs[0]};
    }
    if (op == "TensorListPushBack") {
      inputs[0].items.push_back(inputs[1]);
      return {inputs[0]};
    }
    if (op == "TensorListGetItem") return {ItemOf(inputs[0], inputs[1].ints[0], inputs[2].ints)};
    if (op == "TensorListStack") return {StackOf(inputs[0], AllOf(inputs[0]), inputs[1].ints)};
    if (op == "TensorListLength") return {LengthOf(inputs[0])};
    Fail(Cat("no operator ", op));
    return {};
  }

  // The elements of a TensorArray are the value of its flow.
  Arrays ComputeArray(const Node& node, Arrays& inputs) {
    const std::string op = OpOf(node);
    auto grows = [&] { return inputs[0].ints[0] != 0; };
    std::vector<int64_t> dims;
    const tensorflow::AttrValue shape = Attribute(node, "element_shape");
    for (const auto& dim : shape.shape().dim()) {
      dims.push_back(dim.size());
    }
    if (op == "TensorArrayV3") {
      const bool is_dynamic = Attribute(node, "dynamic_size").b();
      return {{.dtype = tensorflow::DT_RESOURCE, .dims = dims, .ints = {is_dynamic ? 1 : 0}},
              ListOf(static_cast<size_t>(inputs[0].ints[0]))};
    }
    if (op == "TensorArrayWriteV3") {
      SetItem(inputs[3], inputs[1].ints[0], inputs[2], grows());
      return {inputs[3]};
    }
    if (op == "TensorArrayReadV3") return {ItemOf(inputs[2], inputs[1].ints[0], inputs[0].dims)};
    if (op == "TensorArrayGatherV3") {
      const GraphArray& flow = inputs[2];
      const bool is_set = !flow.items.empty() && flow.items[0].dtype != tensorflow::DT_INVALID;
      return {StackOf(flow, inputs[1].ints, is_set ? flow.items[0].dims : inputs[0].dims)};
    }
    if (op == "TensorArraySizeV3") return {LengthOf(inputs[1])};
    Fail(Cat("no operator ", op));
    return {};
  }

  GraphArray ElementOf(const Call& call, const Node& node, const Arrays& at) {
    const std::string op = OpOf(node);
    const bool is_float = at[0].dtype == tensorflow::DT_FLOAT;
    if (op == "Cast") {
      const tensorflow::DataType dtype = Resolved(call, Attribute(node, "DstT")).type();
      if (dtype == tensorflow::DT_FLOAT) {
        return {.dtype = dtype, .floats = {static_cast<float>(at[0].ints[0])}};
      }
      return {.dtype = dtype, .ints = at[0].ints};
    }
    if (op == "Select" || op == "SelectV2") return at[0].ints[0] != 0 ? at[1] : at[2];
    if (op == "LogicalNot") return BoolOf(at[0].ints[0] == 0);
    if (op == "LogicalAnd") return BoolOf(at[0].ints[0] != 0 && at[1].ints[0] != 0);
    if (op == "LogicalOr") return BoolOf(at[0].ints[0] != 0 || at[1].ints[0] != 0);
    if (op == "Neg") {
      if (is_float) return {.dtype = at[0].dtype, .floats = {-at[0].floats[0]}};
      const auto value = static_cast<uint64_t>(at[0].ints[0]);
      return {.dtype = at[0].dtype, .ints = {static_cast<int64_t>(0 - value)}};
    }
    if (op == "Less" || op == "LessEqual" || op == "Greater" || op == "Equal" || op == "NotEqual") {
      return BoolOf(is_float ? IsTrue(op, at[0].floats[0], at[1].floats[0])
                             : IsTrue(op, at[0].ints[0], at[1].ints[0]));
    }
    if (at.size() == 2 && is_float) {
      if (auto value = FloatOf(op, at[0].floats[0], at[1].floats[0])) {
        return {.dtype = at[0].dtype, .floats = {*value}};
      }
    } else if (at.size() == 2) {
      if (auto value = IntegerOf(op, at[0].ints[0], at[1].ints[0])) {
        return {.dtype = at[0].dtype, .ints = {*value}};
      }
    }
    Fail(Cat("no operator ", op));
    return at[0];
  }

  const tensorflow::GraphDef& graph_;
  Body top_;
  std::map<std::string, Body> functions_;
  std::string error_;
  int64_t num_runs_ = 0;
};

}  // namespace signet
