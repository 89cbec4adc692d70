#include "core/model/language/model_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/function/signature.h"
#include "core/model/language/model_printer.h"
#include "core/model/loaded_model.h"
#include "core/values/builders/value_notation.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ModelDef Read(std::string_view text, LanguageFiles files = {}) {
  auto def = ModelDefFromLanguage(text, std::move(files));
  EXPECT_TRUE(def.ok()) << def.status();
  return def.ok() ? *std::move(def) : ModelDef();
}

// The nodes of a function: `name = op`.
std::vector<std::string> NodesOf(const FunctionDef& def) {
  std::vector<std::string> nodes;
  for (const GraphNode& node : def.graph.nodes)
    nodes.push_back(Cat(node.name, " = ", node.op->name));
  return nodes;
}

// Calls function `name` with arguments in the notation, and returns the result in it.
std::string Call(std::string_view text, const std::string& name,
                 const std::vector<std::string>& arguments) {
  LoadedModel model("m", 1, Read(text), ModelOptions());
  auto function = model.FindFunction(name);
  if (!function.ok()) return std::string(MessageOf(function.status()));
  CallArguments call;
  for (const std::string& argument : arguments) call.positional.push_back(*ParseValue(argument));
  auto result = (*function)->Call(std::move(call), RunControl());
  return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
}

TEST(ModelReaderTest, SelectsOutputsByIndexAndNameAsPython) {
  constexpr std::string_view kText = R"(
def rows(x: float32[2, 3]):
    second = unstack(x)[1]
    return second

def of_row(x: float32[2, 3]):
    return unstack(x)[1][0] + split(x, num=3, axis=1)[2][0, 0]

def best(x: float32[3]):
    return (top_k(x, k=2)[1], top_k(x, k=2).indices, top_k(x, k=2)[0][1])

def loop(n: int32[]):
    def more(i, total):
        return i < n

    def step(i, total):
        return i + 1, total + i

    return while_loop(0, 0, condition=more, body=step)[1]

def first(x: float32[2, 3]):
    row = unstack(x)[0]
    return row[1]
)";
  EXPECT_EQ(Call(kText, "rows", {"float32[2, 3] [[1, 2, 3], [4, 5, 6]]"}),
            "float32[3] [4.0, 5.0, 6.0]");
  EXPECT_EQ(Call(kText, "of_row", {"float32[2, 3] [[1, 2, 3], [4, 5, 6]]"}), "float32[] 7.0");
  EXPECT_EQ(Call(kText, "first", {"float32[2, 3] [[1, 2, 3], [4, 5, 6]]"}), "float32[] 2.0");
  EXPECT_EQ(Call(kText, "best", {"float32[3] [1, 3, 2]"}),
            "tuple(int32[2], int32[2], float32[]) [[1, 2], [1, 2], 2.0]");
  EXPECT_EQ(Call(kText, "loop", {"int32[] 4"}), "int32[] 6");
  auto printed = PrintModel(Read(kText));
  ASSERT_TRUE(printed.ok()) << printed.status();
  EXPECT_THAT(printed->text, HasSubstr("row = unstack(x)[0]\n    return row[1]"));
  EXPECT_EQ(Call(printed->text, "best", {"float32[3] [1, 3, 2]"}),
            Call(kText, "best", {"float32[3] [1, 3, 2]"}));
}

TEST(ModelReaderTest, KeepsArithmeticOfPlainValuesPlain) {
  for (const char* dtype : {"float32", "float64", "int64"}) {
    const std::string text = Cat("def f(x: ", dtype, R"([], k=3):
    a = x + 2 * 3
    b = (3 - 1) * a - -(4 + k)
    return select(b < 2 + 1, 2 ** 3, k * 5) - b
)");
    const bool is_float = std::string_view(dtype).starts_with("float");
    EXPECT_EQ(Call(text, "f", {Cat(dtype, "[] 1")}), Cat(dtype, "[] ", is_float ? "-6.0" : "-6"));
  }
  constexpr std::string_view kText = R"(
def half(x: float64[]):
    return x * (1 / 2)

def weak(c: bool[], x: float64[]):
    return select(c, 0.1, 0.2) * x

def rounds(x: float32[], k=7):
    return x * (k // 2) + k % 4

def wraps(x: int64[]):
    return 4611686018427387904 * 2 + x
)";
  EXPECT_EQ(Call(kText, "half", {"float64[] 3"}), "float64[] 1.5");
  EXPECT_EQ(Call(kText, "weak", {"bool[] True", "float64[] 1"}), "float64[] 0.1");
  EXPECT_EQ(Call(kText, "rounds", {"float32[] 1"}), "float32[] 6.0");
  EXPECT_EQ(Call(kText, "wraps", {"int64[] 1"}), "int64[] -9223372036854775807");
}

