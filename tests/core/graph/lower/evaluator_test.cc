#include "core/graph/lower/evaluator.h"

#include <gtest/gtest.h>

#include "core/eager/builtin_library.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

Value Parse(std::string_view text) {
  auto value = ParseValue(text);
  if (!value.ok()) CheckFailed(value.status().ToString().c_str(), __FILE__, __LINE__);
  return *std::move(value);
}

StatusOr<Value> RunOn(Evaluator& run, std::string_view op, std::vector<Value> inputs,
                      const Attributes& attributes = {}) {
  std::vector<GraphValue> values;
  for (const Value& input : inputs) values.push_back(run.Constant(input));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, run.Call(op, values, attributes));
  return run.ValueOf(outputs[0]);
}

TEST(EvaluatorTest, RunsAnOpOnTensors) {
  Evaluator run(BuiltinLibrary());
  auto sum = RunOn(run, "add", {Parse("int32[2] [1, 2]"), Parse("int32[] 10")});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(ToString(*sum), "int32[2] [11, 12]");
}

TEST(EvaluatorTest, ExpandsAnOpOnComposites) {
  Evaluator run(BuiltinLibrary());
  auto picked = RunOn(run, "gather",
                      {Parse("[{id: int64[], tags: string[(?)]}] [{id: 1, tags: [\"a\"]}, "
                             "{id: 2, tags: []}, {id: 3, tags: [\"b\", \"c\"]}]"),
                       Parse("int64[2] [2, 0]")});
  ASSERT_TRUE(picked.ok()) << picked.status();
  EXPECT_EQ(ToString(*picked),
            "{id: int64[], tags: string[(?)]}[2] [{id: 3, tags: [\"b\", \"c\"]}, "
            "{id: 1, tags: [\"a\"]}]");
}

TEST(EvaluatorTest, MakesTensorsOfLiterals) {
  Evaluator run(BuiltinLibrary());
  auto product = RunOn(run, "mul", {Parse("float64[2] [1, 2]"), Value::OfLiteral(Literal::Int(3))});
  ASSERT_TRUE(product.ok()) << product.status();
  EXPECT_EQ(ToString(*product), "float64[2] [3.0, 6.0]");
}

TEST(EvaluatorTest, KnowsSizesThatInferenceDoesNot) {
  Evaluator run(BuiltinLibrary());
  GraphValue mask = run.Constant(Parse("bool[3] [True, False, True]"));
  auto rows = run.Call("where_indices", {&mask, 1}, {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)[0].spec.ToString(), "int64[2, 1]");
  // The number of outputs hangs on the size.
  EXPECT_EQ(run.Call("unstack", *rows, {})->size(), 2u);
}

TEST(EvaluatorTest, SharesTensors) {
  Evaluator run(BuiltinLibrary());
  Value x = Parse("ragged int64[2, (?)] [[1, 2], [3]]");
  Value back = run.ValueOf(run.Constant(x));
  EXPECT_EQ(back.components()[0].data().data(), x.components()[0].data().data());
  EXPECT_EQ(back.components()[1].data().data(), x.components()[1].data().data());
}

TEST(EvaluatorTest, KeepsConstantsWhereTheyAre) {
  Evaluator run(BuiltinLibrary());
  GraphValue first = run.Constant(Parse("int64[] 1"));
  const Tensor* before = run.LookupConstant(first.components[0]);
  for (int i = 0; i < 1000; ++i) run.Constant(Parse("int64[] 2"));
  EXPECT_EQ(run.LookupConstant(first.components[0]), before);
}

TEST(EvaluatorTest, RejectsWhatFunctionsReject) {
  Evaluator run(BuiltinLibrary());
  EXPECT_EQ(
      MessageOf(RunOn(run, "gather", {Parse("int32[2] [1, 2]"), Parse("int64[1] [2]")}).status()),
      "`gather`: expected an index from 0 to 1, found 2 at position 0");
  EXPECT_EQ(MessageOf(RunOn(run, "add", {Parse("int32[2] [1, 2]")}).status()),
            "`add`: expected the inputs (x, y), found 1 input");
}

TEST(EvaluatorTest, AsksBeforeEachKernel) {
  int left = 1;
  Evaluator run(BuiltinLibrary(),
                [&] { return left-- > 0 ? absl::OkStatus() : ResourceExhausted("no steps left"); });
  EXPECT_TRUE(RunOn(run, "neg", {Parse("int32[] 1")}).ok());
  EXPECT_EQ(MessageOf(RunOn(run, "neg", {Parse("int32[] 1")}).status()), "no steps left");
}

}  // namespace
}  // namespace signet
