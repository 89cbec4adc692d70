// Each pass on a small function: what is left of it, and that it gives what the plain graph gives.

#include "core/graph/flat/passes/passes.h"

#include <random>

#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/ops/def/inference.h"
#include "core/runtime/executor.h"
#include "core/types/notation/notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

Tensor RandomFloats(std::string_view type) {
  static std::mt19937 random(5);
  const TypeSpec spec = *ParseTypeSpec(type);
  auto tensor = Tensor::Allocate(DType::kFloat32, Shape(spec.shape()->dims()));
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    tensor->mutable_elements<float>()[i] = std::uniform_real_distribution<float>(-1, 1)(random);
  }
  return *tensor;
}

StatusOr<Components> Run(FlatGraph graph, const std::vector<Tensor>& inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto plan, Plan::Make(std::move(graph)));
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  FramePool frames;
  return RunPlan(*plan, frames, pointers, {});
}

// A function of x, and perhaps y, with captures of the given types.
struct Case {
  std::vector<std::string> inputs;  // types
  std::map<std::string, std::string> captures;
  std::function<FunctionDef(BodyMaker)> make;
  bool shows_programs = false;
};

// The ops that are left, with their attributes where they are few.
std::string Optimized(const Case& c) {
  TestLibrary library;
  for (const auto& [name, type] : c.captures) library.values[name] = RandomFloats(type);
  std::vector<Value> arguments;
  std::vector<Tensor> inputs;
  for (const std::string& type : c.inputs) {
    inputs.push_back(RandomFloats(type));
    arguments.push_back(inputs.back());
  }
  FunctionDef def = c.make(BodyMaker("f", c.inputs.size() == 1 ? "(x)" : "(x, y)"));
  FunctionType type = CallType(def, arguments);
  auto plain = Specialize(def, type, library, {.optimize = false, .verify = true});
  auto made = Specialize(def, type, library, {.optimize = true, .verify = true});
  if (!plain.ok() || !made.ok()) return Cat(plain.status().ToString(), made.status().ToString());
  std::vector<std::string> ops;
  for (const FlatNode& node : made->graph.nodes) {
    ops.push_back(node.op->name);
    if (c.shows_programs && node.attributes.Has("program")) {
      ops.back() += Cat("(", *node.attributes.String("program"), ")");
    }
  }
  auto wanted = Run(std::move(plain->graph), inputs);
  auto found = Run(std::move(made->graph), inputs);
  EXPECT_TRUE(wanted.ok() && found.ok()) << wanted.status() << found.status();
  EXPECT_EQ((*wanted)[0].shape(), (*found)[0].shape());
  for (int64_t i = 0; i < (*wanted)[0].num_elements(); ++i) {
    EXPECT_NEAR((*wanted)[0].elements<float>()[static_cast<size_t>(i)],
                (*found)[0].elements<float>()[static_cast<size_t>(i)], 1e-5);
  }
  return Join(ops, " ");
}

// (x - mean) / sqrt(mean((x - mean)^2) + epsilon^2) * w + b, centered or not.
FunctionDef WrittenOut(BodyMaker f, bool centered, const NamedTypes& axes) {
  if (centered) {
    f.Node("m", "reduce_mean", {"x"}, axes).Node("c", "sub", {"x", "m"});
  } else {
    f.Node("c", "identity", {"x"});
  }
  return f.Node("s", "mul", {"c", "c"})
      .Node("v", "reduce_mean", {"s"}, axes)
      .Node("p", "square", {"$epsilon"})
      .Node("e", "add", {"v", "p"})
      .Node("r", "sqrt", {"e"})
      .Node("n", "div", {"c", "r"})
      .Node("o", "mul", {"$w", "n"})
      .Node("z", "add", {"o", "$b"})
      .Make("z");
}

TEST(PassesTest, MeansAndSquaresAreNormalizations) {
  auto axes = [](std::vector<int64_t> list, bool keepdims) {
    return NamedTypes{{"axes", AttributeOf(std::span<const int64_t>(list))},
                      {"keepdims", AttributeOf(keepdims)}};
  };
  auto ops = [](bool centered, const NamedTypes& over, const char* row) {
    Case c{{"float32[3, 4, 6]"},
           {{"w", row}, {"b", row}, {"epsilon", "float32[]"}},
           [&](BodyMaker f) { return WrittenOut(std::move(f), centered, over); }};
    return Optimized(c);
  };
  EXPECT_EQ(ops(true, axes({-1}, true), "float32[6]"), "layer_norm");
  EXPECT_EQ(ops(true, axes({2}, true), "float32[1, 1, 6]"), "layer_norm");
  EXPECT_EQ(ops(true, axes({2, 1}, true), "float32[4, 6]"), "layer_norm");
  EXPECT_EQ(ops(false, axes({-1}, true), "float32[6]"), "rms_norm add");
  // Not over the last dimensions, or not a scale of rows.
  EXPECT_NE(ops(true, axes({1}, true), "float32[6]"), "layer_norm");
  EXPECT_NE(ops(true, axes({-1}, true), "float32[4, 6]"), "layer_norm");
}

