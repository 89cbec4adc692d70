#include "server/transport/byte_budget.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(ByteBudgetTest, ABufferIsReservedUntilItsLastPartIsFreed) {
  auto budget = std::make_shared<ByteBudget>(10);
  std::optional<Buffer> eight = Reserve(budget, Buffer::Copy("12345678"));
  ASSERT_TRUE(eight);
  EXPECT_EQ(eight->text(), "12345678");
  EXPECT_FALSE(Reserve(budget, Buffer::Copy("123")));
  EXPECT_TRUE(Reserve(budget, Buffer::Copy("12"))) << "the rejected bytes are not reserved";
  Buffer part = eight->Slice(2, 3);
  eight.reset();
  EXPECT_FALSE(Reserve(budget, Buffer::Copy("123")));
  part = {};
  EXPECT_TRUE(Reserve(budget, Buffer::Copy("1234567890")));
}

}  // namespace
}  // namespace signet
