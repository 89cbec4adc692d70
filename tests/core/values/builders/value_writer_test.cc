#include "core/values/builders/value_writer.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "signet/literal.h"

namespace signet {
namespace {

// Keeps the events as text, `[ 1 2 ]`; full after so many scalars.
class Recorder : public ValueSink {
 public:
  explicit Recorder(int64_t most = std::numeric_limits<int64_t>::max()) : left_(most) {}

  void BeginList() override { Add("["); }
  void EndList() override { Add("]"); }
  void BeginObject() override { Add("{"); }
  void Key(std::string_view name) override { Add(Cat(name, ":")); }
  void EndObject() override { Add("}"); }
  void Null() override { AddScalar("null"); }
  void Bool(bool value) override { AddScalar(value ? "true" : "false"); }
  void Int(absl::int128 value) override { AddScalar(Literal::Int(value).ToString()); }
  void Float(double value, DType dtype) override { AddScalar(Cat(NameOf(dtype), "(", value, ")")); }
  void String(std::string_view bytes) override { AddScalar(Cat("'", bytes, "'")); }
  bool IsFull() const override { return left_ <= 0; }

  const std::string& events() const { return events_; }

 private:
  void Add(std::string_view event) {
    if (!events_.empty()) events_.push_back(' ');
    events_.append(event);
  }
  void AddScalar(std::string_view event) {
    Add(event);
    --left_;
  }

