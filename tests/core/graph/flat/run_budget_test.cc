// What calls hold at once, and what they give back.

#include "core/graph/flat/run_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/eager/builtin_library.h"
#include "core/graph/lower/evaluator.h"
#include "core/runtime/polymorphic_function.h"
#include "signet/sequence_spec.h"
#include "tests/support/body_maker.h"
#include "tests/support/memory_limit.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kElements = kMiB / 4;  // float32 in one MiB

TypeSpec Int64s(std::vector<int64_t> ints) {
  std::vector<TypeSpec> out;
  for (int64_t i : ints) out.push_back(AttributeOf(i));
  return ListType(std::move(out));
}

class RunBudgetTest : public ::testing::Test {
 protected:
  void Define(FunctionDef def) { library_.functions.insert_or_assign(def.name, std::move(def)); }

  // `f` of x: float32[kElements], so that all sizes are known; or of unknown sizes.
  StatusOr<Value> Run(const FunctionDef& def, int64_t max_bytes, Value argument) {
    PolymorphicFunction function(def, library_, {.max_call_bytes = max_bytes});
    auto first = function.Call({{argument}, {}}, {});
    auto second = function.Call({{argument}, {}}, {});  // with what the first gave back
    EXPECT_EQ(first.status(), second.status());
    return first;
  }
  std::string Rejection(const FunctionDef& def, int64_t max_bytes, Value argument) {
    Status status = Run(def, max_bytes, std::move(argument)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("(--max_call_bytes)"));
    return std::string(MessageOf(status));
  }

  static Value Floats(int64_t count) {
    return Tensor::Of<float>({count}, std::vector<float>(static_cast<size_t>(count), 0.5f));
  }

  TestLibrary library_;
};

// The header of a WebP image of 4096 x 4096 pixels, in a file of 30 bytes.
TEST_F(RunBudgetTest, CountsImagesBeforeTheyAreDecoded) {
  const uint8_t bytes[] = {'R',  'I',  'F',  'F',  22,   0,   0,  0, 'W', 'E',
                           'B',  'P',  'V',  'P',  '8',  'L', 10, 0, 0,   0,
                           0x2f, 0xff, 0xcf, 0xff, 0x03, 0,   0,  0, 0,   0};
  FunctionDef def = BodyMaker("f", "(x)").Node("y", "decode_image", {"x"}).Make("y");
  const Value image = Tensor::Of<uint8_t>({std::size(bytes)}, bytes);
  if (absl::IsUnimplemented(Run(def, 64 * kMiB, image).status())) GTEST_SKIP() << "no libwebp";
  EXPECT_THAT(Rejection(def, 64 * kMiB, image), HasSubstr("`decode_image`: "));
}

TEST_F(RunBudgetTest, RejectsResultsAboveTheLimit) {
  FunctionDef def = BodyMaker("f", "(n)").Node("y", "range", {"n"}).Make("y");
  EXPECT_EQ(Rejection(def, kMiB, Tensor::Scalar<int64_t>(1 << 20)),
            "`range`: 8388608 bytes, with 0 held already; a call may hold 1048576 at once "
            "(--max_call_bytes)");
  EXPECT_TRUE(Run(def, kMiB, Tensor::Scalar<int64_t>(1 << 17)).ok());
}

TEST_F(RunBudgetTest, RejectsIntermediatesAboveTheLimit) {
  FunctionDef def = BodyMaker("f", "(x: float32[?])")
                        .Node("a", "neg", {"x"})
                        .Node("b", "tile", {"a"}, {{"multiples", Int64s({8})}})
                        .Node("y", "reduce_sum", {"b"}, {{"axes", AttributeOf(0)}})
                        .Make("y");
  for (int64_t max : {2 * kMiB, 8 * kMiB}) Rejection(def, max, Floats(kElements));
  EXPECT_TRUE(Run(def, 10 * kMiB, Floats(kElements)).ok());
  // A call that is below the limit has all of it again.
  EXPECT_TRUE(Run(def, 10 * kMiB, Floats(16)).ok());
}

