#include "core/serving/flat/flat_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/serving/call/requests.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kOrders[] = "[{id: string[], items: [{price: float32[]}]}]";

std::shared_ptr<const LoadedModel> FlatModel() {
  ModelBuilder builder;
  builder.AddFunction("same", "(x)").Result("x");
  builder.AddFunction("vector", "(x: float32[?], low: float32[] = 0.5)").Result("x");
  builder.AddFunction("ragged", "(x: ragged int64[?, (?)])").Result("x");
  builder.AddFunction("sparse", "(x: sparse float32[?, ?])").Result("x");
  builder.AddFunction("orders", Cat("(orders: ", kOrders, ")")).Result("orders");
  builder.AddFunction("pair", "(pair: tuple(int64[], dict(a: float32[?])))").Result("pair");
  builder.AddFunction("positional", "(x: int64[], y: int64[] = 2, z: int64[] = 3, /)").Result("y");
  builder.AddFunction("text", "(x: string[?, 1])").Result("x");
  builder.AddFunction("texts", "(x: string[?, ?])").Result("x");
  builder.AddFunction("rows", "(x: float32[?, ?])").Result("x");
  builder.AddFunction("planes", "(x: float32[?, ?, ?])").Result("x");
  builder.AddFunction("two", "(x: int64[], y: int64[])").Result("x");
  builder.AddFunction("rest", "(x, *rest, **more)").Result("x");
  return ModelOf(builder);
}

Tensor Texts(const std::vector<std::string_view>& texts) {
  return Tensor::Strings({static_cast<int64_t>(texts.size())}, texts);
}

class FlatArgumentsTest : public testing::Test {
 protected:
  // Calls the function, and returns its result in the notation, or the error.
  std::string Call(std::string_view function, std::vector<NamedTensor> tensors) {
    auto value = Run(function, std::move(tensors));
    return value.ok() ? ToString(*value) : std::string(MessageOf(value.status()));
  }
  StatusOr<Value> Run(std::string_view function, std::vector<NamedTensor> tensors) {
    CallRequest request;
    request.tensors = std::move(tensors);
    SIGNET_ASSIGN_OR_RETURN(BoundCall call,
                            BindCall(FunctionOf(model_, function), std::move(request)));
    SIGNET_ASSIGN_OR_RETURN(CallOutput output,
                            CallExecution(std::move(call), Limits()).Attempt({}));
    return std::get<Value>(std::move(output.result));
  }
  std::vector<std::string> Names(std::string_view function) {
    std::vector<std::string> out;
    const FlatSignature signature = FlatSignatureOf(*FunctionOf(model_, function).function);
    for (const FlatParameter& parameter : signature.parameters) {
      for (const FlatTensor& tensor : parameter.tensors) out.push_back(tensor.name);
    }
    return out;
  }

  const std::shared_ptr<const LoadedModel> model_ = FlatModel();
};

TEST_F(FlatArgumentsTest, NamesComponentsByPath) {
  EXPECT_THAT(Names("vector"), ElementsAre("x", "low"));
  EXPECT_THAT(Names("ragged"), ElementsAre("x.values", "x.row_splits_0"));
  EXPECT_THAT(Names("sparse"), ElementsAre("x.indices", "x.values", "x.dense_shape"));
  EXPECT_THAT(Names("orders"), ElementsAre("orders.nrows", "orders.id", "orders.items.row_splits_0",
                                           "orders.items.price.values"));
  EXPECT_THAT(Names("pair"), ElementsAre("pair[0]", "pair[1].a"));
}

