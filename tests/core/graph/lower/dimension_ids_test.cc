#include "core/graph/lower/dimension_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/types/notation/notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using Kind = DimensionRegistry::Kind;

TEST(DimensionRegistryTest, DistinguishesWhatTheAuthorDistinguished) {
  DimensionRegistry registry;
  DimensionId n = registry.AddName("n");
  DimensionId m = registry.AddName("m");
  DimensionId orders = registry.Add(Kind::kRows, "orders", kUnidentified, kUnidentified);
  DimensionId items = registry.Add(Kind::kRows, "orders.items", orders, orders);
  DimensionId refunds = registry.Add(Kind::kRows, "orders.refunds", orders, orders);
  DimensionId tags = registry.Add(Kind::kElements, "orders.tags", orders, orders);
  DimensionId notes = registry.Add(Kind::kElements, "orders.notes", orders, orders);
  DimensionId users = registry.Add(Kind::kRows, "users", kUnidentified, kUnidentified);
  EXPECT_TRUE(registry.Conflict(n, m));
  EXPECT_TRUE(registry.Conflict(orders, items));
  EXPECT_TRUE(registry.Conflict(items, refunds));
  EXPECT_TRUE(registry.Conflict(tags, orders));
  EXPECT_FALSE(registry.Conflict(n, n));
  EXPECT_FALSE(registry.Conflict(n, orders));
  EXPECT_FALSE(registry.Conflict(n, kUnidentified));
  EXPECT_FALSE(registry.Conflict(tags, notes));
  EXPECT_FALSE(registry.Conflict(tags, items));
  EXPECT_FALSE(registry.Conflict(users, items));
  EXPECT_EQ(registry.Describe(n), "`n`");
  EXPECT_EQ(registry.Describe(items), "rows of `orders.items`");
  EXPECT_EQ(registry.Describe(tags), "elements of `orders.tags`");
}

TEST(DimensionRegistryTest, GivesPickedRowsAnIdentityOfTheirOwn) {
  DimensionRegistry registry;
  DimensionId orders = registry.Add(Kind::kRows, "orders", kUnidentified, kUnidentified);
  DimensionId items = registry.Add(Kind::kRows, "orders.items", orders, orders);
  DimensionId some = registry.Picked(orders, 7);
  DimensionId their_items = registry.Divided(items, some);
  EXPECT_EQ(registry.Picked(orders, 7), some);
  EXPECT_NE(registry.Picked(orders, 8), some);
  EXPECT_FALSE(registry.Conflict(some, orders));
  EXPECT_TRUE(registry.Conflict(some, their_items));
  // Elements that are picked may be those of any rows, but a row is within its rows.
  EXPECT_FALSE(registry.Conflict(registry.Picked(items, 7), orders));
  EXPECT_TRUE(registry.Conflict(registry.PickedRange(items, 7, 8), orders));
  EXPECT_TRUE(registry.Conflict(registry.PickedRange(items, 7, 8), some));
  EXPECT_EQ(registry.PickedRange(items, 7, 8), registry.PickedRange(items, 7, 8));
  // What is picked from two names may correspond.
  EXPECT_EQ(registry.Picked(registry.AddName("n"), 7), kUnidentified);
}

// The same function is rejected whether its sizes are known or not.
TEST(DimensionIdsTest, DoNotDependOnSizes) {
  FunctionDef f = BodyMaker("f", "(x: float32[?, ?], y: float32[?])")
                      .Node("sum", "reduce_sum", {"x"}, {{"axes", AttributeOf(1)}})
                      .Node("z", "add", {"sum", "y"})
                      .Make("z");
  f.dimension_names = {{"x", {"n", ""}}, {"y", {"m"}}};
  for (auto [x, y] : {std::pair("float32[?, ?]", "float32[?]"),
                      {"float32[2, 3]", "float32[2]"},
                      {"float32[2, 3]", "float32[1]"},
                      {"float32[1, 1]", "float32[1]"}}) {
    for (bool optimize : {false, true}) {
      FunctionType type =
          CallType(f, {Value::OfType(*ParseTypeSpec(x)), Value::OfType(*ParseTypeSpec(y))});
      auto made = Specialize(f, type, TestLibrary(), {.optimize = optimize});
      EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << x << ", " << y;
      EXPECT_THAT(MessageOf(made.status()),
                  HasSubstr("dimension 0 of `sum` (`n`) is aligned with dimension 0 of `y` (`m`)"));
    }
  }
  f.dimension_names = {{"x", {"n", "m"}}, {"y", {"n"}}};
  EXPECT_TRUE(Specialize(f,
                         CallType(f, {Value::OfType(*ParseTypeSpec("float32[2, 3]")),
                                      Value::OfType(*ParseTypeSpec("float32[2]"))}),
                         TestLibrary(), {})
                  .ok());
}

}  // namespace
}  // namespace signet
