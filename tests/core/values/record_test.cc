#include "signet/record.h"

#include <gtest/gtest.h>

#include "signet/notation.h"
#include "signet/structured.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// signet/record.h
struct Dish {
  std::string title;
  std::vector<int64_t> ids;
  std::optional<float> score;
};
constexpr auto RecordFields(const Dish*) {
  return std::tuple(signet::Field("title", &Dish::title), signet::Field("ids", &Dish::ids),
                    signet::Field("score", &Dish::score));
}
signet::StatusOr<std::vector<Dish>> SendAndReceive(const std::vector<Dish>& dishes) {
  signet::Value value = signet::ToValue(dishes);  // 2 records, stored as columns
  return signet::ValueAs<std::vector<Dish>>(value);
}
// end

bool operator==(const Dish& a, const Dish& b) {
  return a.title == b.title && a.ids == b.ids && a.score == b.score;
}

struct Menu {
  std::string name;
  std::vector<Dish> dishes;
  std::array<float, 2> place = {};
  std::vector<std::vector<bool>> days;
  std::optional<Dish> best;
  bool operator==(const Menu&) const = default;
};
constexpr auto RecordFields(const Menu*) {
  return std::tuple(Field("name", &Menu::name), Field("dishes", &Menu::dishes),
                    Field("place", &Menu::place), Field("days", &Menu::days),
                    Field("best", &Menu::best));
}

const Dish kSoup = {"soup", {1, 2}, 0.5f};
const Dish kTea = {"tea", {}, std::nullopt};

std::vector<Menu> Menus() {
  return {{"noon", {kSoup, kTea}, {1, 2}, {{true}, {}, {false, true}}, kSoup},
          {"night", {}, {3, 4}, {}, std::nullopt},
          {"late", {kTea}, {5, 6}, {{}}, kTea}};
}

// Returns the message and the reason of an error, or an empty string.
template <class T>
std::string ErrorOf(const Value& value) {
  const Status status = ValueAs<T>(value).status();
  EXPECT_EQ(ReasonOf(status), status.ok() ? "" : "TYPE_MISMATCH");
  return std::string(MessageOf(status));
}

TEST(RecordTest, ConvertsScalars) {
  EXPECT_EQ(ToString(ToValue(true)), "bool[] True");
  EXPECT_EQ(ToString(ToValue(int8_t{-3})), "int8[] -3");
  EXPECT_EQ(ToString(ToValue(7)), "int32[] 7");
  EXPECT_EQ(ToString(ToValue(7LL)), "int64[] 7");
  EXPECT_EQ(ToString(ToValue(size_t{7})), "uint64[] 7");
  EXPECT_EQ(ToString(ToValue(1.5f)), "float32[] 1.5");
  EXPECT_EQ(ToString(ToValue(2.5)), "float64[] 2.5");
  EXPECT_EQ(ToString(ToValue("text")), "string[] \"text\"");
  EXPECT_EQ(ToString(ToValue(std::string("text"))), "string[] \"text\"");
  EXPECT_EQ(*ValueAs<std::string>(ToValue("text")), "text");
  EXPECT_EQ(*ValueAs<long long>(ToValue(int64_t{7})), 7);
  EXPECT_EQ(*ValueAs<double>(ToValue(2.5)), 2.5);
  EXPECT_TRUE(*ValueAs<bool>(ToValue(true)));
}

TEST(RecordTest, ConvertsContainers) {
  EXPECT_EQ(ToString(ToValue(std::vector<float>{1, 2})), "float32[2] [1.0, 2.0]");
  EXPECT_EQ(ToString(ToValue(std::vector<bool>{true, false})), "bool[2] [True, False]");
  EXPECT_EQ(ToString(ToValue(std::vector<std::string>{"a", "b"})), "string[2] [\"a\", \"b\"]");
  const std::vector<std::vector<int64_t>> rows = {{1, 2}, {}, {3}};
  EXPECT_EQ(ToString(ToValue(rows)), "ragged int64[3, (?)] [[1, 2], [], [3]]");
  EXPECT_EQ(*ValueAs<std::vector<std::vector<int64_t>>>(ToValue(rows)), rows);
  const std::vector<std::array<float, 2>> pairs = {{1, 2}, {3, 4}};
  EXPECT_EQ(ToString(ToValue(pairs)), "float32[2, 2] [[1.0, 2.0], [3.0, 4.0]]");
  EXPECT_EQ((*ValueAs<std::vector<std::array<float, 2>>>(ToValue(pairs))), pairs);
  EXPECT_EQ((*ValueAs<std::vector<std::vector<float>>>(ToValue(pairs)))[1][0], 3);
  const std::vector<std::vector<std::array<std::vector<int64_t>, 2>>> deep = {
      {{{{1}, {}}}, {{{2, 3}, {4}}}}, {}};
  EXPECT_EQ(ToValue(deep).spec().ToString(), "ragged int64[2, (?), (2), (?)]");
  EXPECT_EQ(
      (*ValueAs<std::vector<std::vector<std::array<std::vector<int64_t>, 2>>>>(ToValue(deep))),
      deep);
}

TEST(RecordTest, ConvertsRecords) {
  EXPECT_EQ(ToValue(kSoup).spec().ToString(),
            "{title: string[], ids: int64[2], score: float32[1]}");
  EXPECT_EQ(*ValueAs<Dish>(ToValue(kSoup)), kSoup);
  EXPECT_EQ(*ValueAs<Dish>(ToValue(kTea)), kTea);
  EXPECT_EQ(*SendAndReceive({kSoup, kTea}), (std::vector<Dish>{kSoup, kTea}));
  EXPECT_EQ(*SendAndReceive({}), std::vector<Dish>());
  EXPECT_EQ(NumRowsOf(ToValue(std::vector<Dish>{kSoup, kTea})), 2);
}