TEST_F(FlatArgumentsTest, AssignsTensors) {
  const Tensor x = Tensor::Of<float>({2}, {1, 2});
  EXPECT_EQ(Call("vector", {{"x", x}}), "float32[2] [1.0, 2.0]");
  EXPECT_EQ(Call("vector", {{"low", Tensor::Of<float>({1}, {3})}, {"x", x}}),
            "float32[2] [1.0, 2.0]");
  EXPECT_THAT(Call("vector", {{"x", x}, {"x", x}}),
              HasSubstr("input 'x' already exists in request"));
  EXPECT_THAT(Call("vector", {{"x", x}, {"z", x}}),
              HasSubstr("unexpected inference input 'z' for model ''"));
  EXPECT_THAT(
      Call("vector", {}),
      HasSubstr("expected number of inputs between 1 and 2 but got 0 inputs for model ''. Got "
                "input(s) [], but missing required input(s) ['x']. Please provide all "
                "required input(s)."));
  EXPECT_THAT(Call("two", {}), HasSubstr("expected 2 inputs but got 0 inputs for model ''. Got "
                                         "input(s) [], but missing required input(s) ['x','y']."));
  EXPECT_THAT(Call("vector", {{"x.values", x}}), HasSubstr("unknown component `values`"));
  EXPECT_THAT(Call("pair", {{"pair[1].a", x}, {"pair[0]", Tensor::Of<int64_t>({1}, {7})}}),
              HasSubstr("[7, {a: [1.0, 2.0]}]"));
}

TEST_F(FlatArgumentsTest, AssignsComponents) {
  const Tensor values = Tensor::Of<int64_t>({3}, {1, 2, 3});
  const Tensor splits = Tensor::Of<int32_t>({3}, {0, 2, 3});
  EXPECT_THAT(Call("ragged", {{"x.values", values}, {"x.row_splits_0", splits}}),
              HasSubstr("[[1, 2], [3]]"));
  EXPECT_THAT(Call("same", {{"x.values", values}, {"x.row_splits_0", splits}}),
              HasSubstr("[[1, 2], [3]]"));
  EXPECT_THAT(Call("ragged", {{"x.values", values}}),
              HasSubstr("missing component `row_splits_0`"));
  EXPECT_THAT(Call("ragged", {{"x.values", values}, {"x.row_splits_0", values}}),
              HasSubstr("argument `x`"));
  EXPECT_THAT(Call("ragged", {{"x", Tensor::Of<int64_t>({1, 2}, {4, 5})}}), HasSubstr("[[4, 5]]"));
  EXPECT_THAT(Call("orders", {{"orders.id", Texts({"a", "b"})},
                              {"orders.items.price.values", Tensor::Of<float>({3}, {1, 2, 3})},
                              {"orders.items.row_splits_0", splits}}),
              HasSubstr("b"));
}

TEST_F(FlatArgumentsTest, ReadsJson) {
  const std::string_view a = R"({"id": "a", "items": [{"price": 1}]})";
  const std::string_view b = R"({"id": "b", "items": []})";
  const std::string both = Cat("[", a, ", ", b, "]");
  const std::string expected = Call("orders", {{"orders", Texts({a, b})}});
  EXPECT_THAT(expected, HasSubstr("\"b\""));
  EXPECT_EQ(Call("orders", {{"orders", Texts({both})}}), expected);
  EXPECT_EQ(Call("orders", {{"orders", Texts({both}).Reshaped(Shape{})}}), expected);
  EXPECT_THAT(Call("ragged", {{"x", Texts({"[1, 2]", "[3]"})}}), HasSubstr("[[1, 2], [3]]"));
  EXPECT_THAT(Call("orders", {{"orders", Texts({"{"})}}), HasSubstr("argument `orders`"));
  EXPECT_THAT(Call("orders", {{"orders", Texts({"1], [2"})}}), HasSubstr("argument `orders`"));
}

TEST_F(FlatArgumentsTest, FillsInPositionalDefaults) {
  const Tensor one = Tensor::Scalar(int64_t{1});
  EXPECT_EQ(Call("positional", {{"x", one}, {"z", one}}), "int64[] 2");
  EXPECT_EQ(Call("positional", {{"x", one}}), "int64[] 2");
  EXPECT_THAT(Call("positional", {{"z", one}}), HasSubstr("missing required input(s) ['x']"));
  EXPECT_EQ(Call("rest", {{"x", one}, {"rest_0", one}, {"other", one}}), "int64[] 1");
}

