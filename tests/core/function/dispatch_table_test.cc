#include "core/function/dispatch_table.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "signet/tensor_spec.h"
#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

using Target = DispatchTable::Target;

Target TargetOf(const FunctionType& type) { return std::make_shared<DispatchTarget>(type); }
Target TargetOf(const char* text) { return TargetOf(TypeOf(text)); }

std::string Chosen(const DispatchTable& table, const char* request) {
  auto found = table.Lookup(TypeOf(request));
  return found.target == nullptr ? "none" : found.target->type.ToString();
}

TEST(DispatchTableTest, TakesAnEqualTargetFirst) {
  DispatchTable table;
  for (const char* text : {"(x: float32[...])", "(x: float32[?])", "(x: float32[2])"}) {
    EXPECT_TRUE(table.Add(TargetOf(text)));
  }
  EXPECT_TRUE(table.Lookup(TypeOf("(x: float32[?])")).is_exact);
  EXPECT_EQ(Chosen(table, "(x: float32[?])"), "(x: float32[?])");
  EXPECT_EQ(Chosen(table, "(x: float32[3])"), "(x: float32[?])");
  EXPECT_EQ(Chosen(table, "(x: float32[3, 3])"), "(x: float32[...])");
  EXPECT_EQ(Chosen(table, "(x: float64[3])"), "none");
  EXPECT_FALSE(table.Lookup(TypeOf("(x: float32[3])")).is_exact);
}

TEST(DispatchTableTest, ComparesLiteralsByTheirBits) {
  DispatchTable table;
  table.Add(TargetOf("(x: 0.0, y: float32[?])"));
  EXPECT_EQ(Chosen(table, "(x: 0.0, y: float32[2])"), "(x: 0.0, y: float32[?])");
  EXPECT_EQ(Chosen(table, "(x: -0.0, y: float32[2])"), "none");
  EXPECT_EQ(Chosen(table, "(x: -0.0, y: float32[?])"), "none");
  table.Add(TargetOf("(x: list(nan), y: float32[?])"));
  EXPECT_EQ(Chosen(table, "(x: list(nan(0x7ff8000000000001)), y: float32[2])"), "none");
}

// A scan that keeps one best would answer with the third.
TEST(DispatchTableTest, AmongTheClosestTakesTheFirst) {
  DispatchTable table;
  for (const char* text : {"(x: int64[1, ?, ?])", "(x: int64[?, 2, ?])", "(x: int64[1, ?, 3])"}) {
    table.Add(TargetOf(text));
  }
  EXPECT_EQ(Chosen(table, "(x: int64[1, 2, 3])"), "(x: int64[?, 2, ?])");
}

TEST(DispatchTableTest, AnUnrelatedAdditionDoesNotTakeARememberedRequest) {
  DispatchTable table;
  table.Add(TargetOf("(x: int64[?, ?])"));
  EXPECT_EQ(Chosen(table, "(x: int64[1, 2])"), "(x: int64[?, ?])");
  table.Add(TargetOf("(x: int64[5, ?])"));
  EXPECT_EQ(Chosen(table, "(x: int64[1, 2])"), "(x: int64[?, ?])");
  EXPECT_EQ(Chosen(table, "(x: int64[5, 2])"), "(x: int64[5, ?])");
}

TEST(DispatchTableTest, ReplacesInPlaceAndRemoves) {
  DispatchTable table;
  Target first = TargetOf("(x: int64[1, ?])");
  table.Add(first);
  table.Add(TargetOf("(x: int64[?, 2])"));
  EXPECT_FALSE(table.Add(TargetOf("(x: int64[1, ?])")));
  Target second = TargetOf("(x: int64[1, ?])");
  EXPECT_EQ(table.Replace(second), first);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.Lookup(TypeOf("(x: int64[1, 2])")).target, second);
  EXPECT_EQ(table.Remove(second->type), second);
  EXPECT_EQ(table.Remove(second->type), nullptr);
  EXPECT_EQ(Chosen(table, "(x: int64[1, 2])"), "(x: int64[?, 2])");
  table.Clear();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(Chosen(table, "(x: int64[1, 2])"), "none");
}

