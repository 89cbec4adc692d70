// Products of 8-bit integers are exact, at every level, for all sizes, signs and zero points,
// and whether or not the right side is known when the kernel is made.

#include <random>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

class Int8ProductsTest : public ::testing::Test {
 protected:
  void TearDown() override { SetIsaLevel(active_); }

  int64_t Int(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

  // All bytes, the extreme ones often.
  Tensor Bytes(Shape shape, DType dtype) {
    Tensor out = *Tensor::Allocate(dtype, shape);
    auto* bytes = reinterpret_cast<uint8_t*>(out.data().mutable_data());
    constexpr uint8_t kExtremes[] = {0, 127, 128, 255};
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      bytes[i] = Int(0, 3) == 0 ? kExtremes[Int(0, 3)] : static_cast<uint8_t>(Int(0, 255));
    }
    return out;
  }

  static int64_t At(const Tensor& x, int64_t i) {
    if (!x.has_value()) return 0;
    size_t at = x.num_elements() == 1 ? 0 : static_cast<size_t>(i);
    return x.dtype() == DType::kInt8 ? x.elements<int8_t>()[at] : x.elements<uint8_t>()[at];
  }

  void Check(int64_t m, int64_t n, int64_t k) {
    DType a_dtype = Int(0, 1) == 0 ? DType::kInt8 : DType::kUInt8;
    DType b_dtype = Int(0, 1) == 0 ? DType::kInt8 : DType::kUInt8;
    auto zeros = [&](DType dtype, int64_t count) {
      int64_t kind = Int(0, 2);
      return kind == 0 ? Tensor() : Bytes(kind == 1 ? Shape{} : Shape{count}, dtype);
    };
    const Tensor inputs[] = {Bytes({m, k}, a_dtype), Bytes({k, n}, b_dtype), zeros(a_dtype, m),
                             zeros(b_dtype, n)};
    std::vector<int32_t> expected;
    for (int64_t i = 0; i < m * n; ++i) {
      int64_t sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += (At(inputs[0], i / n * k + l) - At(inputs[2], i / n)) *
               (At(inputs[1], l * n + i % n) - At(inputs[3], i % n));
      }
      expected.push_back(static_cast<int32_t>(sum));
    }
    std::vector<TypeSpec> types;
    std::vector<const Tensor*> known;
    for (const Tensor& input : inputs) {
      types.push_back(input.has_value() ? input.spec() : TypeSpec());
      known.push_back(input.has_value() && known.size() % 2 == 1 ? &input : nullptr);
    }
    const OpDef* op = BuiltinOps().Lookup("matmul_integer");
    for (bool is_known : {false, true}) {
      std::span<const Tensor* const> constants;
      if (is_known) constants = known;
      for (int threads : {1, 3}) {
        auto outputs = RunOp(*op, {}, inputs, types, constants, threads);
        ASSERT_TRUE(outputs.ok()) << outputs.status();
        auto found = (*outputs)[0].elements<int32_t>();
        ASSERT_EQ(std::vector<int32_t>(found.begin(), found.end()), expected)
            << m << " x " << k << " x " << n << ", " << NameOf(a_dtype) << ", " << NameOf(b_dtype)
            << ", zero points " << inputs[2].has_value() << inputs[3].has_value() << ", known "
            << is_known << ", threads " << threads << ", level " << NameOf(ActiveIsaLevel());
      }
    }
  }

  const IsaLevel active_ = ActiveIsaLevel();
  std::mt19937 random_{7};
};

TEST_F(Int8ProductsTest, AreExact) {
  for (IsaLevel level : AvailableIsaLevels()) {
    SetIsaLevel(level);
    for (int round = 0; round < 60; ++round) {
      int64_t longest = round % 10 == 0 ? 200 : 40;
      ASSERT_NO_FATAL_FAILURE(Check(Int(1, longest), Int(1, longest), Int(1, longest)));
    }
  }
}

}  // namespace
}  // namespace signet