TEST(RecordTest, ConvertsRecordsInRecords) {
  const Value value = ToValue(Menus());
  EXPECT_EQ(*ValueAs<std::vector<Menu>>(value), Menus());
  auto titles = FieldAt(value, std::vector<std::string>{"dishes", "title"});
  EXPECT_EQ(ToString(*titles), "ragged string[3, (?)] [[\"soup\", \"tea\"], [], [\"tea\"]]");
  auto place = FieldAt(value, std::vector<std::string>{"place"});
  EXPECT_EQ(place->spec().ToString(), "float32[3, 2]");
  for (const Menu& menu : Menus()) EXPECT_EQ(*ValueAs<Menu>(ToValue(menu)), menu);
  EXPECT_EQ(*ValueAs<std::vector<Menu>>(ToValue(std::vector<Menu>())), std::vector<Menu>());
}

TEST(RecordTest, ReadsLiteralsAndContainersOfValues) {
  EXPECT_EQ(*ValueAs<int>(Value::OfLiteral(Literal::Int(3))), 3);
  EXPECT_EQ(*ValueAs<std::string>(Value::OfLiteral(Literal::String("a"))), "a");
  EXPECT_TRUE(*ValueAs<bool>(Value::OfLiteral(Literal::Bool(true))));
  EXPECT_EQ(*ValueAs<float>(Value::OfLiteral(Literal::Float(0.5))), 0.5f);
  EXPECT_EQ(ErrorOf<int8_t>(Value::OfLiteral(Literal::Int(300))),
            "expected a number that fits in int8, found `300`");
  EXPECT_EQ(ErrorOf<float>(Value::OfLiteral(Literal::Int(3))), "expected a float, found `3`");

  const Value parts[] = {ToValue(1.5f), ToValue("a")};
  auto both = ValueAs<std::tuple<float, std::string>>(TupleOf(parts));
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(*both, std::tuple(1.5f, std::string("a")));
  EXPECT_EQ((ErrorOf<std::tuple<float, float>>(TupleOf(parts))),
            "element 1: expected `float32[]`, found `string[]`");
  EXPECT_EQ((ErrorOf<std::tuple<float>>(TupleOf(parts))),
            "expected 1 elements, found `tuple(float32[], string[])`");
  const Value floats[] = {ToValue(1.5f), ToValue(2.5f)};
  EXPECT_EQ(*ValueAs<std::vector<float>>(ListOf(floats)), (std::vector<float>{1.5f, 2.5f}));
  EXPECT_EQ(ValueAs<Tensor>(ToValue(7))->scalar<int32_t>(), 7);
  EXPECT_TRUE(SameValue(*ValueAs<Value>(ToValue(kSoup)), ToValue(kSoup)));

  auto dict = MakeDict({{"title", ToValue("soup")},
                        {"ids", ToValue(std::vector<int64_t>{1, 2})},
                        {"score", ToValue(0.5f)}});
  EXPECT_EQ(*ValueAs<Dish>(*dict), kSoup);
  auto part = MakeDict({{"title", ToValue("tea")}, {"ids", ToValue(std::vector<int64_t>())}});
  EXPECT_EQ(*ValueAs<Dish>(*part), kTea);
}

TEST(RecordTest, RejectsValuesOfOtherTypes) {
  EXPECT_EQ(ErrorOf<float>(ToValue(1.5)), "expected `float32[]`, found `float64[]`");
  EXPECT_EQ(ErrorOf<float>(ToValue(std::vector<float>{1})),
            "expected `float32[]`, found `float32[1]`");
  EXPECT_EQ(ErrorOf<float>(Value()), "expected `float32[]`, found `no value`");
  EXPECT_EQ(ErrorOf<float>(Value::OfType(TensorType(DType::kFloat32, Shape()))),
            "expected `float32[]`, found `float32[]`");
  EXPECT_EQ(ErrorOf<std::vector<std::vector<float>>>(ToValue(std::vector<float>{1})),
            "expected a list in each row, found `float32[1]`");
  EXPECT_EQ((ErrorOf<std::vector<std::array<float, 3>>>(
                ToValue(std::vector<std::array<float, 2>>{{1, 2}}))),
            "expected lists of 3 elements, found one of 2");
  EXPECT_EQ(ErrorOf<Dish>(ToValue(1)), "expected a record, found `int32[]`");
  EXPECT_EQ(ErrorOf<std::vector<Dish>>(ToValue(kSoup)),
            "expected records, found `{title: string[], ids: int64[2], score: float32[1]}`");
  EXPECT_EQ(ErrorOf<Menu>(ToValue(kSoup)),
            "expected a field `name`, found `{title: string[], ids: int64[2], score: float32[1]}`");
  auto wrong = MakeDict({{"title", ToValue(1)}});
  EXPECT_EQ(ErrorOf<Dish>(*wrong), "`title`: expected `string[]`, found `int32[]`");
  EXPECT_EQ(ErrorOf<Tensor>(ToValue(kSoup)),
            "expected a tensor, found `{title: string[], ids: int64[2], score: float32[1]}`");
}

}  // namespace
}  // namespace signet
