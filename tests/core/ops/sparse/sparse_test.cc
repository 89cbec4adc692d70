// Sparse values against the tensors that they stand for.

#include <random>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "signet/ops/run_op.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// Of small integers, so that sums are exact in any order; most are 0.
template <class T>
Tensor RandomMatrix(std::mt19937_64& random, int64_t rows, int64_t columns) {
  std::vector<T> elements(static_cast<size_t>(rows * columns));
  for (T& element : elements) {
    bool stored = random() % 4 == 0;
    element = stored ? static_cast<T>(static_cast<int64_t>(random() % 9) - 4) : T(0);
  }
  return Tensor::Of<T>({rows, columns}, std::span<const T>(elements));
}

Value Made(std::string_view op, std::initializer_list<Value> inputs, NamedTypes attributes = {}) {
  auto made = RunOp1(op, inputs, Attributes(std::move(attributes)));
  EXPECT_TRUE(made.ok()) << op << ": " << made.status();
  return made.ok() ? *made : Value(Tensor::Scalar(0));
}

Value Dense(const Value& sparse) { return Made("sparse_to_dense", {sparse}); }

template <class T>
void CheckProducts(std::mt19937_64& random, int64_t width) {
  auto rows = static_cast<int64_t>(random() % 40);
  auto inner = static_cast<int64_t>(random() % 40);
  Value x = RandomMatrix<T>(random, rows, inner);
  Value y = RandomMatrix<T>(random, inner, width);
  Value sparse = Made("sparse_from_dense", {x});
  EXPECT_TRUE(SameValue(Dense(sparse), x));
  EXPECT_TRUE(SameValue(Made("matmul", {sparse, y}), Made("matmul", {x, y})));
  Value z = RandomMatrix<T>(random, width, rows);
  EXPECT_TRUE(SameValue(Made("matmul", {z, sparse}), Made("matmul", {z, x})));
}

TEST(SparseTest, ProductsEqualDenseProductsAtEveryLevel) {
  IsaLevel active = ActiveIsaLevel();
  for (IsaLevel level : AvailableIsaLevels()) {
    SetIsaLevel(level);
    for (int64_t width : {1, 2, 7, 8, 9, 31, 32, 33, 72, 0}) {
      SCOPED_TRACE(Cat(NameOf(level), " width ", width));
      std::mt19937_64 random(static_cast<uint64_t>(width));
      CheckProducts<float>(random, width);
      CheckProducts<double>(random, width);
      CheckProducts<int32_t>(random, width);
      CheckProducts<int64_t>(random, width);
    }
  }
  SetIsaLevel(active);
}

TEST(SparseTest, OpsEqualDenseOps) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    auto rows = static_cast<int64_t>(random() % 5);
    auto columns = static_cast<int64_t>(random() % 5);
    Value x = RandomMatrix<int64_t>(random, rows, columns);
    Value y = RandomMatrix<int64_t>(random, rows, columns);
    Value a = Made("sparse_from_dense", {x});
    Value b = Made("sparse_from_dense", {y});
    auto axis = AttributeOf(static_cast<int64_t>(random() % 2));
    for (const char* op : {"add", "sub"}) {
      EXPECT_TRUE(SameValue(Dense(Made(op, {a, b})), Made(op, {x, y}))) << op;
    }
    for (const char* op : {"concat", "stack"}) {
      EXPECT_TRUE(
          SameValue(Dense(Made(op, {a, b}, {{"axis", axis}})), Made(op, {x, y}, {{"axis", axis}})))
          << op;
    }
    for (const char* op : {"transpose", "neg", "shape", "size"}) {
      Value sparse = Made(op, {a});
      if (sparse.spec().is(TypeKind::kSparse)) sparse = Dense(sparse);
      EXPECT_TRUE(SameValue(sparse, Made(op, {x}))) << op;
    }
    EXPECT_TRUE(SameValue(Made("reduce_sum", {a}, {{"axes", axis}}),
                          Made("reduce_sum", {x}, {{"axes", axis}})));
    EXPECT_TRUE(SameValue(Dense(Made("expand_dims", {a}, {{"axis", axis}})),
                          Made("expand_dims", {x}, {{"axis", axis}})));
    const int64_t starts[] = {1};
    const int64_t limits[] = {-1};
    NamedTypes window = {{"starts", AttributeOf(std::span<const int64_t>(starts))},
                         {"limits", AttributeOf(std::span<const int64_t>(limits))},
                         {"axes", axis}};
    EXPECT_TRUE(SameValue(Dense(Made("slice", {a}, window)), Made("slice", {x}, window)));
  }
}

}  // namespace
}  // namespace signet
