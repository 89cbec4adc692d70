#include "core/values/builders/value_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

// Feeds data in the notation to a builder and writes the value; an error as `!! REASON field`.
std::string Build(std::string_view type, std::string_view data, BuilderLimits limits = {}) {
  auto spec = ParseTypeSpec(type);
  EXPECT_TRUE(spec.ok()) << type << ": " << spec.status();
  NotationReader in(data);
  auto value = ReadData(in, *spec, limits);
  if (value.ok()) {
    EXPECT_TRUE(in.AtEnd());
    return ToString(Value::Trusted(ExactSpecOf(*value),
                                   {value->components().begin(), value->components().end()}));
  }
  std::string field = FieldOf(value.status());
  return Cat("!! ", ReasonOf(value.status()), field.empty() ? "" : " ", field);
}

struct Case {
  const char *type, *data, *result;
};

template <size_t n>
void ExpectAll(const Case (&cases)[n]) {
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.type, " ", c.data));
    EXPECT_EQ(Build(c.type, c.data), c.result);
  }
}

TEST(ValueBuilderTest, FillsTensors) {
  ExpectAll({
      {"float32[]", "1.5", "float32[] 1.5"},
      {"float32[?]", "[1, 2.5, nan, -inf, -0.0]", "float32[5] [1.0, 2.5, nan, -inf, -0.0]"},
      {"int64[?, ?]", "[[1, 2], [3, 4]]", "int64[2, 2] [[1, 2], [3, 4]]"},
      {"string[2]", "[\"a\", \"\"]", "string[2] [\"a\", \"\"]"},
      {"bool[?]", "[True, false]", "bool[2] [True, False]"},
      {"float32[?, 3]", "[]", "float32[0, 3] []"},
      {"float32[?, ?]", "[]", "float32[0, 0] []"},
      {"float32[?, ?]", "[[], []]", "float32[2, 0] [[], []]"},
      {"complex64[2]", "[[1, 2], 3.5]", "complex64[2] [[1.0, 2.0], [3.5, 0.0]]"},
      {"complex128[]", "[1, -0.0]", "complex128[] [1.0, -0.0]"},
      {"complex128[]", "2", "complex128[] [2.0, 0.0]"},
      {"float32[...]", "1", "float32[] 1.0"},
      {"float32[...]", "[[1], [2]]", "float32[2, 1] [[1.0], [2.0]]"},
      {"float32[...]", "[[], []]", "float32[2, 0] [[], []]"},
      {"complex64[...]", "[[1, 2], [3, 4]]", "complex64[2] [[1.0, 2.0], [3.0, 4.0]]"},
      {"float16[2]", "[65504, 0.1]", "float16[2] [65504.0, 0.099975586]"},
  });
}

TEST(ValueBuilderTest, FillsRaggedTensors) {
  ExpectAll({
      {"ragged int64[?, (?)]", "[[1, 2], [], [3]]", "ragged int64[3, (?)] [[1, 2], [], [3]]"},
      {"ragged int64[?, (?)]", "[]", "ragged int64[0, (?)] []"},
      {"ragged int64[?, (?), 2]", "[[[1, 2]], []]", "ragged int64[2, (?), 2] [[[1, 2]], []]"},
      {"ragged<splits=int32> string[?, (?), (?)]", "[[[\"a\"], []], []]",
       "ragged<splits=int32> string[2, (?), (?)] [[[\"a\"], []], []]"},
      {"ragged int64[?, (2)]", "[[1, 2], [3, 4]]", "ragged int64[2, (2)] [[1, 2], [3, 4]]"},
      {"ragged<rank=0> int64[?]", "[1, 2]", "ragged<rank=0> int64[2] [1, 2]"},
      {"ragged<rank=1> int64[...]", "[[[1], [2]], []]", "ragged int64[2, (?), 1] [[[1], [2]], []]"},
      {"ragged<rank=1> int64[...]", "[]", "ragged int64[0, (?)] []"},
  });
}

