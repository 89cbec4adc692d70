// RandomGraph: makes random SavedModels with branches and loops of both versions of TensorFlow.
//
//   RandomGraph graph(seed, size);
//   graph.model()      the model, with one signature
//   graph.inputs()     the inputs of the signature and their types
//
// Nodes are made by random_graph_nodes.h, and control flow of version 1 by random_graph_frames.h.
//
// For tests.

#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/properties/random_graph_frames.h"

namespace signet {

class RandomGraph : public GraphFrames {
 public:
  // Larger sizes make larger graphs with deeper control flow. Sizes are 1 to 4.
  RandomGraph(uint32_t seed, int size) : GraphFrames(seed), size_(size) { MakeModel(); }

  const tensorflow::SavedModel& model() const { return model_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }  // references

 private:
  struct Signature {
    std::vector<Type> inputs = {};
    std::vector<Type> outputs = {};

    auto operator<=>(const Signature&) const = default;
  };
  void AddStep(Body& body, int context) {
    if (body.budget <= 0) return;
    const bool may_nest = body.nesting < 1 + size_ && body.nesting < 4;
    switch (Below(18)) {
      case 0:
      case 1:
        return AddArithmetic(body, context);
      case 2:
        return AddComparison(body, context);
      case 3:
      case 4:
        return AddSeveralOutputs(body, context);
      case 5: {
        const Type type = RandomType();
        const bool is_scalar = OneIn(2);
        const Out condition =
            Pick(body, context, {tensorflow::DT_BOOL, is_scalar ? -1 : type.size});
        Add(body, context, is_scalar && OneIn(2) ? "Select" : "SelectV2",
            {condition, Pick(body, context, type), Pick(body, context, type)}, type);
        return;
      }
      case 6: {
        const Type type{tensorflow::DT_BOOL, OneIn(3) ? 3 : -1};
        const auto to = OneIn(2) ? tensorflow::DT_INT64 : tensorflow::DT_FLOAT;
        Add(body, context, "Cast", {Pick(body, context, type)}, {to, type.size},
            {{"SrcT", OfType(type.dtype)}, {"DstT", OfType(to)}});
        return;
      }
      case 7: {
        const Type type = RandomType();
        Out value = Pick(body, context, type);
        for (int i = 1 + Below(3); i > 0; --i) {
          value = Add(body, context, OneIn(4) ? "StopGradient" : "Identity", {value}, type);
        }
        return;
      }
      case 8: {
        const Type type{tensorflow::DT_INT64, 3};
        const Out axis = Constant(body, context, {tensorflow::DT_INT32, -1}, 0);
        const Out value = Pick(body, context, type);
        OutputOf(body, context,
                 AddNode(body, context, "Sum", {value, axis}, {{"T", OfType(type.dtype)}}), 0,
                 {type.dtype, -1});
        return;
      }
      case 9: {
        // Dead nodes, which no output needs.
        AddNode(body, context, "UnknownOperator", {Pick(body, context, RandomType())});
        return;
      }
      case 10:
      case 11:
      case 12:
        return may_nest ? AddBranch(body, context) : AddArithmetic(body, context);
      case 13:
      case 14:
        return may_nest ? AddLoop(body, context, OneIn(3)) : AddComparison(body, context);
      case 15:
        return AddFunctionalBranch(body, context);
      case 16:
        if (!may_nest) return AddArithmetic(body, context);
        return OneIn(3) ? AddListWhile(body, context) : AddWhile(body, context);
      default:
        return AddCall(body, context);
    }
  }

  void AddSteps(Body& body, int context, int most) override {
    for (int i = Below(most + 1); i > 0; --i) AddStep(body, context);
  }
  // --- functions --------------------------------------------------------------------------------

  static std::string DTypeName(Type type) { return tensorflow::DataType_Name(type.dtype); }

  Body MakeFunctionBody(const Signature& signature, int depth, int nesting) {
    Body body{.is_function = true, .depth = depth};
    body.nesting = nesting;
    body.budget = 10 + 5 * size_;
    body.contexts.emplace_back();
    for (size_t i = 0; i < signature.inputs.size(); ++i) {
      body.arguments.push_back(Cat("arg", i));
      body.names.insert(body.arguments.back());
      const Type type = signature.inputs[i];
      if (type.dtype == tensorflow::DT_INT32 || type.dtype == tensorflow::DT_VARIANT) continue;
      body.contexts[0].values.push_back({.output = static_cast<int>(i), .type = type});
    }
    return body;
  }

