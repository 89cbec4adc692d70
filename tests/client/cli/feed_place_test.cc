#include "client/cli/feed_place.h"

#include <gmock/gmock.h>

#include "core/formats/arrow/arrow.h"
#include "core/function/signature.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using testing::HasSubstr;

v1::Encoded Lines(const std::string& text) {
  v1::Encoded out;
  out.set_format(v1::Encoded::JSON_LINES);
  out.set_data(text);
  return out;
}

// Returns the arguments of the call with `rows` added; an argument that is the rows is `rows`.
std::string Fed(const char* signature, CallSpec call, const v1::Encoded& rows,
                const std::string& name = "", const RowParameters::SourceNames& sources = {}) {
  auto place = RowParameters::Find(ParseSignature(signature)->type, call, name, sources);
  Status status = place.ok() ? place->AddRows(rows, call) : place.status();
  if (!status.ok()) return std::string(MessageOf(status));
  auto text = [](const ClientArgument& argument) {
    const auto* value = std::get_if<Value>(&argument);
    return value != nullptr ? ToString(*value) : "rows";
  };
  std::vector<std::string> out;
  for (const auto& argument : call.args) out.push_back(text(argument));
  for (const auto& [keyword, argument] : call.kwargs) {
    out.push_back(Cat(keyword, "=", text(argument)));
  }
  return Join(out, ", ");
}

Value One() { return Tensor::Scalar(1); }

TEST(FeedPlaceTest, OneArgumentIsSentUnchanged) {
  const v1::Encoded kRows = Lines("[1]\n");
  EXPECT_EQ(Fed("(x: float32[?, 1])", {}, kRows), "rows");
  EXPECT_EQ(Fed("(x, y: [{a: int32[]}])", {.args = {One()}}, kRows), "int32[] 1, rows");
  EXPECT_EQ(Fed("(x: [{a: int32[]}], y)", {.args = {One()}}, kRows), "rows, int32[] 1");
  EXPECT_EQ(Fed("(x: int32[?], y: int32[?])", {.kwargs = {{"x", One()}}}, kRows),
            "x=int32[] 1, y=rows");
  EXPECT_EQ(Fed("(x, y, z)", {}, kRows, "z"), "z=rows");
  EXPECT_EQ(Fed("(x: int32[?], y: int32[] = 3)", {}, kRows), "rows");
  EXPECT_EQ(Fed("(x, y)", {}, kRows, "w"), "parameter `w` not found; parameters: `x`, `y`");
  EXPECT_THAT(Fed("(x = 1)", {}, kRows), HasSubstr("every required parameter has an argument"));
  EXPECT_THAT(Fed("(x, y, /)", {}, kRows, "y"),
              HasSubstr("expected 1 arguments before it, found 0"));
}

TEST(FeedPlaceTest, SeveralParametersReceiveTheFieldsOfRecords) {
  const char* const kSignature =
      "(age: float32[?, 1], /, sex: string[?, 1], b: int32[2, 3], *, r: ragged int64[?, (?)], o = "
      "1)";
  const std::string kWanted =
      "float32[2, 1] [[1.0], [2.0]], sex=string[2, 1] [[\"m\"], [\"f\"]], "
      "b=int32[2, 3] [[1, 2, 3], [4, 5, 6]], r=ragged int64[2, (?)] [[], [7]]";
  EXPECT_EQ(Fed(kSignature, {},
                Lines("{\"age\": 1, \"sex\": \"m\", \"b\": [1, 2, 3], \"r\": []}\n"
                      "{\"sex\": \"f\", \"age\": 2, \"b\": [4, 5, 6], \"r\": [7]}\n")),
            kWanted);
  v1::Encoded rows;
  rows.set_format(v1::Encoded::JSON);
  rows.set_data(
      R"({"age": [1, 2], "sex": ["m", "f"], "b": [[1, 2, 3], [4, 5, 6]], "r": [[], [7]]})");
  EXPECT_EQ(Fed(kSignature, {}, rows), kWanted);
  auto pieces = ArrowFromValue(
      *ParseValue("[{age: float32[], sex: string[], b: int32[3], r: int64[(?)], more: bool[]}] "
                  "[{age: 1, sex: \"m\", b: [1, 2, 3], r: [], more: true}, "
                  "{age: 2, sex: \"f\", b: [4, 5, 6], r: [7], more: true}]"));
  rows.set_format(v1::Encoded::ARROW_IPC);
  rows.clear_data();
  for (const Buffer& piece : *pieces) rows.mutable_data()->append(piece.text());
  EXPECT_EQ(Fed(kSignature, {}, rows), kWanted);
  EXPECT_EQ(Fed("(x: int32[?], y: int32[?], z: int32[?])", {.args = {One()}},
                Lines("{\"y\": 1, \"z\": 2}")),
            "int32[] 1, y=int32[1] [1], z=int32[1] [2]");
}