TEST(ValueBuilderTest, FillsTheColumnsOfStructures) {
  ExpectAll({
      {"{a: int64[], b: string[?]}", "{b: [\"x\"], a: 1}",
       "{a: int64[], b: string[1]} {a: 1, b: [\"x\"]}"},
      {"[{a: int64[], b: string[(?)]}]", "[{a: 1, b: []}, {a: 2, b: [\"x\", \"y\"]}]",
       "{a: int64[], b: string[(?)]}[2] [{a: 1, b: []}, {a: 2, b: [\"x\", \"y\"]}]"},
      {"[{a: int64[3]}]", "[]", "{a: int64[3]}[0] []"},
      {"[[{a: int64[], b: string[(?)]}]]", "[[{a: 1, b: [\"x\"]}, {a: 2, b: []}], []]",
       "{a: int64[], b: string[(?)]}[2, ?] [[{a: 1, b: [\"x\"]}, {a: 2, b: []}], []]"},
      {"[{b: [{x: int32[]}]}]", "[{b: []}, {b: [{x: 1}]}, {b: []}]",
       "{b: [{x: int32[]}]}[3] [{b: []}, {b: [{x: 1}]}, {b: []}]"},
      {"{a: int32[]}[2, 3]", "[[{a: 1}, {a: 2}, {a: 3}], [{a: 4}, {a: 5}, {a: 6}]]",
       "{a: int32[]}[2, 3] [[{a: 1}, {a: 2}, {a: 3}], [{a: 4}, {a: 5}, {a: 6}]]"},
      {"[[{a: dense int32[]}]]", "[[{a: 1}, {a: 2}], [{a: 3}, {a: 4}]]",
       "{a: int32[]}[2, 2] [[{a: 1}, {a: 2}], [{a: 3}, {a: 4}]]"},
      {"[{}]", "[{}, {}]", "{}[2] [{}, {}]"},
      {"{}[1, 0]", "[[]]", "{}[1, 0] [[]]"},
      {"{}[0, 5]", "[]", "{}[0, 5] []"},
  });
}

TEST(ValueBuilderTest, FillsContainersAndTheirLike) {
  ExpectAll({
      {"list(int64[], \"a\")", "[3, \"a\"]", "list(int64[], \"a\") [3, \"a\"]"},
      {"tuple()", "[]", "tuple() []"},
      {"dict(b: None, a: float32[?])", "{b: None, a: [1]}",
       "dict(b: None, a: float32[1]) {b: None, a: [1.0]}"},
      {"dict(\"odd key\": 1)", "{\"odd key\": 1}", "dict(\"odd key\": 1) {\"odd key\": 1}"},
      {"namedtuple P(y: int8[], x: int8[])", "{x: 1, y: 2}",
       "namedtuple P(y: int8[], x: int8[]) {y: 2, x: 1}"},
      {"app.M<n=1>(v: int8[?])", "{v: [1, 2]}", "app.M<n=1>(v: int8[2]) {v: [1, 2]}"},
      {"sparse int8[?, ?]", "{indices: [[0, 1], [1, 0]], values: [5, 6], dense_shape: [2, 2]}",
       "sparse int8[2, 2] {indices: [[0, 1], [1, 0]], values: [5, 6], dense_shape: [2, 2]}"},
      {"sparse int8[...]", "{indices: [], values: [], dense_shape: [2, 2]}",
       "sparse int8[2, 2] {indices: [], values: [], dense_shape: [2, 2]}"},
  });
}

