#include "signet/tensor.h"

#include <cstring>

#include <gtest/gtest.h>

namespace signet {
namespace {

Buffer Offsets(std::initializer_list<int64_t> offsets) {
  return Buffer::Copy(std::as_bytes(std::span(offsets.begin(), offsets.size())));
}

TEST(TensorTest, MakesFromElements) {
  Tensor tensor = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(tensor.spec().ToString(), "float32[2, 2]");
  EXPECT_EQ(tensor.elements<float>()[3], 4);
  EXPECT_EQ(Tensor::Scalar(int64_t{7}).scalar<int64_t>(), 7);
  EXPECT_FALSE(Tensor().has_value());
}

TEST(TensorTest, ContentMustBeAsLongAsTheShape) {
  auto tensor = Tensor::Make(DType::kFloat32, {3, 4}, *Buffer::Allocate(44));
  EXPECT_EQ(MessageOf(tensor.status()),
            "expected 48 bytes of content for `float32[3, 4]`, found 44");
  EXPECT_FALSE(Tensor::Make(DType::kFloat32, {-1}, {}).ok());
  EXPECT_FALSE(Tensor::Make(DType::kFloat32, {int64_t{1} << 62}, {}).ok());
  EXPECT_FALSE(Tensor::Make(DType::kInt8, {int64_t{1} << 40, int64_t{1} << 40}, {}).ok());
  EXPECT_TRUE(Tensor::Make(DType::kFloat32, {0, 4}, {}).ok());
}

TEST(TensorTest, MisalignedContentIsCopied) {
  Buffer bytes = Buffer::Copy("xabcdefgh");
  auto tensor = Tensor::Make(DType::kInt64, {1}, bytes.Slice(1, 8));
  ASSERT_TRUE(tensor.ok());
  EXPECT_TRUE(tensor->data().IsAligned(8));
  EXPECT_EQ(tensor->data().text(), "abcdefgh");
  auto shared = Tensor::Make(DType::kInt8, {8}, bytes.Slice(1, 8));
  EXPECT_EQ(shared->data().data(), bytes.data() + 1);
}

TEST(TensorTest, StringsAreOffsetsAndBytes) {
  Tensor tensor = Tensor::Strings({2}, std::initializer_list<std::string_view>{"ab", ""});
  EXPECT_EQ(tensor.string_at(0), "ab");
  EXPECT_EQ(tensor.string_at(1), "");
  EXPECT_EQ(tensor.offsets().size(), 3u);
  EXPECT_TRUE(Tensor::MakeString({0}, {}, {}).ok());
}

TEST(TensorTest, StringOffsetsAreChecked) {
  struct Case {
    Shape shape;
    Buffer offsets;
    std::string message;
  } const cases[] = {
      {{2}, Offsets({0, 1}), "expected 3 string offsets for `string[2]`, found 2"},
      {{1}, Offsets({1, 3}), "string offsets: expected 0 as the first, found 1"},
      {{2}, Offsets({0, 3, 2}), "string offsets decrease at element 1, from 3 to 2"},
      {{1}, Offsets({0, 4}), "string offsets end at 4; there are 3 bytes of text"},
      {{1}, Offsets({0, 2}), "string offsets end at 2; there are 3 bytes of text"},
      {{1}, {}, "expected 2 string offsets for `string[1]`, found 0"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MessageOf(Tensor::MakeString(c.shape, c.offsets, Buffer::Copy("abc")).status()),
              c.message);
  }
}

TEST(TensorTest, ReshapingSharesAndOwnedCopiesViews) {
  std::string text = "abcd";
  Tensor view = *Tensor::Make(DType::kInt8, {4}, Buffer::View(std::as_bytes(std::span(text))));
  Tensor reshaped = view.Reshaped({2, 2});
  EXPECT_EQ(reshaped.data().data(), view.data().data());
  Tensor owned = *reshaped.Owned();
  EXPECT_NE(owned.data().data(), view.data().data());
  EXPECT_TRUE(SameTensor(owned, reshaped));
  EXPECT_FALSE(SameTensor(owned, view));
}

}  // namespace
}  // namespace signet
