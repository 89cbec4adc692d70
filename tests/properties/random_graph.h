// RandomGraph: makes random SavedModels with branches and loops of both versions of TensorFlow.
//
//   RandomGraph graph(seed, size);
//   graph.model()      the model, with one signature
//   graph.inputs()     the placeholders of the signature and their types
//
// Each value belongs to a context: the graph, a side of a Switch, the condition of a loop, or the
// body of a loop. A node of a context is dead exactly when its context is dead, because it has an
// input of the context or a control input from its pivot. Therefore all graphs are valid.
//
// Values are int64, bool, and float32 scalars and vectors of 1 and 3 elements. Floats are only
// added, negated, and multiplied by powers of two, so that no rounding depends on the order of
// operations. Loops have at most 3 steps.
//
// For tests.

#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "signet/cat.h"
#include "tensorflow/saved_model.pb.h"

namespace signet {

class RandomGraph {
 public:
  struct Type {
    tensorflow::DataType dtype = tensorflow::DT_INT64;
    int size = -1;  // -1: a scalar; kOneOrThree and kMany: not known

    auto operator<=>(const Type&) const = default;
  };
  static constexpr int kOneOrThree = 2;
  static constexpr int kMany = -2;  // the elements of a list
  struct Input {
    std::string name = {};  // a reference
    Type type = {};
    bool is_optional = false;
  };

  // Larger sizes make larger graphs with deeper control flow. Sizes are 1 to 4.
  RandomGraph(uint32_t seed, int size) : random_(seed), size_(size) { MakeModel(); }

  const tensorflow::SavedModel& model() const { return model_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }  // references

 private:
  using Attributes = std::map<std::string, tensorflow::AttrValue>;
  // A value of a body: an output of a node, or an argument of the function.
  struct Out {
    int node = -1;
    int output = 0;  // or the number of the argument
    Type type = {};
    int owner = 0;  // the context that is dead when the value is dead
    int frame = 0;  // the context of the condition of the loop, or 0

    bool operator<(const Out& other) const {
      return std::pair(node, output) < std::pair(other.node, other.output);
    }
  };
  struct Node {
    std::string name = {};
    std::string op = {};
    std::vector<Out> inputs = {};
    std::vector<int> controls = {};
    Attributes attributes = {};
    std::vector<std::string> outputs = {};  // names, if the operator has several
  };
  enum class Kind { kGraph, kSide, kLoopCondition, kLoopBody };
  struct Context {
    Kind kind = Kind::kGraph;
    int parent = -1;
    int frame = 0;
    int pivot = -1;  // a node that is dead when the context is dead
    Out condition = {};
    int side = 0;
    std::string frame_name = {};
    std::map<Out, Out> switches = {};  // Switch nodes by their data
    std::map<Out, Out> enters = {};    // constant Enter nodes by their data
    std::vector<Out> values = {};
    std::vector<Out> conditions = {};  // that branches of this context use
  };
  struct Signature {
    std::vector<Type> inputs = {};
    std::vector<Type> outputs = {};

    auto operator<=>(const Signature&) const = default;
  };
  // A graph or the body of a function.
  struct Body {
    bool is_function = false;
    int depth = 0;  // of functions
    std::vector<Node> nodes = {};
    std::deque<Context> contexts = {};
    std::set<std::string> names = {};
    std::vector<std::string> arguments = {};
    int nesting = 0;  // of branches and loops
    int budget = 0;   // nodes that may be added freely
  };

  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }

  // --- attributes and types ---------------------------------------------------------------------

  static tensorflow::AttrValue OfType(tensorflow::DataType dtype) {
    tensorflow::AttrValue out;
    out.set_type(dtype);
    return out;
  }
  static tensorflow::AttrValue OfTypes(const std::vector<Type>& types) {
    tensorflow::AttrValue out;
    out.mutable_list();
    for (const Type& type : types) out.mutable_list()->add_type(type.dtype);
    return out;
  }
  static tensorflow::AttrValue OfInt(int64_t value) {
    tensorflow::AttrValue out;
    out.set_i(value);
    return out;
  }
  static tensorflow::AttrValue OfBool(bool value) {
    tensorflow::AttrValue out;
    out.set_b(value);
    return out;
  }
  static tensorflow::AttrValue OfText(const std::string& value) {
    tensorflow::AttrValue out;
    out.set_s(value);
    return out;
  }
  // The function with the attributes that it needs.
  void SetFunction(const std::string& name, tensorflow::NameAttrList& out) const {
    out.set_name(name);
    for (const auto& [key, value] : function_attributes_.at(name))
      (*out.mutable_attr())[key] = value;
  }
  tensorflow::AttrValue OfFunction(const std::string& name) const {
    tensorflow::AttrValue out;
    SetFunction(name, *out.mutable_func());
    return out;
  }