TEST(ModelReaderTest, ConvertsPlainValuesWhereTensorsAreExpected) {
  constexpr std::string_view kText = R"(
def made(x: float32[?]):
    s = a.S(1, [1, 2], b=x)
    return s.w + reduce_sum(s.v + s.b)

def rows(s: int64[?]):
    return repeat_rows(["x", "y"], s)

def picked(i: int64[?]):
    return gather([1.5, 2.5], i)

def tiled():
    return tile(["a"], multiples=[2])

def ragged(s: int64[?]):
    return ragged_from_row_splits(["x", "y", "z"], s)

class a.S:
    w: float32[]
    v: float32[?]
    b: float32[?]
)";
  EXPECT_EQ(Call(kText, "made", {"float32[2] [1, 2]"}), "float32[] 7.0");
  EXPECT_EQ(Call(kText, "rows", {"int64[3] [0, 2, 3]"}), "string[3] [\"x\", \"x\", \"y\"]");
  EXPECT_EQ(Call(kText, "picked", {"int64[2] [1, 0]"}), "float32[2] [2.5, 1.5]");
  EXPECT_EQ(Call(kText, "tiled", {}), "string[2] [\"a\", \"a\"]");
  EXPECT_EQ(Call(kText, "ragged", {"int64[3] [0, 2, 3]"}),
            "ragged string[2, (?)] [[\"x\", \"y\"], [\"z\"]]");
}

TEST(ModelReaderTest, DividesAsPython) {
  constexpr std::string_view kText = R"(
def f(x, y, /):
    return x / y

def g(x, y, /):
    return x // y

def h(x, y, /):
    return div(x, y)
)";
  EXPECT_EQ(Call(kText, "f", {"int32[3] [7, -7, 1]", "int32[3] [2, 2, 0]"}),
            "float64[3] [3.5, -3.5, inf]");
  EXPECT_EQ(Call(kText, "f", {"int64[2] [1, 3]", "2"}), "float64[2] [0.5, 1.5]");
  EXPECT_EQ(Call(kText, "f", {"float32[2] [1, 3]", "2"}), "float32[2] [0.5, 1.5]");
  EXPECT_EQ(Call(kText, "g", {"int32[2] [7, -7]", "2"}), "int32[2] [3, -4]");
  EXPECT_EQ(Call(kText, "h", {"int32[2] [7, -7]", "2"}), "int32[2] [3, -3]");
}

TEST(ModelReaderTest, AcceptsTheNameOfAnExtensionTypeAsAType) {
  constexpr std::string_view kText = R"(
class my.Pair:
    left: int64[?]
    right: ...

class my.Pairs:
    first: my.Pair
    others: list(my.Pair, my.Pair)

class my.Tagged:
    tag: static
    values: int64[?]

def f(p: my.Pair) -> my.Pair:
    return my.Pair(p.left + 1, p.right)
)";
  const ModelDef def = Read(kText);
  ASSERT_EQ(def.functions.size(), 1U);
  EXPECT_EQ(def.functions[0].type.parameters()[0].type.ToString(),
            "my.Pair(left: int64[?], right: any)");
  EXPECT_EQ(def.functions[0].type.output().ToString(), "my.Pair(left: int64[?], right: any)");
}

