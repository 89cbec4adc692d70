// Dimensions that an author distinguished, in models as they are written: which nodes are rejected,
// for all sizes, and which are not.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/loaded_model.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "core/values/builders/value_notation.h"
#include "tests/support/native_model.h"

namespace signet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Node {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;
  std::string attributes = {};  // `axes { int: 1 }`, one name and value, or several with `;`
};

// A model with one function `f`, whose result is the last node, and `more` functions as text.
StatusOr<std::unique_ptr<LoadedModel>> MakeModel(std::string_view signature,
                                                 const std::vector<Node>& nodes,
                                                 std::string_view more = "") {
  std::string text = Cat("format_version: 1\nfunctions { name: \"f\" signature: \"", signature,
                         "\" result: \"", nodes.back().name, "\"\n");
  for (const Node& node : nodes) {
    text += Cat("nodes { name: \"", node.name, "\" op: \"", node.op, "\"");
    for (const std::string& input : node.inputs) text += Cat(" inputs: \"", input, "\"");
    std::string rest = node.attributes;
    while (!rest.empty()) {
      size_t space = rest.find(' ');
      size_t end = std::min(rest.find(';'), rest.size());
      text += Cat(" attributes { key: \"", rest.substr(0, space), "\" value ",
                  rest.substr(space + 1, end - space - 1), " }");
      rest.erase(0, end + 1);
    }
    text += " }\n";
  }
  SIGNET_ASSIGN_OR_RETURN(auto proto, ParseModelText(Cat(text, "}\n", more)));
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, ModelDefFromProto(proto, {}, Limits()));
  return std::make_unique<LoadedModel>("test", 1, std::move(def), ModelOptions());
}

StatusOr<std::string> Call(const LoadedModel& model, const std::vector<std::string>& arguments) {
  CallArguments call;
  for (const std::string& argument : arguments) {
    SIGNET_ASSIGN_OR_RETURN(Value value, ParseValue(argument));
    call.positional.push_back(std::move(value));
  }
  SIGNET_ASSIGN_OR_RETURN(Value result,
                          (*model.FindFunction("f"))->Call(std::move(call), RunControl()));
  return ToString(result);
}

// Expects that `f` is rejected with INVALID_ARGUMENT for the sizes of `arguments` and, if the
// signature has types, for open sizes. Returns the message.
std::string ErrorOf(std::string_view signature, const std::vector<Node>& nodes,
                    const std::vector<std::string>& arguments, std::string_view more = "") {
  auto model = MakeModel(signature, nodes, more);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return "";
  auto result = Call(**model, arguments);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << *result;
  if (signature.find(':') != std::string_view::npos) {
    Status open = (*model)->CheckBodies();
    EXPECT_THAT(open.message(), HasSubstr(MessageOf(result.status())));
  }
  return std::string(MessageOf(result.status()));
}

std::string ResultOf(std::string_view signature, const std::vector<Node>& nodes,
                     const std::vector<std::string>& arguments, std::string_view more = "") {
  auto model = MakeModel(signature, nodes, more);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return "";
  Status open = (*model)->CheckBodies();
  EXPECT_TRUE(open.ok()) << open;
  auto result = Call(**model, arguments);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : "";
}

constexpr char kOrders[] =
    "(orders: [{rate: float32[], tags: float32[(?)], items: [{price: float32[], "
    "parts: [{weight: float32[]}]}], refunds: [{amount: float32[]}]}])";
// Two orders with two items each, and equal numbers of everything else.
constexpr char kTwo[] =
    "[{rate: float32[], tags: float32[(?)], items: [{price: float32[], "
    "parts: [{weight: float32[]}]}], refunds: [{amount: float32[]}]}] "
    "[{rate: 2, tags: [1, 2], items: [{price: 1, parts: [{weight: 1}, {weight: 2}]}, "
    "{price: 2, parts: [{weight: 3}, {weight: 4}]}], refunds: [{amount: 1}, {amount: 2}]}, "
    "{rate: 10, tags: [3, 4], items: [{price: 3, parts: [{weight: 5}, {weight: 6}]}, "
    "{price: 4, parts: [{weight: 7}, {weight: 8}]}], refunds: [{amount: 3}, {amount: 4}]}]";
