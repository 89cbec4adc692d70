// GraphFrames: adds branches and loops of TensorFlow 1 to random graphs.
//
// Branches are Switch and Merge nodes. Loops are nodes Enter, Merge, Switch, NextIteration, and
// Exit of one frame, and have at most 3 steps. Some loops write the elements of a TensorArray.
//
// For tests: a part of RandomGraph.

#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/properties/random_graph_nodes.h"

namespace signet {

class GraphFrames : public GraphNodes {
 protected:
  using GraphNodes::GraphNodes;

  // --- Switch and Merge -------------------------------------------------------------------------

  Out ConditionOf(Body& body, int context) {
    Context& own = body.contexts[static_cast<size_t>(context)];
    if (!own.conditions.empty() && OneIn(4)) {
      return own.conditions[static_cast<size_t>(Below(static_cast<int>(own.conditions.size())))];
    }
    Out condition = PickBool(body, context);
    if (OneIn(8)) condition = Constant(body, 0, condition.type, Below(2));
    if (OneIn(5)) condition = Add(body, context, "LogicalNot", {condition}, condition.type);
    if (OneIn(3)) condition = Add(body, context, "Identity", {condition}, condition.type);
    condition = Own(body, context, condition);
    body.contexts[static_cast<size_t>(context)].conditions.push_back(condition);
    return condition;
  }