  std::string FinishFunction(Body& body, const Signature& signature,
                             const std::vector<Out>& results) {
    const std::string name = Cat(OneIn(2) ? "__inference_f_" : "fn", ++num_functions_);
    tensorflow::FunctionDef function;
    function.mutable_signature()->set_name(name);
    for (size_t i = 0; i < signature.inputs.size(); ++i) {
      auto* argument = function.mutable_signature()->add_input_arg();
      argument->set_name(body.arguments[i]);
      argument->set_type(signature.inputs[i].dtype);
    }
    for (size_t i = 0; i < signature.outputs.size(); ++i) {
      auto* argument = function.mutable_signature()->add_output_arg();
      argument->set_name(Cat("res", i));
      argument->set_type(signature.outputs[i].dtype);
      (*function.mutable_ret())[Cat("res", i)] = Reference(body, results[i]);
    }
    // Some attributes get their values from the call.
    Attributes& attributes = function_attributes_[name];
    for (Node& node : body.nodes) {
      for (const char* key : {"DstT", "num", "axis"}) {
        auto found = node.attributes.find(key);
        if (found == node.attributes.end() || !OneIn(3)) continue;
        const std::string own = Cat("attribute", attributes.size());
        attributes[own] = found->second;
        found->second.set_placeholder(own);
      }
      auto called = node.attributes.find("f");
      if (called == node.attributes.end()) continue;
      for (auto& [key, value] : *called->second.mutable_func()->mutable_attr()) {
        if (!OneIn(2)) continue;
        const std::string own = Cat("attribute", attributes.size());
        attributes[own] = value;
        value.set_placeholder(own);
      }
    }
    for (auto& node : NodesOf(body)) *function.add_node_def() = std::move(node);
    library_.push_back(std::move(function));
    return name;
  }

  // Returns a function of the library with this signature.
  std::string FunctionOf(const Signature& signature, int depth, int nesting) {
    auto& known = functions_[{signature, depth}];
    if (!known.empty() && (OneIn(3) || num_functions_ > 12 * size_)) {
      return known[static_cast<size_t>(Below(static_cast<int>(known.size())))];
    }
    Body body = MakeFunctionBody(signature, depth, nesting);
    AddSteps(body, 0, 5);
    std::vector<Out> results;
    for (const Type& type : signature.outputs) results.push_back(Pick(body, 0, type));
    std::string name = FinishFunction(body, signature, results);
    functions_[{signature, depth}].push_back(name);
    return name;
  }

  // Picks arguments, and adds their types to a signature.
  std::vector<Out> Arguments(Body& body, int context, Signature& signature) {
    signature = {RandomTypes(3), RandomTypes(3)};
    for (Type& type : signature.inputs) {
      if (type.size == kOneOrThree) type.size = 1;
    }
    std::vector<Out> out;
    for (const Type& type : signature.inputs) out.push_back(Pick(body, context, type));
    return out;
  }

  void AddResults(Body& body, int context, int node, const Signature& signature) {
    for (size_t i = 0; i < signature.outputs.size(); ++i) {
      OutputOf(body, context, node, static_cast<int>(i), signature.outputs[i]);
    }
  }

  void AddCall(Body& body, int context) {
    if (body.depth >= 3 || num_functions_ > 20 * size_) return AddArithmetic(body, context);
    Signature signature;
    auto inputs = Arguments(body, context, signature);
    const std::string name = FunctionOf(signature, body.depth + 1, body.nesting);
    int node = -1;
    if (OneIn(3)) {
      node = AddNode(body, context, name, inputs, function_attributes_.at(name));
      for (size_t i = 0; i < signature.outputs.size(); ++i) {
        body.nodes[static_cast<size_t>(node)].outputs.push_back(Cat("res", i));
      }
    } else {
      node =
          AddNode(body, context, OneIn(2) ? "PartitionedCall" : "StatefulPartitionedCall", inputs,
                  {{"f", OfFunction(name)},
                   {"Tin", OfTypes(signature.inputs)},
                   {"Tout", OfTypes(signature.outputs)}});
    }
    AddResults(body, context, node, signature);
  }