  Type RandomType() {
    constexpr tensorflow::DataType kTypes[] = {tensorflow::DT_INT64, tensorflow::DT_INT64,
                                               tensorflow::DT_BOOL, tensorflow::DT_FLOAT};
    const int choice = Below(20);
    const int size = choice < 13 ? -1 : choice < 17 ? 3 : choice < 19 ? 1 : kOneOrThree;
    return {kTypes[Below(4)], size};
  }
  // A type whose size is known.
  Type RandomKnownType() {
    Type out = RandomType();
    if (out.size == kOneOrThree) out.size = 3;
    return out;
  }
  std::vector<Type> RandomTypes(int most) {
    std::vector<Type> out(1 + static_cast<size_t>(Below(most)));
    for (Type& type : out) type = RandomType();
    return out;
  }

  // --- nodes ------------------------------------------------------------------------------------

  std::string NameOf(Body& body, const std::string& op) {
    constexpr const char* kFolders[] = {"", "a/", "model/", "while/", "cond/"};
    constexpr const char* kWords[] = {"x", "out", "z", "b", "value", "m"};
    for (;;) {
      std::string name = OneIn(2) ? Cat(kFolders[Below(5)], op, "_", Below(1000))
                                  : Cat(kFolders[Below(5)], kWords[Below(6)], Below(1000));
      if (body.names.insert(name).second) return name;
    }
  }

  // Adds a node to a context. Its inputs are brought into the context.
  int AddNode(Body& body, int context, const std::string& op, std::vector<Out> inputs,
              Attributes attributes = {}, bool is_free = false) {
    --body.budget;
    for (Out& input : inputs) input = Bring(body, context, input);
    Node node{.name = NameOf(body, op), .op = op};
    const bool is_guarded = context == 0 || is_free ||
                            std::any_of(inputs.begin(), inputs.end(), [context](const Out& input) {
                              return input.owner == context;
                            });
    if (!is_guarded || (context != 0 && !is_free && OneIn(12))) {
      int pivot = body.contexts[static_cast<size_t>(context)].pivot;
      // A control input may pass through a node without outputs.
      if (OneIn(10)) {
        body.nodes.push_back({.name = NameOf(body, "NoOp"), .op = "NoOp", .controls = {pivot}});
        pivot = static_cast<int>(body.nodes.size()) - 1;
      }
      node.controls.push_back(pivot);
    }
    if (!is_free && OneIn(25)) AddAssert(body, context, node);
    const auto& values = body.contexts[static_cast<size_t>(context)].values;
    if (!is_free && !values.empty() && OneIn(15)) {
      const Out& other = values[static_cast<size_t>(Below(static_cast<int>(values.size())))];
      if (other.node >= 0 && other.owner == context) node.controls.push_back(other.node);
    }
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    body.nodes.push_back(std::move(node));
    return static_cast<int>(body.nodes.size()) - 1;
  }

  // Adds an assertion that runs before a node. Most assertions hold where they run.
  void AddAssert(Body& body, int context, Node& node) {
    const Type type{tensorflow::DT_BOOL, -1};
    const Context& own = body.contexts[static_cast<size_t>(context)];
    auto add = [&](const std::string& op, const std::vector<Out>& inputs) {
      body.nodes.push_back({.name = NameOf(body, op), .op = op, .inputs = inputs});
      return Out{.node = static_cast<int>(body.nodes.size()) - 1,
                 .type = type,
                 .owner = context,
                 .frame = own.frame};
    };
    Out condition{.node = own.pivot, .type = type, .owner = context, .frame = own.frame};
    if (own.kind == Kind::kSide && !OneIn(3)) {
      if (own.side == 0) condition = add("LogicalNot", {condition});
    } else {
      std::vector<Out> values;
      for (const Out& value : own.values) {
        if (value.type == type) values.push_back(value);
      }
      if (values.empty()) return;
      condition = values[static_cast<size_t>(Below(static_cast<int>(values.size())))];
      if (!OneIn(3)) {
        condition = add("LogicalOr", {condition, add("LogicalNot", {condition})});
      }
    }
    const Out assertion = add("Assert", {condition, condition});
    Node& added = body.nodes[static_cast<size_t>(assertion.node)];
    added.attributes["T"] = OfTypes({type});
    if (context != 0) added.controls = {own.pivot};
    node.controls.push_back(assertion.node);
  }

