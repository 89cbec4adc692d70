#include "core/runtime/function_cache.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/function/signature.h"
#include "core/types/literal_spec.h"
#include "core/types/tensor_spec.h"

namespace signet {
namespace {

using How = FunctionCache::Found::How;
using Target = FunctionCache::Target;

FunctionType TypeOf(std::string_view text) {
  auto signature = ParseSignature(text);
  EXPECT_TRUE(signature.ok()) << text << ": " << signature.status();
  return signature.ok() ? signature->type : FunctionType();
}

FunctionType Vector(int64_t size) {
  return *FunctionType::Make(
      {{"x", ParameterKind::kPositionalOnly, false, TensorType(DType::kFloat32, {size})}});
}

FunctionType Number(int64_t value) {
  return *FunctionType::Make(
      {{"x", ParameterKind::kPositionalOnly, false, LiteralType(Literal::Int(value))}});
}

// A factory that writes down what it made.
struct Maker {
  std::vector<std::string> made = {};
  FunctionCache::Factory factory() {
    return [this](const FunctionType& type) -> StatusOr<Target> {
      made.push_back(type.ToString());
      return std::make_shared<DispatchTarget>(type);
    };
  }
};

TEST(FunctionCacheTest, MakesATypeOnce) {
  FunctionCache cache({});
  Maker maker;
  EXPECT_EQ(cache.Lookup(Vector(2)), nullptr);
  auto first = cache.FindOrMake(Vector(2), maker.factory());
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->how, How::kSpecialized);
  auto second = cache.FindOrMake(Vector(2), maker.factory());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->how, How::kExact);
  EXPECT_EQ(second->target, first->target);
  EXPECT_EQ(maker.made.size(), 1U);
  FunctionCacheStats stats = cache.stats();
  EXPECT_EQ(stats.hits, 1U);
  EXPECT_EQ(stats.specializations, 1U);
  EXPECT_EQ(stats.targets, 1U);
}

TEST(FunctionCacheTest, FindsASupertype) {
  FunctionCache cache({});
  Maker maker;
  cache.Add(std::make_shared<DispatchTarget>(TypeOf("(x: float32[?], /)")));
  auto found = cache.FindOrMake(Vector(7), maker.factory());
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->how, How::kSupertype);
  EXPECT_TRUE(maker.made.empty());
  EXPECT_EQ(cache.stats().supertype_hits, 1U);
}

TEST(FunctionCacheTest, OffersWiderTargetsToTheAdapter) {
  int adapted = 0;
  auto adapt = [&](const Target& wider, const FunctionType& type) -> StatusOr<Target> {
    EXPECT_EQ(wider->type.ToString(), "(x: float32[?], /)");
    if (type == Vector(3)) return InvalidArgument("not for 3");
    ++adapted;
    return std::make_shared<DispatchTarget>(type, /*adapts_wider=*/true);
  };
  FunctionCache cache({.capacity = 1024, .generalize_after = 4, .adapt = adapt});
  Maker maker;
  for (int round = 0; round < 2; ++round) {
    for (int64_t n = 4; n <= 20; ++n) {
      auto found = cache.FindOrMake(Vector(n), maker.factory());
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(found->target->type, Vector(n));
      EXPECT_EQ(found->how == How::kSupertype, n >= 8) << n;
    }
    EXPECT_EQ(cache.FindOrMake(Vector(3), maker.factory()).status().message(), "not for 3");
  }
  EXPECT_EQ(maker.made.size(), 5U);  // four types and the general one
  EXPECT_EQ(adapted, 13);
  EXPECT_EQ(cache.stats().adaptations, 13U);
  EXPECT_EQ(cache.stats().specializations, 5U);
  // A wider target is not an answer by itself.
  const FunctionType unknown = Vector(30);
  auto is_request = [&](const FunctionType& type) { return type == unknown; };
  (void)cache.Lookup(unknown);
  EXPECT_EQ(cache.LookupKnown(unknown.fingerprint(), is_request), nullptr);
}

TEST(FunctionCacheTest, GeneralisesWhenShapesChurn) {
  FunctionCache cache({.capacity = 1024, .generalize_after = 4});
  Maker maker;
  for (int64_t n = 1; n <= 1000; ++n) {
    auto found = cache.FindOrMake(Vector(n), maker.factory());
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(*IsSupertype(Vector(n), found->target->type));
  }
  ASSERT_EQ(maker.made.size(), 5U);
  EXPECT_EQ(maker.made.back(), "(x: float32[?], /)");
  EXPECT_EQ(cache.stats().generalizations, 1U);
  EXPECT_EQ(cache.size(), 5U);
}