constexpr char kOne[] =
    "[{rate: float32[], tags: float32[(?)], items: [{price: float32[], "
    "parts: [{weight: float32[]}]}], refunds: [{amount: float32[]}]}] "
    "[{rate: 2, tags: [1], items: [{price: 1, parts: [{weight: 1}]}], refunds: [{amount: 1}]}]";

TEST(AlignmentTest, NamesBothDimensionsAndSuggestsTheFix) {
  std::string error =
      ErrorOf(kOrders, {{"cost", "mul", {"orders.items.price", "orders.rate"}}}, {kTwo});
  EXPECT_EQ(error,
            "node `cost`: `mul`: dimension 1 of `orders.items.price` (rows of `orders.items`) "
            "is aligned with dimension 0 of `orders.rate` (rows of `orders`), because dimensions "
            "are aligned from the last one; expected one dimension, found two; write "
            "`orders.rate[:, None]` to align equal dimensions, or bring both fields to one "
            "structure with `promote` or `broadcast_field`");
  EXPECT_EQ(ErrorOf(kOrders, {{"cost", "mul", {"orders.items.price", "orders.rate"}}}, {kOne}),
            error);
  EXPECT_EQ(ErrorOf("(orders)", {{"cost", "mul", {"orders.items.price", "orders.rate"}}}, {kOne}),
            error);
}

TEST(AlignmentTest, AcceptsTheFixesThatItSuggests) {
  EXPECT_EQ(
      ResultOf(kOrders, {{"cost", "mul", {"orders.items.price", "orders.rate[:, None]"}}}, {kTwo}),
      "ragged float32[2, (?)] [[2.0, 4.0], [30.0, 40.0]]");
  EXPECT_EQ(ResultOf(kOrders,
                     {{"both",
                       "broadcast_field",
                       {"orders"},
                       "path { string: \"rate\" };into { string: \"items\" };"
                       "name { string: \"rate\" }"},
                      {"cost", "mul", {"both.items.price", "both.items.rate"}}},
                     {kTwo}),
            "ragged float32[2, (?)] [[2.0, 4.0], [30.0, 40.0]]");
  EXPECT_EQ(
      ResultOf(kOrders,
               {{"weight", "mul", {"orders.items.parts.weight", "orders.rate[:, None, None]"}}},
               {kTwo}),
      "ragged float32[2, (?), (?)] [[[2.0, 4.0], [6.0, 8.0]], [[50.0, 60.0], [70.0, 80.0]]]");
}

TEST(AlignmentTest, AppliesToEveryBroadcastingOp) {
  const std::string price = "orders.items.price";
  const std::string rate = "orders.rate";
  const std::vector<std::vector<Node>> bodies = {
      {{"y", "add", {rate, price}}},
      {{"y", "less", {price, rate}}},
      {{"y", "clip", {price, rate}}},
      {{"c", "greater", {rate, "0.0"}}, {"y", "select", {"c", price, "0.0"}}},
      {{"y", "apply", {price, rate}, "op { string: \"mul\" }"}},
      {{"c", "greater", {price, "0.0"}}, {"y", "select", {"c", price, rate}}},
      // Not only fields: what is made of them has their dimensions.
      {{"a", "exp", {price}}, {"b", "mul", {rate, "2.0"}}, {"y", "mul", {"a", "b"}}},
      {{"sum", "reduce_sum", {price}, "axes { int: 1 }"}, {"y", "div", {price, "sum"}}},
      {{"y", "mul", {"orders.items.parts.weight", price}}},
      {{"y", "mul", {"orders.items.parts.weight", rate}}},
      {{"y", "mul", {"orders.items.parts.weight", "orders.rate[:, None]"}}},
      {{"y", "mul", {"orders.tags", rate}}},
      {{"y", "mul", {price, "orders.refunds.amount"}}},
      {{"flat", "ragged_values", {price}}, {"y", "mul", {"flat", rate}}},
      {{"top", "gather", {"orders", "int64[2] [1, 0]"}},
       {"y", "mul", {"top.items.price", "top.rate"}}},
      {{"high", "greater", {rate, "0.0"}},
       {"some", "boolean_mask", {"orders", "high"}},
       {"y", "mul", {"some.items.price", "some.rate"}}},
      {{"y", "mul", {"orders[0:2].items.price", "orders[0:2].rate"}}},
      {{"y", "where", {"c2", price, "orders.refunds.amount"}}, {"c2", "greater", {price, "0.0"}}},
  };
  for (std::vector<Node> nodes : bodies) {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const Node& a, const Node& b) { return a.name != "y" && b.name == "y"; });
    SCOPED_TRACE(Cat(nodes.back().op, " of ", Join(nodes.back().inputs, ", ")));
    EXPECT_THAT(
        ErrorOf(kOrders, nodes, {kTwo}),
        AllOf(HasSubstr("expected one dimension, found two"), HasSubstr("rows of `orders")));
  }
}