  Out OutputOf(Body& body, int context, int node, int output, Type type) {
    Out out{.node = node,
            .output = output,
            .type = type,
            .owner = context,
            .frame = body.contexts[static_cast<size_t>(context)].frame};
    if (type.dtype != tensorflow::DT_INT32 && type.dtype != tensorflow::DT_VARIANT) {
      body.contexts[static_cast<size_t>(context)].values.push_back(out);
    }
    return out;
  }

  Out Add(Body& body, int context, const std::string& op, const std::vector<Out>& inputs, Type type,
          Attributes attributes = {}) {
    attributes.emplace("T", OfType(inputs.empty() ? type.dtype : inputs.back().type.dtype));
    return OutputOf(body, context, AddNode(body, context, op, inputs, std::move(attributes)), 0,
                    type);
  }

  Out Constant(Body& body, int context, Type type, int64_t value) {
    if (type.size == kOneOrThree) type.size = OneIn(2) ? 1 : 3;
    tensorflow::AttrValue attribute;
    auto& tensor = *attribute.mutable_tensor();
    tensor.set_dtype(type.dtype);
    tensor.mutable_tensor_shape();
    if (type.size >= 0) tensor.mutable_tensor_shape()->add_dim()->set_size(type.size);
    const int count = type.size > 0 && OneIn(2) ? type.size : 1;
    for (int i = 0; i < count; ++i) {
      const int64_t element = i == 0 ? value : Below(9) - 4;
      if (type.dtype == tensorflow::DT_FLOAT) {
        tensor.add_float_val(0.5F * static_cast<float>(element));
      } else if (type.dtype == tensorflow::DT_BOOL) {
        tensor.add_bool_val(element % 2 != 0);
      } else if (type.dtype == tensorflow::DT_INT32) {
        tensor.add_int_val(static_cast<int32_t>(element));
      } else {
        tensor.add_int64_val(element);
      }
    }
    Context& own = body.contexts[static_cast<size_t>(context)];
    // A constant outside of loops needs no control input.
    const bool is_free = context != 0 && own.frame == 0 && OneIn(3);
    const int node =
        AddNode(body, context, "Const", {},
                {{"dtype", OfType(type.dtype)}, {"value", std::move(attribute)}}, is_free);
    Out out{.node = node, .type = type, .owner = is_free ? 0 : context, .frame = own.frame};
    if (type.dtype != tensorflow::DT_INT32) own.values.push_back(out);
    return out;
  }

  // --- contexts ---------------------------------------------------------------------------------

  int AddContext(Body& body, Context context) {
    body.contexts.push_back(std::move(context));
    return static_cast<int>(body.contexts.size()) - 1;
  }

  // Returns the data output of a Switch of a side, which may also be that of the other side.
  Out SwitchOf(Body& body, int context, const Out& value) {
    Context& own = body.contexts[static_cast<size_t>(context)];
    auto known = own.switches.find(value);
    int node = known != own.switches.end() && !OneIn(4) ? known->second.node : -1;
    if (node < 0) {
      node = AddNode(body, own.parent, "Switch", {value, own.condition},
                     {{"T", OfType(value.type.dtype)}}, true);
      body.nodes[static_cast<size_t>(node)].outputs = {"output_false", "output_true"};
      // Both sides share the node.
      for (int other : {context - 1, context, context + 1}) {
        if (other < 0 || other >= static_cast<int>(body.contexts.size())) continue;
        Context& sibling = body.contexts[static_cast<size_t>(other)];
        if (sibling.kind == Kind::kSide && sibling.condition.node == own.condition.node &&
            sibling.condition.output == own.condition.output && sibling.parent == own.parent) {
          sibling.switches[value] = {.node = node};
        }
      }
    }
    return {
        .node = node, .output = own.side, .type = value.type, .owner = context, .frame = own.frame};
  }

