// Imports SavedModels whose variables and tables are computed when they are loaded.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/import/saved_model_text.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

constexpr char kInit[] =
    "collection_def { key: 'legacy_init_op' value { node_list { value: 'init' } } }";

Value Words(std::initializer_list<std::string_view> words) {
  return Value(Tensor::Strings({static_cast<int64_t>(words.size())}, std::vector(words)));
}

std::string TableTypes() {
  return AttributeText("key_dtype", "type: DT_STRING") +
         AttributeText("value_dtype", "type: DT_INT64");
}

SavedModelText Lookup(std::string_view table) {
  SavedModelText model;
  model.Placeholder("x", "DT_STRING", {-1})
      .Node("table", table, {}, TableTypes())
      .Constant("missing", "DT_INT64", {}, "int64_val: -1")
      .Node("y", "LookupTableFindV2", {"table", "x", "missing"})
      .Node("size", "LookupTableSizeV2", {"table"})
      .Signature({{"x", "DT_STRING"}}, {"size", "y"})
      .Field(kInit);
  return model;
}

// The values of a vocabulary are numbers that operators make.
TEST(InitializationTest, ComputesTheValuesOfATable) {
  SavedModelText model = Lookup("HashTableV2");
  model.Constant("keys", "DT_STRING", {3}, "string_val: 'a' string_val: 'b' string_val: 'c'")
      .Node("count", "Size", {"keys"})
      .Constant("zero", "DT_INT32", {}, "int_val: 0")
      .Constant("one", "DT_INT32", {}, "int_val: 1")
      .Node("range", "Range", {"zero", "count", "one"})
      .Node("values", "Cast", {"range"}, AttributeText("DstT", "type: DT_INT64"))
      .Node("fill", "InitializeTableV2", {"table", "keys", "values"})
      .Node("init", "NoOp", {"^fill"});
  EXPECT_EQ(model.Call({{"x", Words({"c", "z"})}}),
            "dict(size: int64[], y: int64[2]) {size: 3, y: [2, -1]}");
}

TEST(InitializationTest, StatesWhyAValueIsNotKnown) {
  SavedModelText model = Lookup("HashTableV2");
  model.Constant("keys", "DT_STRING", {1}, "string_val: 'a'")
      .Node("odd", "Svd", {"keys"})
      .Node("values", "Cast", {"odd"}, AttributeText("DstT", "type: DT_INT64"))
      .Node("init", "InitializeTableV2", {"table", "keys", "values"});
  EXPECT_THAT(
      model.Call({{"x", Words({"a"})}}),
      HasSubstr("its contents are not known when the model is loaded: node `values` (Cast): "
                "unsupported operators: Svd"));
}

// A value that would need too much memory is not computed.
TEST(InitializationTest, LimitsWhatIsComputed) {
  SavedModelText model = Lookup("HashTableV2");
  model.Constant("keys", "DT_STRING", {1}, "string_val: 'a'")
      .Constant("count", "DT_INT32", {1}, "int_val: 2000000000")
      .Constant("one", "DT_INT64", {}, "int64_val: 1")
      .Node("values", "Fill", {"count", "one"})
      .Node("init", "InitializeTableV2", {"table", "keys", "values"});
  EXPECT_THAT(model.Call({{"x", Words({"a"})}}), HasSubstr("a call may hold 268435456"));
}

// A table that is filled one entry at a time, and was not filled, is empty.
TEST(InitializationTest, ReadsAnEmptyTable) {
  SavedModelText model = Lookup("MutableHashTableV2");
  model.Node("init", "NoOp", {});
  EXPECT_EQ(model.Call({{"x", Words({"c"})}}),
            "dict(size: int64[], y: int64[1]) {size: 0, y: [-1]}");
  SavedModelText filled = Lookup("MutableHashTableV2");
  filled.Constant("keys", "DT_STRING", {1}, "string_val: 'a'")
      .Constant("values", "DT_INT64", {1}, "int64_val: 5")
      .Node("init", "LookupTableInsertV2", {"table", "keys", "values"});
  EXPECT_THAT(filled.Call({{"x", Words({"a"})}}), HasSubstr("changed by node `init`"));
}

// b = 2 * a, both variables without a checkpoint.
TEST(InitializationTest, ComputesVariablesFromVariables) {
  SavedModelText model;
  const std::string variable = AttributeText("dtype", "type: DT_FLOAT") +
                               AttributeText("shape", "shape { dim { size: 2 } }");
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Constant("three", "DT_FLOAT", {}, "float_val: 3")
      .Constant("shape", "DT_INT32", {1}, "int_val: 2")
      .Node("start", "Fill", {"shape", "three"})
      .Node("a", "VariableV2", {}, variable)
      .Node("b", "VarHandleOp", {}, variable)
      .Node("assign_a", "Assign", {"a", "start"})
      .Node("read", "Identity", {"a"})
      .Node("twice", "Add", {"read", "read"})
      .Node("assign_b", "AssignVariableOp", {"b", "twice", "^assign_a"})
      .Node("init", "NoOp", {"^assign_b"})
      .Node("value", "ReadVariableOp", {"b"})
      .Node("y", "Mul", {"x", "value"})
      .Signature({{"x", "DT_FLOAT"}}, {"y"})
      .Field(kInit);
  EXPECT_EQ(model.Call({{"x", Value(Tensor::Of<float>({2}, {1, 2}))}}),
            "dict(y: float32[2]) {y: [6.0, 12.0]}");
}

}  // namespace
}  // namespace signet