TEST(AlignmentTest, AcceptsEqualAndUnknownDimensions) {
  const std::string price = "orders.items.price";
  const std::string rate = "orders.rate";
  const std::vector<std::vector<Node>> bodies = {
      {{"y", "mul", {price, price}}},
      {{"sum", "reduce_sum", {price}, "axes { int: 1 }"}, {"y", "mul", {"sum", rate}}},
      {{"sum", "reduce_sum", {price}, "axes { int: 1 };keepdims { bool: true }"},
       {"y", "div", {price, "sum"}}},
      {{"y", "mul", {price, "2.0"}}},
      {{"y", "mul", {price, "float32[1] [2]"}}},
      {{"y", "mul", {price, "orders.rate[0]"}}},
      {{"y", "sub", {"orders.tags[:, 1:]", "orders.tags[:, :-1]"}}},
      {{"y", "add", {"orders.tags", price}}},  // lists in one record may correspond
      {{"all", "concat", {rate}}, {"y", "mul", {"all", rate}}},
      // Rows picked twice by the same positions.
      {{"a", "gather", {rate, "int64[2] [1, 0]"}},
       {"top", "gather", {"orders", "int64[2] [1, 0]"}},
       {"y", "mul", {"a", "top.rate"}}},
      // What is put into one structure corresponds.
      {{"s",
        "struct_make",
        {price, "orders.refunds.amount"},
        "names { strings { values: [\"a\", \"b\"] } };rank { int: 2 }"},
       {"y", "mul", {"s.a", "s.b"}}},
  };
  for (const std::vector<Node>& nodes : bodies) {
    SCOPED_TRACE(Cat(nodes.back().op, " of ", Join(nodes.back().inputs, ", ")));
    EXPECT_NE(ResultOf(kOrders, nodes, {kTwo}), "");
  }
}