  // Returns a value of an outer context in this one: through Switch and Enter nodes where needed.
  Out Bring(Body& body, int context, Out value, bool always_switch = false) {
    if (value.owner == context && value.frame == FrameOf(body, context)) return value;
    std::vector<int> path;  // contexts below that of the value
    int at = context;
    while (at > 0 && at != value.owner) {
      path.push_back(at);
      at = body.contexts[static_cast<size_t>(at)].parent;
    }
    std::reverse(path.begin(), path.end());
    for (int inner : path) {
      const Kind kind = body.contexts[static_cast<size_t>(inner)].kind;
      if (kind == Kind::kSide) {
        // Both contexts are in one frame. A value that is already in a frame inside was entered.
        if (FrameOf(body, inner) != value.frame) continue;
        if (always_switch || !OneIn(3)) value = SwitchOf(body, inner, value);
      } else if (kind == Kind::kLoopCondition) {
        if (value.frame == inner || !IsInside(body, inner, value.frame)) continue;
        Context& own = body.contexts[static_cast<size_t>(inner)];
        // A constant of the loop must be dead if the loop is dead, except for rare graphs.
        if (value.owner != own.parent && !OneIn(10)) value = Own(body, own.parent, value);
        const bool is_owned = value.owner == own.parent;
        auto known = own.enters.find(value);
        if (known == own.enters.end()) {
          const int node = AddNode(body, own.parent, "Enter", {value},
                                   {{"T", OfType(value.type.dtype)},
                                    {"frame_name", OfText(own.frame_name)},
                                    {"is_constant", OfBool(true)}},
                                   true);
          known = own.enters
                      .emplace(value, Out{.node = node,
                                          .type = value.type,
                                          .owner = is_owned ? inner : value.owner,
                                          .frame = inner})
                      .first;
        }
        value = known->second;
      }
    }
    return value;
  }

  int FrameOf(const Body& body, int context) const {
    return body.contexts[static_cast<size_t>(context)].frame;
  }
  // Returns true if the frame `inner` is nested in the frame `outer`, or is that frame.
  bool IsInside(const Body& body, int inner, int outer) const {
    for (int at = inner; at > 0; at = body.contexts[static_cast<size_t>(at)].parent) {
      if (at == outer) return true;
    }
    return outer == 0;
  }

  // Returns the value as one that is dead when the context is dead.
  Out Own(Body& body, int context, const Out& value) {
    const bool is_side = body.contexts[static_cast<size_t>(context)].kind == Kind::kSide;
    const Out out = Bring(body, context, value, is_side && OneIn(2));
    if (out.owner == context) return out;
    const int node = AddNode(body, context, "Identity", {out}, {{"T", OfType(out.type.dtype)}});
    return OutputOf(body, context, node, 0, out.type);
  }

  // Returns a value of a type that the context may use.
  Out Pick(Body& body, int context, Type type) {
    std::vector<Out> found;
    for (int at = context; at >= 0; at = body.contexts[static_cast<size_t>(at)].parent) {
      for (const Out& value : body.contexts[static_cast<size_t>(at)].values) {
        const bool is_open = type.size == kOneOrThree && value.type.size > 0;
        if (value.type.dtype == type.dtype && (is_open || value.type.size == type.size)) {
          found.push_back(value);
        }
      }
      if (!found.empty() && OneIn(2)) break;
    }
    if (found.empty() || OneIn(10)) return Constant(body, context, type, Below(9) - 4);
    const auto size = static_cast<int>(found.size());
    const int choice = OneIn(2) ? Below(size) : size - 1 - Below(std::min(size, 3));
    return found[static_cast<size_t>(choice)];
  }

  Out PickBool(Body& body, int context) {
    if (OneIn(3)) {
      const Type type{tensorflow::DT_INT64, -1};
      constexpr const char* kOps[] = {"Less", "Greater", "Equal", "LessEqual"};
      return Add(body, context, kOps[Below(4)],
                 {Pick(body, context, type), Pick(body, context, type)}, {tensorflow::DT_BOOL, -1});
    }
    return Pick(body, context, {tensorflow::DT_BOOL, -1});
  }

  // A small number of steps.
  Out StepsOf(Body& body, int context) {
    const Type type{tensorflow::DT_INT64, -1};
    if (OneIn(3)) return Constant(body, context, type, Below(4));
    return Add(body, context, "FloorMod",
               {Pick(body, context, type), Constant(body, context, type, body.nesting > 1 ? 3 : 4)},
               type);
  }

  // --- single operators -------------------------------------------------------------------------

  void AddArithmetic(Body& body, int context) {
    const Type type = RandomType();
    const Type other{type.dtype, OneIn(4) ? -1 : type.size};
    auto a = Pick(body, context, type);
    if (type.dtype == tensorflow::DT_BOOL) {
      constexpr const char* kOps[] = {"LogicalAnd", "LogicalOr", "LogicalNot"};
      const int choice = Below(3);
      if (choice == 2) {
        Add(body, context, kOps[choice], {a}, type);
      } else {
        Add(body, context, kOps[choice], {a, Pick(body, context, other)}, type);
      }
    } else if (type.dtype == tensorflow::DT_FLOAT) {
      constexpr const char* kOps[] = {"AddV2", "Sub", "Add"};
      const int choice = Below(5);
      if (choice == 3) {
        Add(body, context, "Neg", {a}, type);
      } else if (choice == 4) {
        Add(body, context, "Mul", {a, Constant(body, context, {type.dtype, -1}, OneIn(2) ? 4 : 1)},
            type);
      } else {
        Add(body, context, kOps[choice], {a, Pick(body, context, other)}, type);
      }
    } else {
      constexpr const char* kOps[] = {"AddV2", "Sub", "Mul", "Maximum", "Minimum", "Add"};
      const int choice = Below(8);
      if (choice == 6) {
        Add(body, context, "Neg", {a}, type);
      } else if (choice == 7) {
        Add(body, context, "FloorMod", {a, Constant(body, context, {type.dtype, -1}, 5)}, type);
      } else {
        Add(body, context, kOps[choice], {a, Pick(body, context, other)}, type);
      }
    }
  }

