#include "core/graph/plan/plan.h"

#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "core/types/notation/notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

constexpr int64_t kSize = 160;  // of a matrix that is larger than what a plan keeps in any case

TestLibrary LibraryWithWeights() {
  TestLibrary library;
  library.values["w"] = Tensor::Of<float>({kSize, kSize}, std::vector<float>(kSize * kSize, 0.5F));
  return library;
}

// Returns the bytes of the constant matrix that the plan of `function` keeps, after a run whose
// first result is 0.5 * kSize.
size_t KeptBytes(const FunctionDef& function) {
  const TestLibrary library = LibraryWithWeights();
  const Value x = Tensor::Of<float>({3, kSize}, std::vector<float>(3 * kSize, 1));
  auto made = Specialize(function, CallType(function, {x}), library, {.verify = true});
  EXPECT_TRUE(made.ok()) << made.status();
  auto plan = Plan::Make(std::move(made->graph));
  EXPECT_TRUE(plan.ok()) << plan.status();
  const Tensor* const inputs[] = {&x.tensor()};
  FramePool frames;
  auto results = RunPlan(**plan, frames, inputs, {});
  EXPECT_TRUE(results.ok()) << results.status();
  EXPECT_FLOAT_EQ((*results)[0].elements<float>()[0], 0.5F * kSize);
  size_t bytes = 0;
  for (const auto& [slot, tensor] : (*plan)->constants()) {
    EXPECT_EQ(tensor.shape(), (Shape{kSize, kSize}));
    bytes += tensor.num_bytes();
  }
  return bytes;
}

TEST(PlanTest, DropsConstantsThatKernelsHoldInAnotherLayout) {
  EXPECT_EQ(KeptBytes(BodyMaker("f", "(x)").Node("y", "matmul", {"x", "$w"}).Make("y")), 0U);
}

TEST(PlanTest, KeepsConstantsThatOtherStepsOrResultsRead) {
  const size_t all = sizeof(float) * kSize * kSize;
  EXPECT_EQ(KeptBytes(BodyMaker("f", "(x)")
                          .Node("y", "matmul", {"x", "$w"})
                          .Node("z", "make_tuple", {"y", "$w"})
                          .Make("z")),
            all);
  EXPECT_EQ(KeptBytes(BodyMaker("f", "(x)")
                          .Node("y", "matmul", {"x", "$w"})
                          .Node("p", "concat", {"y", "x", "$w"}, {{"axis", AttributeOf(0)}})
                          .Make("p")),
            all);
}

}  // namespace
}  // namespace signet