TEST(AlignmentTest, DistinguishesNamesOfASignature) {
  constexpr char kSignature[] = "(x: float32[n, 3], y: float32[m], z: float32[n], w: float32[?])";
  const std::vector<std::string> arguments = {"float32[2, 3] [[1, 2, 3], [4, 5, 6]]",
                                              "float32[2] [1, 2]", "float32[2] [1, 2]",
                                              "float32[2] [1, 2]"};
  EXPECT_EQ(ErrorOf(kSignature, {{"s", "add", {"x[:, 0]", "y"}}}, arguments),
            "node `s`: `add`: dimension 0 of `x[:, 0]` (`n`) is aligned with dimension 0 of "
            "`y` (`m`), because dimensions are aligned from the last one; expected one dimension, "
            "found two; give both dimensions one name in the signature if they have one size");
  EXPECT_THAT(ErrorOf(kSignature, {{"t", "transpose", {"x"}}, {"s", "add", {"t", "y"}}}, arguments),
              HasSubstr("dimension 1 of `t` (`n`) is aligned with dimension 0 of `y` (`m`)"));
  EXPECT_THAT(ErrorOf(kSignature,
                      {{"t", "expand_dims", {"z"}, "axis { int: 1 }"},
                       {"grid", "mul", {"t", "y"}},
                       {"s", "add", {"grid", "z"}}},
                      arguments),
              HasSubstr("write `z[:, None]` to align equal dimensions"));
  EXPECT_THAT(ErrorOf(kSignature, {{"s", "matmul", {"y", "x"}}}, arguments),
              HasSubstr("`matmul`: dimension 0 of `y` (`m`) is aligned with dimension 0 of `x`"));
  EXPECT_EQ(ResultOf(kSignature, {{"s", "add", {"x[:, 0]", "z"}}}, arguments),
            "float32[2] [2.0, 6.0]");
  EXPECT_EQ(ResultOf(kSignature, {{"s", "add", {"w", "z"}}}, arguments), "float32[2] [2.0, 4.0]");
  EXPECT_EQ(ResultOf(kSignature, {{"s", "add", {"y[:1]", "z[:1]"}}}, arguments),
            "float32[1] [2.0]");
  // Each name may have any size, 1 too; a size in the signature is not a name.
  EXPECT_THAT(ErrorOf("(x: float32[n], y: float32[m])", {{"s", "add", {"x", "y"}}},
                      {"float32[3] [1, 2, 3]", "float32[1] [1]"}),
              HasSubstr("expected one dimension, found two"));
  EXPECT_EQ(ResultOf("(x: float32[n], y: float32[1])", {{"s", "add", {"x", "y"}}},
                     {"float32[3] [1, 2, 3]", "float32[1] [1]"}),
            "float32[3] [2.0, 3.0, 4.0]");
}

TEST(AlignmentTest, DoesNotDistinguishArgumentsWithoutNames) {
  EXPECT_EQ(ResultOf("(x: float32[?], y: float32[?])", {{"s", "add", {"x", "y"}}},
                     {"float32[2] [1, 2]", "float32[2] [1, 2]"}),
            "float32[2] [2.0, 4.0]");
  EXPECT_EQ(ResultOf("(old: [{price: float32[]}], new: [{price: float32[]}])",
                     {{"s", "sub", {"new.price", "old.price"}}},
                     {"[{price: float32[]}] [{price: 1}]", "[{price: float32[]}] [{price: 3}]"}),
            "float32[1] [2.0]");
}

TEST(AlignmentTest, AppliesWithinFunctionsAndBranches) {
  constexpr char kHelper[] =
      "functions { name: \"product\" signature: \"(x, y)\" result: \"z\"\n"
      "  nodes { name: \"z\" op: \"mul\" inputs: \"x\" inputs: \"y\" } }\n"
      "functions { name: \"first\" signature: \"(x, y)\" result: \"x\" }\n";
  EXPECT_THAT(ErrorOf(kOrders,
                      {{"cost",
                        "call",
                        {"orders.items.price", "orders.rate"},
                        "function { function: \"product\" }"}},
                      {kTwo}, kHelper),
              AllOf(HasSubstr("node `cost`: function `product`: node `z`: "),
                    HasSubstr("write `y[:, None]` to align equal dimensions")));
  EXPECT_THAT(ErrorOf(kOrders,
                      {{"any", "greater", {"orders.rate[0]", "0.0"}},
                       {"cost",
                        "cond",
                        {"any", "orders.items.price", "orders.rate"},
                        "then { function: \"product\" };else { function: \"first\" }"}},
                      {kTwo}, kHelper),
              AllOf(HasSubstr("node `cost`: branch `then`: function `product`: node `z`: "),
                    HasSubstr("expected one dimension, found two")));
  EXPECT_THAT(ErrorOf(kOrders,
                      {{"cost",
                        "case",
                        {"1", "orders.items.price", "orders.rate"},
                        "functions { strings { values: [\"first\", \"product\"] } }"}},
                      {kTwo}, kHelper),
              HasSubstr("node `cost`: branch 1: function `product`: node `z`: "));
  EXPECT_THAT(ErrorOf(kOrders,
                      {{"any", "greater", {"orders.rate[0]", "0.0"}},
                       {"same",
                        "cond",
                        {"any", "orders.items.price", "orders.items.price"},
                        "then { function: \"product\" };else { function: \"first\" }"},
                       {"cost", "mul", {"same", "orders.rate"}}},
                      {kTwo}, kHelper),
              HasSubstr("write `orders.rate[:, None]`"));
}