  std::string events_;
  int64_t left_;
};

std::string EventsOf(const Value& value, Recorder recorder = Recorder()) {
  WriteValue(value, recorder);
  return recorder.events();
}

TEST(ValueWriterTest, TellsEveryKindInRecordForm) {
  struct Case {
    const char *value, *events;
  } const cases[] = {
      // Tensors: one list per dimension.
      {"int8[] -3", "-3"},
      {"int8[2, 1] [[1], [2]]", "[ [ 1 ] [ 2 ] ]"},
      {"int8[2, 0] [[], []]", "[ [ ] [ ] ]"},
      {"int8[0, 2] []", "[ ]"},
      {"uint64[1] [18446744073709551615]", "[ 18446744073709551615 ]"},
      {"bool[2] [True, False]", "[ true false ]"},
      {"string[2] [\"a\", \"\"]", "[ 'a' '' ]"},
      // Floats come with their dtype; complex numbers are two of half the size.
      {"bfloat16[1] [0.5]", "[ bfloat16(0.5) ]"},
      {"float64[] 0.5", "float64(0.5)"},
      {"complex64[1] [[1.0, 2.5]]", "[ [ float32(1.0) float32(2.5) ] ]"},
      {"complex128[] [1.0, 2.5]", "[ float64(1.0) float64(2.5) ]"},
      // Ragged: lists by the row splits, of either dtype, then those of the flat values.
      {"ragged int64[3, (?)] [[1, 2], [], [3]]", "[ [ 1 2 ] [ ] [ 3 ] ]"},
      {"ragged<splits=int32> int8[?, (?), (?)] [[[1], []], []]", "[ [ [ 1 ] [ ] ] [ ] ]"},
      {"ragged int8[?, (?), 2] [[], [[1, 2]]]", "[ [ ] [ [ 1 2 ] ] ]"},
      {"ragged<rank=0> int8[?] [1, 2]", "[ 1 2 ]"},
      // Structures: objects in one list per dimension; the lists of a field are inside the rows.
      {"{} {}", "{ }"},
      {"{a: int8[?], b: {c: string[]}} {a: [1, 2], b: {c: \"x\"}}", "{ a: [ 1 2 ] b: { c: 'x' } }"},
      {"[{a: int8[], b: string[(?)]}] [{a: 1, b: [\"x\", \"y\"]}, {a: 2, b: []}]",
       "[ { a: 1 b: [ 'x' 'y' ] } { a: 2 b: [ ] } ]"},
      {"[[{a: int8[]}]] [[{a: 1}, {a: 2}], [], [{a: 3}]]",
       "[ [ { a: 1 } { a: 2 } ] [ ] [ { a: 3 } ] ]"},
      {"[{s: [{t: int8[2]}]}] [{s: []}, {s: [{t: [1, 2]}, {t: [3, 4]}]}]",
       "[ { s: [ ] } { s: [ { t: [ 1 2 ] } { t: [ 3 4 ] } ] } ]"},
      // Sparse tensors and extension values: objects of their parts.
      {"sparse int64[3] {indices: [[1]], values: [7], dense_shape: [3]}",
       "{ indices: [ [ 1 ] ] values: [ 7 ] dense_shape: [ 3 ] }"},
      {"app.M<n=1>(v: int8[?], w: list(int8[])) {v: [1], w: [2]}", "{ v: [ 1 ] w: [ 2 ] }"},
      // Nests and literals. Keys and fields come in the order in which their type is written.
      {"list(None, True, 3, 0.5, \"x\") [None, True, 3, 0.5, \"x\"]",
       "[ null true 3 float64(0.5) 'x' ]"},
      {"tuple() []", "[ ]"},
      {"dict(b: 1, a: int8[]) {b: 1, a: 2}", "{ b: 1 a: 2 }"},
      {"namedtuple P(y: int8[], x: 1) {y: 2, x: 1}", "{ y: 2 x: 1 }"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    auto value = ParseValue(c.value);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(EventsOf(*value), c.events);
  }
}

TEST(ValueWriterTest, EndsWhereTheSinkIsFull) {
  struct Case {
    const char* value;
    int64_t most;
    const char* events;
  } const cases[] = {
      {"int8[3] [1, 2, 3]", 2, "[ 1 2"},
      {"int8[2, 2] [[1, 2], [3, 4]]", 2, "[ [ 1 2"},
      {"ragged int8[?, (?)] [[1], [2, 3]]", 2, "[ [ 1 ] [ 2"},
      {"[{a: int8[], b: int8[]}] [{a: 1, b: 2}, {a: 3, b: 4}]", 1, "[ { a: 1"},
      {"list(1, 2, 3) [1, 2, 3]", 2, "[ 1 2"},
      {"dict(a: 1, b: tuple(2, 3)) {a: 1, b: [2, 3]}", 2, "{ a: 1 b: [ 2"},
      // A number is told whole.
      {"complex64[2] [[1.0, 2.0], [3.0, 4.0]]", 1, "[ [ float32(1.0) float32(2.0) ]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    EXPECT_EQ(EventsOf(*ParseValue(c.value), Recorder(c.most)), c.events);
  }
}

TEST(ValueWriterTest, WritesFloatsAsTheShortestTextOfTheirDType) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Case {
    double value;
    DType dtype;
    const char* text;
  } const cases[] = {
      {1, DType::kFloat64, "1.0"},
      {-0.0, DType::kFloat32, "-0.0"},
      {0.1, DType::kFloat64, "0.1"},
      {0.1f, DType::kFloat32, "0.1"},
      {0.1f, DType::kFloat64, "0.10000000149011612"},
      {0.0999755859375, DType::kFloat16, "0.099975586"},
      {16777216, DType::kFloat32, "16777216.0"},
      {std::numeric_limits<float>::max(), DType::kFloat32, "3.4028235e+38"},
      {std::numeric_limits<float>::denorm_min(), DType::kFloat32, "1e-45"},
      {5e-324, DType::kFloat64, "5e-324"},
      {kInfinity, DType::kFloat32, "inf"},
      {-kInfinity, DType::kFloat16, "-inf"},
      {std::nan(""), DType::kFloat64, "nan"},
  };
  for (const Case& c : cases) {
    std::string text = "= ";  // is kept
    AppendFloat(text, c.value, c.dtype);
    EXPECT_EQ(text, Cat("= ", c.text));
  }
}

}  // namespace
}  // namespace signet
