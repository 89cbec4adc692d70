#include "core/graph/body/captured_value.h"

#include <cstring>

#include <gtest/gtest.h>

namespace signet {
namespace {

// 1, 2, 3 in float32, `shift` bytes behind an aligned place.
Buffer ThreeFloats(size_t shift) {
  const float numbers[] = {1, 2, 3};
  Buffer all = *Buffer::Allocate(shift + sizeof numbers);
  std::memcpy(all.mutable_data() + shift, numbers, sizeof numbers);
  return all.Slice(shift, sizeof numbers);
}

TEST(CapturedValueTest, UsesAlignedBytesInPlace) {
  Buffer bytes = ThreeFloats(4);
  auto captured = CapturedValue::OfBytes(DType::kFloat32, {3}, bytes);
  ASSERT_TRUE(captured.ok()) << captured.status();
  EXPECT_EQ(captured->Get()->tensor().data().data(), bytes.data());
}

TEST(CapturedValueTest, CopiesMisalignedBytesForAsLongAsTheyAreUsed) {
  Buffer bytes = ThreeFloats(1);
  auto captured = CapturedValue::OfBytes(DType::kFloat32, {3}, bytes);
  ASSERT_TRUE(captured.ok()) << captured.status();
  EXPECT_EQ(captured->spec().ToString(), "float32[3]");
  EXPECT_EQ(captured->num_bytes(), 12U);
  for (int round = 0; round < 2; ++round) {
    Value first = *captured->Get();
    EXPECT_TRUE(SameValue(first, Tensor::Of<float>({3}, {1, 2, 3})));
    EXPECT_TRUE(first.tensor().data().IsAligned(kBufferAlignment));
    CapturedValue other = *captured;
    EXPECT_EQ(other.Get()->tensor().data().data(), first.tensor().data().data());
  }
}

TEST(CapturedValueTest, RejectsByteCountsThatDoNotMatchTheShape) {
  for (size_t shift : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(MessageOf(CapturedValue::OfBytes(DType::kFloat32, {4}, ThreeFloats(shift)).status()),
              "expected 16 bytes of content for `float32[4]`, found 12");
  }
}

}  // namespace
}  // namespace signet