// The elements that a loop returns are those that it takes, and a variable that no round changes in
// size keeps its dimensions.
TEST(AlignmentTest, AppliesToResultsOfLoops) {
  constexpr char kHelper[] =
      "functions { name: \"twice\" signature: \"(x)\" result: \"z\"\n"
      "  nodes { name: \"z\" op: \"add\" inputs: \"x\" inputs: \"x\" } }\n"
      "functions { name: \"next\" signature: \"(sum, x)\" result: \"z\"\n"
      "  nodes { name: \"s\" op: \"add\" inputs: \"sum\" inputs: \"x\" }\n"
      "  nodes { name: \"z\" op: \"make_tuple\" inputs: \"s\" inputs: \"s\" } }\n"
      "functions { name: \"more\" signature: \"(sum, x)\" result: \"s\"\n"
      "  nodes { name: \"s\" op: \"add\" inputs: \"sum\" inputs: \"x\" } }\n"
      "functions { name: \"joined\" signature: \"(x)\" result: \"z\"\n"
      "  nodes { name: \"z\" op: \"concat\" inputs: \"x\" inputs: \"[0.0]\" } }\n"
      "functions { name: \"record\" signature: \"(x)\" result: \"z\"\n"
      "  nodes { name: \"z\" op: \"struct_make\" inputs: \"x.rate\" "
      "attributes { key: \"names\" value { strings { values: [\"rate\"] } } } } }\n"
      "functions { name: \"small\" signature: \"(x)\" result: \"z\"\n"
      "  nodes { name: \"sum\" op: \"reduce_sum\" inputs: \"x\" }\n"
      "  nodes { name: \"z\" op: \"less\" inputs: \"sum\" inputs: \"9.0\" } }\n";
  const std::string price = "orders.items.price";
  const std::vector<std::vector<Node>> rejected = {
      {{"r", "map", {"orders.rate"}, "function { function: \"twice\" }"},
       {"y", "mul", {price, "r"}}},
      {{"r", "map", {"orders"}, "function { function: \"record\" }"},
       {"y", "mul", {price, "r.rate"}}},
      {{"r", "scan", {"float32[] 0", "orders.rate"}, "function { function: \"next\" }"},
       {"y", "mul", {price, "r:1"}}},
      {{"r",
        "while",
        {"orders.rate"},
        "condition { function: \"small\" };body { function: \"twice\" }"},
       {"y", "mul", {price, "r"}}},
      {{"r", "reduce", {"orders.rate", "float32[2] [1, 2]"}, "function { function: \"more\" }"},
       {"y", "mul", {price, "r"}}},
  };
  for (const std::vector<Node>& nodes : rejected) {
    SCOPED_TRACE(nodes[0].op);
    EXPECT_THAT(ErrorOf(kOrders, nodes, {kTwo}, kHelper),
                AllOf(HasSubstr("(rows of `orders.items`)"), HasSubstr("(rows of `orders`)")));
  }
  // A variable that changes its size is not the dimension that it began as.
  EXPECT_NE(ResultOf("(x: float32[n], y: float32[m])",
                     {{"r",
                       "while",
                       {"x"},
                       "condition { function: \"small\" };body { function: \"joined\" };"
                       "max_steps { int: 1 }"},
                      {"y2", "add", {"r", "y"}}},
                     {"float32[1] [1]", "float32[2] [1, 2]"}, kHelper),
            "");
}