TEST_F(FlatArgumentsTest, AcceptsColumnsForVectors) {
  EXPECT_THAT(Call("vector", {{"x", Tensor::Of<float>({3, 1}, {1, 2, 3})}}),
              HasSubstr("float32[3]"));
  EXPECT_THAT(Call("vector", {{"x", Tensor::Of<float>({0, 1}, {})}}), HasSubstr("float32[0]"));
  EXPECT_THAT(Call("vector", {{"x", Tensor::Of<float>({1, 3}, {1, 2, 3})}}), HasSubstr("expected"));
  EXPECT_THAT(Call("rows", {{"x", Tensor::Of<float>({3, 1}, {1, 2, 3})}}), HasSubstr("[3, 1]"));
}

TEST_F(FlatArgumentsTest, ReadsRawBytes) {
  const Tensor eight = Texts({"\x01\x02\x03\x04\x05\x06\x07\x08"}).Reshaped(Shape{});
  EXPECT_THAT(Call("vector", {{"", eight, false, true}}), HasSubstr("float32[2]"));
  const Tensor three = Texts({"abc"}).Reshaped(Shape{});
  EXPECT_THAT(Call("vector", {{"", three, false, true}}), HasSubstr("multiple of 4"));
  EXPECT_THAT(Call("orders", {{"", three, false, true}}), HasSubstr("which is a tensor"));
  EXPECT_EQ(Call("text", {{"", three, false, true}}), "string[1, 1] [[\"abc\"]]");
  EXPECT_THAT(Call("texts", {{"", three, false, true}}),
              HasSubstr("For BYTE datatype raw input 'x', the model must have input shape [1]"));
  EXPECT_THAT(Call("rows", {{"", eight, false, true}}), HasSubstr("float32[1, 2]"));
  EXPECT_THAT(Call("planes", {{"", eight, false, true}}),
              HasSubstr("The shape of the raw input 'x' can not be deduced because there are more "
                        "than one variable-sized dimension"));
  EXPECT_THAT(Call("two", {{"", eight, false, true}}),
              HasSubstr("Raw request must only have 1 input (found 1) to be deduced but got 2 "
                        "inputs in '' model configuration"));
}

TEST_F(FlatArgumentsTest, SelectsResults) {
  auto value = Run("pair", {{"pair[0]", Tensor::Scalar(int64_t{7})},
                            {"pair[1].a", Tensor::Of<float>({1}, {2})}});
  ASSERT_TRUE(value.ok()) << value.status();
  const FunctionDef& def = FunctionOf(model_, "pair").function->def();
  auto select = [&](std::vector<std::string> names) -> std::vector<std::string> {
    auto found = SelectResults(def, *value, names, "m", Limits());
    if (!found.ok()) return {std::string(MessageOf(found.status()))};
    std::vector<std::string> out;
    for (const NamedTensor& tensor : *found) {
      out.push_back(Cat(tensor.name, " ", ToString(Value(tensor.tensor))));
    }
    return out;
  };
  EXPECT_THAT(select({}), ElementsAre("output[0] int64[] 7", "output[1].a float32[1] [2.0]"));
  EXPECT_THAT(select({"output[1].a"}), ElementsAre("output[1].a float32[1] [2.0]"));
  EXPECT_THAT(select({"output[1]"}), ElementsAre(HasSubstr("\\\"a\\\"")));
  EXPECT_THAT(select({"x"}),
              ElementsAre(HasSubstr("unexpected inference output 'x' for model 'm'")));
  EXPECT_THAT(select({"output", "output"}),
              ElementsAre(HasSubstr("Duplicate output name 'output' is not allowed in a request")));
}

}  // namespace
}  // namespace signet
