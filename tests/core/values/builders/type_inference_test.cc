#include "core/values/builders/type_inference.h"

#include <gtest/gtest.h>

#include "tests/core/values/builders/record_events.h"

namespace signet {
namespace {

// Returns the type of records in the form of JSON, or the error message.
std::string TypeOf(std::string_view records, InferOptions options = {}, InferLimits limits = {}) {
  TypeInference inference(std::move(options), limits);
  Status status = TellRecords(records, inference);
  auto spec = status.ok() ? inference.Finish() : StatusOr<TypeSpec>(status);
  return spec.ok() ? spec->ToString() : Cat("!! ", MessageOf(spec.status()));
}

struct Case {
  const char *records, *type;
};

template <size_t n>
void ExpectAll(const Case (&cases)[n]) {
  for (const Case& c : cases) EXPECT_EQ(TypeOf(c.records), c.type) << c.records;
}

TEST(TypeInferenceTest, ScalarsTakeTheirDTypeTogether) {
  ExpectAll({
      {"1", "int32[]"},
      {"-2147483648", "int32[]"},
      {"2147483648", "int64[]"},
      {"1.0", "float32[]"},
      {"true", "bool[]"},
      {"\"x\"", "string[]"},
      {"[1, 4294967296, -1]", "int64[?]"},
      {"[1, 2.5]", "float32[?]"},
      {"[9007199254740993, 2.5]", "float32[?]"},
      {"[[true], []]", "ragged bool[?, (?)]"},
  });
}

TEST(TypeInferenceTest, ListsAreRaggedFromTheSecondOn) {
  ExpectAll({
      {"[1]", "int32[?]"},
      {"[[1, 2], [3, 4]]", "ragged int32[?, (?)]"},
      {"[[[1], []], []]", "ragged int32[?, (?), (?)]"},
      {"[]", "float32[?]"},
      {"[[], []]", "ragged float32[?, (?)]"},
      {"[[[], [[[]], []]]]", "ragged float32[?, (?), (?), (?), (?)]"},
  });
}

TEST(TypeInferenceTest, ObjectsAreStructures) {
  ExpectAll({
      {"{}", "{}"},
      {"{\"b\": [1], \"a\": {\"x\": [[1.5]]}}", "{b: int32[?], a: {x: ragged float32[?, (?)]}}"},
      {"[{\"a\": 1}, {\"a\": 2.5}]", "[{a: float32[]}]"},
      {"[[{\"a\": []}], []]", "[[{a: float32[(?)]}]]"},
      {"[{\"a\": []}, {\"a\": [{\"x\": 1}]}]", "[{a: [{x: int32[]}]}]"},
      {"[{\"a\": []}, {\"a\": []}]", "[{a: float32[(?)]}]"},
      {"[{\"a\": {}}, {\"a\": {}}]", "[{a: {}}]"},
      {"[{\"a\": {\"b\": [{\"c\": [true]}]}}]", "[{a: {b: [{c: bool[(?)]}]}}]"},
      // Keys in any order.
      {"[{\"a\": 1, \"b\": 2}, {\"b\": 3, \"a\": 4}]", "[{a: int32[], b: int32[]}]"},
  });
}

TEST(TypeInferenceTest, RejectsMixedKinds) {
  ExpectAll({
      {"[1, true]", "!! `[1]`: expected integers, like the other values here, found a bool"},
      {"[0.5, false]", "!! `[1]`: expected floats, like the other values here, found a bool"},
      {"[\"x\", 1]", "!! `[1]`: expected texts, like the other values here, found an integer"},
      {"[{\"a\": 1}, {\"a\": \"x\"}]",
       "!! `[1].a`: expected integers, like the other values here, found text"},
      {"[1, [2]]", "!! `[1][0]`: an integer in 2 lists; other scalars here are in 1 list"},
      {"[[1], 2]", "!! `[1]`: an integer in 1 list; other scalars here are in 2 lists"},
      {"[{\"b\": 1}, {\"b\": []}]",
       "!! `[1].b`: an empty list in 1 list; the scalars here are in 1 "
       "list"},
      {"[[1], [[]]]", "!! `[1][0]`: an empty list in 2 lists; the scalars here are in 2 lists"},
      {"[[[]], [1]]", "!! `[1][0]`: an integer in 2 lists; an empty list here is in 2 lists"},
      {"[{}, 5]", "!! `[1]`: expected an object, like the other values here, found an integer"},
      {"[5, {}]", "!! `[1]`: expected a scalar, like the other values here, found an object"},
      {"[{}, [{}]]", "!! `[1][0]`: an object in 2 lists; other objects here are in 1 list"},
      {"[{\"a\": [1]}, []]", "!! `[1]`: an empty list in 1 list; the objects here are in 1 list"},
      {"[[], {}]", "!! `[1]`: an object in 1 list; an empty list here is in 1 list"},
      {"null", "!! expected a value, or an empty list for none, found null"},
      {"{\"a\": null}", "!! `a`: expected a value, or an empty list for none, found null"},
  });
}

TEST(TypeInferenceTest, RejectsOtherKeys) {
  ExpectAll({
      {"[{\"a\": 1}, {\"b\": 1}]", "!! `[1]`: key `b`; the objects before have `a`"},
      {"[{}, {\"a\": 1}]", "!! `[1]`: key `a`; the objects before have no keys"},
      {"[{\"a\": 1, \"b\": 2}, {}]", "!! `[1]`: no keys `a`, `b`; the objects before have them"},
      {"[{\"a\": 1, \"b\": 2}, {\"b\": 1}]", "!! `[1]`: no key `a`; the objects before have them"},
      {"{\"a\": 1, \"a\": 1}", "!! duplicate key `a`"},
      {"{\"_\": 1}",
       "!! expected a key of a letter, then letters, digits, or underscores, found `_`"},
      {"{\"x\": {\"a\\n\": 1}}",
       "!! `x`: expected a key of a letter, then letters, digits, or underscores, found `a\\x0a`"},
  });
}

TEST(TypeInferenceTest, OptionsSayWhatIsDense) {
  const char* records = "[[[1, 2], [3, 4]], []]";
  EXPECT_EQ(TypeOf(records, {.ragged_rank = 1}), "ragged int32[?, (?), ?]");
  EXPECT_EQ(TypeOf(records, {.inner_shape = Shape{2}}), "ragged int32[?, (?), 2]");
  EXPECT_EQ(TypeOf(records, {.ragged_rank = 1, .inner_shape = Shape{2}}),
            "ragged int32[?, (?), 2]");
  EXPECT_EQ(TypeOf(records, {.ragged_rank = 0}), "int32[?, ?, ?]");
  EXPECT_EQ(TypeOf(records, {.inner_shape = Shape{2, 2}}), "int32[?, 2, 2]");
  EXPECT_EQ(TypeOf(records, {.dtype = DType::kFloat16, .splits_dtype = DType::kInt32}),
            "ragged<splits=int32> float16[?, (?), (?)]");
  EXPECT_EQ(TypeOf("[1, true]", {.dtype = DType::kFloat16}), "float16[?]");
  // Without scalars, the lists may go on.
  EXPECT_EQ(TypeOf("[]", {.ragged_rank = 1, .inner_shape = Shape{100, 20}}),
            "ragged float32[?, (?), 100, 20]");
  EXPECT_EQ(TypeOf("[]", {.ragged_rank = 2}), "ragged float32[?, (?), (?)]");
  EXPECT_EQ(TypeOf("[]", {.inner_shape = Shape{0}}), "float32[0]");
  EXPECT_EQ(TypeOf("1", {.ragged_rank = 0}), "int32[]");
}

TEST(TypeInferenceTest, RejectsOptionsThatDoNotFit) {
  EXPECT_EQ(TypeOf("12", {.ragged_rank = 1}),
            "!! expected scalars in 2 lists for ragged rank 1 and inner shape `[]`, found scalars "
            "in no list");
  EXPECT_EQ(TypeOf("[1]", {.inner_shape = Shape{1, 1}}),
            "!! expected scalars in 2 lists for ragged rank 0 and inner shape `[1, 1]`, found "
            "scalars in 1 list");
  EXPECT_EQ(TypeOf("[[[1]]]", {.ragged_rank = 1, .inner_shape = Shape{1, 1}}),
            "!! expected scalars in 4 lists for ragged rank 1 and inner shape `[1, 1]`, found "
            "scalars in 3 lists");
  EXPECT_EQ(TypeOf("[1]", {.ragged_rank = -1}),
            "!! expected a ragged rank of at least 0, found -1");
  EXPECT_FALSE(TypeOf("[1]", {.inner_shape = Shape{-3}}).empty());
  EXPECT_EQ(TypeOf("[1]", {.splits_dtype = DType::kInt8}), "int32[?]");
  EXPECT_EQ(TypeOf("[[1]]", {.splits_dtype = DType::kInt8}),
            "!! expected row splits of int32 or int64, found `int8`");
  EXPECT_EQ(TypeOf("{}", {.ragged_rank = 1}),
            "!! expected lists of scalars, because a dtype, ragged rank, or shape is given, found "
            "an object");
}

TEST(TypeInferenceTest, StopsAtItsLimits) {
  const InferLimits limits = {.max_depth = 3, .max_fields = 2};
  EXPECT_EQ(TypeOf("[[[1]]]", {}, limits), "ragged int32[?, (?), (?)]");
  EXPECT_EQ(TypeOf("[{\"a\": [[1]]}]", {}, limits),
            "!! `[0].a[0]`: more than 3 lists and objects within others, which is the limit");
  EXPECT_EQ(TypeOf("{\"a\": {\"b\": 1}}", {}, limits), "{a: {b: int32[]}}");
  EXPECT_EQ(TypeOf("{\"a\": {\"b\": 1}, \"c\": 1}", {}, limits),
            "!! more than 2 different keys, which is the limit");
}

TEST(TypeInferenceTest, RejectsEventsOutOfPlace) {
  TypeInference end;
  EXPECT_FALSE(end.EndList().ok());
  EXPECT_FALSE(end.Key("a").ok());
  EXPECT_FALSE(end.EndObject().ok());
  EXPECT_FALSE(end.Finish().ok());
  TypeInference object;
  ASSERT_TRUE(object.BeginObject().ok());
  EXPECT_FALSE(object.Bool().ok());
  EXPECT_FALSE(object.EndList().ok());
  ASSERT_TRUE(object.Key("a").ok());
  EXPECT_FALSE(object.Key("b").ok());
  EXPECT_FALSE(object.EndObject().ok());
  ASSERT_TRUE(object.Bool().ok());
  ASSERT_TRUE(object.EndObject().ok());
  EXPECT_FALSE(object.Bool().ok());
  EXPECT_TRUE(object.Finish().ok());
}

}  // namespace
}  // namespace signet