// Lists next to each other in a record cannot be brought to one structure by `promote`.
TEST(AlignmentTest, SuggestsHowToCombineListsNextToEachOther) {
  EXPECT_THAT(
      ErrorOf(kOrders, {{"y", "mul", {"orders.items.price", "orders.refunds.amount"}}}, {kTwo}),
      AllOf(HasSubstr("expected one dimension, found two; pick the row of one that belongs to each "
                      "row of the other with `gather`; only if the rows correspond one to one"),
            Not(HasSubstr("promote"))));
  EXPECT_THAT(
      ErrorOf("(order: {items: [{price: float32[]}], refunds: [{amount: float32[]}]})",
              {{"y", "mul", {"order.items.price", "order.refunds.amount"}}},
              {"{items: [{price: float32[]}], refunds: [{amount: float32[]}]} "
               "{items: [{price: 1}, {price: 2}], refunds: [{amount: 3}, {amount: 4}]}"}),
      HasSubstr("write `order.items.price[:, None]` to combine each row of one with each row of "
                "the other"));
}

// Three records, so that rows and the elements of vectors have the same number.
constexpr char kPoints[] =
    "(points: [{r: float32[], id: int64[], one: float32[1], w: float32[3], o: float32[?], "
    "m: float32[3, 3], tags: float32[(?)], items: [{q: float32[], p: float32[3]}]}])";
std::string ThreePoints() {
  std::string records;
  for (int i = 0; i < 3; ++i) {
    const std::string record =
        Cat("{r: ", i, ", id: ", i, ", one: [1], w: [1, 2, 3], o: [1, 2, 3], ",
            "m: [[1, 2, 3], [4, 5, 6], [7, 8, 9]], tags: [1, 2, 3], ",
            "items: [{q: 1, p: [1, 2, 3]}, {q: 2, p: [1, 2, 3]}, {q: 3, p: [1, 2, 3]}]}");
    records += Cat(i > 0 ? ", " : "", record);
  }
  return Cat("[{r: float32[], id: int64[], one: float32[1], w: float32[3], o: float32[?], ",
             "m: float32[3, 3], tags: float32[(?)], items: [{q: float32[], p: float32[3]}]}] [",
             records, "]");
}

