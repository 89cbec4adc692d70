#include "signet/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using testing::ElementsAre;

Attributes Example() {
  const int64_t axes[] = {0, -1};
  return Attributes({{"keepdims", AttributeOf(true)},
                     {"axis", AttributeOf(1)},
                     {"axes", AttributeOf(std::span<const int64_t>(axes))},
                     {"dtype", AttributeOf(DType::kFloat32)},
                     {"epsilon", AttributeOf(0.5)},
                     {"none", LiteralType(Literal())},
                     {"names", ListType({AttributeOf("a"), AttributeOf("b")})}});
}

TEST(AttributesTest, AreWrittenInOrderOfTheirNames) {
  EXPECT_EQ(Example().ToString(),
            "axes=list(0, -1) axis=1 dtype=\"float32\" epsilon=0.5 keepdims=True "
            "names=list(\"a\", \"b\") none=None");
}

TEST(AttributesTest, ReturnValues) {
  Attributes attributes = Example();
  EXPECT_EQ(*attributes.Int("axis"), 1);
  EXPECT_EQ(*attributes.Float("epsilon"), 0.5);
  EXPECT_EQ(*attributes.Float("axis"), 1.0);
  EXPECT_EQ(*attributes.Bool("keepdims"), true);
  EXPECT_EQ(*attributes.DTypeNamed("dtype"), DType::kFloat32);
  EXPECT_EQ(*attributes.String("dtype"), "float32");
  EXPECT_THAT(*attributes.Ints("axes"), ElementsAre(0, -1));
  EXPECT_THAT(*attributes.Ints("axis"), ElementsAre(1));
  EXPECT_THAT(*attributes.Strings("names"), ElementsAre("a", "b"));
  EXPECT_EQ(*attributes.OptionalInt("none"), std::nullopt);
  EXPECT_EQ(*attributes.OptionalInt("absent"), std::nullopt);
  EXPECT_EQ(*attributes.OptionalInt("axis"), 1);
}

TEST(AttributesTest, RejectOtherKinds) {
  Attributes attributes = Example();
  EXPECT_EQ(MessageOf(attributes.Int("epsilon").status()),
            "attribute `epsilon`: expected an integer, found `0.5`");
  EXPECT_EQ(MessageOf(attributes.Int("absent").status()),
            "missing attribute `absent`; expected an integer");
  EXPECT_EQ(MessageOf(attributes.Bool("axis").status()),
            "attribute `axis`: expected True or False, found `1`");
  EXPECT_EQ(MessageOf(attributes.Float("dtype").status()),
            "attribute `dtype`: expected a number, found `\"float32\"`");
  EXPECT_EQ(MessageOf(attributes.String("axis").status()),
            "attribute `axis`: expected a string, found `1`");
  EXPECT_EQ(MessageOf(attributes.DTypeNamed("axis").status()),
            "attribute `axis`: expected the name of a dtype, such as \"float32\", found `1`");
  EXPECT_EQ(
      MessageOf(attributes.Ints("names").status()),
      "attribute `names`: expected an integer or a list of integers, found `list(\"a\", \"b\")`");
  EXPECT_EQ(MessageOf(attributes.Strings("axes").status()),
            "attribute `axes`: expected a list of strings, found `list(0, -1)`");
  EXPECT_EQ(MessageOf(attributes.OptionalInt("keepdims").status()),
            "attribute `keepdims`: expected an integer or None, found `True`");
}

TEST(AttributesTest, WithReplacesAndAdds) {
  Attributes attributes = Attributes({{"b", AttributeOf(1)}});
  attributes = attributes.With("b", AttributeOf(2)).With("a", AttributeOf(3));
  EXPECT_EQ(attributes.ToString(), "a=3 b=2");
  EXPECT_EQ(attributes, Attributes({{"b", AttributeOf(2)}, {"a", AttributeOf(3)}}));
  EXPECT_EQ(attributes.fingerprint(),
            Attributes({{"b", AttributeOf(2)}, {"a", AttributeOf(3)}}).fingerprint());
  EXPECT_NE(attributes.fingerprint(), attributes.With("a", AttributeOf(4)).fingerprint());
}

}  // namespace
}  // namespace signet