TEST(ModelReaderTest, AcceptsTheNameOfAnExtensionTypeWhereverATypeIsAccepted) {
  constexpr std::string_view kText = R"(
capture weights: my.Pair

class my.Pair:
    left: int64[?]
    right: ...

class my.Other:
    values: int64[?]

    @conversion(my.Pair)
    def from_pair(p):
        return my.Other(p.left)

def f(p):
    return is_a(p, type=type(my.Pair))
)";
  LanguageFiles files;
  files.tensors.emplace("weights", Value::OfLiteral(Literal::Int(0)));
  auto rejected = ModelDefFromLanguage(kText, std::move(files));
  EXPECT_THAT(std::string(MessageOf(rejected.status())),
              HasSubstr("model.signet:2:9: capture `weights`: expected `my.Pair(left: int64[?], "
                        "right: any)`, found `0` in captures.safetensors"));
  const ModelDef def = Read(kText.substr(kText.find("class")));
  ASSERT_EQ(def.extension_types.size(), 2U);
  const auto& conversions = def.extension_types[1].functions.conversions;
  ASSERT_EQ(conversions.size(), 1U);
  EXPECT_EQ(conversions[0].from.ToString(), "my.Pair(left: int64[?], right: any)");
  const TypeSpec type = def.functions.back().graph.nodes[0].attributes.Lookup("type");
  EXPECT_EQ(type.ToString(), "my.Pair(left: int64[?], right: any)");
}

TEST(ModelReaderTest, RejectsOtherNamesOfExtensionTypesAsTypes) {
  auto error = [](std::string_view type) {
    return std::string(MessageOf(ModelDefFromLanguage(Cat(R"(
class my.Pair:
    left: int64[?]

class my.Tagged:
    tag: static
    values: int64[?]

def f(p: )",
                                                          type, R"():
    return p
)"),
                                                      {})
                                     .status()));
  };
  EXPECT_THAT(error("my.Pear"), HasSubstr("model.signet:9:10: extension type `my.Pear` not found; "
                                          "did you mean `my.Pair`?"));
  EXPECT_THAT(error("my.Tagged"),
              HasSubstr("model.signet:9:10: extension type `my.Tagged`: expected its static "
                        "attributes and components"));
}

TEST(ModelReaderTest, NamesNodes) {
  const ModelDef def = Read(R"(
def f(x, k):
    total = (x.a.b + 1) * -x.a.c
    y = x.a
    alias = total
    _, order = top_k(x.a.b, k=k)
    check_true(y == 1, message="one")
    return alias[0] + order
)");
  ASSERT_EQ(def.functions.size(), 1U);
  EXPECT_THAT(NodesOf(def.functions[0]),
              ElementsAre("x.a = struct_get", "x.a.b = struct_get", "total_1 = add",
                          "x.a.c = struct_get", "total_2 = neg", "total = mul", "y = struct_get",
                          "order_1 = top_k", "check_true_2 = equal", "check_true_1 = check_true",
                          "total[0] = get_item", "result = add"));
}

TEST(ModelReaderTest, ReadsPrecedenceAsPython) {
  constexpr char kText[] = R"(
def f(x: float32[]):
    return -x ** 2 + 3 * x - 9 * x / 2 // 1 % 4

def g(x: float32[], y: float32[]):
    return not x < y and x == 1 or y >= 3 and y != 4

def h(x: float32[]):
    return 2 ** 3 ** x
)";
  EXPECT_EQ(Call(kText, "f", {"float32[] 3.0"}), "float32[] -1.0");
  EXPECT_EQ(Call(kText, "g", {"float32[] 1.0", "float32[] 0.5"}), "bool[] True");
  EXPECT_EQ(Call(kText, "g", {"float32[] 1.0", "float32[] 4.0"}), "bool[] False");
  EXPECT_EQ(Call(kText, "h", {"float32[] 2.0"}), "float32[] 512.0");
}

TEST(ModelReaderTest, TakesInputsWithKeywordsInAnyOrder) {
  const char* text = "def f(x):\n    return sub(y=x, x=2.0)\n";
  EXPECT_EQ(Call(text, "f", {"float32[] 0.5"}), "float32[] 1.5");
}

TEST(ModelReaderTest, SkipsAByteOrderMark) {
  EXPECT_TRUE(ModelDefFromLanguage("\xEF\xBB\xBF# a model\ndef f(x):\n    return x\n", {}).ok());
}

