// RandomOpCalls: calls of any op, internal ops included, with random attributes and values.
//
// A call may fit the op or not: attributes are often of the kind that the op expects, and sometimes
// of any other; inputs are often tensors of one dtype. `RunOpCall` runs a call in the ways in which
// a model can: at once, and as the body of a function that is checked when its model is loaded.

#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/inliner.h"
#include "core/ops/catalog.h"
#include "core/ops/def/literal_dtype.h"
#include "core/runtime/polymorphic_function.h"
#include "core/values/builders/value_notation.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"
#include "tests/properties/values_random.h"
#include "tests/support/body_maker.h"

namespace signet {

struct RandomOpCall {
  enum class InputKind : uint8_t { kParameter, kCapture, kLiteral };
  struct Input {
    Value value;  // no value: None
    InputKind kind = InputKind::kParameter;
    TypeSpec constraint;  // of the parameter
  };

  const OpDef* op = nullptr;
  std::vector<Input> inputs;
  NamedTypes attributes;
  std::vector<std::string> attributes_from_arguments;  // names of attributes that are parameters
  int output = 0;                                      // the output that the function returns

  std::string ToString() const {
    std::string out = Cat(op->name, " ", Attributes(attributes).ToString(), " output=", output);
    for (const std::string& name : attributes_from_arguments) out += Cat(" (", name, " is passed)");
    for (const Input& input : inputs) {
      if (!input.value) {
        out += "\n  None";
        continue;
      }
      constexpr const char* kKinds[] = {"parameter", "capture", "literal"};
      out += Cat("\n  ", kKinds[static_cast<int>(input.kind)], " ", input.constraint, " = ",
                 input.value.spec(), " ", signet::ToString(input.value));
    }
    return out;
  }
};

class RandomOpCalls {
 public:
  explicit RandomOpCalls(RandomValues& random) : random_(random), ops_(BuiltinOps().All()) {}

  RandomOpCall Next() {
    return Next(
        *ops_[static_cast<size_t>(random_.Below(256) * 256 + random_.Below(256)) % ops_.size()]);
  }

  RandomOpCall Next(const OpDef& op) {
    RandomOpCall call;
    call.op = &op;
    constexpr DType kDTypes[] = {DType::kFloat32, DType::kInt64, DType::kString,
                                 DType::kInt32,   DType::kBool,  DType::kUInt8};
    // Most calls have inputs of one dtype, and some dtypes are frequent.
    dtype_ = random_.Chance(4) ? random_.AnyDType() : kDTypes[random_.Below(6)];
    rank_ = random_.Below(6);
    bool variadic = !op.inputs.empty() && op.inputs.back().ends_with("...");
    size_t count = op.inputs.size();
    if (variadic) count += static_cast<size_t>(random_.Below(4)) - 1;
    for (size_t i = 0; i < count; ++i) {
      if (i < op.inputs.size() && op.inputs[i].ends_with("?") && random_.Chance(2)) {
        if (random_.Chance(2)) break;
        call.inputs.emplace_back();
        continue;
      }
      call.inputs.push_back(AnyInput());
    }
    for (const AttributeDef& attribute : op.attributes) {
      if (attribute.default_value && !random_.Chance(3)) continue;
      TypeSpec value = AnyAttribute(attribute);
      // An argument becomes an attribute if it is a literal or a nest of literals.
      if (random_.Chance(6) && IsPlain(value)) {
        call.attributes_from_arguments.push_back(attribute.name);
      }
      call.attributes.emplace_back(attribute.name, std::move(value));
    }
    if (random_.Chance(5)) call.output = random_.Below(4);
    return call;
  }

 private:
  RandomOpCall::Input AnyInput() {
    RandomOpCall::Input input;
    for (int attempt = 0; attempt < 8 && !input.value; ++attempt) {
      input.value = AnyValue(AnyType());
    }
    if (!input.value) input.value = Value(Tensor::Scalar(1.0F));
    input.constraint = AnyConstraint(input.value.spec());
    if (random_.Chance(3)) input.kind = RandomOpCall::InputKind::kCapture;
    if (IsPlain(input.value.spec()) && random_.Chance(2)) {
      input.kind = RandomOpCall::InputKind::kLiteral;
    }
    return input;
  }