TEST(ValueBuilderTest, RejectsWithReasonAndPath) {
  ExpectAll({
      {"int32[]", "1.0", "!! DTYPE_MISMATCH"},
      {"int32[]", "True", "!! DTYPE_MISMATCH"},
      {"bool[]", "1", "!! DTYPE_MISMATCH"},
      {"string[]", "1", "!! DTYPE_MISMATCH"},
      {"float32[]", "\"1\"", "!! DTYPE_MISMATCH"},
      {"float32[]", "None", "!! NOT_CONVERTIBLE"},
      {"float32[]", "{}", "!! NOT_CONVERTIBLE"},
      {"int8[?]", "[127, 128]", "!! OUT_OF_RANGE [1]"},
      {"uint64[]", "-1", "!! OUT_OF_RANGE"},
      {"float32[]", "1e39", "!! OUT_OF_RANGE"},
      {"float16[]", "65520", "!! OUT_OF_RANGE"},
      {"float16[]", "65520.0", "!! OUT_OF_RANGE"},
      {"float32[]", "[1]", "!! SHAPE_MISMATCH"},
      {"float32[?]", "1", "!! SHAPE_MISMATCH"},
      {"float32[3]", "[1, 2]", "!! SHAPE_MISMATCH"},
      {"float32[?, ?]", "[[1, 2], [3]]", "!! NOT_RECTANGULAR [1]"},
      {"float32[?, ?]", "[[1], 2]", "!! SHAPE_MISMATCH [1]"},
      {"float32[...]", "[[], 1]", "!! SHAPE_MISMATCH [1]"},
      {"float32[...]", "[1, [2]]", "!! SHAPE_MISMATCH [1]"},
      {"complex64[]", "[1]", "!! SHAPE_MISMATCH"},
      {"complex64[]", "[1, 2, 3]", "!! SHAPE_MISMATCH"},
      {"complex64[...]", "1", "!! SHAPE_MISMATCH"},
      {"ragged int32[?, (?)]", "[1, 2]", "!! SHAPE_MISMATCH [0]"},
      {"ragged int32[3, (?)]", "[[1], [2]]", "!! SHAPE_MISMATCH"},
      {"ragged int32[?, (2)]", "[[1, 2], [2]]", "!! SHAPE_MISMATCH [1]"},
      {"ragged int32[?, (?), ?]", "[[[1]], [[2, 3]]]", "!! NOT_RECTANGULAR [1][0]"},
      {"{a: int32[]}", "{b: 1}", "!! STRUCTURE_MISMATCH"},
      {"{a: int32[]}", "{a: 1, a: 2}", "!! STRUCTURE_MISMATCH"},
      {"{a: int32[]}", "{}", "!! STRUCTURE_MISMATCH"},
      {"{a: int32[]}", "[{a: 1}]", "!! STRUCTURE_MISMATCH"},
      {"[{a: int32[]}]", "{a: 1}", "!! STRUCTURE_MISMATCH"},
      {"[{a: int32[]}]", "[{a: 1}, []]", "!! STRUCTURE_MISMATCH [1]"},
      {"[{a: int32[]}]", "[{a: 1}, 2]", "!! STRUCTURE_MISMATCH [1]"},
      {"[{a: int32[], b: int32[]}]", "[{a: 1, b: 1}, {a: 1}]", "!! STRUCTURE_MISMATCH [1]"},
      {"{r: [{i: [{amount: float32[]}]}]}", "{r: [{i: []}, {i: [{amount: 1}, {amount: \"x\"}]}]}",
       "!! DTYPE_MISMATCH r[1].i[1].amount"},
      {"{a: int32[]}[2]", "[{a: 1}]", "!! SHAPE_MISMATCH"},
      {"[[{a: dense int32[]}]]", "[[{a: 1}, {a: 2}], [{a: 3}]]", "!! NOT_RECTANGULAR [1]"},
      {"list(3)", "[]", "!! STRUCTURE_MISMATCH"},
      {"list(3)", "[3, 3]", "!! STRUCTURE_MISMATCH [1]"},
      {"list(3)", "{}", "!! STRUCTURE_MISMATCH"},
      {"dict(a: 3)", "{a: 4}", "!! LITERAL_MISMATCH a"},
      {"dict(a: 1)", "{a: 1.0}", "!! LITERAL_MISMATCH a"},
      {"dict(a: 1)", "{a: []}", "!! LITERAL_MISMATCH a"},
      {"sparse int8[2]", "{indices: [[2]], values: [1], dense_shape: [2]}", "!! SPARSE indices"},
      {"any", "1", "!! STRUCTURE_MISMATCH"},
  });
}

