// The laws of values, on random ones: what the builder makes is valid, the writer tells it back,
// the notation reads it back, and a value with a broken component is rejected.

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "signet/nest.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

class ValuesLawsTest : public ::testing::Test {
 protected:
  // A random value, or none where the sizes of a random type admit no data.
  Value Next() {
    TypeSpec spec = random_.Type(3);
    ValueBuilder builder = *ValueBuilder::Make(spec);
    Status status = random_.Fill(spec, builder);
    EXPECT_TRUE(status.ok()) << spec.ToString() << ": " << status;
    auto value = builder.Finish();
    EXPECT_TRUE(value.ok()) << spec.ToString() << ": " << value.status();
    EXPECT_TRUE(!value.ok() || IsSubtype(value->spec(), spec))
        << value->spec().ToString() << " is not below " << spec.ToString();
    return value.ok() ? *value : Value();
  }

  RandomValues random_;
};

Components ComponentsOfValue(const Value& value) {
  return {value.components().begin(), value.components().end()};
}

TEST_F(ValuesLawsTest, WhatTheBuilderMakesIsValid) {
  for (int i = 0; i < 2000; ++i) {
    Value value = Next();
    ASSERT_TRUE(value);
    auto checked = MakeValue(value.spec(), ComponentsOfValue(value));
    ASSERT_TRUE(checked.ok()) << ToString(value) << ": " << checked.status();
    ASSERT_EQ(ExactSpecOf(value), value.spec()) << ToString(value);
  }
}

TEST_F(ValuesLawsTest, NotationReadsBackToTheSameBits) {
  for (int i = 0; i < 2000; ++i) {
    Value value = Next();
    ASSERT_TRUE(value);
    std::string text = ToString(value);
    auto parsed = ParseValue(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status();
    ASSERT_EQ(parsed->spec(), value.spec()) << text;
    ASSERT_EQ(ToString(*parsed), text);
    ASSERT_TRUE(SameValue(*parsed, value)) << text;
  }
}

TEST_F(ValuesLawsTest, FlatteningAndPackingGiveTheValueBack) {
  for (int i = 0; i < 1000; ++i) {
    Value value = Next();
    ASSERT_TRUE(value);
    for (bool expand : {false, true}) {
      NestOptions options{expand};
      auto packed = PackNest(value.spec(), FlattenNest(value, options), options);
      ASSERT_TRUE(packed.ok()) << ToString(value) << ": " << packed.status();
      ASSERT_TRUE(SameValue(*packed, value)) << ToString(value);
    }
  }
}

TEST_F(ValuesLawsTest, ABrokenComponentIsRejected) {
  int broken = 0;
  for (int i = 0; i < 1000; ++i) {
    Value value = Next();
    ASSERT_TRUE(value);
    for (size_t at = 0; at < value.components().size(); ++at) {
      Components components = ComponentsOfValue(value);
      const Tensor& old = components[at];
      DType other = old.dtype() == DType::kInt8 ? DType::kInt16 : DType::kInt8;
      Tensor wrong = *Tensor::Allocate(other, old.shape());
      components[at] = wrong;
      ASSERT_FALSE(MakeValue(value.spec(), components).ok())
          << ToString(value) << " component " << at;
      components[at] = Tensor();
      ASSERT_FALSE(MakeValue(value.spec(), components).ok())
          << ToString(value) << " component " << at;
      components.erase(components.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_FALSE(MakeValue(value.spec(), components).ok())
          << ToString(value) << " component " << at;
      ++broken;
    }
  }
  EXPECT_GT(broken, 1000);
}

}  // namespace
}  // namespace signet