TEST(ModelReaderTest, CallsFunctionsAndOps) {
  constexpr char kText[] = R"(
def add(x, y = 10):
    """Hides the op."""
    return ops.add(x, y)

def pair(x):
    return x, x * 2

def f(x: float32[]):
    def square(z):
        return z * z

    first, second = pair(x)
    return add(square(second), y=first), add(x)
)";
  EXPECT_EQ(Call(kText, "f", {"float32[] 3.0"}), "tuple(float32[], float32[]) [39.0, 13.0]");
  const ModelDef def = Read(kText);
  EXPECT_EQ(def.functions.back().name, "_f_square");
}

TEST(ModelReaderTest, ReadsNestsAndLiterals) {
  constexpr char kText[] = R"(
def f(x: int64[]):
    y = [x, -1, "a" 'b', (None, True), {"k": 0x10}]
    z = literal(list(1, "x")), float32[2] [1.0, -inf], 1_000, r"\d"
    return {"y": y, "z": z}
)";
  EXPECT_EQ(
      Call(kText, "f", {"int64[] 7"}),
      R"(dict(y: list(int64[], -1, "ab", tuple(None, True), dict(k: 16)), )"
      R"(z: tuple(list(1, "x"), float32[2], 1000, "\\d")) )"
      R"({y: [7, -1, "ab", [None, True], {k: 16}], z: [[1, "x"], [1.0, -inf], 1000, "\\d"]})");
}

