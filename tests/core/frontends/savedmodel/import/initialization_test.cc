// Imports SavedModels whose variables and tables are computed when they are loaded.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/checkpoint/sorted_table_writer.h"
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

// A model of an estimator: the trees are a message in the checkpoint, which a handle stands for.
SavedModelText Trees(std::string_view ensemble) {
  SavedModelText model;
  model.Placeholder("age", "DT_INT32", {-1})
      .Node("trees", "BoostedTreesEnsembleResourceHandleOp", {})
      .Constant("stamp", "DT_INT64", {}, "int64_val: 1")
      .Constant("nothing", "DT_STRING", {}, "string_val: ''")
      .Constant("ensemble", "DT_STRING", {}, Cat("string_val: '", ensemble, "'"))
      .Node("create", "BoostedTreesCreateEnsemble", {"trees", "stamp", "nothing"})
      .Node("fill", "BoostedTreesDeserializeEnsemble", {"trees", "stamp", "ensemble", "^create"})
      .Node("init", "NoOp", {"^fill", "^create"})
      .Node("y", "BoostedTreesPredict", {"trees", "age"},
            AttributeText("num_bucketized_features", "i: 1") +
                AttributeText("logits_dimension", "i: 1"))
      .Signature({{"age", "DT_INT32"}}, {"y"})
      .Field(kInit);
  return model;
}

Value Ages(std::initializer_list<int32_t> ages) {
  return Value(Tensor::Of<int32_t>({static_cast<int64_t>(ages.size())}, ages));
}

// An ensemble of one tree with the weight 0.5: if the feature is at most 3, 8, else -2. The message
// has a field more than Signet reads.
constexpr char kEnsemble[] =
    "\\n\\034\\n\\010\\022\\006\\020\\003\\030\\001 \\002\\n\\007\\n\\005\\035\\000\\000\\000A"
    "\\n\\007\\n\\005\\035\\000\\000\\000\\300\\022\\004\\000\\000\\000?\\032\\002\\020\\001";

TEST(InitializationTest, EvaluatesTrees) {
  EXPECT_EQ(Trees(kEnsemble).Call({{"age", Ages({3, 4})}}),
            "dict(y: float32[2, 1]) {y: [[4.0], [-1.0]]}");
  EXPECT_EQ(Trees("").Call({{"age", Ages({3})}}), "dict(y: float32[1, 1]) {y: [[0.0]]}");
}

TEST(InitializationTest, ReadsTheBoundariesOfBuckets) {
  const std::string count = AttributeText("num_features", "i: 2");
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("streams", "BoostedTreesQuantileStreamResourceHandleOp", {})
      .Constant("first", "DT_FLOAT", {1}, "float_val: 9")
      .Constant("second", "DT_FLOAT", {3}, "float_val: 1 float_val: 2 float_val: 3")
      .Node("init", "BoostedTreesQuantileStreamResourceDeserialize", {"streams", "first", "second"})
      .Node("edges", "BoostedTreesQuantileStreamResourceGetBucketBoundaries", {"streams"}, count)
      .Node("buckets", "BoostedTreesBucketize", {"x", "x", "edges", "edges:1"}, count)
      .Node("y", "Identity", {"buckets:1"})
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  const std::vector<std::pair<std::string, Value>> given = {
      {"x", Value(Tensor::Of<float>({3}, {0.5F, 1.5F, 5}))}};
  EXPECT_THAT(model.Call(given), HasSubstr("the boundaries of buckets are not known"));
  EXPECT_EQ(model.Field(kInit).Call(given), "dict(y: int32[3]) {y: [0, 1, 2]}");
}

