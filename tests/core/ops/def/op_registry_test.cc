#include "core/ops/def/op_registry.h"

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

TEST(OpRegistryTest, RefusesOpsThatAreNotInOrder) {
  struct Case {
    void (*change)(OpDef&);
    const char* message;
  };
  const Case cases[] = {
      {[](OpDef& op) { op.name = "Concat"; }, "op `Concat`: the name takes lower case and _"},
      {[](OpDef& op) { op.summary = ""; },
       "op `example`: the summary has 0 characters; takes 1 to 90"},
      {[](OpDef& op) { op.summary = "joins."; },
       "op `example`: the summary is `joins.`; takes one line that starts with a capital, with no "
       "full stop"},
      {[](OpDef& op) { op.inputs = {"X"}; },
       "op `example`: input 0 is called `X`; takes lower case and _"},
      {[](OpDef& op) {
         op.inputs = {"x", "x"};
       },
       "op `example`: two inputs `x`"},
      {[](OpDef& op) {
         op.inputs = {"xs...", "y"};
       },
       "op `example`: input `xs...` is not the last"},
      {[](OpDef& op) {
         op.inputs = {"x?", "y"};
       },
       "op `example`: input `y` follows one that may be left out"},
      {[](OpDef& op) {
         op.attributes = {{"axis"}, {"axis"}};
       },
       "op `example`: two attributes `axis`"},
      {[](OpDef& op) { op.attributes = {{"odd name"}}; },
       "op `example`: attribute 0 is called `odd name`; takes lower case and _"},
      {[](OpDef& op) {
         op.own_dtypes = {"y", "z"};
       },
       "op `example`: no input `z`, which has a dtype of its own"},
      {[](OpDef& op) { op.infer = nullptr; },
       "op `example`: neither infer nor expand; takes at least one"},
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
       "op `example`: `expand_tensors_if` is `keepdims`: expected the name of an attribute, and an "
       "expansion"},
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
  EXPECT_EQ(MessageOf(registry.Add(Example())), "op `example`: there is one of that name");
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
  // An internal op is no suggestion.
  EXPECT_EQ(MessageOf(registry.Find("exampel").status()), "no op `exampel`; there are none");
  EXPECT_TRUE(BuiltinOps().FindCallable("add").ok());
  EXPECT_FALSE(BuiltinOps().FindCallable("fused_elementwise").ok());
}

TEST(OpRegistryTest, FindNamesTheNearest) {
  const OpRegistry& registry = BuiltinOps();
  EXPECT_EQ((*registry.Find("add"))->name, "add");
  EXPECT_EQ(registry.Find("matmull").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(registry.Find("matmull").status()),
            "no op `matmull`; the nearest is `matmul`");
  EXPECT_EQ(MessageOf(OpRegistry().Find("add").status()), "no op `add`; there are none");
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
            "attribute `axis` is left out; `example` needs it");
  EXPECT_EQ(MessageOf(CompleteAttributes(op, Attributes({{"axes", AttributeOf(1)}})).status()),
            "no attribute `axes`; `example` has: `axis`, `keepdims`");
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
  EXPECT_EQ(MessageOf(CheckArity(op, 0)), "0 inputs; `example` takes (x, y?)");
  EXPECT_EQ(MessageOf(CheckArity(op, 3)), "3 inputs; `example` takes (x, y?)");
  op.inputs = {"xs..."};
  EXPECT_TRUE(CheckArity(op, 0).ok());
  EXPECT_TRUE(CheckArity(op, 9).ok());
}

TEST(OpRegistryTest, KnowsTheNamesOfOtherLibraries) {
  const OpRegistry& ops = BuiltinOps();
  EXPECT_EQ(MessageOf(ops.Find("subtract").status()), "no op `subtract`; `sub` is its name here");
  std::string_view last;
  for (const auto& [name, op] : FamiliarNames()) {
    SCOPED_TRACE(name);
    EXPECT_LT(last, name);
    EXPECT_EQ(ops.Lookup(name), nullptr) << "is an op itself";
    EXPECT_NE(ops.Lookup(op), nullptr) << op << " is not an op";
    last = name;
  }
}

}  // namespace
}  // namespace signet
