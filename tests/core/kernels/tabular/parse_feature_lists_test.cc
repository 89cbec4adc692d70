// Damaged messages are errors or other values.

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "core/base/constraint.h"
#include "core/ops/catalog.h"
#include "core/ops/def/attribute_list.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string Entry(const std::string& key, const std::string& value) {
  return Field(1, Field(1, key) + Field(2, value));
}

// A SequenceExample with two lists of steps.
std::string Message() {
  const std::string numbers = Field(1, Field(3, Field(1, "\x01\x02"))) + Field(1, "");
  const std::string texts = Field(1, Field(1, Field(1, "ab") + Field(1, "c")));
  return Field(1, Entry("a", Field(3, Field(1, "\x03")))) +
         Field(2, Entry("x", numbers) + Entry("y", texts));
}

StatusOr<std::vector<Tensor>> Parse(const std::string& message) {
  const std::string_view texts[] = {message, ""};
  const std::vector<Tensor> inputs = {Tensor::Strings({2}, texts)};
  const OpDef& op = **BuiltinOps().Find("parse_feature_lists");
  const std::vector<std::string> names = {"x", "y"};
  const std::vector<std::string> dtypes = {"int64", "string"};
  SIGNET_ASSIGN_OR_RETURN(
      auto attributes, CompleteAttributes(op, Attributes({{"features", AttributeListOf(names)},
                                                          {"dtypes", AttributeListOf(dtypes)}})));
  const std::vector<TypeSpec> types = {inputs[0].spec()};
  const Tensor* const constants[] = {nullptr};
  return RunOp(op, attributes, inputs, types, constants);
}

TEST(ParseFeatureListsTest, SurvivesDamage) {
  const std::string whole = Message();
  ASSERT_TRUE(Parse(whole).ok()) << Parse(whole).status();
  std::mt19937 random(3);
  int rejected = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    if (i % 4 == 0) damaged.resize(random() % damaged.size());
    for (size_t k = 0; k < random() % 3 && !damaged.empty(); ++k) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    auto found = Parse(damaged);
    if (!found.ok()) {
      ++rejected;
      ASSERT_EQ(ConstraintOf(found.status()), "C3") << found.status();
      continue;
    }
    for (size_t k = 0; k < found->size(); k += 4) {
      const auto steps = (*found)[k + 1].elements<int64_t>();
      const auto rows = (*found)[k + 2].elements<int64_t>();
      ASSERT_EQ(rows.size(), 3u);
      ASSERT_EQ(rows.back() + 1, static_cast<int64_t>(steps.size()));
      ASSERT_EQ(steps.back(), (*found)[k].num_elements());
      ASSERT_TRUE(std::is_sorted(steps.begin(), steps.end()));
      ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    }
  }
  EXPECT_GT(rejected, 1000);
}

}  // namespace
}  // namespace signet
