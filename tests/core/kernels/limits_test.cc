// Limits of what values may ask of a kernel: dimensions of a shape, and bytes of a text to search.

#include <string>

#include <gtest/gtest.h>

#include "core/ops/def/inference.h"
#include "tests/core/kernels/kernel_call.h"

namespace signet {
namespace {

Status RunOn(std::string_view op, const NamedTypes& attributes, std::vector<Tensor> inputs) {
  auto call = KernelCall::Make(op, Attributes(attributes), std::move(inputs));
  return call.ok() ? call->RunWithin(size_t{64} << 20) : call.status();
}

TEST(LimitsTest, RejectsShapesOfTooManyDimensions) {
  const Tensor one = Tensor::Of<float>({1}, {1});
  const Tensor seed = Tensor::Scalar<int64_t>(1);
  for (int64_t count : {int64_t{kMaxOutputRank}, int64_t{kMaxOutputRank} + 1, int64_t{1'000'000}}) {
    const std::vector<int64_t> ones(static_cast<size_t>(count), 1);
    const Tensor shape = Tensor::Of<int64_t>({count}, ones);
    const auto expected =
        count <= kMaxOutputRank ? absl::StatusCode::kOk : absl::StatusCode::kInvalidArgument;
    EXPECT_EQ(RunOn("reshape", {}, {one, shape}).code(), expected) << count;
    EXPECT_EQ(RunOn("broadcast_to", {}, {one, shape}).code(), expected) << count;
    EXPECT_EQ(RunOn("random_normal", {}, {seed, shape}).code(), expected) << count;
  }
  EXPECT_EQ(RunOn("tile", {}, {one, Tensor::Of<int64_t>({2}, {1, 1})}).code(),
            absl::StatusCode::kInvalidArgument);
  const std::vector<int64_t> many(100'000, 0);
  const Tensor axes = Tensor::Of<int64_t>({100'000}, many);
  EXPECT_EQ(RunOn("reduce_sum", {}, {one, axes}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(LimitsTest, RejectsTextsThatAreTooLongToSearch) {
  const std::string long_text(size_t{17} << 20, 'a');
  const std::string_view texts[] = {"a", long_text};
  const Tensor x = Tensor::Strings({2}, texts);
  const NamedTypes pattern = {{"pattern", AttributeOf("b")}};
  const NamedTypes replace = {{"pattern", AttributeOf("b")}, {"rewrite", AttributeOf("c")}};
  EXPECT_EQ(RunOn("regex_replace", replace, {x}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RunOn("regex_extract", pattern, {x}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RunOn("regex_full_match", pattern, {x}).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace signet
