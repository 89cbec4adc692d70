#include "core/runtime/function_cache.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/function/signature.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

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

TEST(FunctionCacheTest, CountsTheHitsOfEachTarget) {
  FunctionCache cache({});
  Maker maker;
  auto two = cache.FindOrMake(Vector(2), maker.factory());
  auto three = cache.FindOrMake(Vector(3), maker.factory());
  ASSERT_TRUE(two.ok() && three.ok());
  EXPECT_EQ(two->target->hits.Sum(), 0U);  // the request that made it found none
  EXPECT_GT(two->target->making_time.count(), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cache.Lookup(Vector(2)), two->target);
  EXPECT_EQ(two->target->hits.Sum(), 3U);
  EXPECT_EQ(three->target->hits.Sum(), 0U);
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
  auto adapt = [&](const Target& wider, const FunctionType& type,
                   std::string_view) -> StatusOr<Target> {
    EXPECT_EQ(wider->type.ToString(), "(x: float32[?], /)");
    if (type == Vector(3)) return InvalidArgument("not for 3");
    ++adapted;
    return std::make_shared<DispatchTarget>(type, wider);
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

TEST(FunctionCacheTest, RejectsATargetOfAnotherType) {
  FunctionCache cache({});
  auto other = [](const FunctionType&) -> StatusOr<Target> {
    return std::make_shared<DispatchTarget>(Number(2));
  };
  EXPECT_TRUE(absl::IsInternal(cache.FindOrMake(Number(1), other).status()));
  auto none = [](const FunctionType&) -> StatusOr<Target> { return Target(); };
  EXPECT_TRUE(absl::IsInternal(cache.FindOrMake(Number(1), none).status()));
  EXPECT_EQ(cache.size(), 0U);
}

TEST(FunctionCacheTest, RejectsATypeThatNeedsItself) {
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

// A target that holds some memory.
struct HoldingTarget : DispatchTarget {
  HoldingTarget(FunctionType target_type, size_t held)
      : DispatchTarget(std::move(target_type)), bytes(held) {}
  size_t num_bytes() const override { return bytes; }
  const size_t bytes;
};

FunctionCache::Factory MakerOf(size_t bytes) {
  return [bytes](const FunctionType& type) -> StatusOr<Target> {
    return std::make_shared<HoldingTarget>(type, bytes);
  };
}

TEST(FunctionCacheTest, EvictsByBytes) {
  FunctionCache cache({.generalize_after = 0, .max_bytes = 1000});
  std::weak_ptr<const DispatchTarget> first;
  for (int64_t n = 0; n < 20; ++n) {
    auto found = cache.FindOrMake(Number(n), MakerOf(300));
    ASSERT_TRUE(found.ok());
    if (n == 0) first = found->target;
    EXPECT_NE(cache.Lookup(Number(0)), nullptr);  // used again and again, so it stays
    EXPECT_LE(cache.stats().bytes, 1000);
  }
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_EQ(cache.stats().bytes, 900);
  EXPECT_EQ(cache.stats().evictions, 17U);
  EXPECT_TRUE(cache.Remove(Number(0)));
  EXPECT_EQ(cache.stats().bytes, 600);
  EXPECT_TRUE(first.expired());  // freed at once: nothing reads it
  cache.Clear();
  EXPECT_EQ(cache.stats().bytes, 0);
}

TEST(FunctionCacheTest, DoesNotKeepATargetThatIsTooLarge) {
  FunctionCache cache({.max_bytes = 1000});
  ASSERT_TRUE(cache.FindOrMake(Number(1), MakerOf(10)).ok());
  for (int i = 0; i < 2; ++i) {
    auto found = cache.FindOrMake(Number(2), MakerOf(1001));
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->how, How::kSpecialized);
  }
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_NE(cache.Lookup(Number(1)), nullptr);
}

TEST(FunctionCacheTest, FreesTheTypesOfRememberedAnswers) {
  FunctionCache cache({});
  auto wide = *FunctionType::Make(
      {{"x", ParameterKind::kPositionalOnly, false, TensorType(DType::kFloat32, {kUnknownDim})}});
  cache.Add(std::make_shared<HoldingTarget>(wide, 1));
  std::weak_ptr<const DispatchTarget> target = cache.Lookup(Vector(3));  // remembers the answer
  ASSERT_FALSE(target.expired());
  cache.Remove(wide);
  cache.Collect();
  EXPECT_TRUE(target.expired());
}

TEST(FunctionCacheTest, SharesABudgetWithOtherCaches) {
  auto budget = std::make_shared<CacheBudget>(1000);
  FunctionCache::Options options{.generalize_after = 0, .budget = budget};
  FunctionCache quiet(options);
  {
    FunctionCache busy(options);
    for (int64_t n = 0; n < 2; ++n) ASSERT_TRUE(quiet.FindOrMake(Number(n), MakerOf(200)).ok());
    for (int64_t n = 0; n < 20; ++n) {
      ASSERT_TRUE(busy.FindOrMake(Number(n), MakerOf(250)).ok());
      EXPECT_LE(budget->bytes(), 1000);
      EXPECT_NE(busy.Lookup(Number(n)), nullptr);
    }
    EXPECT_EQ(quiet.size(), 2U);  // the cache that holds most gives way
    ASSERT_TRUE(quiet.FindOrMake(Number(7), MakerOf(900)).ok());
    EXPECT_NE(quiet.Lookup(Number(7)), nullptr);
    EXPECT_LE(budget->bytes(), 1000);
  }
  EXPECT_EQ(budget->bytes(), quiet.stats().bytes);
}

}  // namespace
}  // namespace signet