  // A constraint of a parameter that takes values of `spec`, or seldom does not.
  TypeSpec AnyConstraint(const TypeSpec& spec) {
    switch (random_.Below(8)) {
      case 0:
        return {};
      case 1:
        return random_.Relative(spec);
      case 2:
      case 3:
      case 4: {
        const auto* tensor = spec.As<TensorSpec>();
        if (tensor == nullptr || !tensor->shape().has_rank()) return spec;
        if (random_.Chance(6)) return TensorType(tensor->dtype(), PartialShape());
        return TensorType(tensor->dtype(), PartialShape::OfRank(tensor->shape().rank()));
      }
      default:
        return spec;
    }
  }

  TypeSpec AnyType() {
    DType dtype = random_.Chance(4) ? DType::kInt64 : dtype_;
    switch (random_.Below(12)) {
      case 0:
        return random_.Type(2);
      case 1: {
        PartialShape shape = random_.AnyShape(1);
        int ragged_rank = random_.Below(shape.rank());
        return *MakeRaggedType(dtype, std::move(shape), ragged_rank,
                               random_.Chance(4) ? DType::kInt32 : DType::kInt64);
      }
      case 2:
        return LiteralType(random_.AnyLiteral());
      case 3:
        return TensorType(dtype, random_.AnyShape(0));
      case 4:
        return TensorType(dtype, PartialShape(std::span<const int64_t>()));
      default: {
        // Dimensions that fit one another more often than not.
        Dims dims;
        int rank = random_.Chance(4) ? random_.Below(6) : rank_;
        for (int i = 0; i < rank; ++i) dims.push_back(random_.Chance(5) ? random_.Below(6) : 2);
        return TensorType(dtype, PartialShape(std::span<const int64_t>(dims.data(), dims.size())));
      }
    }
  }

  Value AnyValue(const TypeSpec& type) {
    auto builder = ValueBuilder::Make(type);
    if (!builder.ok() || !random_.Fill(type, *builder).ok()) return {};
    auto value = builder->Finish();
    return value.ok() ? *std::move(value) : Value();
  }

  int64_t AnyInt() {
    constexpr int64_t kOdd[] = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max(),
                                std::numeric_limits<int64_t>::min() + 1,
                                int64_t{1} << 31,
                                -(int64_t{1} << 31) - 1,
                                int64_t{1} << 62,
                                (int64_t{1} << 32) + 1,
                                65536,
                                255,
                                -100};
    return random_.Chance(8) ? kOdd[random_.Below(10)] : random_.Below(7) - 2;
  }