  // Returns 0 or 1 if the condition is a constant, a default, or the negation of one, else -1.
  int KnownCondition(const Body& body, const Out& condition) {
    if (condition.node < 0) return -1;
    const Node& node = body.nodes[static_cast<size_t>(condition.node)];
    if (node.op == "Const") return node.attributes.at("value").tensor().bool_val(0) ? 1 : 0;
    const bool is_fed = std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& input) {
      return !body.is_function && input.name == Cat(node.name, ":0");
    });
    if (is_fed || (node.op != "Identity" && node.op != "LogicalNot" && node.op != "Switch" &&
                   node.op != "PlaceholderWithDefault")) {
      return -1;
    }
    const int known = KnownCondition(body, node.inputs[0]);
    return known < 0 || node.op != "LogicalNot" ? known : 1 - known;
  }

  // Adds the contexts of both sides of a condition.
  std::array<int, 2> AddSides(Body& body, int context, const Out& condition) {
    const int pivot = AddNode(body, context, "Switch", {condition, condition},
                              {{"T", OfType(tensorflow::DT_BOOL)}});
    body.nodes[static_cast<size_t>(pivot)].outputs = {"output_false", "output_true"};
    std::array<int, 2> sides;
    std::vector<Out> shared[2];  // values of earlier branches of the condition
    if (OneIn(2)) {
      for (const Context& other : body.contexts) {
        if (other.kind != Kind::kSide || other.parent != context ||
            other.condition.node != condition.node || other.condition.output != condition.output) {
          continue;
        }
        auto& values = shared[other.side];
        values.insert(values.end(), other.values.begin(), other.values.end());
      }
    }
    for (int side = 0; side < 2; ++side) {
      sides[static_cast<size_t>(side)] = AddContext(body, {.kind = Kind::kSide,
                                                           .parent = context,
                                                           .frame = FrameOf(body, context),
                                                           .condition = condition,
                                                           .side = side});
      const Out passed{.node = pivot,
                       .output = side,
                       .type = condition.type,
                       .owner = sides[static_cast<size_t>(side)],
                       .frame = FrameOf(body, context)};
      const int identity = AddNode(body, sides[static_cast<size_t>(side)], "Identity", {passed},
                                   {{"T", OfType(tensorflow::DT_BOOL)}}, true);
      body.contexts[static_cast<size_t>(sides[static_cast<size_t>(side)])].pivot = identity;
      for (Out value : shared[side]) {
        if (value.owner == 0 || value.frame != passed.frame) continue;
        value.owner = sides[static_cast<size_t>(side)];
        body.contexts[static_cast<size_t>(sides[static_cast<size_t>(side)])].values.push_back(
            value);
      }
      // The condition is known in the branch.
      if (OneIn(3)) OutputOf(body, sides[static_cast<size_t>(side)], identity, 0, condition.type);
      body.contexts[static_cast<size_t>(sides[static_cast<size_t>(side)])].switches[condition] = {
          .node = pivot};
    }
    return sides;
  }

  // Merges values of both sides.
  Out MergeOf(Body& body, int context, const Out& on_false, const Out& on_true) {
    // The inputs belong to other contexts: they must not pass through Switch again.
    const int merge = AddNode(body, context, "Merge", {},
                              {{"T", OfType(on_false.type.dtype)}, {"N", OfInt(2)}}, true);
    Node& node = body.nodes[static_cast<size_t>(merge)];
    node.inputs = {on_false, on_true};
    if (OneIn(2)) std::swap(node.inputs[0], node.inputs[1]);
    node.outputs = {"output", "value_index"};
    Type type = on_false.type;
    if (type.size != on_true.type.size) type.size = kOneOrThree;
    return OutputOf(body, context, merge, 0, type);
  }

  void AddBranch(Body& body, int context) {
    ++body.nesting;
    const Out condition = ConditionOf(body, context);
    const std::array<int, 2> sides = AddSides(body, context, condition);
    for (int side : sides) AddSteps(body, side, 3);
    // A side that never runs may contain any operator.
    const int known = KnownCondition(body, condition);
    for (int i = 1 + Below(3); i > 0; --i) {
      const Type type = RandomType();
      Out given[2];
      for (int side = 0; side < 2; ++side) {
        // A value of the branch, or one that only passes it.
        if (OneIn(4)) {
          given[side] = Bring(body, sides[side], Pick(body, context, type), true);
        } else {
          given[side] = Pick(body, sides[side], type);
        }
        given[side] = Own(body, sides[side], given[side]);
        if (known == 1 - side && OneIn(2)) {
          given[side] = Add(body, sides[side], "UnknownOperator", {given[side]}, type);
        }
      }
      const bool is_swapped = OneIn(2);
      // The inputs belong to other contexts: they must not pass through Switch again.
      const int merge =
          AddNode(body, context, "Merge", {}, {{"T", OfType(type.dtype)}, {"N", OfInt(2)}}, true);
      Node& node = body.nodes[static_cast<size_t>(merge)];
      node.inputs = {given[is_swapped ? 1 : 0], given[is_swapped ? 0 : 1]};
      node.outputs = {"output", "value_index"};
      OutputOf(body, context, merge, 0, type);
      if (OneIn(4)) {
        Widen(body, context, OutputOf(body, context, merge, 1, {tensorflow::DT_INT32, -1}));
      }
    }
    --body.nesting;
  }

  // --- Enter, Merge, Switch, NextIteration, and Exit --------------------------------------------

  // A TensorArray to which each step of a loop writes an element.
  struct Array {
    Type item = {tensorflow::DT_INT64, -1};
    bool has_shape = false;
    Out handle = {};
    Out flow = {};
  };

  Array MakeArray(Body& body, int context, const Out& size) {
    Array out{.item = {tensorflow::DT_INT64, OneIn(4) ? 3 : -1}, .has_shape = OneIn(2)};
    tensorflow::AttrValue shape;
    SetShape(*shape.mutable_shape(), out.item, out.has_shape ? 2 : 0);
    const bool grows = OneIn(4);
    const Out stated = grows ? Constant(body, context, size.type, 0) : size;
    const int node = AddNode(body, context, "TensorArrayV3", {stated},
                             {{"dtype", OfType(out.item.dtype)},
                              {"element_shape", shape},
                              {"dynamic_size", OfBool(grows)},
                              {"clear_after_read", OfBool(false)}});
    body.nodes[static_cast<size_t>(node)].outputs = {"handle", "flow"};
    out.handle = OutputOf(body, context, node, 0, {tensorflow::DT_VARIANT, -1});
    out.flow = OutputOf(body, context, node, 1, {tensorflow::DT_VARIANT, -1});
    return out;
  }

  // The index that step `counter` writes.
  Out IndexOf(Body& body, int context, const Out& counter, const Out& bound) {
    if (!OneIn(4)) return counter;
    const Out last =
        Add(body, context, "Sub", {bound, Constant(body, context, counter.type, 1)}, counter.type);
    return Add(body, context, "Sub", {last, counter}, counter.type);
  }

  // The number of steps of a loop with a list.
  Out NarrowStepsOf(Body& body, int context, bool is_positive) {
    Out steps = StepsOf(body, context);
    if (is_positive) {
      steps = Add(body, context, "Maximum", {steps, Constant(body, context, steps.type, 1)},
                  steps.type);
    }
    return Add(body, context, "Cast", {steps}, {tensorflow::DT_INT32, -1},
               {{"SrcT", OfType(steps.type.dtype)}, {"DstT", OfType(tensorflow::DT_INT32)}});
  }

  void AddLoop(Body& body, int context, bool has_array) {
    ++body.nesting;
    const Type counter{has_array ? tensorflow::DT_INT32 : tensorflow::DT_INT64, -1};
    const Out bound = has_array ? NarrowStepsOf(body, context, true) : StepsOf(body, context);
    Array array;
    if (has_array) array = MakeArray(body, context, bound);
    std::vector<Type> types = {counter};
    for (int i = Below(4); i > 0; --i) types.push_back(RandomType());
    if (types.size() > 2 && OneIn(2)) types[2] = types[1];
    std::vector<Out> starts = {Own(body, context, Constant(body, context, counter, 0))};
    for (size_t i = 1; i < types.size(); ++i) {
      starts.push_back(Own(body, context, Pick(body, context, types[i])));
    }
    const size_t flow = types.size();
    if (has_array) {
      types.push_back(array.flow.type);
      starts.push_back(array.flow);
    }
    const std::string frame_name = Cat("frame_", ++num_frames_);
    const int head = AddContext(
        body, {.kind = Kind::kLoopCondition, .parent = context, .frame_name = frame_name});
    body.contexts[static_cast<size_t>(head)].frame = head;
    std::vector<int> merges;
    std::vector<Out> values;
    for (size_t i = 0; i < types.size(); ++i) {
      const int enter =
          AddNode(body, context, "Enter", {starts[i]},
                  {{"T", OfType(types[i].dtype)}, {"frame_name", OfText(frame_name)}}, true);
      const Out entered{.node = enter, .type = types[i], .owner = head, .frame = head};
      merges.push_back(AddNode(body, head, "Merge", {entered},
                               {{"T", OfType(types[i].dtype)}, {"N", OfInt(2)}}, true));
      body.nodes[static_cast<size_t>(merges[i])].outputs = {"output", "value_index"};
      if (i == 0) body.contexts[static_cast<size_t>(head)].pivot = merges[0];
      values.push_back(OutputOf(body, head, merges[i], 0, types[i]));
    }
    if (OneIn(3)) AddSteps(body, head, 2);
    Out condition = Add(body, head, "Less", {values[0], bound}, {tensorflow::DT_BOOL, -1});
    if (OneIn(3) && (!has_array || array.has_shape)) {
      condition = Add(body, head, "LogicalAnd", {condition, PickBool(body, head)}, condition.type);
    }
    const int going = AddNode(body, head, "LoopCond", {condition});
    const Out going_out{.node = going, .type = condition.type, .owner = head, .frame = head};
    const int inside = AddContext(body, {.kind = Kind::kLoopBody, .parent = head, .frame = head});
    std::vector<int> switches;
    std::vector<Out> inner;
    for (size_t i = 0; i < types.size(); ++i) {
      switches.push_back(AddNode(body, head, "Switch", {values[i], going_out},
                                 {{"T", OfType(types[i].dtype)}}, true));
      body.nodes[static_cast<size_t>(switches[i])].outputs = {"output_false", "output_true"};
      Out passed{
          .node = switches[i], .output = 1, .type = types[i], .owner = inside, .frame = head};
      if (i == 0 || OneIn(2)) {
        const int identity =
            AddNode(body, inside, "Identity", {passed}, {{"T", OfType(types[i].dtype)}}, true);
        passed = {.node = identity, .type = types[i], .owner = inside, .frame = head};
        if (i == 0) body.contexts[static_cast<size_t>(inside)].pivot = identity;
      }
      const bool is_listed = types[i].dtype != tensorflow::DT_INT32 && (!has_array || i != flow);
      if (is_listed) body.contexts[static_cast<size_t>(inside)].values.push_back(passed);
      inner.push_back(passed);
    }
    if (has_array) Widen(body, inside, inner[0]);
    AddSteps(body, inside, 4);
    Out written;
    if (has_array) {
      const Out index = IndexOf(body, inside, inner[0], bound);
      const Out item = Pick(body, inside, array.item);
      const int write =
          AddNode(body, inside, "TensorArrayWriteV3", {array.handle, index, item, inner[flow]},
                  {{"T", OfType(array.item.dtype)}});
      written = OutputOf(body, inside, write, 0, array.flow.type);
      if (OneIn(4)) {
        const int read = AddNode(body, inside, "TensorArrayReadV3", {array.handle, index, written},
                                 {{"dtype", OfType(array.item.dtype)}});
        OutputOf(body, inside, read, 0, array.item);
      }
    }
    std::vector<Out> next = {Add(body, inside, OneIn(2) ? "AddV2" : "Add",
                                 {inner[0], Constant(body, inside, counter, 1)}, counter)};
    for (size_t i = 1; i < flow; ++i) {
      next.push_back(OneIn(5) ? inner[i] : Own(body, inside, Pick(body, inside, types[i])));
    }
    if (has_array) next.push_back(written);
    // Two variables of one type are swapped.
    if (flow > 2 && types[1] == types[2] && OneIn(3)) {
      next[1] = inner[2];
      next[2] = inner[1];
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const int iteration =
          AddNode(body, inside, "NextIteration", {next[i]}, {{"T", OfType(types[i].dtype)}}, true);
      body.nodes[static_cast<size_t>(merges[i])].inputs.push_back(
          {.node = iteration, .type = types[i], .owner = head, .frame = head});
      auto& merged = body.nodes[static_cast<size_t>(merges[i])].inputs;
      if (OneIn(20)) std::swap(merged[0], merged[1]);
      const bool is_array = has_array && i == flow;
      if (!is_array && OneIn(5)) continue;
      const int exit = AddNode(body, context, "Exit", {}, {{"T", OfType(types[i].dtype)}}, true);
      body.nodes[static_cast<size_t>(exit)].inputs = {
          {.node = switches[i], .output = 0, .type = types[i], .owner = head, .frame = head}};
      const Out result = OutputOf(body, context, exit, 0, types[i]);
      if (is_array) AddArrayResults(body, context, array, result);
    }
    --body.nesting;
  }

  void AddArrayResults(Body& body, int context, const Array& array, const Out& flow) {
    const Type number{tensorflow::DT_INT32, -1};
    const int node = AddNode(body, context, "TensorArraySizeV3", {array.handle, flow});
    const Out size = OutputOf(body, context, node, 0, number);
    if (OneIn(2)) Widen(body, context, size);
    const Out range =
        Add(body, context, "Range",
            {Constant(body, context, number, 0), size, Constant(body, context, number, 1)},
            {number.dtype, kMany});
    const int gather = AddNode(body, context, "TensorArrayGatherV3", {array.handle, range, flow},
                               {{"dtype", OfType(array.item.dtype)}});
    OutputOf(body, context, gather, 0, {array.item.dtype, kMany});
  }

  int num_frames_ = 0;
};

}  // namespace signet