TEST(FeedPlaceTest, NullAndMissingFieldsHaveTheDeclaredDefaults) {
  const char* const kSignature =
      "(age: (float32[?, 1] = nan), fare: (float32[?] = 0), sex: string[?])";
  EXPECT_EQ(Fed(kSignature, {},
                Lines("{\"age\": null, \"sex\": \"m\", \"fare\": 2}\n{\"sex\": \"f\"}\n")),
            "age=float32[2, 1] [[nan], [nan]], fare=float32[2] [2.0, 0.0], "
            "sex=string[2] [\"m\", \"f\"]");
  EXPECT_THAT(Fed(kSignature, {}, Lines("{\"age\": 1, \"sex\": null}\n")),
              HasSubstr("`[0].sex`: expected"));
}

TEST(FeedPlaceTest, FieldsMayHaveTheNamesInTheFileOfTheModel) {
  const char* const kSignature = "(petal_width: float32[?], _0: int64[?], a_b: int64[?])";
  const RowParameters::SourceNames sources = {
      {"petal_width", "petal.width"}, {"_0", "0"}, {"a_b", "petal_width"}};
  // A name in the file comes before the same name of a parameter.
  EXPECT_EQ(
      Fed(kSignature, {}, Lines(R"({"petal.width": 1.5, "0": 2, "petal_width": 3})"), "", sources),
      "petal_width=float32[1] [1.5], _0=int64[1] [2], a_b=int64[1] [3]");
  EXPECT_EQ(Fed(kSignature, {}, Lines(R"({"petal.width": 1.5, "_0": 2, "a_b": 3})"), "", sources),
            "petal_width=float32[1] [1.5], _0=int64[1] [2], a_b=int64[1] [3]");
  EXPECT_EQ(Fed("(x, a_b)", {}, Lines("1"), "x", {{"a_b", "x"}}), "a_b=rows");
  const auto columns = MakeDict({{"petal.width", Tensor::Of<float>({1}, {1.5})},
                                 {"0", Tensor::Of<int64_t>({1}, {2})},
                                 {"petal_width", Tensor::Of<int64_t>({1}, {3})}});
  ASSERT_TRUE(columns.ok()) << columns.status();
  const auto pieces = ArrowFromValue(*columns);
  ASSERT_TRUE(pieces.ok()) << pieces.status();
  v1::Encoded arrow;
  arrow.set_format(v1::Encoded::ARROW_IPC);
  for (const Buffer& piece : *pieces) arrow.mutable_data()->append(piece.text());
  EXPECT_EQ(Fed(kSignature, {}, arrow, "", sources),
            "petal_width=float32[1] [1.5], _0=int64[1] [2], a_b=int64[1] [3]");
}

TEST(FeedPlaceTest, RejectsParametersWithoutRows) {
  const v1::Encoded kRows = Lines("{\"x\": 1, \"y\": 2}\n");
  EXPECT_THAT(Fed("(x: int32[?], y)", {}, kRows),
              HasSubstr("parameter `y`: expected a tensor with one element per row, found `any`"));
  EXPECT_THAT(Fed("(x: int32[?], y: int32[])", {}, kRows), HasSubstr("found `int32[]`"));
  EXPECT_THAT(Fed("(x: int32[?], y: int32[...])", {}, kRows), HasSubstr("found `int32[...]`"));
  EXPECT_THAT(Fed("(x: int32[?], _y: int32[?])", {}, kRows),
              HasSubstr("rows, in which `column_y` is the parameter `_y`: byte 9: `[0]`: no key"));
  EXPECT_THAT(Fed("(x: int32[?], z: int32[?])", {}, kRows), HasSubstr("no key `z`"));
  EXPECT_THAT(Fed("(x: int32[?], z: int32[?])", {.reject_unknown_fields = true}, kRows),
              HasSubstr("key `y`; expected one of `x`, `z`"));
  v1::Encoded messages;
  messages.set_format(v1::Encoded::PROTOBUF);
  EXPECT_THAT(Fed("(x: int32[?], y: int32[?])", {}, messages), HasSubstr("one parameter"));
}

}  // namespace
}  // namespace signet
