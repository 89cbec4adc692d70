#include "core/ops/def/op_registry.h"

#include <cctype>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/def/familiar_names.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferNothing(const OpCall&) { return std::vector<TypeSpec>(); }

StatusOr<std::vector<GraphValue>> ExpandNothing(OpBuilder&, const OpCall&,
                                                std::span<const GraphValue>) {
  return std::vector<GraphValue>();
}

OpDef Example() {
  return {.name = "example",
          .summary = "Does nothing",
          .description = "Returns nothing.",
          .inputs = {"x", "y?"},
          .attributes = {{"axis"}, {"keepdims", AttributeOf(false)}},
          .result = "No outputs.",
          .constraints = {"x is a tensor."},
          .infer = InferNothing};
}

TEST(OpRegistryTest, RejectsOpsThatAreNotInOrder) {
  struct Case {
    void (*change)(OpDef&);
    const char* message;
  };
  const Case cases[] = {
      {[](OpDef& op) { op.name = "Concat"; },
       "op `Concat`: expected a name of lower-case letters, digits, and _"},
      {[](OpDef& op) { op.summary = ""; },
       "op `example`: the summary: expected 1 to 90 characters, found 0"},
      {[](OpDef& op) { op.summary = "joins."; },
       "op `example`: the summary: expected one line that starts with a capital letter and has no "
       "final period, found `joins.`"},
      {[](OpDef& op) { op.inputs = {"X"}; },
       "op `example`: input 0: expected a name of lower-case letters, digits, and _, found `X`"},
      {[](OpDef& op) {
         op.inputs = {"x", "x"};
       },
       "op `example`: duplicate input `x`"},
      {[](OpDef& op) {
         op.inputs = {"xs...", "y"};
       },
       "op `example`: input `xs...`: expected only the last input to be variadic"},
      {[](OpDef& op) {
         op.inputs = {"x?", "y"};
       },
       "op `example`: input `y`: expected an optional input, because it follows one"},
      {[](OpDef& op) {
         op.attributes = {{"axis"}, {"axis"}};
       },
       "op `example`: duplicate attribute `axis`"},
      {[](OpDef& op) { op.attributes = {{"odd name"}}; },
       "op `example`: attribute 0: expected a name of lower-case letters, digits, and _, found "
       "`odd name`"},
      {[](OpDef& op) {
         op.own_dtypes = {"y", "z"};
       },
       "op `example`: `own_dtypes`: input `z` not found"},
      {[](OpDef& op) { op.infer = nullptr; },
       "op `example`: missing `infer` and `expand`; set at least one"},
      {[](OpDef& op) { op.description = ""; },
       "op `example`: the description: expected complete sentences in one line, found ``"},
      {[](OpDef& op) { op.result = "nothing"; },
       "op `example`: the result: expected complete sentences in one line, found `nothing`"},
      {[](OpDef& op) {
         op.constraints = {"", "x is\na tensor."};
       },
       "op `example`: constraint C2: expected complete sentences in one line, found `x is\na "
       "tensor.`"},
      {[](OpDef& op) { op.expand = ExpandNothing; },
       "op `example`: the meaning on composite values: expected complete sentences in one line, "
       "found ``"},
      {[](OpDef& op) { op.expand_tensors_if = "keepdims"; },
       "op `example`: `expand_tensors_if` is `keepdims`: expected the name of an attribute of an "
       "op that has `expand`"},
  };
  for (const Case& row : cases) {
    SCOPED_TRACE(row.message);
    OpDef op = Example();
    row.change(op);
    OpRegistry registry;
    EXPECT_EQ(MessageOf(registry.Add(op)), row.message);
  }
  OpRegistry registry;
  EXPECT_TRUE(registry.Add(Example()).ok());
  EXPECT_EQ(MessageOf(registry.Add(Example())), "duplicate op `example`");
}

TEST(OpRegistryTest, InternalOpsNeedNoDocumentationAndCannotBeCalled) {
  OpRegistry registry;
  OpDef op = {
      .name = "example", .summary = "Does nothing", .infer = InferNothing, .internal = true};
  ASSERT_TRUE(registry.Add(op).ok());
  EXPECT_TRUE(registry.Find("example").ok());
  EXPECT_EQ(registry.FindCallable("example").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(registry.FindCallable("example").status()),
            "op `example` is internal to Signet; models cannot call it");
  // An internal op is not suggested.
  EXPECT_EQ(MessageOf(registry.Find("exampel").status()),
            "op `exampel` not found; the registry is empty");
  EXPECT_TRUE(BuiltinOps().FindCallable("add").ok());
  EXPECT_FALSE(BuiltinOps().FindCallable("fused_elementwise").ok());
}