  double AnyFloat() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double kFloats[] = {0,   0.5,  1,     -1,    -0.0,       2.25,
                              1e3, 1e39, 1e308, 1e-40, -kInfinity, std::nan("")};
    return kFloats[random_.Below(12)];
  }

  // A word that some attribute of some op means something by.
  const char* AnyWord() {
    // clang-format off
    static constexpr const char* kWords[] = {
        "float32", "int64", "string", "bool", "float16", "int32", "uint8", "bfloat16", "float64",
        "complex64", "add", "mul", "max", "min", "sum", "mean", "none", "constant", "edge",
        "reflect", "wrap", "linear", "nearest", "cubic", "half_pixel", "asymmetric",
        "align_corners", "tf_crop_and_resize", "round_prefer_floor", "floor", "ceil", "forward",
        "reverse", "bidirectional", "Tanh", "Sigmoid", "Relu", "tanh", "sigmoid", "relu", "gelu",
        "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "SOFTMAX", "LOGISTIC", "PROBIT",
        "SOFTMAX_ZERO", "NONE", "SUM", "AVERAGE", "MIN", "MAX", "BRANCH_LEQ", "LEAF", "LINEAR",
        "POLY", "RBF", "SIGMOID", "DCR", "CRD", "L1", "L2", "UPPER", "LOWER", "en_US", "TFIDF",
        "TF", "IDF", "TO_FLOAT", "TO_STRING", "TO_INT64", "DENSE", "SPARSE", "avg",
        "output_half_pixel", "ij,jk->ik", "...i,i", "ii", "a+", "[", "(a|b)*", "", "x", "y", "a",
        "concat", "one", "two", "test", "step", "float8_e4m3fn", "int4", "int8", "E4M3FN",
        "ragged int64[?, (?)]", "float32[?]", "any", "app.T", "fan_in", "\xff", "%d",
        "add 0 1; mul 2 0", "neg 0", "regex_full_match 0", "clip 0 0 0", "cast 0; neg 1",
        "mod 0 0", "2.5",
    };
    // clang-format on
    return kWords[static_cast<size_t>(random_.Below(256)) % std::size(kWords)];
  }

  TypeSpec AnyList(const TypeSpec& like) {
    std::vector<TypeSpec> elements;
    int kind = random_.Below(8);
    for (int n = random_.Chance(16) ? 40 : random_.Below(6); n > 0; --n) {
      if (kind < 4) {
        elements.push_back(AttributeOf(AnyInt()));
      } else if (kind < 5) {
        elements.push_back(AttributeOf(AnyFloat()));
      } else if (kind < 6) {
        elements.push_back(AttributeOf(AnyWord()));
      } else if (kind < 7 && like && !like.children().empty()) {
        elements.push_back(like.children()[0]);
      } else {
        elements.push_back(random_.Type(1));
      }
    }
    return random_.Chance(6) ? TupleType(std::move(elements)) : ListType(std::move(elements));
  }

  TypeSpec AnyAttribute(const AttributeDef& attribute) {
    if (random_.Chance(8)) return random_.Type(2);
    const TypeSpec& like = attribute.default_value;
    const auto* literal = like ? like.As<LiteralSpec>() : nullptr;
    if (literal != nullptr && !random_.Chance(8)) {
      switch (literal->literal().kind()) {
        case Literal::Kind::kBool:
          return AttributeOf(random_.Chance(2));
        case Literal::Kind::kInt:
          return AttributeOf(AnyInt());
        case Literal::Kind::kFloat:
          return AttributeOf(AnyFloat());
        case Literal::Kind::kString:
          return AttributeOf(AnyWord());
        case Literal::Kind::kNone:
          break;
      }
    }
    switch (random_.Below(like && literal == nullptr ? 1 : 8)) {
      case 0:
      case 1:
      case 2:
        return AnyList(like);
      case 3:
      case 4:
        return AttributeOf(AnyInt());
      case 5:
        return AttributeOf(AnyFloat());
      case 6:
        return AttributeOf(AnyWord());
      default:
        return LiteralType(random_.AnyLiteral());
    }
  }

  RandomValues& random_;
  std::vector<const OpDef*> ops_;
  DType dtype_ = DType::kFloat32;
  int rank_ = 1;
};

// The functions that attributes such as `function` may name.
inline void DefineFunctionsToCall(TestLibrary& library) {
  library.functions.emplace("one", BodyMaker("one", "(x)").Node("y", "neg", {"x"}).Make("y"));
  library.functions.emplace("two",
                            BodyMaker("two", "(x, y)").Node("z", "add", {"x", "y"}).Make("z"));
  library.functions.emplace(
      "test", BodyMaker("test", "(x, *rest)").Node("z", "less", {"x", "3"}).Make("z"));
  library.functions.emplace("step", BodyMaker("step", "(x, y)")
                                        .Node("z", "add", {"x", "1"})
                                        .Node("t", "make_tuple", {"z", "y"})
                                        .Make("t"));
}

struct OpCallOutcome {
  Status status;  // of the first fault
  std::vector<Value> values;
};

