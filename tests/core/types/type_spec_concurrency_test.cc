#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/types/registry/type_registry.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int kThreads = 8;

template <class Body>
void InThreads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(TypeSpecConcurrencyTest, ManyThreadsMakeAndForgetTheSameTypes) {
  size_t before = NumInternedTypes();
  std::atomic<int> differences{0};
  InThreads([&](int seed) {
    std::minstd_rand random(static_cast<unsigned>(seed) + 1);
    for (int i = 0; i < 2000; ++i) {
      auto size = static_cast<int64_t>(random() % 4);
      TypeSpec a = ListType({TensorType(DType::kInt8, {size}), TensorType(DType::kInt16, {size})});
      TypeSpec b = ListType({TensorType(DType::kInt8, {size}), TensorType(DType::kInt16, {size})});
      if (a != b || a.children()[0] != TensorType(DType::kInt8, {size})) ++differences;
    }
  });
  EXPECT_EQ(differences, 0);
  EXPECT_EQ(NumInternedTypes(), before);
}

TEST(TypeSpecConcurrencyTest, ATypeIsSharedWhileAnyThreadHoldsIt) {
  TypeSpec shared = *ParseTypeSpec("{a: [{b: string[]}]}");
  std::atomic<int> differences{0};
  InThreads([&](int) {
    for (int i = 0; i < 2000; ++i) {
      TypeSpec copy = shared;
      TypeSpec moved = std::move(copy);
      if (moved != shared || *ParseTypeSpec("{a: [{b: string[]}]}") != shared) ++differences;
    }
  });
  EXPECT_EQ(differences, 0);
}

TEST(TypeSpecConcurrencyTest, RegistryTakesAClassOnce) {
  TypeRegistry registry;
  std::atomic<int> registered{0};
  InThreads([&](int) {
    for (int i = 0; i < 50; ++i) {
      ExtensionDeclaration declaration;
      declaration.name = Cat("a.T", i);
      if (registry.Register(declaration).ok()) ++registered;
      EXPECT_TRUE(registry.Find(Cat("a.T", i)).ok());
    }
  });
  EXPECT_EQ(registered, 50);
  EXPECT_EQ(registry.Names().size(), 50u);
}

}  // namespace
}  // namespace signet