TEST(InitializationTest, RejectsTreesThatAreDamaged) {
  EXPECT_THAT(Trees("\\n\\034").Call({{"age", Ages({3})}}),
              HasSubstr("expected an ensemble of trees, found bytes that do not parse"));
  EXPECT_THAT(Trees("\\n\\n\\n\\010\\022\\006\\020\\003\\030\\001 \\002\\022\\004\\000\\000\\000?")
                  .Call({{"age", Ages({3})}}),
              HasSubstr("tree 0: expected a node from 0 to 0, found 1"));
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

// Adds an import of 3 keys and values.
SavedModelText& AddImport(SavedModelText& model, std::string_view import) {
  return model.Constant("keys", "DT_STRING", {3}, "string_val: 'a' string_val: 'b' string_val: 'c'")
      .Constant("values", "DT_INT64", {3}, "int64_val: 5 int64_val: 6 int64_val: 7")
      .Node("init", import, {"table", "keys", "values"});
}

// Functions that only look values up use the contents that the initialization leaves.
TEST(InitializationTest, ReadsTablesThatOtherFunctionsChange) {
  for (auto [table, import] : {std::pair("MutableHashTable", "LookupTableImport"),
                               {"MutableHashTableV2", "LookupTableImportV2"},
                               {"AnonymousMutableHashTable", "LookupTableImportV2"},
                               {"AnonymousHashTable", "InitializeTableV2"},
                               {"HashTable", "InitializeTable"}}) {
    SavedModelText model = Lookup(table);
    EXPECT_EQ(AddImport(model, import).Call({{"x", Words({"c", "z"})}}),
              "dict(size: int64[], y: int64[2]) {size: 3, y: [7, -1]}")
        << table;
  }
}

TEST(InitializationTest, ExportsTables) {
  for (std::string_view op : {"LookupTableExport", "LookupTableExportV2"}) {
    SavedModelText model;
    model.Node("table", "MutableHashTableV2", {}, TableTypes())
        .Node("all", op, {"table"})
        .Node("keys_out", "Identity", {"all"})
        .Node("values_out", "Identity", {"all:1"})
        .Signature({}, {"keys_out", "values_out"})
        .Field(kInit);
    EXPECT_EQ(AddImport(model, "LookupTableImportV2").Call({}),
              "dict(keys_out: string[3], values_out: int64[3]) "
              "{keys_out: [\"a\", \"b\", \"c\"], values_out: [5, 6, 7]}")
        << op;
  }
}

// A dense table is imported with its unused places, which have one of two keys.
TEST(InitializationTest, RemovesUnusedPlacesOfDenseTables) {
  for (std::string_view op : {"MutableDenseHashTable", "MutableDenseHashTableV2"}) {
    SavedModelText model;
    model.Placeholder("x", "DT_INT64", {-1})
        .Constant("empty", "DT_INT64", {}, "int64_val: 100")
        .Constant("deleted_value", "DT_INT64", {}, "int64_val: -100")
        .Node("deleted", "Identity", {"deleted_value"})
        .Node("table", op, {"empty", "deleted"},
              AttributeText("key_dtype", "type: DT_INT64") +
                  AttributeText("value_dtype", "type: DT_STRING"))
        .Constant("missing", "DT_STRING", {}, "string_val: '?'")
        .Node("y", "LookupTableFindV2", {"table", "x", "missing"})
        .Node("size", "LookupTableSizeV2", {"table"})
        .Constant("keys", "DT_INT64", {6},
                  "int64_val: 100 int64_val: 7 int64_val: -100 int64_val: 8 int64_val: 100 "
                  "int64_val: -100")
        .Constant("values", "DT_STRING", {6},
                  "string_val: '' string_val: 'a' string_val: 'old' string_val: 'b' "
                  "string_val: '' string_val: 'older'")
        .Node("init", "LookupTableImportV2", {"table", "keys", "values"})
        .Signature({{"x", "DT_INT64"}}, {"size", "y"})
        .Field(kInit);
    EXPECT_EQ(model.Call({{"x", Value(Tensor::Of<int64_t>({4}, {8, 7, 100, -100}))}}),
              "dict(size: int64[], y: string[4]) "
              "{size: 2, y: [\"b\", \"a\", \"?\", \"?\"]}")
        << op;
  }
}

TEST(InitializationTest, RejectsUnusedKeysOfAnotherDType) {
  SavedModelText model;
  model.Placeholder("x", "DT_STRING", {-1})
      .Constant("empty", "DT_INT64", {}, "int64_val: 100")
      .Node("table", "MutableDenseHashTableV2", {"empty", "empty"}, TableTypes())
      .Constant("missing", "DT_INT64", {}, "int64_val: -1")
      .Node("y", "LookupTableFindV2", {"table", "x", "missing"})
      .Signature({{"x", "DT_STRING"}}, {"y"})
      .Field(kInit);
  EXPECT_THAT(AddImport(model, "LookupTableImportV2").Call({{"x", Words({"c"})}}),
              HasSubstr("table `table`: expected an unused key of `string`, found `int64[]`"));
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
      .Node("z", "Mul", {"x", "read"})
      .Signature({{"x", "DT_FLOAT"}}, {"y", "z"})
      .Field(kInit);
  EXPECT_EQ(model.Call({{"x", Value(Tensor::Of<float>({2}, {1, 2}))}}),
            "dict(y: float32[2], z: float32[2]) {y: [6.0, 12.0], z: [3.0, 6.0]}");
}

// Keras 3: the restore op assigns copies, and the variable of a call has the value of its object.
TEST(InitializationTest, ReadsTheValuesOfObjectsThatAFunctionCaptures) {
  SavedModelText model;
  const std::string of_float = AttributeText("dtype", "type: DT_FLOAT");
  model.Function("scaled", {{"x", "DT_FLOAT"}, {"w", "DT_RESOURCE"}}, {{"y", "DT_FLOAT"}},
                 {{"y", "y:z:0"}},
                 {SavedModelText::NodeText("r", "ReadVariableOp", {"w"}, of_float),
                  SavedModelText::NodeText("y", "Mul", {"x", "r:value:0"})});
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("kernel", "VarHandleOp", {}, of_float + AttributeText("shape", "shape { }"))
      .Node("y", "StatefulPartitionedCall", {"x", "kernel"},
            AttributeText("f", "func { name: 'scaled' }") +
                AttributeText("Tin", "list { type: DT_FLOAT type: DT_RESOURCE }") +
                AttributeText("Tout", "list { type: DT_FLOAT }"))
      .Signature({{"x", "DT_FLOAT"}}, {"y"})
      .Field(
          "object_graph_def { nodes { children { node_id: 1 local_name: 'kernel' } "
          "user_object { identifier: '_generic_user_object' } } "
          "nodes { variable { dtype: DT_FLOAT shape { } name: 'kernel' } } "
          "concrete_functions { key: 'scaled' value { bound_inputs: 1 } } }");
  // Without a checkpoint, the object has no value either.
  EXPECT_THAT(model.Call({{"x", Value(Tensor::Of<float>({1}, {2}))}}),
              HasSubstr("variables/variables.index not found; serving_default: variable `kernel` "
                        "has no value"));
  TemporaryFolder folder;
  WriteVariable(folder, "kernel", 3);
  EXPECT_EQ(model.CallIn(folder, {{"x", Value(Tensor::Of<float>({1}, {2}))}}),
            "dict(y: float32[1]) {y: [6.0]}");
}

}  // namespace
}  // namespace signet