TEST(ValueBuilderTest, MessagesShowBothSides) {
  auto spec = ParseTypeSpec("[{a: int32[], b: string[(?)]}]");
  NotationReader in("[{a: 1, c: 2}]");
  EXPECT_EQ(MessageOf(ReadData(in, *spec).status()),
            "column 10: `[0]`: key `c`; expected one of `a`, `b`");
  NotationReader missing("[{a: 1}]");
  EXPECT_EQ(MessageOf(ReadData(missing, *spec).status()),
            "column 7: `[0]`: no key `b`; a field that may be missing is declared as optional, "
            "`b?: string[(?)]`, or with a default, `b: string[(?)] = []`");
}

TEST(ValueBuilderTest, ShowsDeclarationsOfMissingFieldsThatParse) {
  struct Row {
    const char* field;
    const char* hint;
  };
  const Row kRows[] = {
      {"x: float32[]", "`x?: float32[]`, or with a default, `x: float32[] = nan`"},
      {"x: int8[]", "`x?: int8[]`, or with a default, `x: int8[] = 0`"},
      {"x: string[]", "`x?: string[]`, or with a default, `x: string[] = \"\"`"},
      {"x: bool[2]", "`x?: bool[2]`, or with a default, `x: bool[2] = [False, False]`"},
      {"x: int64[?, 2]", "`x?: int64[?, 2]`, or with a default, `x: int64[?, 2] = []`"},
      {"x: float32[?] = nan", "`x?: float32[?]`, or with a default, `x: float32[?] = []`"},
      {"x: string[1, 2] = \"a = b\"",
       "`x?: string[1, 2]`, or with a default, `x: string[1, 2] = [[\"\", \"\"]]`"},
      {"x: float32[1000000]", "`x?: float32[1000000]`"},
      {"x: complex64[]", "`x?: complex64[]`"},
      {"x: {a: int64[], b?: int8[]}", "`x?: {a: int64[], b?: int8[]}`"},
      {"x: [{a: int64[] = 1}]", "`x?: [{a: int64[] = 1}]`"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.field);
    for (bool is_list : {false, true}) {
      const char* open = is_list ? "[{" : "{";
      const char* close = is_list ? "}]" : "}";
      const char* data = is_list ? "[{y: 1}]" : "{y: 1}";
      auto spec = ParseTypeSpec(Cat(open, row.field, ", y: int8[]", close));
      ASSERT_TRUE(spec.ok()) << spec.status();
      NotationReader in(data);
      EXPECT_THAT(std::string(MessageOf(ReadData(in, *spec).status())),
                  testing::EndsWith(Cat("declared as optional, ", row.hint)));
      // Each declaration in backticks accepts the value that has no such field.
      const std::string hint = row.hint;
      for (size_t at = hint.find('`'); at != hint.npos; at = hint.find('`', at + 1)) {
        size_t end = hint.find('`', at + 1);
        std::string field = hint.substr(at + 1, end - at - 1);
        at = end;
        auto declared = ParseTypeSpec(Cat(open, field, ", y: int8[]", close));
        ASSERT_TRUE(declared.ok()) << field << ": " << declared.status();
        NotationReader again(data);
        EXPECT_TRUE(ReadData(again, *declared).ok()) << field;
      }
    }
  }
}