  void AddFunctionalBranch(Body& body, int context) {
    if (body.depth >= 3 || num_functions_ > 20 * size_) return AddArithmetic(body, context);
    Signature signature;
    auto inputs = Arguments(body, context, signature);
    Attributes attributes = {{"Tin", OfTypes(signature.inputs)},
                             {"Tout", OfTypes(signature.outputs)}};
    auto function = [&] { return FunctionOf(signature, body.depth + 1, body.nesting + 1); };
    int node = -1;
    if (OneIn(3)) {
      const Type type{tensorflow::DT_INT64, -1};
      const Out narrow = Add(body, context, "FloorMod",
                             {Pick(body, context, type), Constant(body, context, type, 6)}, type);
      const Out moved = Add(body, context, "Sub", {narrow, Constant(body, context, type, 2)}, type);
      const Out index = Add(body, context, "Cast", {moved}, {tensorflow::DT_INT32, -1},
                            {{"SrcT", OfType(type.dtype)}, {"DstT", OfType(tensorflow::DT_INT32)}});
      inputs.insert(inputs.begin(), index);
      tensorflow::AttrValue branches;
      for (int i = 1 + Below(3); i > 0; --i) {
        SetFunction(function(), *branches.mutable_list()->add_func());
      }
      attributes["branches"] = branches;
      node = AddNode(body, context, OneIn(2) ? "Case" : "StatelessCase", inputs, attributes);
    } else {
      const Type type{OneIn(4) ? tensorflow::DT_INT64 : tensorflow::DT_BOOL, -1};
      inputs.insert(inputs.begin(), Pick(body, context, type));
      attributes["Tcond"] = OfType(type.dtype);
      attributes["then_branch"] = OfFunction(function());
      attributes["else_branch"] = OfFunction(function());
      node = AddNode(body, context, OneIn(2) ? "If" : "StatelessIf", inputs, attributes);
    }
    AddResults(body, context, node, signature);
  }

  void AddWhile(Body& body, int context) {
    if (body.depth >= 3 || num_functions_ > 20 * size_) return AddArithmetic(body, context);
    const Type counter{tensorflow::DT_INT64, -1};
    ++body.nesting;
    Signature step;
    step.inputs = {counter, counter};
    for (int i = Below(4); i > 0; --i) step.inputs.push_back(RandomType());
    step.outputs = step.inputs;
    const Signature check{step.inputs, {{tensorflow::DT_BOOL, -1}}};
    std::vector<Out> inputs = {Constant(body, context, counter, 0), StepsOf(body, context)};
    for (size_t i = 2; i < step.inputs.size(); ++i) {
      inputs.push_back(Pick(body, context, step.inputs[i]));
    }
    auto argument = [](int i, Type type) { return Out{.output = i, .type = type}; };
    Body condition = MakeFunctionBody(check, body.depth + 1, body.nesting);
    if (OneIn(3)) AddSteps(condition, 0, 3);
    Out going =
        Add(condition, 0, "Less", {argument(0, counter), argument(1, counter)}, check.outputs[0]);
    if (OneIn(3)) {
      going = Add(condition, 0, "LogicalAnd", {PickBool(condition, 0), going}, going.type);
    }
    const std::string condition_name = FinishFunction(condition, check, {going});
    Body inner = MakeFunctionBody(step, body.depth + 1, body.nesting);
    AddSteps(inner, 0, 4);
    std::vector<Out> results = {
        Add(inner, 0, "AddV2", {argument(0, counter), Constant(inner, 0, counter, 1)}, counter),
        argument(1, counter)};
    for (size_t i = 2; i < step.inputs.size(); ++i) {
      results.push_back(OneIn(4) ? argument(static_cast<int>(i), step.inputs[i])
                                 : Pick(inner, 0, step.inputs[i]));
    }
    const std::string body_name = FinishFunction(inner, step, results);
    const int node = AddNode(body, context, OneIn(2) ? "While" : "StatelessWhile", inputs,
                             {{"T", OfTypes(step.inputs)},
                              {"cond", OfFunction(condition_name)},
                              {"body", OfFunction(body_name)}});
    AddResults(body, context, node, step);
    --body.nesting;
  }

