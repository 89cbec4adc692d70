#include "core/serving/call/bind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/serving/call/requests.h"

namespace signet {
namespace {

using ::testing::StartsWith;

std::shared_ptr<const LoadedModel> BindModel() {
  ModelBuilder builder;
  builder.AddFunction("subtract", "(a: int64[], b: int64[])")
      .Node("y", "sub", {"a", "b"})
      .Result("y");
  builder.AddFunction("ids", "(a: {id: int64[], text: string[]}, b: {id: int64[], text: string[]})")
      .Node("y", "sub", {"a.id", "b.id"})
      .Result("y");
  builder.AddFunction("all", "(a: int64[], b, *rest, c: string[] = \"\", **more)").Result("a");
  return ModelOf(builder);
}

Value Number(int64_t value) { return Tensor::Scalar(value); }

EncodedArgument AtKeyword(size_t index, EncodedArgument argument) {
  argument.is_keyword = true;
  argument.index = index;
  return argument;
}

class BindTest : public testing::Test {
 protected:
  BindTest() : model_(BindModel()) { repository_.Add(model_); }

  static CallRequest Request(std::string function, std::vector<Value> positional,
                             NamedValues keyword = {}) {
    CallRequest request;
    request.model = "m";
    request.function = std::move(function);
    request.arguments = {std::move(positional), std::move(keyword)};
    return request;
  }
  std::string Run(BoundCall call) {
    auto output = CallExecution(std::move(call), limits_).Attempt({});
    if (!output.ok()) return std::string(MessageOf(output.status()));
    return ToString(std::get<Value>(output->result));
  }

  const Limits limits_;
  const std::shared_ptr<const LoadedModel> model_;
  Repository repository_{ModelOptions()};
};

TEST_F(BindTest, AssignsEncodedArgumentsToParameters) {
  CallRequest request = RequestOf(std::vector<EncodedArgument>(4, JsonArgument("1")));
  request.arguments.keyword = {{"extra", Value()}, {"c", Value()}};
  request.encoded.push_back(AtKeyword(0, JsonArgument("2")));
  request.encoded.push_back(AtKeyword(1, JsonArgument("3")));
  auto call = BindToFunction(FunctionOf(model_, "all"), std::move(request));
  ASSERT_TRUE(call.ok()) << call.status();
  struct Row {
    const char* name;
    const char* type;
    size_t parameter;
  };
  const Row rows[] = {{"a", "int64[]", 0}, {"b", "", 1},     {"rest_0", "", 2},
                      {"rest_1", "", 3},   {"extra", "", 0}, {"c", "string[]", 4}};
  ASSERT_EQ(call->encoded.size(), std::size(rows));
  for (size_t i = 0; i < std::size(rows); ++i) {
    const BoundArgument& argument = call->encoded[i];
    EXPECT_EQ(argument.name, rows[i].name);
    EXPECT_EQ(argument.type ? argument.type.ToString() : "", rows[i].type) << i;
    EXPECT_EQ(argument.parameter, rows[i].parameter) << i;
  }
}

TEST_F(BindTest, FindsTheFunctionOfSeenTypesWithoutBinding) {
  auto first = BindCall(repository_, Request("subtract", {Number(7), Number(2)}));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->binding);
  EXPECT_EQ(first->concrete, nullptr);
  EXPECT_EQ(Run(*std::move(first)), "int64[] 5");
  auto second = BindCall(repository_, Request("subtract", {Number(2), Number(7)}));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_FALSE(second->binding);
  EXPECT_NE(second->concrete, nullptr);
  EXPECT_EQ(Run(*std::move(second)), "int64[] -5");
  auto by_name = BindCall(repository_, Request("subtract", {Number(1)}, {{"b", Number(2)}}));
  ASSERT_TRUE(by_name.ok()) << by_name.status();
  EXPECT_TRUE(by_name->binding);
  EXPECT_EQ(Run(*std::move(by_name)), "int64[] -1");
}

// If a step bound the arguments again, it would undo the exchange.
TEST_F(BindTest, NoLaterStepBindsAgain) {
  auto exchange = [](BoundCall& call) {
    auto& parameters = call.binding->parameters;
    std::swap(parameters[0], parameters[1]);
    for (BoundArgument& argument : call.encoded) argument.parameter = 1 - argument.parameter;
  };
  // Values, which are cast.
  auto values =
      BindCall(repository_, Request("subtract", {}, {{"b", Number(2)}, {"a", Number(9)}}));
  ASSERT_TRUE(values.ok()) << values.status();
  exchange(*values);
  EXPECT_EQ(Run(*std::move(values)), "int64[] -7");
  // Arguments of which only the column `id` is decoded.
  for (const char* column : {"\"\"", "1"}) {
    CallRequest request = RequestOf({JsonArgument(Cat(R"({"id": 9, "text": )", column, "}")),
                                     JsonArgument(Cat(R"({"id": 2, "text": )", column, "}"))});
    auto encoded = BindToFunction(FunctionOf(model_, "ids"), std::move(request));
    ASSERT_TRUE(encoded.ok()) << encoded.status();
    exchange(*encoded);
    EXPECT_EQ(Run(*std::move(encoded)), "int64[] -7") << column;
  }
  // Arguments that are decoded completely.
  CallRequest request;
  request.arguments.keyword = {{"b", Value()}, {"a", Value()}};
  request.encoded = {AtKeyword(0, JsonArgument("2")), AtKeyword(1, JsonArgument("9"))};
  auto encoded = BindToFunction(FunctionOf(model_, "subtract"), std::move(request));
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  exchange(*encoded);
  EXPECT_EQ(Run(*std::move(encoded)), "int64[] -7");
}

TEST_F(BindTest, NamesTheFunctionInErrorsOfBinding) {
  auto missing = BindCall(repository_, Request("subtract", {Number(1)}));
  EXPECT_EQ(ReasonOf(missing.status()), "MISSING_REQUIRED");
  EXPECT_THAT(std::string(MessageOf(missing.status())), StartsWith("m/1.subtract: "));
  auto no_function = BindCall(repository_, Request("add", {}));
  EXPECT_EQ(no_function.status().code(), absl::StatusCode::kNotFound);
}

TEST_F(BindTest, NamesPositionalArguments) {
  const FunctionType& all = FunctionOf(model_, "all").function->def().type;
  EXPECT_EQ(PositionalName(all, 1), "b");
  EXPECT_EQ(PositionalName(all, 4), "rest_2");
  EXPECT_EQ(PositionalName(FunctionOf(model_, "ids").function->def().type, 2), "args[2]");
}

}  // namespace
}  // namespace signet