  void AddComparison(Body& body, int context) {
    const Type type{OneIn(3) ? tensorflow::DT_FLOAT : tensorflow::DT_INT64, OneIn(4) ? 3 : -1};
    constexpr const char* kOps[] = {"Less", "LessEqual", "Greater", "Equal", "NotEqual"};
    Add(body, context, kOps[Below(5)], {Pick(body, context, type), Pick(body, context, type)},
        {tensorflow::DT_BOOL, type.size});
  }

  void AddSeveralOutputs(Body& body, int context) {
    const Type scalar{RandomType().dtype, -1};
    const Type vector{scalar.dtype, 3};
    switch (Below(5)) {
      case 0: {
        const int node = AddNode(body, context, "Unpack", {Pick(body, context, vector)},
                                 {{"T", OfType(vector.dtype)}, {"num", OfInt(3)}});
        for (int i = 0; i < 3; ++i) OutputOf(body, context, node, i, scalar);
        return;
      }
      case 1: {
        const Out axis = Constant(body, context, {tensorflow::DT_INT32, -1}, 0);
        const int node = AddNode(body, context, "Split", {axis, Pick(body, context, vector)},
                                 {{"T", OfType(vector.dtype)}, {"num_split", OfInt(3)}});
        for (int i = 0; i < 3; ++i) OutputOf(body, context, node, i, {vector.dtype, 1});
        return;
      }
      case 2: {
        std::vector<Type> types = RandomTypes(3);
        std::vector<Out> inputs;
        for (const Type& type : types) inputs.push_back(Pick(body, context, type));
        const int node = AddNode(body, context, "IdentityN", inputs, {{"T", OfTypes(types)}});
        for (size_t i = 0; i < types.size(); ++i) {
          OutputOf(body, context, node, static_cast<int>(i), types[i]);
        }
        return;
      }
      case 3: {
        const Out count = Constant(body, context, {tensorflow::DT_INT32, -1}, 3);
        const Type type{tensorflow::DT_INT64, 3};
        const int node = AddNode(body, context, "TopKV2", {Pick(body, context, type), count},
                                 {{"T", OfType(type.dtype)}});
        body.nodes[static_cast<size_t>(node)].outputs = {"values", "indices"};
        OutputOf(body, context, node, 0, type);
        const Out indices = OutputOf(body, context, node, 1, {tensorflow::DT_INT32, 3});
        Widen(body, context, indices);
        return;
      }
      default:
        Add(body, context, "Pack",
            {Pick(body, context, scalar), Pick(body, context, scalar), Pick(body, context, scalar)},
            vector, {{"N", OfInt(3)}, {"axis", OfInt(0)}});
    }
  }

  // Casts int32 to int64.
  Out Widen(Body& body, int context, const Out& value) {
    return Add(body, context, "Cast", {value}, {tensorflow::DT_INT64, value.type.size},
               {{"SrcT", OfType(value.type.dtype)}, {"DstT", OfType(tensorflow::DT_INT64)}});
  }

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

  void AddSteps(Body& body, int context, int most) {
    for (int i = Below(most + 1); i > 0; --i) AddStep(body, context);
  }

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
    // Some attributes are those of the call.
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

  static void SetShape(tensorflow::TensorShapeProto& shape, Type type, int form) {
    if (form == 0) {
      shape.set_unknown_rank(true);
    } else if (type.size >= 0) {
      shape.add_dim()->set_size(form == 1 ? -1 : type.size);
    }
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

  std::mt19937 random_;
  int size_;
  tensorflow::SavedModel model_;
  std::vector<Input> inputs_;
  std::vector<std::string> outputs_;
  std::vector<tensorflow::FunctionDef> library_;
  std::map<std::pair<Signature, int>, std::vector<std::string>> functions_;
  std::map<std::string, Attributes> function_attributes_;  // by function
  int num_frames_ = 0;
  int num_functions_ = 0;
};

}  // namespace signet
