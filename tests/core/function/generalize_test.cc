#include "core/function/generalize.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

TEST(GeneralizeTest, JoinsShapesAndLeavesOthersOut) {
  std::vector<FunctionType> targets = {TypeOf("(x: float32[2, 3])"), TypeOf("(x: int64[2, 3])"),
                                       TypeOf("(y: float32[9, 9])"),
                                       TypeOf("(x: float32[4, 3]) with (c: 1)")};
  EXPECT_EQ(Generalize(TypeOf("(x: float32[5, 3])"), targets).ToString(),
            "(x: float32[?, 3]) with (c: 1)");
}

}  // namespace
}  // namespace signet