  // The shape of elements of a list, which may be unknown.
  Out ElementShape(Body& body, int context, Type item, bool is_known) {
    tensorflow::AttrValue attribute;
    auto& tensor = *attribute.mutable_tensor();
    tensor.set_dtype(tensorflow::DT_INT32);
    tensor.mutable_tensor_shape();
    if (is_known) tensor.mutable_tensor_shape()->add_dim()->set_size(item.size > 0 ? 1 : 0);
    if (!is_known || item.size > 0) tensor.add_int_val(is_known ? item.size : -1);
    const int node = AddNode(body, context, "Const", {},
                             {{"dtype", OfType(tensorflow::DT_INT32)}, {"value", attribute}});
    return OutputOf(body, context, node, 0, {tensorflow::DT_INT32, kMany});
  }

  // A loop whose steps write the elements of a list, and read elements of another list.
  void AddListWhile(Body& body, int context) {
    if (body.depth >= 3 || num_functions_ > 20 * size_) return AddArithmetic(body, context);
    ++body.nesting;
    const Type counter{tensorflow::DT_INT32, -1};
    const Type list{tensorflow::DT_VARIANT, -1};
    const Type number{tensorflow::DT_INT64, -1};
    const Type item{tensorflow::DT_INT64, OneIn(4) ? 3 : -1};
    const bool has_shape = OneIn(2);
    const bool pushes = OneIn(3);
    const bool grows = !pushes && OneIn(3);
    const Attributes of_item = {{"element_dtype", OfType(item.dtype)},
                                {"shape_type", OfType(tensorflow::DT_INT32)}};
    const Out bound = NarrowStepsOf(body, context, false);
    const Out shape = ElementShape(body, context, item, has_shape);
    const Out size = pushes  ? Constant(body, context, counter, -1)
                     : grows ? Constant(body, context, counter, 0)
                             : bound;
    const int made = AddNode(body, context, pushes ? "EmptyTensorList" : "TensorListReserve",
                             {shape, size}, of_item);
    const int given =
        AddNode(body, context, "TensorListFromTensor",
                {Pick(body, context, {number.dtype, 3}), ElementShape(body, context, number, true)},
                of_item);
    Signature step{.inputs = {counter, counter, list, list}};
    std::vector<Out> inputs = {Constant(body, context, counter, 0), bound,
                               OutputOf(body, context, made, 0, list),
                               OutputOf(body, context, given, 0, list)};
    for (int i = Below(3); i > 0; --i) {
      step.inputs.push_back(RandomKnownType());
      inputs.push_back(Pick(body, context, step.inputs.back()));
    }
    step.outputs = step.inputs;
    const Signature check{step.inputs, {{tensorflow::DT_BOOL, -1}}};
    auto argument = [&](int i) {
      return Out{.output = i, .type = step.inputs[static_cast<size_t>(i)]};
    };
    Body condition = MakeFunctionBody(check, body.depth + 1, body.nesting);
    Out going = Add(condition, 0, "Less", {argument(0), argument(1)}, check.outputs[0]);
    if (OneIn(4)) {
      going = Add(condition, 0, "LogicalAnd", {PickBool(condition, 0), going}, going.type);
    }
    const std::string condition_name = FinishFunction(condition, check, {going});
    Body inner = MakeFunctionBody(step, body.depth + 1, body.nesting);
    Widen(inner, 0, argument(0));
    const int read =
        AddNode(inner, 0, "TensorListGetItem",
                {argument(3), argument(0), ElementShape(inner, 0, number, true)}, of_item);
    OutputOf(inner, 0, read, 0, number);
    AddSteps(inner, 0, 4);
    const Out index = pushes ? argument(0) : IndexOf(inner, 0, argument(0), argument(1));
    const Out element = Pick(inner, 0, item);
    Attributes of_write = of_item;
    if (grows) of_write["resize_if_index_out_of_bounds"] = OfBool(true);
    const int write =
        pushes ? AddNode(inner, 0, "TensorListPushBack", {argument(2), element}, of_item)
               : AddNode(inner, 0, "TensorListSetItem", {argument(2), index, element}, of_write);
    Out written = OutputOf(inner, 0, write, 0, list);
    const bool is_conditional = !grows && OneIn(4);
    if (is_conditional) {
      // Only one branch writes.
      inner.nodes.pop_back();
      const Signature branch{{list, counter, item}, {list}};
      Body writes = MakeFunctionBody(branch, 3, body.nesting);
      const Out own_list{.output = 0, .type = list}, own_index{.output = 1, .type = counter},
          own_item{.output = 2, .type = item};
      const int node =
          pushes
              ? AddNode(writes, 0, "TensorListPushBack", {own_list, own_item}, of_item)
              : AddNode(writes, 0, "TensorListSetItem", {own_list, own_index, own_item}, of_item);
      const Out changed = OutputOf(writes, 0, node, 0, list);
      Body keeps = MakeFunctionBody(branch, 3, body.nesting);
      std::string names[] = {FinishFunction(writes, branch, {changed}),
                             FinishFunction(keeps, branch, {own_list})};
      if (OneIn(2)) std::swap(names[0], names[1]);
      const int chosen = AddNode(inner, 0, OneIn(2) ? "If" : "StatelessIf",
                                 {PickBool(inner, 0), argument(2), index, element},
                                 {{"Tin", OfTypes(branch.inputs)},
                                  {"Tout", OfTypes(branch.outputs)},
                                  {"then_branch", OfFunction(names[0])},
                                  {"else_branch", OfFunction(names[1])}});
      written = OutputOf(inner, 0, chosen, 0, list);
    }
    if (!is_conditional && OneIn(4)) {
      const int back = AddNode(inner, 0, "TensorListGetItem",
                               {written, index, ElementShape(inner, 0, item, true)}, of_item);
      OutputOf(inner, 0, back, 0, item);
    }
    std::vector<Out> results = {
        Add(inner, 0, "AddV2", {argument(0), Constant(inner, 0, counter, 1)}, counter), argument(1),
        written, argument(3)};
    for (size_t i = 4; i < step.inputs.size(); ++i) {
      results.push_back(OneIn(4) ? argument(static_cast<int>(i)) : Pick(inner, 0, step.inputs[i]));
    }
    const std::string body_name = FinishFunction(inner, step, results);
    const int node = AddNode(body, context, OneIn(2) ? "While" : "StatelessWhile", inputs,
                             {{"T", OfTypes(step.inputs)},
                              {"cond", OfFunction(condition_name)},
                              {"body", OfFunction(body_name)}});
    AddResults(body, context, node, step);
    const Out after{
        .node = node, .output = 2, .type = list, .owner = context, .frame = FrameOf(body, context)};
    const int stack = AddNode(body, context, "TensorListStack",
                              {after, ElementShape(body, context, item, true)}, of_item);
    OutputOf(body, context, stack, 0, {item.dtype, kMany});
    if (OneIn(3)) {
      const int length = AddNode(body, context, "TensorListLength", {after});
      Widen(body, context, OutputOf(body, context, length, 0, counter));
    }
    --body.nesting;
  }
  // --- the model --------------------------------------------------------------------------------