TEST(ModelReaderTest, ReadsTextsAndCaptures) {
  LanguageFiles files;
  files.tensors.emplace("layer.0.w", Tensor::Of<float>({2}, {1, 2}));
  files.tensors.emplace("unused", Tensor::Of<float>({1}, {1}));
  const ModelDef def = Read(R"("""Title

  An indented line.
Text."""
metadata "author" = "Ada"
capture "layer.0.w": float32[?]
capture scale = float32[] 2.0
capture words = ["a", "b"]

@example("'[1, 2]'")
@example("'[3]'")
@parameters(x="a vector", k='a number')
@defaults(k=scale)
def f(x: float32[?], k: float32[] = ...):
    """Doc."""
    return x * captures["layer.0.w"] * k
)",
                            std::move(files));
  EXPECT_EQ(def.doc, "Title\n\n  An indented line.\nText.");
  EXPECT_EQ(def.metadata.at("author"), "Ada");
  EXPECT_EQ(def.captures.size(), 4U);
  const FunctionDef& f = def.functions.at(0);
  EXPECT_EQ(f.doc, "Doc.");
  EXPECT_THAT(f.examples, ElementsAre("'[1, 2]'", "'[3]'"));
  EXPECT_EQ(f.parameter_docs.at("k"), "a number");
  EXPECT_EQ(ToString(f.defaults.at("k")), "float32[] 2.0");
  EXPECT_THAT(f.graph.captures, ElementsAre("layer.0.w"));
}

TEST(ModelReaderTest, ReadsExtensionTypes) {
  constexpr char kText[] = R"(
class shop.Money:
    """An amount in a currency."""
    currency: static
    amount: float32[...]
    batches = False
    invariant(not_negative)

    @override(BINARY_ELEMENTWISE, inputs=[shop.Money, tensor])
    def scaled(x, y, /, *, op):
        return shop.Money(apply(x.amount, y, op=op), currency="EUR")

def not_negative(x):
    """amounts are at least 0"""
    return reduce_all(x.amount >= 0)

def f(x: float32[], /):
    return (shop.Money(currency="EUR", amount=x) * 2).amount
)";
  const ModelDef def = Read(kText);
  ASSERT_EQ(def.extension_types.size(), 1U);
  const ExtensionTypeDef& type = def.extension_types[0];
  EXPECT_EQ(type.doc, "An amount in a currency.");
  EXPECT_THAT(type.declaration.attributes, ElementsAre("currency"));
  EXPECT_FALSE(type.declaration.batches);
  EXPECT_THAT(type.functions.invariants, ElementsAre("not_negative"));
  ASSERT_EQ(type.functions.overrides.size(), 1U);
  EXPECT_EQ(type.functions.overrides[0].function, "scaled");
  EXPECT_THAT(type.functions.overrides[0].inputs, ElementsAre("shop.Money", "tensor"));
  EXPECT_EQ(Call(kText, "f", {"float32[] 3.0"}), "float32[] 6.0");
  EXPECT_THAT(Call(kText, "f", {"float32[] -3.0"}), HasSubstr("amounts are at least 0"));
}

TEST(ModelReaderTest, NestedFunctionsUseValuesOfTheFunctionsAroundThem) {
  constexpr char kMap[] = R"(
def f(rows, by):
    more = by + 1
    def scaled(row):
        def add_more(y):
            return y + more
        return add_more(row * by)
    return map(rows, function=scaled)
)";
  EXPECT_EQ(Call(kMap, "f", {"int32[2, 2] [[1, 2], [3, 4]]", "int32[] 10"}),
            "int32[2, 2] [[21, 31], [41, 51]]");
  const ModelDef def = Read(kMap);
  ASSERT_EQ(def.functions.size(), 3U);
  EXPECT_EQ(FormatSignature("scaled", def.functions[1].type, {}), "scaled(row, by, more)");
  EXPECT_EQ(FormatSignature("add_more", def.functions[2].type, {}), "add_more(y, more)");

  constexpr char kCond[] = R"(
def f(x, low, high):
    def clipped(y):
        return minimum(y, high)
    def raised(y):
        return clipped(y + low)
    return cond(x > low, x, then=clipped, else=raised)
)";
  EXPECT_EQ(Call(kCond, "f", {"int32[] 9", "int32[] 2", "int32[] 5"}), "int32[] 5");
  EXPECT_EQ(Call(kCond, "f", {"int32[] 1", "int32[] 2", "int32[] 5"}), "int32[] 3");

  constexpr char kLoops[] = R"(
def f(n, step, xs):
    def below(i):
        return i < 10
    def next(i):
        return i + step
    def add_up(total, x):
        return (total + x * step, total)
    def join(total, x, offset):
        return total + x + offset + step
    last = while_loop(n, condition=below, body=next)
    total, totals = scan(0, xs, function=add_up)
    joined = reduce(0, xs, 100, function=join, fixed=1)
    return (last, total, totals, joined)
)";
  EXPECT_EQ(Call(kLoops, "f", {"int32[] 1", "int32[] 4", "int32[2] [1, 2]"}),
            "tuple(int32[], int32[], int32[2], int32[]) [13, 12, [0, 4], 211]");

  // A value hides a capture of the same name.
  constexpr char kHidden[] = R"(
capture w = float32[] 2.0

def f(x, w):
    def times(y):
        return y * w * captures["w"]
    return times(x)
)";
  EXPECT_EQ(Call(kHidden, "f", {"float32[] 3", "float32[] 5"}), "float32[] 30.0");
}

TEST(ModelReaderTest, ReportsCapturesThatDoNotFit) {
  LanguageFiles files;
  files.tensors.emplace("w", Tensor::Of<float>({2}, {1, 2}));
  auto def = ModelDefFromLanguage("capture w: int64[2]\n\ndef f(x):\n    return x\n", files);
  EXPECT_THAT(std::string(MessageOf(def.status())),
              HasSubstr("model.signet:1:9: capture `w`: expected `int64[2]`, found `float32[2]`"));
  def = ModelDefFromLanguage("capture w = 1\n\ndef f(x):\n    return x\n", files);
  EXPECT_THAT(std::string(MessageOf(def.status())), HasSubstr("is also in captures.safetensors"));
}

TEST(ModelReaderTest, AddsPositionsToLaterErrors) {
  constexpr char kText[] = "def f(x):\n    total = x.a * (x.b + 1)\n    return total\n";
  auto placed = [&](std::string_view message) {
    return std::string(MessageOf(WithSourcePosition(kText, InvalidArgument(message))));
  };
  EXPECT_THAT(placed("function `f`: node `total`: C1"), HasSubstr("model.signet:2:17: function"));
  EXPECT_THAT(placed("function `f`: node `total_1`: C1"), HasSubstr("model.signet:2:24: function"));
  EXPECT_THAT(placed("function `f`: C1"), HasSubstr("model.signet:1:5: function"));
  EXPECT_EQ(placed("another error"), "model.signet: another error");
}

}  // namespace
}  // namespace signet
