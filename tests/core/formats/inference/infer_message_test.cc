#include "core/formats/inference/infer_message.h"

#include <algorithm>
#include <complex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using testing::HasSubstr;

std::string ReadStrings(int64_t n, std::string_view raw) {
  auto tensor =
      TensorFromRaw(DType::kString, Shape{n}, Buffer::Copy(raw), {.input = "x", .model = "m"});
  if (!tensor.ok()) return std::string(MessageOf(tensor.status()));
  return ToString(Value(*tensor));
}

TEST(InferMessageTest, ConvertsEveryDtypeToTheRawFormAndBack) {
  for (const DTypeInfo& info : AllDTypes()) {
    if (IsComplex(info.dtype)) continue;
    const std::string_view texts[] = {"a", ""};
    Tensor tensor = Tensor::Strings({2}, texts);
    if (info.dtype != DType::kString) {
      tensor = *Tensor::Allocate(info.dtype, {2});
      std::fill_n(tensor.data().mutable_data(), tensor.data().size(), std::byte{1});
    }
    auto raw = RawOfTensor(tensor);
    ASSERT_TRUE(raw.ok());
    EXPECT_EQ(raw->size(), RawSizeOf(tensor));
    auto dtype = FindDatatype(DatatypeOf(info.dtype));
    ASSERT_TRUE(dtype.ok());
    auto read = TensorFromRaw(*dtype, {2}, *raw);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(SameTensor(*read, tensor)) << info.name;
  }
}

TEST(InferMessageTest, StatesComplexNumbersAsPairs) {
  Tensor tensor = Tensor::Of<std::complex<float>>({1}, {{1, 2}});
  EXPECT_EQ(DatatypeOf(tensor.dtype()), "FP32");
  EXPECT_THAT(InferDims(tensor), testing::ElementsAre(1, 2));
}

TEST(InferMessageTest, RejectsMalformedStrings) {
  const std::string two("\x01\0\0\0a\0\0\0\0", 9);
  EXPECT_EQ(ReadStrings(2, two), "string[2] [\"a\", \"\"]");
  EXPECT_THAT(ReadStrings(3, two),
              HasSubstr("expected 3 string elements for inference input 'x' for model 'm', got 2"));
  EXPECT_THAT(ReadStrings(1, two), HasSubstr("unexpected number of string elements 2 for inference "
                                             "input 'x' for model 'm', expecting 1"));
  EXPECT_THAT(ReadStrings(2, two.substr(0, 8)), HasSubstr("got 1;"));
  EXPECT_THAT(ReadStrings(1, std::string("\xff\xff\xff\xff", 4)),
              HasSubstr("incomplete string data for inference input 'x' for model 'm', expecting "
                        "string of length 4294967295 but only 0 bytes available"));
  auto bools = TensorFromRaw(DType::kBool, {1}, Buffer::Copy("\x02"));
  EXPECT_THAT(std::string(MessageOf(bools.status())), HasSubstr("expected 0 or 1"));
}

TEST(InferMessageTest, ChecksSizes) {
  const InputPlace place{.input = "x", .model = "m"};
  EXPECT_TRUE(CheckRawSize(DType::kFloat32, {2}, 8, place).ok());
  EXPECT_TRUE(CheckRawSize(DType::kString, {2}, 1, place).ok());
  EXPECT_THAT(
      std::string(MessageOf(CheckRawSize(DType::kFloat32, {2}, 12, place))),
      HasSubstr("input byte size mismatch for input 'x' for model 'm'. Expected 8, got 12"));
  auto check = [](std::vector<int64_t> dims) {
    return std::string(MessageOf(CheckInferShape(DType::kFloat32, dims, Limits())));
  };
  EXPECT_THAT(check({16, (int64_t{1} << 60) + 2}),
              HasSubstr("causes total element count to exceed maximum size of"));
  EXPECT_THAT(check({4, (int64_t{1} << 60) + 2}), HasSubstr("byte size overflow for input"));
  EXPECT_THAT(check({-1}), testing::StartsWith("dimension 0"));
}

TEST(InferMessageTest, ListsTheLargestElements) {
  auto rows = LargestElements(Tensor::Of<float>({2, 3}, {1, 9, 4, 3, 2, 8}), 2);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(ToString(Value(*rows)),
            R"(string[2, 2] [["9.000000:1", "4.000000:2"], ["8.000000:2", "3.000000:0"]])");
  auto all = LargestElements(Tensor::Of<int32_t>({2}, {5, 5}), 9);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(ToString(Value(*all)), R"(string[2] ["5.000000:0", "5.000000:1"])");
  const std::string_view text = "a";
  EXPECT_THAT(
      std::string(MessageOf(LargestElements(Tensor::Strings({1}, {&text, 1}), 1).status())),
      testing::HasSubstr("class result not available for output due to unsupported type 'BYTES'"));
}

}  // namespace
}  // namespace signet