  std::string Reference(const Body& body, const Out& out) {
    if (out.node < 0) return body.arguments[static_cast<size_t>(out.output)];
    const Node& node = body.nodes[static_cast<size_t>(out.node)];
    if (!body.is_function) {
      return out.output == 0 && OneIn(2) ? node.name : Cat(node.name, ":", out.output);
    }
    if (node.outputs.empty()) return Cat(node.name, ":output:", out.output);
    return Cat(node.name, ":", node.outputs[static_cast<size_t>(out.output)], ":0");
  }

  std::vector<tensorflow::NodeDef> NodesOf(const Body& body) {
    std::vector<tensorflow::NodeDef> out;
    for (const Node& node : body.nodes) {
      tensorflow::NodeDef def;
      def.set_name(node.name);
      // The same operator for references.
      const bool is_reference =
          OneIn(40) && (node.op == "Switch" || node.op == "Merge" || node.op == "Enter" ||
                        node.op == "NextIteration" || node.op == "Exit" || node.op == "Identity");
      def.set_op(is_reference ? Cat("Ref", node.op) : node.op);
      for (const Out& input : node.inputs) def.add_input(Reference(body, input));
      for (int control : node.controls) {
        def.add_input(Cat("^", body.nodes[static_cast<size_t>(control)].name));
      }
      for (const auto& [name, value] : node.attributes) (*def.mutable_attr())[name] = value;
      out.push_back(std::move(def));
    }
    if (!OneIn(4)) std::shuffle(out.begin(), out.end(), random_);
    return out;
  }