TEST(AlignmentTest, DistinguishesVectorsInRecordsFromRows) {
  const std::string r = "points.r";
  const std::string w = "points.w";
  const std::vector<Node> sum = {{"sum", "reduce_sum", {w}, "axes { int: 0 }"}};
  const std::vector<Node> turned = {{"t", "transpose", {w}}};
  const std::vector<Node> looked_up = {
      {"v", "gather", {"float32[3, 3] [[1, 2, 3], [4, 5, 6], [7, 8, 9]]", "points.id"}}};
  auto with = [](std::vector<Node> nodes, Node last) {
    nodes.push_back(std::move(last));
    return nodes;
  };
  const std::vector<std::vector<Node>> rejected = {
      {{"y", "mul", {w, r}}},
      {{"y", "mul", {"points.o", r}}},
      {{"y", "mul", {"points.one", r}}},
      {{"y", "sub", {r, "points.m"}}},
      {{"y", "mul", {"points.items.p", "points.items.q"}}},
      {{"y", "add", {"points.items[0].p", r}}},
      {{"y", "add", {"points.items[0].q", r}}},
      {{"y", "mul", {"points.tags[0]", r}}},
      {{"y", "mul", {"points.items[0].p", w}}},
      {{"y", "struct_update", {"points", "points.w[0]"}, "names { strings { values: [\"a\"] } }"}},
      {{"y", "lookup_value", {r, r, "points.w[0]"}}},
      {{"y", "repeat_rows", {"points.w[0]", "points.tags"}}},
      {{"s", "ragged_row_splits", {"points.tags"}}, {"y", "repeat_rows", {"points.w[0]", "s"}}},
      {{"t", "transpose", {w}}, {"y", "squared_distances", {w, "t"}}},
      {{"y", "layer_norm", {r, "points.w[0]"}}},
      {{"y", "ragged_range", {r, "points.w[0]"}}},
      {{"a", "random_gamma", {"1", w}}, {"y", "mul", {"a", r}}},
      {{"a", "cast", {"points.m[0]"}, "dtype { string: \"int64\" }"},
       {"y", "batch_gather", {w, "a"}}},
      {{"a", "cast", {"points.w[0]"}, "dtype { string: \"int64\" }"},
       {"y", "ragged_from_dense", {w, "a"}}},
      {{"a", "cast", {r}, "dtype { string: \"int8\" }"},
       {"y", "dequantize", {"a", "points.w[0]"}, "axis { int: 0 }"}},
      {{"a", "struct_make", {w}, "names { strings { values: [\"c\"] } }"},
       {"y", "struct_make", {"points.w[0]", "a"}, "names { strings { values: [\"b\", \"d\"] } }"}},
      {{"v", "unstack", {w}, "num { int: 3 }"}, {"y", "mul", {"v", r}}},
      {{"v", "split", {w}, "num { int: 3 };axis { int: 1 }"}, {"y", "mul", {"v", r}}},
      {{"y", "clip", {w, r, "9.0"}}},
      {{"c", "greater", {w, "0.0"}}, {"y", "select", {"c", w, r}}},
      {{"y", "matmul", {w, r}}},
      {{"y", "matmul", {w, "points.m[:, 0]"}}},
      with(sum, {"y", "add", {"sum", r}}),
      with(sum, {"y", "stack", {"sum", r}}),
      with(sum, {"y", "struct_make", {"sum", r}, "names { strings { values: [\"a\", \"b\"] } }"}),
      with({{"sum", "reduce_sum", {w}, "axes { int: 0 }"}, {"c", "greater", {"sum", "0.0"}}},
           {"y", "where", {"c", "sum", r}}),
      with({{"sum", "reduce_sum", {w}, "axes { int: 0 }"}, {"c", "greater", {"sum", "0.0"}}},
           {"y", "boolean_mask", {r, "c"}}),
      with(turned, {"y", "mul", {"t", w}}),
      with(turned, {"y", "concat", {"t", w}, "axis { int: 1 }"}),
      // What ops make of vectors and rows.
      {{"a", "mul", {w, "2.0"}}, {"y", "mul", {"a", r}}},
      {{"a", "mul", {w, "points.o"}}, {"y", "mul", {"a", r}}},
      {{"a", "mul", {w, "[1.0, 2.0, 3.0]"}}, {"y", "mul", {"a", r}}},
      {{"a", "concat", {w, "points.one"}, "axis { int: 1 }"}, {"y", "mul", {"a", r}}},
      {{"a", "mul", {w, "points.r[1:]"}}, {"y", "identity", {"a"}}},
      {{"a", "mul", {"points.w[:, :2]", "points.r[:2]"}}, {"y", "identity", {"a"}}},
      {{"top", "gather", {"points", "int64[3] [2, 1, 0]"}}, {"y", "mul", {"top.w", "top.r"}}},
      {{"c", "greater", {r, "-1.0"}},
       {"some", "boolean_mask", {"points", "c"}},
       {"y", "mul", {"some.w", "some.r"}}},
      with(looked_up, {"y", "mul", {"v", r}}),
      {{"a", "mul", {"points.r[:, None]", "[1.0, 2.0, 3.0]"}}, {"y", "mul", {"a", r}}},
      {{"a", "one_hot", {"points.id"}, "depth { int: 3 }"},
       {"b", "cast", {"a"}, "dtype { string: \"float32\" }"},
       {"y", "mul", {"b", r}}},
      {{"a", "top_k", {w}, "k { int: 3 }"}, {"y", "mul", {"a", r}}},
      {{"a", "ragged_to_dense", {"points.tags"}}, {"y", "mul", {"a", r}}},
  };
  for (const std::vector<Node>& nodes : rejected) {
    SCOPED_TRACE(Cat(nodes.back().op, " of ", Join(nodes.back().inputs, ", ")));
    EXPECT_THAT(ErrorOf(kPoints, nodes, {ThreePoints()}),
                HasSubstr("expected one dimension, found two"));
  }
}