TEST_F(RunBudgetTest, RoundsGiveBackWhatTheyTook) {
  // Each round takes 4 MiB, and carries one of them.
  Define(BodyMaker("below", "(i, x)").Node("y", "less", {"i", "100"}).Make("y"));
  Define(BodyMaker("step", "(i, x)")
             .Node("a", "tile", {"x"}, {{"multiples", Int64s({4})}})
             .Node("b", "slice", {"a"}, {{"starts", Int64s({0})}, {"limits", Int64s({kElements})}})
             .Node("j", "add", {"i", "1"})
             .Node("y", "make_tuple", {"j", "b"})
             .Make("y"));
  FunctionDef def = BodyMaker("f", "(i, x)")
                        .Node("w", "while", {"i", "x"},
                              {{"condition", AttributeOf("below")}, {"body", AttributeOf("step")}})
                        // Another one, when nothing needs the first any more.
                        .Node("n", "neg", {"w:1"})
                        .Node("v", "while", {"i", "n"},
                              {{"condition", AttributeOf("below")}, {"body", AttributeOf("step")}})
                        .Node("y", "reduce_sum", {"v:1"}, {{"axes", AttributeOf(0)}})
                        .Make("y");
  PolymorphicFunction function(def, library_, {.max_call_bytes = 12 * kMiB});
  auto result = function.Call({{Tensor::Scalar(0), Floats(kElements)}, {}}, {});
  EXPECT_TRUE(result.ok()) << result.status();
  PolymorphicFunction tight(def, library_, {.max_call_bytes = 3 * kMiB});
  Status status = tight.Call({{Tensor::Scalar(0), Floats(kElements)}, {}}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST_F(RunBudgetTest, LoopsKeepOnlyWhatTheyCollect) {
  // One number of a tensor of one MiB, in each of 100 rounds.
  Define(BodyMaker("first", "(i)")
             .Node("e", "expand_dims", {"i"}, {{"axis", AttributeOf(0)}})
             .Node("a", "tile", {"e"}, {{"multiples", Int64s({kElements})}})
             .Node("y", "slice", {"a"}, {{"starts", Int64s({0})}, {"limits", Int64s({1})}})
             .Make("y"));
  FunctionDef def =
      BodyMaker("f", "(x)").Node("y", "map", {"x"}, {{"function", AttributeOf("first")}}).Make("y");
  auto result = Run(def, 3 * kMiB, Floats(100));
  EXPECT_TRUE(result.ok()) << result.status();
  Rejection(def, kMiB / 2, Floats(100));
}

// Each of these makes more than 32 MiB. The process gets little more than the limit of the call, so
// memory that is taken before it is counted shows.
TEST_F(RunBudgetTest, CountsTextWhileItGrows) {
  constexpr int64_t kLimit = 32 * kMiB;
  const std::string letters(4 * kMiB, 'a');
  const std::string rewrite(64, 'b');
  struct Case {
    const char* op;
    std::vector<std::string> inputs;
    NamedTypes attributes;
    Value argument;
  };
  auto text = [](std::string_view of) { return Value(Tensor::Strings({1}, std::span(&of, 1))); };
  const std::string long_text(24 * kMiB, 'x');
  const std::string wide_text = [] {
    std::string out;
    while (out.size() < 20 * kMiB) out += "\u0250";  // two bytes; the upper case has three
    return out;
  }();
  const std::vector<std::string_view> texts(3, std::string_view(long_text).substr(0, 12 * kMiB));
  const std::vector<std::string_view> words(4096, std::string_view(letters).substr(0, 1024));
  const std::vector<Case> cases = {
      {"regex_replace",
       {"x"},
       {{"pattern", AttributeOf("a")}, {"rewrite", AttributeOf(rewrite)}},
       text(letters)},
      {"string_concat", {"x", "x"}, {}, text(long_text)},
      {"string_upper", {"x"}, {{"unicode", AttributeOf(true)}}, text(wide_text)},
      {"string_lower", {"x"}, {}, text(std::string(40 * kMiB, 'X'))},
      {"string_strip", {"x"}, {}, text(std::string(40 * kMiB, 'X'))},
      {"substr", {"x"}, {{"start", AttributeOf(1)}}, text(std::string(40 * kMiB, 'X'))},
      {"regex_extract", {"x"}, {{"pattern", AttributeOf("x+")}}, Tensor::Strings({3}, texts)},
      {"number_to_string", {"x"}, {}, Floats(2 * kMiB)},
      {"ngrams", {"x"}, {{"widths", Int64s({16})}}, Tensor::Strings({4096}, words)},
      {"string_split", {"x"}, {{"separator", AttributeOf("a")}}, text(letters)},
      {"string_join",
       {"x"},
       {{"separator", AttributeOf(letters.substr(0, 1 << 14))}},
       Tensor::Strings({4096}, words)},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.op);
    FunctionDef def =
        BodyMaker("f", "(x)").Node("y", each.op, each.inputs, each.attributes).Make("y");
    PolymorphicFunction function(def, library_, {.max_call_bytes = kLimit});
    MemoryLimit limit(static_cast<uint64_t>(kLimit + 24 * kMiB));
    Status status = function.Call({{each.argument}, {}}, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("(--max_call_bytes)"));
  }
}

TEST_F(RunBudgetTest, CountsTextThatDoublesInALoop) {
  constexpr int64_t kLimit = 64 * kMiB;
  Define(BodyMaker("below", "(i, s)").Node("y", "less", {"i", "20"}).Make("y"));
  Define(BodyMaker("step", "(i, s)")
             .Node("j", "add", {"i", "1"})
             .Node("t", "string_concat", {"s", "s"})
             .Node("y", "make_tuple", {"j", "t"})
             .Make("y"));
  FunctionDef def = BodyMaker("f", "(i, s)")
                        .Node("w", "while", {"i", "s"},
                              {{"condition", AttributeOf("below")}, {"body", AttributeOf("step")}})
                        .Node("y", "string_length", {"w:1"})
                        .Make("y");
  PolymorphicFunction function(def, library_, {.max_call_bytes = kLimit});
  const std::string text(kMiB, 'x');
  const std::string_view view = text;
  Value start = Tensor::Strings({}, std::span(&view, 1));
  MemoryLimit limit(static_cast<uint64_t>(kLimit + 24 * kMiB));
  Status status = function.Call({{Tensor::Scalar(0), start}, {}}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("(--max_call_bytes)"));
}

// What kernels need besides their outputs counts, too.
TEST_F(RunBudgetTest, CountsWhatSortingNeeds) {
  for (const char* op : {"sort", "unique"}) {
    SCOPED_TRACE(op);
    NamedTypes attributes;
    if (std::string_view(op) == "sort") attributes = {{"axis", AttributeOf(0)}};
    FunctionDef def = BodyMaker("f", "(x)").Node("y", op, {"x"}, attributes).Make("y");
    Rejection(def, 16 * kMiB, Floats(kMiB));
    EXPECT_TRUE(Run(def, 64 * kMiB, Floats(kMiB)).ok());
  }
}

TEST_F(RunBudgetTest, EvaluatorsHoldAllTheyMake) {
  Evaluator run(BuiltinLibrary(), {}, {.max_bytes = 3 * kMiB});
  GraphValue x = run.Constant(Floats(kElements));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run.Neg(x).ok());
  auto beyond = run.Neg(x);
  EXPECT_EQ(MessageOf(beyond.status()),
            "`neg`: 1048576 bytes, with 3145728 held already; a call may hold 3145728 at once "
            "(--max_call_bytes)");
}

}  // namespace
}  // namespace signet