TEST(FunctionCacheTest, MakesTheRequestsTypeWhereTheGeneralOneCannotBe) {
  FunctionCache cache({.capacity = 1024, .generalize_after = 2});
  auto factory = [](const FunctionType& type) -> StatusOr<Target> {
    if (!type.parameters()[0].type.shape()->IsFullyDefined()) return InvalidArgument("needs sizes");
    return std::make_shared<DispatchTarget>(type);
  };
  for (int64_t n = 1; n <= 10; ++n) {
    auto found = cache.FindOrMake(Vector(n), factory);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->target->type, Vector(n));
  }
  EXPECT_EQ(cache.stats().generalizations, 0U);
}

TEST(FunctionCacheTest, NeverGeneralisesLiterals) {
  FunctionCache cache({.capacity = 1024, .generalize_after = 2});
  Maker maker;
  for (int64_t n = 0; n < 20; ++n) ASSERT_TRUE(cache.FindOrMake(Number(n), maker.factory()).ok());
  EXPECT_EQ(cache.size(), 20U);
  EXPECT_EQ(cache.stats().generalizations, 0U);
}

TEST(FunctionCacheTest, DropsTheLeastRecentlyUsed) {
  FunctionCache cache({.capacity = 3});
  Maker maker;
  for (int64_t n = 0; n < 3; ++n) ASSERT_TRUE(cache.FindOrMake(Number(n), maker.factory()).ok());
  EXPECT_NE(cache.Lookup(Number(0)), nullptr);
  EXPECT_NE(cache.Lookup(Number(2)), nullptr);
  ASSERT_TRUE(cache.FindOrMake(Number(3), maker.factory()).ok());
  EXPECT_EQ(cache.Lookup(Number(1)), nullptr);
  EXPECT_NE(cache.Lookup(Number(0)), nullptr);
  EXPECT_EQ(cache.stats().evictions, 1U);
  EXPECT_EQ(cache.size(), 3U);
}

TEST(FunctionCacheTest, DoesNotRememberAnError) {
  FunctionCache cache({});
  int calls = 0;
  auto factory = [&](const FunctionType& type) -> StatusOr<Target> {
    if (++calls == 1) return Unavailable("not yet");
    return std::make_shared<DispatchTarget>(type);
  };
  EXPECT_EQ(MessageOf(cache.FindOrMake(Number(1), factory).status()), "not yet");
  EXPECT_TRUE(cache.FindOrMake(Number(1), factory).ok());
  EXPECT_EQ(calls, 2);
}

TEST(FunctionCacheTest, RefusesATargetOfAnotherType) {
  FunctionCache cache({});
  auto other = [](const FunctionType&) -> StatusOr<Target> {
    return std::make_shared<DispatchTarget>(Number(2));
  };
  EXPECT_TRUE(absl::IsInternal(cache.FindOrMake(Number(1), other).status()));
  auto none = [](const FunctionType&) -> StatusOr<Target> { return Target(); };
  EXPECT_TRUE(absl::IsInternal(cache.FindOrMake(Number(1), none).status()));
  EXPECT_EQ(cache.size(), 0U);
}

TEST(FunctionCacheTest, RefusesATypeThatNeedsItself) {
  FunctionCache cache({});
  FunctionCache::Factory factory = [&](const FunctionType& type) -> StatusOr<Target> {
    SIGNET_ASSIGN_OR_RETURN(auto found, cache.FindOrMake(type, factory));
    return found.target;
  };
  EXPECT_TRUE(absl::IsFailedPrecondition(cache.FindOrMake(Number(1), factory).status()));
}

TEST(FunctionCacheTest, KeepsContextsApart) {
  FunctionCache cache({});
  cache.Add(std::make_shared<DispatchTarget>(Number(1)), "a");
  EXPECT_NE(cache.Lookup(Number(1), "a"), nullptr);
  EXPECT_EQ(cache.Lookup(Number(1), "b"), nullptr);
  EXPECT_EQ(cache.Targets("a").size(), 1U);
  EXPECT_FALSE(cache.Remove(Number(1), "b"));
  EXPECT_TRUE(cache.Remove(Number(1), "a"));
  EXPECT_EQ(cache.size(), 0U);
  for (int i = 0; i < 1000; ++i) {  // contexts that come and go
    cache.Add(std::make_shared<DispatchTarget>(Number(1)), Cat("c", i));
    EXPECT_TRUE(cache.Remove(Number(1), Cat("c", i)));
  }
  cache.Add(std::make_shared<DispatchTarget>(Number(1)), "a");
  cache.Clear();
  EXPECT_EQ(cache.Lookup(Number(1), "a"), nullptr);
  EXPECT_EQ(cache.size(), 0U);
}

TEST(FunctionCacheTest, ChecksTheCapacity) {
  EXPECT_EQ(ReasonOf(FunctionCache::MakeOptions(0).status()), "INVALID_CAPACITY");
  EXPECT_EQ(ReasonOf(FunctionCache::MakeOptions(-1).status()), "INVALID_CAPACITY");
  EXPECT_EQ(FunctionCache::MakeOptions(7)->capacity, 7U);
  EXPECT_EQ(FunctionCache::MakeOptions(std::nullopt)->capacity, SIZE_MAX);
}

}  // namespace
}  // namespace signet