TEST(PassesTest, ProductsTakeBiasResidualAndClip) {
  Case c{{"float32[4, 8]", "float32[4, 6]"},
         {{"w", "float32[8, 6]"}, {"b", "float32[6]"}},
         [](BodyMaker f) {
           f.Node("p", "matmul", {"x", "$w"}).Node("q", "add", {"$b", "p"});
           return f.Node("r", "add", {"y", "q"}).Node("z", "relu", {"r"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "linear");
}

TEST(PassesTest, ProductsTakeScalesAndTransposes) {
  Case c{{"float32[8, 4]"},
         {{"w", "float32[8, 6]"}, {"b", "float32[1, 6]"}, {"s", "float32[6]"}},
         [](BodyMaker f) {
           f.Node("t", "transpose", {"x"}).Node("p", "matmul", {"t", "$w"});
           f.Node("q", "add", {"p", "$b"}).Node("z", "mul", {"$s", "q"});
           return f.Make("z");
         }};
  EXPECT_EQ(Optimized(c), "linear");
}

TEST(PassesTest, WhatOthersReadStays) {
  Case c{{"float32[4, 8]"}, {{"w", "float32[8, 6]"}, {"b", "float32[6]"}}, [](BodyMaker f) {
           f.Node("p", "matmul", {"x", "$w"}).Node("q", "add", {"p", "$b"});
           return f.Node("z", "concat", {"p", "q"}, {{"axis", AttributeOf(0)}}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "matmul add concat");
}

TEST(PassesTest, ABiasThatStretchesStaysApart) {
  Case c{{"float32[1, 8]"}, {{"w", "float32[8, 6]"}, {"b", "float32[3, 6]"}}, [](BodyMaker f) {
           return f.Node("p", "matmul", {"x", "$w"}).Node("z", "add", {"p", "$b"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "matmul add");
}

TEST(PassesTest, ConvolutionsTakeScalesShiftsResidualsAndActivations) {
  Case c{{"float32[2, 3, 6, 6]", "float32[2, 4, 4, 4]"},
         {{"w", "float32[4, 3, 3, 3]"}, {"b", "float32[4]"}, {"s", "float32[4, 1, 1]"}},
         [](BodyMaker f) {
           f.Node("p", "conv", {"x", "$w", "$b"}).Node("q", "mul", {"p", "$s"});
           f.Node("r", "add", {"q", "$s"}).Node("t", "add", {"r", "y"});
           return f.Node("z", "relu", {"t"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "conv");
}

// Whatever room is left for new constants.
TEST(PassesTest, ScalesAreTakenInGraphsOfAnySize) {
  for (int others = 0; others < 33; ++others) {
    Case c{{"float32[2, 3, 4, 4]"},
           {{"w", "float32[4, 3, 3, 3]"},
            {"b", "float32[4]"},
            {"s", "float32[4, 1, 1]"},
            {"v", "float32[2, 6]"},
            {"c", "float32[6]"},
            {"t", "float32[6]"}},
           [others](BodyMaker f) {
             f.Node("p0", "conv", {"x", "$w", "$b"}).Node("q0", "mul", {"p0", "$s"});
             f.Node("p1", "linear", {"q0", "$v", "$c"}).Node("q1", "mul", {"p1", "$t"});
             for (int i = 1; i <= others; ++i) {
               f.Node(Cat("q", i + 1), "softmax", {Cat("q", i)});
             }
             return f.Make(Cat("q", others + 1));
           }};
    std::string wanted = "conv linear";
    for (int i = 0; i < others; ++i) wanted += " softmax";
    EXPECT_EQ(Optimized(c), wanted);
  }
}

TEST(PassesTest, ConvolutionsTakeGates) {
  Case c{{"float32[1, 3, 5, 5]"}, {{"w", "float32[4, 3, 1, 1]"}}, [](BodyMaker f) {
           f.Node("p", "conv", {"x", "$w"}).Node("g", "sigmoid", {"p"});
           return f.Node("z", "mul", {"p", "g"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "conv");
}

// x times a line of x between 0 and 1, as exporters write it.
TEST(PassesTest, ConvolutionsTakeHardSwish) {
  auto ops = [](std::function<FunctionDef(BodyMaker)> gate) {
    return Optimized({{"float32[1, 3, 5, 5]"}, {{"w", "float32[4, 3, 1, 1]"}}, [&](BodyMaker f) {
                        return gate(f.Node("p", "conv", {"x", "$w"}));
                      }});
  };
  EXPECT_EQ(ops([](BodyMaker f) {
              f.Node("a", "mul", {"p", "0.16666667"}).Node("b", "add", {"a", "0.5"});
              f.Node("g", "clip", {"b", "0.0", "1.0"});
              return f.Node("z", "mul", {"p", "g"}).Make("z");
            }),
            "conv");
  EXPECT_EQ(ops([](BodyMaker f) {
              f.Node("b", "add", {"p", "3.0"}).Node("c", "clip", {"b", "0.0", "6.0"});
              return f.Node("g", "div", {"c", "6.0"}).Node("z", "mul", {"g", "p"}).Make("z");
            }),
            "conv");
  EXPECT_EQ(ops([](BodyMaker f) {
              f.Node("b", "add", {"p", "3.0"}).Node("c", "clip", {"b", "0.0", "6.0"});
              return f.Node("g", "mul", {"p", "c"}).Node("z", "div", {"g", "6.0"}).Make("z");
            }),
            "conv");
  EXPECT_EQ(ops([](BodyMaker f) {  // up to 2
              f.Node("b", "add", {"p", "3.0"}).Node("c", "clip", {"b", "0.0", "6.0"});
              return f.Node("g", "mul", {"p", "c"}).Node("z", "div", {"g", "3.0"}).Make("z");
            }),
            "conv fused_elementwise");
}

TEST(PassesTest, ElementwiseChainsAreOne) {
  Case c{{"float32[4, 8]", "float32[8]"}, {{"s", "float32[4, 1]"}}, [](BodyMaker f) {
           f.Node("a", "mul", {"x", "y"}).Node("b", "add", {"a", "$s"}).Node("c", "sigmoid", {"b"});
           return f.Node("d", "mul", {"b", "c"}).Node("z", "clip", {"d", "-0.5", "0.5"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "fused_elementwise");
}

TEST(PassesTest, ScalesAndShiftsByConstantsAreOneOfEach) {
  const std::map<std::string, std::string> channels = {{"a", "float32[3, 1, 1]"},
                                                       {"b", "float32[3, 1, 1]"},
                                                       {"c", "float32[1, 3, 1, 1]"},
                                                       {"d", "float32[]"}};
  const std::vector<std::string> x = {"float32[2, 3, 4, 5]"};
  Case scales{x, channels, [](BodyMaker f) {
                return f.Node("p", "mul", {"x", "$a"})
                    .Node("q", "mul", {"$c", "p"})
                    .Node("z", "mul", {"q", "$d"})
                    .Make("z");
              }};
  EXPECT_EQ(Optimized(scales), "mul");
  Case shifts{x, channels, [](BodyMaker f) {
                return f.Node("p", "add", {"$a", "x"}).Node("z", "add", {"p", "$b"}).Make("z");
              }};
  EXPECT_EQ(Optimized(shifts), "add");
  Case both{x, channels,
            [](BodyMaker f) {
              f.Node("p", "mul", {"x", "$a"}).Node("q", "add", {"p", "$b"});
              f.Node("r", "mul", {"q", "$d"}).Node("s", "mul", {"r", "$b"});
              return f.Node("t", "add", {"s", "$a"}).Node("z", "relu", {"t"}).Make("z");
            },
            true};
  EXPECT_EQ(Optimized(both), "fused_elementwise(mul 0 1; add 3 2; relu 4)");
  // What others read as well, and constants that stretch, stay.
  Case read{x, channels, [](BodyMaker f) {
              f.Node("p", "mul", {"x", "$a"}).Node("q", "mul", {"p", "$b"});
              return f.Node("z", "concat", {"p", "q"}, {{"axis", AttributeOf(0)}}).Make("z");
            }};
  EXPECT_EQ(Optimized(read), "mul mul concat");
  Case stretches{{"float32[1, 3, 1, 1]"},
                 {{"a", "float32[3, 1, 1]"}, {"b", "float32[1, 1, 4, 1]"}},
                 [](BodyMaker f) {
                   return f.Node("p", "mul", {"x", "$a"}).Node("z", "mul", {"p", "$b"}).Make("z");
                 }};
  EXPECT_EQ(Optimized(stretches), "mul mul");
}

TEST(PassesTest, SmallPartsOfAChainStayApart) {
  Case c{{"float32[4, 8]", "float32[8]"}, {}, [](BodyMaker f) {
           f.Node("a", "exp", {"y"}).Node("b", "sqrt", {"a"}).Node("c", "mul", {"x", "b"});
           return f.Node("z", "tanh", {"c"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "fused_elementwise fused_elementwise");
}

TEST(PassesTest, ViewsOfViewsAndTheSameShapeGo) {
  Case c{{"float32[4, 8]"}, {}, [](BodyMaker f) {
           f.Node("a", "expand_dims", {"x"}, {{"axis", AttributeOf(0)}});
           f.Node("b", "squeeze", {"a"}, {{"axes", AttributeOf(0)}}).Node("c", "identity", {"b"});
           return f.Node("z", "neg", {"c"}).Make("z");
         }};
  EXPECT_EQ(Optimized(c), "neg");
}

}  // namespace
}  // namespace signet