TEST(AlignmentTest, AcceptsVectorsNextToVectorsAndConstants) {
  const std::string r = "points.r";
  const std::string w = "points.w";
  const std::vector<std::vector<Node>> accepted = {
      {{"y", "mul", {w, "points.r[:, None]"}}},
      {{"y", "mul", {w, "points.o"}}},
      {{"y", "mul", {w, "points.one"}}},
      {{"y", "mul", {w, "[1.0, 2.0, 3.0]"}}},
      {{"y", "mul", {w, "2.0"}}},
      {{"y", "add", {"points.items.p", "points.w[:, None]"}}},
      {{"y", "mul", {"points.items.p", "[1.0, 2.0, 3.0]"}}},
      {{"y", "mul", {"points.items.q", "points.one"}}},
      {{"y", "sub", {"points.r[:, None]", r}}},  // each with each
      {{"t", "transpose", {"points.m"}, "perm { ints { values: [0, 2, 1] } }"},
       {"y", "add", {"points.m", "t"}}},
      {{"sum", "reduce_sum", {w}, "axes { int: 1 }"}, {"y", "mul", {"sum", r}}},
      {{"sum", "reduce_sum", {w}, "axes { int: 1 };keepdims { bool: true }"},
       {"y", "div", {w, "sum"}}},
      {{"sum", "reduce_sum", {w}, "axes { int: 0 }"}, {"y", "sub", {w, "sum"}}},
      {{"y", "matmul", {w, "float32[3, 2] [[1, 2], [3, 4], [5, 6]]"}}},
      {{"y", "stack", {w, "points.o"}}},
      {{"y", "stack", {r, r}, "axis { int: 1 }"}},
      {{"y", "concat", {w, "points.o"}, "axis { int: 1 }"}},
      {{"y", "struct_make", {w, r}, "names { strings { values: [\"a\", \"b\"] } }"}},
      {{"y", "gather", {r, "points.id"}}},
      {{"y", "struct_update", {"points", w}, "names { strings { values: [\"a\"] } }"}},
      {{"y", "lookup_value", {r, r, w}}},
      {{"y", "repeat_rows", {r, "points.tags"}}},
      {{"y", "squared_distances", {w, "points.o"}}},
      {{"y", "layer_norm", {w, "points.w[0]"}}},
      {{"y", "mul", {"points.items[0].q", "points.items[1].q"}}},
      {{"y", "mul", {"points.items[0].q", "points.w[0]"}}},
      {{"y", "mul", {"points.items[1:].q", "points.r[1:][:, None]"}}},
  };
  for (const std::vector<Node>& nodes : accepted) {
    SCOPED_TRACE(Cat(nodes.back().op, " of ", Join(nodes.back().inputs, ", ")));
    EXPECT_NE(ResultOf(kPoints, nodes, {ThreePoints()}), "");
  }
  // One record has no rows.
  EXPECT_EQ(
      ResultOf("(point: {r: float32[], w: float32[2]})", {{"y", "mul", {"point.w", "point.r"}}},
               {"{r: float32[], w: float32[2]} {r: 2, w: [1, 2]}"}),
      "float32[2] [2.0, 4.0]");
}

TEST(AlignmentTest, SuggestsHowToAlignVectors) {
  EXPECT_EQ(ErrorOf(kPoints, {{"y", "mul", {"points.w", "points.r"}}}, {ThreePoints()}),
            "node `y`: `mul`: dimension 1 of `points.w` (elements of `points.w`) is aligned with "
            "dimension 0 of `points.r` (rows of `points`), because dimensions are aligned from the "
            "last one; expected one dimension, found two; write `points.r[:, None]` to align equal "
            "dimensions, or write `points.w[:, :, None]` to combine each element of one with each "
            "element of the other");
}

TEST(AlignmentTest, LeavesOperatorsOfOnnxAlone) {
  EXPECT_EQ(ResultOf("(x: float32[n], y: float32[m])",
                     {{"s", "onnx.Add", {"x", "y"}, "opset { int: 17 }"}},
                     {"float32[2] [1, 2]", "float32[2] [1, 2]"}),
            "float32[2] [2.0, 4.0]");
}

TEST(AlignmentTest, FailsWhenTheModelIsLoaded) {
  auto model = MakeModel(kOrders, {{"cost", "mul", {"orders.items.price", "orders.rate"}}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT((*model)->CheckBodies().message(), HasSubstr("write `orders.rate[:, None]`"));
}

}  // namespace
}  // namespace signet
