// Law: a function with branches and loops gives the same, planned with and without optimizations,
// and run at once. Programs are random compositions of control ops over int32 tensors.

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "core/values/builders/value_notation.h"
#include "signet/ops/run_op.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

constexpr int kMaxDepth = 5;

// Functions of one int32 tensor of a given rank, which keep its shape.
class Programs {
 public:
  explicit Programs(uint32_t seed) : random_(seed) {}

  TestLibrary library;

  // The name of a new function.
  std::string Make(int rank, int depth) {
    std::string name = Cat("f", library.functions.size() + reserved_++);
    FunctionDef def = Body(name, rank, depth);
    library.functions.emplace(name, std::move(def));
    return name;
  }

  Tensor MakeInput(int rank) {
    std::vector<int64_t> dims;
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) {
      dims.push_back(Below(4));
      count *= dims.back();
    }
    std::vector<int32_t> elements;
    for (int64_t i = 0; i < count; ++i) elements.push_back(Below(21) - 10);
    return Tensor::Of<int32_t>(Shape(std::span<const int64_t>(dims)), elements);
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  FunctionDef Body(const std::string& name, int rank, int depth) {
    BodyMaker f(name, "(x)");
    if (depth == 0) {
      constexpr const char* kOps[] = {"neg", "abs", "square"};
      return f.Node("a", kOps[Below(3)], {"x"}).Node("y", "add", {"a", "3"}).Make("y");
    }
    auto inner = [&](int of_rank) { return AttributeOf(Make(of_rank, depth - 1)); };
    switch (Below(rank > 0 ? 6 : 4)) {
      case 0:
        return f.Node("y", "call", {"x"}, {{"function", inner(rank)}})
            .Node("z", "call", {"y"}, {{"function", inner(rank)}})
            .Make("z");
      case 1:
        return f.Node("s", "reduce_sum", {"x"})
            .Node("c", "greater", {"s", "0"})
            .Node("y", "cond", {"c", "x"}, {{"then", inner(rank)}, {"else", inner(rank)}})
            .Make("y");
      case 2: {
        TypeSpec functions[] = {inner(rank), inner(rank), inner(rank)};
        return f.Node("i", "reduce_max", {"x"})
            .Node("y", "case", {"i", "x"},
                  {{"functions", ListType({functions[0], functions[1], functions[2]})}})
            .Make("y");
      }
      case 3: {
        std::string step = Cat(name, "_step");
        std::string test = Cat(name, "_test");
        library.functions.emplace(test, BodyMaker(test, "(i, x)")
                                            .Node("m", "reduce_max", {"x"})
                                            .Node("n", "add", {"m", "i"})
                                            .Node("y", "less", {"n", "6"})
                                            .Make("y"));
        library.functions.emplace(step, BodyMaker(step, "(i, x)")
                                            .Node("z", "call", {"x"}, {{"function", inner(rank)}})
                                            .Node("j", "add", {"i", "2"})
                                            .Node("y", "make_tuple", {"j", "z"})
                                            .Make("y"));
        return f
            .Node("w", "while", {"0", "x"},
                  {{"condition", AttributeOf(test)},
                   {"body", AttributeOf(step)},
                   {"max_steps", AttributeOf(4)}})
            .Make("w:1");
      }
      case 4:
        return f.Node("y", "map", {"x"}, {{"function", inner(rank - 1)}}).Make("y");
      default: {
        std::string step = Cat(name, "_step");
        library.functions.emplace(step,
                                  BodyMaker(step, "(total, x)")
                                      .Node("z", "call", {"x"}, {{"function", inner(rank - 1)}})
                                      .Node("s", "reduce_sum", {"z"})
                                      .Node("t", "add", {"total", "s"})
                                      .Node("u", "add", {"z", "t"})
                                      .Node("y", "make_tuple", {"t", "u"})
                                      .Make("y"));
        return f
            .Node("w", "scan", {"0", "x"},
                  {{"function", AttributeOf(step)}, {"reverse", AttributeOf(Below(2) == 0)}})
            .Make("w:1");
      }
    }
  }

  std::mt19937 random_;
  size_t reserved_ = 0;
};

StatusOr<Tensor> RunPlanned(const FunctionDef& def, const TestLibrary& library, const Tensor& input,
                            const TypeSpec& type, bool optimize) {
  SIGNET_ASSIGN_OR_RETURN(Specialization made,
                          Specialize(def, CallType(def, {Value::OfType(type)}), library,
                                     {.optimize = optimize, .verify = true}));
  SIGNET_ASSIGN_OR_RETURN(auto plan, Plan::Make(std::move(made.graph)));
  const Tensor* inputs[] = {&input};
  FramePool frames;
  SIGNET_ASSIGN_OR_RETURN(Components results, RunPlan(*plan, frames, inputs, {}));
  return results[0];
}

TEST(ControlPropertyTest, PlannedEqualsPlainEqualsAtOnce) {
  const char* given = std::getenv("SIGNET_SEED");
  uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::atoi(given)) : 20261121;
  size_t ran = 0;
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(Cat("SIGNET_SEED=", seed, ", program ", i));
    Programs programs(seed + static_cast<uint32_t>(i));
    const int rank = i % 4;
    const FunctionDef def = programs.library.functions.at(programs.Make(rank, 1 + i % kMaxDepth));
    Tensor input = programs.MakeInput(rank);
    TypeSpec open = TensorType(DType::kInt32, PartialShape::OfRank(rank));
    auto eager = RunOp("call", std::vector<Value>{input},
                       Attributes({{"function", AttributeOf(def.name)}}), &programs.library);
    for (const TypeSpec& type : {input.spec(), open}) {
      // A loop without rounds knows only the sizes that the type does.
      if (type == open && input.num_elements() == 0) continue;
      for (bool optimize : {true, false}) {
        SCOPED_TRACE(Cat("`", type, "`", optimize ? "" : " (plain)"));
        auto planned = RunPlanned(def, programs.library, input, type, optimize);
        ASSERT_EQ(planned.status().code(), eager.status().code())
            << planned.status() << " at once: " << eager.status();
        if (!planned.ok()) continue;
        ++ran;
        ASSERT_EQ(ToString(Value(*planned)), ToString((*eager)[0]));
      }
    }
  }
  EXPECT_GT(ran, 300u);
}

}  // namespace
}  // namespace signet