TEST(OpRegistryTest, FindSuggestsTheNearestName) {
  const OpRegistry& registry = BuiltinOps();
  EXPECT_EQ((*registry.Find("add"))->name, "add");
  EXPECT_EQ(registry.Find("matmull").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(registry.Find("matmull").status()),
            "op `matmull` not found; the nearest is `matmul`");
  EXPECT_EQ(MessageOf(OpRegistry().Find("add").status()),
            "op `add` not found; the registry is empty");
  EXPECT_EQ(registry.Lookup("matmull"), nullptr);
}

TEST(OpRegistryTest, ListsOpsByName) {
  auto all = BuiltinOps().All();
  ASSERT_GT(all.size(), 50u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1]->name, all[i]->name);
}

TEST(CompleteAttributesTest, FillsInDefaults) {
  OpDef op = Example();
  auto complete = CompleteAttributes(op, Attributes({{"axis", AttributeOf(1)}}));
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_EQ(complete->ToString(), "axis=1 keepdims=False");
  EXPECT_EQ(MessageOf(CompleteAttributes(op, {}).status()),
            "missing attribute `axis`, which `example` requires");
  EXPECT_EQ(MessageOf(CompleteAttributes(op, Attributes({{"axes", AttributeOf(1)}})).status()),
            "attribute `axes` not found; `example` has: `axis`, `keepdims`");
}

TEST(HasOwnDTypeTest, GoesByName) {
  OpDef op = Example();
  EXPECT_FALSE(HasOwnDType(op, 1));
  op.own_dtypes = {"y"};
  EXPECT_FALSE(HasOwnDType(op, 0));
  EXPECT_TRUE(HasOwnDType(op, 1));
  op.inputs = {"x", "y..."};
  EXPECT_FALSE(HasOwnDType(op, 0));
  EXPECT_TRUE(HasOwnDType(op, 7));
}

TEST(CheckArityTest, CountsInputs) {
  OpDef op = Example();
  EXPECT_TRUE(CheckArity(op, 1).ok());
  EXPECT_TRUE(CheckArity(op, 2).ok());
  EXPECT_EQ(MessageOf(CheckArity(op, 0)), "`example`: expected the inputs (x, y?), found 0 inputs");
  EXPECT_EQ(MessageOf(CheckArity(op, 3)), "`example`: expected the inputs (x, y?), found 3 inputs");
  op.inputs = {"xs..."};
  EXPECT_TRUE(CheckArity(op, 0).ok());
  EXPECT_TRUE(CheckArity(op, 9).ok());
}

TEST(OpRegistryTest, KnowsTheNamesOfOtherLibraries) {
  const OpRegistry& ops = BuiltinOps();
  EXPECT_EQ(MessageOf(ops.Find("subtract").status()),
            "op `subtract` not found; its name in Signet is `sub`");
  std::string_view last;
  for (const auto& [name, op] : FamiliarNames()) {
    SCOPED_TRACE(name);
    EXPECT_LT(last, name);
    EXPECT_EQ(ops.Lookup(name), nullptr) << "is an op itself";
    EXPECT_NE(ops.Lookup(op), nullptr) << op << " is not an op";
    last = name;
  }
  EXPECT_EQ(LookupFamiliarName("max"), "reduce_max");
  EXPECT_EQ(LookupFamiliarName("max", 2), "maximum");
  EXPECT_EQ(MessageOf(ops.Find("log2").status()),
            "op `log2` not found; write `log(x) / 0.6931471805599453`");
  last = "";
  for (const auto& [name, expression] : FamiliarExpressions()) {
    SCOPED_TRACE(name);
    EXPECT_LT(last, name);
    last = name;
    for (size_t end = expression.find('('); end != expression.npos;
         end = expression.find('(', end + 1)) {
      size_t begin = end;
      while (begin > 0 && (std::isalnum(expression[begin - 1]) || expression[begin - 1] == '_')) {
        --begin;
      }
      const std::string_view op = expression.substr(begin, end - begin);
      if (op.empty()) continue;
      EXPECT_NE(ops.Lookup(op), nullptr) << op << " is not an op";
    }
  }
}

}  // namespace
}  // namespace signet