TEST(DispatchTableTest, SeesAnyAmongTheSameStructure) {
  DispatchTable table;
  table.Add(TargetOf("(x: list(any))"));
  table.Add(TargetOf("(x: list(any(float32[?])))"));
  EXPECT_EQ(Chosen(table, "(x: list(any(float32[2])))"), "(x: list(any(float32[?])))");
  EXPECT_EQ(Chosen(table, "(x: list(any(int64[])))"), "(x: list(any))");
  EXPECT_EQ(Chosen(table, "(x: list(int64[]))"), "none");
}

TEST(DispatchTableTest, ListsTargetsAlikeButForShapes) {
  DispatchTable table;
  for (const char* text : {"(x: int64[2])", "(x: int32[2])", "(x: int64[3, 4])"}) {
    table.Add(TargetOf(text));
  }
  auto alike = table.TargetsLike(TypeOf("(x: int64[])"));
  ASSERT_EQ(alike.size(), 2U);
  EXPECT_EQ(alike[1]->type.ToString(), "(x: int64[3, 4])");
}

// The three rules as they are written.
Target PlainSearch(const std::vector<Target>& targets, const FunctionType& request) {
  auto fits = [&](const Target& t) { return *IsSupertype(request, t->type); };
  for (const Target& t : targets) {
    if (t->type == request) return t;
  }
  for (const Target& t : targets) {
    bool has_closer = std::any_of(targets.begin(), targets.end(), [&](const Target& other) {
      return other != t && fits(other) && *IsSupertype(other->type, t->type);
    });
    if (fits(t) && !has_closer) return t;
  }
  return nullptr;
}

TEST(DispatchTableTest, AgreesWithThePlainRulesOnRandomTables) {
  std::mt19937 random(20240817);
  auto below = [&](unsigned n) { return static_cast<int64_t>(random() % n); };
  auto random_type = [&](bool general) {
    PartialShape shape;
    if (!general || below(8) > 0) {
      Dims dims;
      for (int64_t rank = 1 + below(3); rank > 0; --rank) {
        dims.push_back(general && below(2) > 0 ? kUnknownDim : below(3));
      }
      shape = PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
    }
    DType dtype = below(6) == 0 ? DType::kInt64 : DType::kFloat32;
    return *FunctionType::Make(
        {{"x", ParameterKind::kPositionalOnly, false, TensorType(dtype, std::move(shape))}});
  };
  for (int round = 0; round < 40; ++round) {
    DispatchTable table;
    std::vector<Target> targets;
    for (int step = 0; step < 200; ++step) {
      FunctionType type = random_type(true);
      auto same = std::find_if(targets.begin(), targets.end(),
                               [&](const Target& t) { return t->type == type; });
      if (below(4) == 0) {
        Target removed = table.Remove(type);
        ASSERT_EQ(removed != nullptr, same != targets.end());
        if (removed != nullptr) targets.erase(same);
      } else if (below(2) == 0) {
        Target target = TargetOf(type);
        ASSERT_EQ(table.Add(target), same == targets.end());
        if (same == targets.end()) targets.push_back(target);
      }
      for (int i = 0; i < 3; ++i) {
        FunctionType request = random_type(false);
        ASSERT_EQ(table.Lookup(request).target, PlainSearch(targets, request))
            << "round " << round << ", " << request.ToString();
      }
    }
    ASSERT_EQ(table.Targets(), targets);
  }
}

TEST(DispatchTableTest, GrowsAndShrinks) {
  DispatchTable table;
  auto type = [](int64_t n) {
    return *FunctionType::Make(
        {{"x", ParameterKind::kPositionalOnly, false, TensorType(DType::kInt8, {n})}});
  };
  for (int64_t n = 0; n < 5000; ++n) table.Add(TargetOf(type(n)));
  for (int64_t n = 0; n < 5000; n += 2) EXPECT_NE(table.Remove(type(n)), nullptr);
  EXPECT_EQ(table.size(), 2500U);
  for (int64_t n = 0; n < 5000; ++n) {
    ASSERT_EQ(table.Lookup(type(n)).target != nullptr, n % 2 == 1);
  }
  // Additions and removals in turn do not fill the index with what is left of the removed.
  for (int64_t n = 10000; n < 60000; ++n) {
    table.Add(TargetOf(type(n)));
    table.Remove(type(n));
  }
  EXPECT_EQ(table.size(), 2500U);
}

}  // namespace
}  // namespace signet