  void MakeModel() {
    Body body;
    body.budget = 20 + 40 * size_;
    body.contexts.emplace_back();
    for (int i = 2 + Below(4); i > 0; --i) {
      const Type type = RandomKnownType();
      tensorflow::AttrValue shape;
      SetShape(*shape.mutable_shape(), type, Below(4));
      const int node =
          AddNode(body, 0, "Placeholder", {}, {{"dtype", OfType(type.dtype)}, {"shape", shape}});
      OutputOf(body, 0, node, 0, type);
      inputs_.push_back(
          {.name = Cat(body.nodes[static_cast<size_t>(node)].name, ":0"), .type = type});
    }
    for (int i = Below(3); i > 0; --i) {
      const Type type = OneIn(2) ? Type{tensorflow::DT_BOOL, -1} : RandomKnownType();
      tensorflow::AttrValue shape;
      SetShape(*shape.mutable_shape(), type, 2);
      const bool is_constant = OneIn(2);
      const Out value = is_constant ? Constant(body, 0, type, Below(9) - 4) : Pick(body, 0, type);
      const int node = AddNode(body, 0, "PlaceholderWithDefault", {value},
                               {{"dtype", OfType(type.dtype)}, {"shape", shape}});
      OutputOf(body, 0, node, 0, type);
      if (OneIn(2)) continue;
      inputs_.push_back({.name = Cat(body.nodes[static_cast<size_t>(node)].name, ":0"),
                         .type = type,
                         .is_optional = is_constant});
    }
    for (int i = 2 + 2 * size_; i > 0; --i) AddStep(body, 0);
    // The results: mostly values that were added last, and results of control flow.
    std::vector<Out> results;
    const auto& values = body.contexts[0].values;
    std::vector<Out> controlled;
    for (const Out& value : values) {
      const Node& node = body.nodes[static_cast<size_t>(value.node)];
      if (node.op == "Merge" || node.op == "Exit" || node.attributes.contains("Tin") ||
          node.op == "TensorListStack" || node.op == "TensorArrayGatherV3" ||
          node.attributes.contains("body")) {
        controlled.push_back(value);
      }
    }
    for (int i = 1 + Below(6); i > 0; --i) {
      const auto& from = controlled.empty() || OneIn(3) ? values : controlled;
      const auto count = static_cast<int>(from.size());
      const int choice = OneIn(2) ? Below(count) : count - 1 - Below(std::min(count, 5));
      results.push_back(from[static_cast<size_t>(choice)]);
    }
    // A signature may feed any tensor.
    if (!controlled.empty() && OneIn(8)) {
      const Out fed = controlled[static_cast<size_t>(Below(static_cast<int>(controlled.size())))];
      if (fed.type.size != kOneOrThree && fed.type.size != kMany) {
        inputs_.push_back(
            {.name = Cat(body.nodes[static_cast<size_t>(fed.node)].name, ":", fed.output),
             .type = fed.type});
      }
    }
    model_.set_saved_model_schema_version(1);
    auto& graph = *model_.add_meta_graphs();
    graph.mutable_meta_info_def()->add_tags("serve");
    graph.mutable_graph_def()->mutable_versions()->set_producer(1000);
    for (auto& node : NodesOf(body)) *graph.mutable_graph_def()->add_node() = std::move(node);
    if (OneIn(2)) std::shuffle(library_.begin(), library_.end(), random_);
    for (auto& function : library_) {
      *graph.mutable_graph_def()->mutable_library()->add_function() = std::move(function);
    }
    auto& signature = (*graph.mutable_signature_def())["serving_default"];
    for (size_t i = 0; i < inputs_.size(); ++i) {
      auto& info = (*signature.mutable_inputs())[Cat("in", i)];
      info.set_name(inputs_[i].name);
      info.set_dtype(inputs_[i].type.dtype);
      SetShape(*info.mutable_tensor_shape(), inputs_[i].type, Below(4));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      auto& info = (*signature.mutable_outputs())[Cat("out", i)];
      const Out& result = results[i];
      outputs_.push_back(
          Cat(body.nodes[static_cast<size_t>(result.node)].name, ":", result.output));
      info.set_name(outputs_.back());
      info.set_dtype(result.type.dtype);
      info.mutable_tensor_shape()->set_unknown_rank(true);
    }
  }

  int size_;
  tensorflow::SavedModel model_;
  std::vector<std::string> outputs_;
  std::vector<tensorflow::FunctionDef> library_;
  std::map<std::pair<Signature, int>, std::vector<std::string>> functions_;
  int num_functions_ = 0;
};

}  // namespace signet