inline RunBudget SmallBudget() {
  RunBudget budget;
  budget.max_steps = 2'000;
  budget.max_bytes = int64_t{128} << 20;
  return budget;
}

// Runs `call` at once, on values.
inline OpCallOutcome RunOpCallAtOnce(const RandomOpCall& call, const FunctionLibrary& library) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  auto check = [end]() -> Status {
    if (std::chrono::steady_clock::now() < end) return absl::OkStatus();
    return DeadlineExceeded("five seconds have passed");
  };
  Evaluator run(library, check, SmallBudget());
  std::vector<GraphValue> inputs;
  for (const RandomOpCall::Input& input : call.inputs) {
    inputs.push_back(run.Constant(input.value ? input.value : Value::OfLiteral(Literal())));
  }
  auto outputs = Inliner(run).Call(*call.op, inputs, Attributes(call.attributes));
  if (!outputs.ok()) return {outputs.status(), {}};
  OpCallOutcome outcome;
  for (const GraphValue& output : *outputs) outcome.values.push_back(run.ValueOf(output));
  return outcome;
}

// Runs `call` as the body of a function: checks the function as loading does, then calls it.
inline OpCallOutcome RunOpCallInFunction(const RandomOpCall& call, TestLibrary& library) {
  FunctionDef def;
  def.name = "f";
  GraphNode node{"call", call.op, {}, {}};
  std::vector<Parameter> parameters;
  CallArguments arguments;
  auto add_parameter = [&](Value value, TypeSpec constraint) {
    int index = static_cast<int>(parameters.size());
    parameters.push_back(
        {Cat("x", index), ParameterKind::kPositionalOnly, false, std::move(constraint)});
    arguments.positional.push_back(std::move(value));
    return GraphEdge{GraphEdge::Kind::kParameter, index, 0};
  };
  for (const RandomOpCall::Input& input : call.inputs) {
    if (!input.value || input.kind == RandomOpCall::InputKind::kLiteral) {
      def.graph.literals.push_back(input.value ? input.value : Value::OfLiteral(Literal()));
      int index = static_cast<int>(def.graph.literals.size()) - 1;
      node.inputs.push_back({GraphEdge::Kind::kLiteral, index, 0});
    } else if (input.kind == RandomOpCall::InputKind::kCapture) {
      std::string name = Cat("w", def.graph.captures.size());
      library.values.insert_or_assign(name, input.value);
      def.graph.captures.push_back(name);
      int index = static_cast<int>(def.graph.captures.size()) - 1;
      node.inputs.push_back({GraphEdge::Kind::kCapture, index, 0});
    } else {
      node.inputs.push_back(add_parameter(input.value, input.constraint));
    }
  }
  NamedTypes in_body;
  for (const auto& [name, value] : call.attributes) {
    const auto& passed = call.attributes_from_arguments;
    if (std::find(passed.begin(), passed.end(), name) == passed.end()) {
      in_body.emplace_back(name, value);
    } else {
      node.attribute_edges.emplace_back(name, add_parameter(Value::Trusted(value, {}), {}));
    }
  }
  node.attributes = Attributes(std::move(in_body));
  auto type = FunctionType::Make(std::move(parameters));
  if (!type.ok()) return {type.status(), {}};
  def.type = *std::move(type);
  def.graph.nodes.push_back(std::move(node));
  def.graph.result = {GraphEdge::Kind::kNode, 0, call.output};

  RunBudget budget = SmallBudget();
  PolymorphicFunction function(
      def, library, {.max_loop_steps = budget.max_steps, .max_call_bytes = budget.max_bytes});
  Status loaded = function.CheckBody();
  if (!loaded.ok()) return {loaded, {}};
  RunControl control;
  control.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  auto value = function.Call(arguments, control);
  if (!value.ok()) return {value.status(), {}};
  return {absl::OkStatus(), {*std::move(value)}};
}

}  // namespace signet
