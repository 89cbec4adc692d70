// Executions that stop on one thread and continue on another.

#include "core/serving/call/execute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/serving/call/requests.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const LoadedModel> RowsModel() {
  ModelBuilder builder;
  builder.AddFunction("ids", "(rows: [{id: int64[], text: string[]}])").Result("rows.id");
  builder.AddFunction("first", "(rows: [{id: int64[], text: string[]}], at: int64[])")
      .Node("y", "gather", {"rows.id", "at"})
      .Result("y");
  return ModelOf(builder);
}

CallExecution ExecutionOf(const std::shared_ptr<const LoadedModel>& model,
                          std::string_view function, CallRequest request) {
  static const Limits limits;
  auto call = BindToFunction(FunctionOf(model, function), std::move(request));
  EXPECT_TRUE(call.ok()) << call.status();
  return CallExecution(*std::move(call), limits);
}

std::string OutcomeOf(CallExecution& execution, Deferral& deferral) {
  auto output = execution.Attempt({.deferral = &deferral});
  if (deferral.is_stopped()) return "stopped";
  if (!output.ok()) return std::string(MessageOf(output.status()));
  return ToString(std::get<Value>(output->result));
}

TEST(CallExecutionTest, ContinuesOnAThreadThatMayMakeFunctions) {
  auto model = RowsModel();
  auto execution = ExecutionOf(
      model, "ids", RequestOf({JsonArgument(R"([{"id": 1, "text": 2}, {"id": 3, "text": ""}])")}));
  Deferral network{.may_make = false, .must_be_short = true};
  EXPECT_EQ(OutcomeOf(execution, network), "stopped");
  EXPECT_TRUE(network.must_make);
  Deferral maker{.may_make = true, .must_be_short = true};
  EXPECT_EQ(OutcomeOf(execution, maker), "int64[2] [1, 3]");
}

TEST(CallExecutionTest, ContinuesOnAThreadForLongWork) {
  auto model = RowsModel();
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) text += Cat(R"({"id": )", i, R"(, "text": "a"},)");
  text.back() = ']';
  auto execution = ExecutionOf(model, "ids", RequestOf({JsonArgument(text)}));
  Deferral maker{.may_make = true, .must_be_short = true};
  EXPECT_EQ(OutcomeOf(execution, maker), "stopped");
  EXPECT_TRUE(maker.must_move);
  Deferral compute;
  EXPECT_THAT(OutcomeOf(execution, compute), HasSubstr("int64[5000] [0, 1, 2"));
}

// The run without `text` fails, so the call is repeated with all columns, of which one is wrong.
TEST(CallExecutionTest, RepeatsAFailedRunWithAllColumns) {
  auto model = RowsModel();
  auto outcome = [&](const char* rows) {
    auto execution =
        ExecutionOf(model, "first", RequestOf({JsonArgument(rows), JsonArgument("7")}));
    Deferral compute;
    return OutcomeOf(execution, compute);
  };
  EXPECT_THAT(outcome(R"([{"id": 1, "text": 2}])"), HasSubstr("m/1.first: argument `rows`: "));
  EXPECT_THAT(outcome(R"([{"id": 1, "text": "a"}])"), HasSubstr("m/1.first: "));
  EXPECT_THAT(outcome(R"([{"id": 1, "text": "a"}])"), Not(HasSubstr("argument `rows`")));
}

}  // namespace
}  // namespace signet
