// The laws of types, on random ones: the notation reads back, relations are an order with joins,
// components are counted right. Seeded; SIGNET_SEED repeats a run.

#include <vector>

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/types/stacking.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

class TypesLawsTest : public ::testing::Test {
 protected:
  RandomValues random_;
};

TEST_F(TypesLawsTest, NotationReadsBackToTheSamePointer) {
  for (int i = 0; i < 3000; ++i) {
    TypeSpec spec = random_.Type(4);
    auto parsed = ParseTypeSpec(spec.ToString());
    ASSERT_TRUE(parsed.ok()) << spec.ToString() << ": " << parsed.status();
    ASSERT_EQ(*parsed, spec) << spec.ToString() << " became " << parsed->ToString();
  }
}

TEST_F(TypesLawsTest, ComponentsAreAsManyAsCounted) {
  for (int i = 0; i < 1000; ++i) {
    TypeSpec spec = random_.Type(4);
    ASSERT_EQ(ComponentsOf(spec).size(), spec.num_components()) << spec.ToString();
  }
}

TEST_F(TypesLawsTest, SubtypeIsAPartialOrderAndJoinTheLeastBound) {
  std::vector<TypeSpec> types;
  for (int i = 0; i < 40; ++i) {
    TypeSpec spec = random_.Type(2);
    types.push_back(spec);
    for (int k = 0; k < 3; ++k) types.push_back(random_.Relative(spec));
  }
  for (const TypeSpec& a : types) {
    ASSERT_TRUE(IsSubtype(a, a));
    for (const TypeSpec& b : types) {
      bool below = IsSubtype(a, b);
      ASSERT_TRUE(a == b || !below || !IsSubtype(b, a)) << a.ToString() << " and " << b.ToString();
      ASSERT_TRUE(!below || IsCompatible(a, b)) << a.ToString() << " and " << b.ToString();
      ASSERT_TRUE(!below || a.structure() == b.structure());
      TypeSpec join = MostSpecificCommonSupertype(a, b);
      ASSERT_EQ(join, MostSpecificCommonSupertype(b, a));
      ASSERT_TRUE(!below || join == b) << a.ToString() << " and " << b.ToString();
      if (join) {
        ASSERT_TRUE(IsSubtype(a, join) && IsSubtype(b, join))
            << a.ToString() << " and " << b.ToString();
      }
      for (const TypeSpec& c : types) {
        ASSERT_TRUE(!below || !IsSubtype(b, c) || IsSubtype(a, c));
        bool is_bound = IsSubtype(a, c) && IsSubtype(b, c);
        ASSERT_TRUE(!is_bound || (join && IsSubtype(join, c)))
            << c.ToString() << " is above " << a.ToString() << " and " << b.ToString();
      }
    }
  }
}

TEST_F(TypesLawsTest, UnstackingTakesBackWhatStackingAdds) {
  for (int i = 0; i < 2000; ++i) {
    TypeSpec spec = random_.Type(3);
    int64_t n = random_.Chance(2) ? kUnknownDim : random_.Below(4);
    auto batch = StackedType(spec, n);
    ASSERT_TRUE(batch.ok()) << spec.ToString() << ": " << batch.status();
    auto element = UnstackedType(*batch);
    ASSERT_TRUE(element.ok()) << batch->ToString() << ": " << element.status();
    // But for int32 row splits, which a structure of rank 2 makes int64.
    ASSERT_EQ(*StackedType(*element, n), *batch) << spec.ToString();
    ASSERT_EQ(BoxedLayout(*element), BoxedLayout(spec));
    TypeSpec wider = random_.Relative(spec);
    if (!IsSubtype(spec, wider)) continue;
    ASSERT_TRUE(IsSubtype(*batch, *StackedType(wider, kUnknownDim)))
        << spec.ToString() << " below " << wider.ToString();
  }
}

}  // namespace
}  // namespace signet