TEST(ValueBuilderTest, ReadsNullAndMissingFieldsAsTheTypeDeclares) {
  ExpectAll({
      // A default, for a missing key and for null.
      {"[{x: float32[] = nan}]", "[{}, {x: None}, {x: 1}]",
       "{x: float32[]}[3] [{x: nan}, {x: nan}, {x: 1.0}]"},
      {"{s: string[] = \"none\", n: int8[] = -1, b: bool[] = True}", "{}",
       "{s: string[], n: int8[], b: bool[]} {s: \"none\", n: -1, b: True}"},
      {"[{tags: string[(?)] = []}]", "[{}, {tags: [\"a\"]}, {tags: None}]",
       "{tags: string[(?)]}[3] [{tags: []}, {tags: [\"a\"]}, {tags: []}]"},
      {"[{v: float32[2] = [1, 2]}]", "[{}, {v: [3, 4]}]",
       "{v: float32[2]}[2] [{v: [1.0, 2.0]}, {v: [3.0, 4.0]}]"},
      // A literal stands for the elements of lists, and not for a list.
      {"(float32[?, 1] = nan)", "[[None], [2]]", "float32[2, 1] [[nan], [2.0]]"},
      {"(complex64[?] = 0)", "[None, [1, 2]]", "complex64[2] [[0.0, 0.0], [1.0, 2.0]]"},
      {"(float32[?] = nan)", "None", "!! NOT_CONVERTIBLE"},
      {"[{x: float32[?] = nan}]", "[{}]", "!! STRUCTURE_MISMATCH [0]"},
      // An optional field.
      {"[{a?: int64[], b: int64[]}]", "[{b: 1}, {a: None, b: 2}, {b: 3, a: 4}]",
       "{a?: int64[], b: int64[]}[3] [{a: None, b: 1}, {a: None, b: 2}, {a: 4, b: 3}]"},
      {"[{a?: [{x: int8[]}]}]", "[{}, {a: []}, {a: [{x: 1}]}]",
       "{a?: [{x: int8[]}]}[3] [{a: None}, {a: []}, {a: [{x: 1}]}]"},
      {"[{a?: {x: int8[] = 7}}]", "[{}, {a: {}}]", "{a?: {x: int8[]}}[2] [{a: None}, {a: {x: 7}}]"},
      {"{a?: string[]}", "{}", "{a?: string[]} {a: None}"},
      {"{a?: string[]}", "{a: \"x\"}", "{a?: string[]} {a: \"x\"}"},
      {"[{a?: int64[]}]", "[{a: [1]}]", "!! SHAPE_MISMATCH [0].a"},
      // Nothing is guessed.
      {"[{x: float32[]}]", "[{x: None}]", "!! NOT_CONVERTIBLE [0].x"},
      {"[{x: float32[]}]", "[{}]", "!! STRUCTURE_MISMATCH [0]"},
  });
}

