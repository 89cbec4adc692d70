// GraphNodes: adds random nodes to graphs of TensorFlow and to the bodies of functions.
//
// Each value belongs to a context: the graph, a side of a Switch, the condition of a loop, or the
// body of a loop. A node of a context is dead exactly when its context is dead, because it has an
// input of the context or a control input from its pivot. Therefore all graphs are valid.
//
// Values are int64, bool, and float32 scalars and vectors of 1 and 3 elements. Floats are only
// added, negated, and multiplied by powers of two, so that no rounding depends on the order of
// operations.
//
// For tests: a part of RandomGraph.

#pragma once

#include <algorithm>
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

class GraphNodes {
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

 protected:
  explicit GraphNodes(uint32_t seed) : random_(seed) {}
  virtual ~GraphNodes() = default;

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

  static void SetShape(tensorflow::TensorShapeProto& shape, Type type, int form) {
    if (form == 0) {
      shape.set_unknown_rank(true);
    } else if (type.size >= 0) {
      shape.add_dim()->set_size(form == 1 ? -1 : type.size);
    }
  }

  // Adds up to `most` random nodes, branches, loops, and calls to a context.
  virtual void AddSteps(Body& body, int context, int most) = 0;

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

  std::mt19937 random_;
  std::vector<Input> inputs_;                              // of the signature
  std::map<std::string, Attributes> function_attributes_;  // by function
};

}  // namespace signet