TEST(ValueBuilderTest, LimitsHoldBeforeMemoryIsTaken) {
  BuilderLimits elements;
  elements.max_elements = 3;
  BuilderLimits bytes;
  bytes.max_bytes = 100;
  struct Limited {
    const char *type, *data;
    BuilderLimits limits;
  } const cases[] = {
      {"int8[?]", "[1, 2, 3, 4]", elements},
      {"[{a: int8[], b: int8[]}]", "[{a: 1, b: 1}, {a: 1, b: 1}]", elements},
      {"string[2]",
       "[\"0123456789012345678901234567890123456789\", "
       "\"0123456789012345678901234567890123456789012345\"]",
       bytes},
      {"ragged int8[?, (?)]", "[[], [], [], [], [], [], [], [], [], [], [], [], []]", bytes},
  };
  for (const Limited& c : cases) {
    NotationReader in(c.data);
    EXPECT_EQ(ReadData(in, *ParseTypeSpec(c.type), c.limits).status().code(),
              absl::StatusCode::kResourceExhausted)
        << c.type;
  }
  ValueBuilder deep = *ValueBuilder::Make({});
  Status status;
  for (int i = 0; i < 50'000 && status.ok(); ++i) status = deep.BeginList();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

TEST(ValueBuilderTest, NamesTheFlagOfALimitThatIsOne) {
  BuilderLimits limits;
  limits.max_elements = 1;
  NotationReader in("[1, 2]");
  TypeSpec spec = *ParseTypeSpec("int8[?]");
  EXPECT_EQ(MessageOf(ReadData(in, spec, limits).status()),
            "column 5: `[1]`: more than 1 elements, which is the limit");
  limits.elements_flag = "--max_tensor_elements";
  NotationReader again("[1, 2]");
  EXPECT_EQ(MessageOf(ReadData(again, spec, limits).status()),
            "column 5: `[1]`: more than 1 elements, which is the limit (--max_tensor_elements)");
}

TEST(ValueBuilderTest, HugeDeclaredSizesTakeNoMemory) {
  EXPECT_EQ(Build("float32[?, 1099511627776]", "[]"), "float32[0, 1099511627776] []");
  EXPECT_EQ(Build("float32[?, 1099511627776, 1099511627776]", "[]"), "!! SHAPE_MISMATCH");
  EXPECT_EQ(Build("float32[1099511627776]", "[]"), "!! SHAPE_MISMATCH");
  EXPECT_EQ(Build("{}[0, 1099511627776]", "[]"), "{}[0, 1099511627776] []");
}

TEST(ValueBuilderTest, WithoutATypeTakesAnything) {
  ValueBuilder builder = *ValueBuilder::Make({});
  EXPECT_TRUE(builder.BeginObject().ok());
  EXPECT_TRUE(builder.Key("b").ok());
  EXPECT_TRUE(builder.BeginList().ok());
  EXPECT_TRUE(builder.Int(UINT64_MAX).ok());
  EXPECT_TRUE(builder.Null().ok());
  EXPECT_TRUE(builder.Bool(true).ok());
  EXPECT_EQ(builder.Path(), "b[3]");
  EXPECT_TRUE(builder.EndList().ok());
  EXPECT_TRUE(builder.Key("a").ok());
  EXPECT_TRUE(builder.String("x").ok());
  EXPECT_TRUE(builder.EndObject().ok());
  EXPECT_EQ(
      ToString(*builder.Finish()),
      "dict(b: list(18446744073709551615, None, True), a: \"x\") {b: [18446744073709551615, None, "
      "True], a: \"x\"}");
}

TEST(ValueBuilderTest, EventsOutOfPlaceAreRejected) {
  for (bool typed : {true, false}) {
    auto make = [&] {
      return *ValueBuilder::Make(typed ? *ParseTypeSpec("{a: int8[?]}") : TypeSpec());
    };
    EXPECT_FALSE(make().EndList().ok());
    EXPECT_FALSE(make().EndObject().ok());
    EXPECT_FALSE(make().Key("a").ok());
    EXPECT_FALSE(make().Finish().ok());
    ValueBuilder open = make();
    EXPECT_TRUE(open.BeginObject().ok());
    EXPECT_FALSE(open.Int(3).ok());
    EXPECT_FALSE(open.Finish().ok());
    ValueBuilder key = make();
    EXPECT_TRUE(key.BeginObject().ok());
    EXPECT_TRUE(key.Key("a").ok());
    EXPECT_FALSE(key.EndObject().ok());
    ValueBuilder list = make();
    EXPECT_TRUE(list.BeginObject().ok());
    EXPECT_TRUE(list.Key("a").ok());
    EXPECT_TRUE(list.BeginList().ok());
    EXPECT_FALSE(list.EndObject().ok());
    ValueBuilder twice = make();
    EXPECT_TRUE(twice.BeginObject().ok());
    EXPECT_TRUE(twice.Key("a").ok());
    EXPECT_TRUE(twice.BeginList().ok());
    EXPECT_TRUE(twice.EndList().ok());
    EXPECT_TRUE(twice.EndObject().ok());
    EXPECT_FALSE(twice.BeginObject().ok());
  }
}

TEST(ValueBuilderTest, SaysWhatCouldComeNext) {
  ValueBuilder builder = *ValueBuilder::Make(*ParseTypeSpec("{a: float32[?]}"));
  EXPECT_TRUE(builder.TakesObject());
  EXPECT_EQ(builder.ScalarDType(), std::nullopt);
  EXPECT_TRUE(builder.BeginObject().ok());
  EXPECT_TRUE(builder.Key("a").ok());
  EXPECT_FALSE(builder.TakesObject());
  EXPECT_EQ(builder.ScalarDType(), std::nullopt);
  EXPECT_TRUE(builder.BeginList().ok());
  EXPECT_EQ(builder.ScalarDType(), DType::kFloat32);
}

}  // namespace
}  // namespace signet
