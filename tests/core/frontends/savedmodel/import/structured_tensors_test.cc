// Imports functions whose arguments and results are structures: values of tf.StructuredTensor.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/import/object_graph_text.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using Inputs = std::vector<std::pair<std::string, std::string>>;

std::string ShapeText(const std::vector<int64_t>& sizes) {
  std::string dims;
  for (int64_t size : sizes) dims += Cat("dim { size: ", size, " } ");
  return Cat("tensor_shape_value { ", dims, "}");
}

std::string RaggedText(std::string_view dtype, int rank, std::string_view splits = "DT_INT64") {
  return Cat("type_spec_value { type_spec_class: RAGGED_TENSOR_SPEC type_state { ",
             TupleText({ShapeText(std::vector<int64_t>(static_cast<size_t>(rank) + 1, -1)),
                        Cat("tensor_dtype_value: ", dtype), Cat("int64_value: ", rank),
                        Cat("tensor_dtype_value: ", splits)}),
             " } }");
}

// A row partition whose rows have `length` values; -1 for any length.
std::string PartitionText(int64_t length, std::string_view splits = "DT_INT64") {
  return Cat("type_spec_value { type_spec_class: ROW_PARTITION_SPEC type_state { ",
             TupleText({ShapeText({-1}), ShapeText({-1}), ShapeText({length}),
                        Cat("tensor_dtype_value: ", splits)}),
             " } }");
}

std::string StructureText(const std::vector<std::pair<std::string, std::string>>& fields,
                          const Texts& partitions, const std::vector<int64_t>& inner = {-1},
                          std::string_view splits = "DT_INT64") {
  const std::string shape =
      ExtensionText("tf.DynamicRaggedShape.Spec",
                    {{"_row_partitions", TupleText(partitions)},
                     {"_inner_shape", TensorText(splits, Cat("dim { size: ", inner.size(), " }"))},
                     {"_static_inner_shape", ShapeText(inner)}});
  return ExtensionText("tf.StructuredTensor.Spec",
                       {{"_fields", DictText(fields)}, {"_ragged_shape", shape}});
}

class StructuredTensorsTest : public ObjectGraphTest {
 protected:
  // Calls a function that receives the tensors of a value, and returns them as a value.
  std::string Roundtrip(const std::string& type, const Inputs& tensors, std::string_view value) {
    SavedModelText model;
    AddIdentity(model, "same", tensors);
    model.Field(ObjectGraph({.args = {"x"}}, {{"same", {type}, {}, type}}));
    model_.reset();
    Load(model);
    if (model_ == nullptr) return "error: the model was not loaded";
    auto given = ParseValue(value);
    return given.ok() ? Call("f", {{*given}, {}}) : Cat("error: ", MessageOf(given.status()));
  }
};

// The fields of records are tensors, ragged tensors, and other structures.
TEST_F(StructuredTensorsTest, PassesRecords) {
  const std::string inner = StructureText({{"d", RaggedText("DT_INT32", 1)}}, {PartitionText(-1)});
  const std::string type = StructureText({{"c", inner},
                                          {"a", TensorText("DT_FLOAT", "dim { size: -1 }")},
                                          {"b", RaggedText("DT_STRING", 1)}},
                                         {});
  const Inputs tensors = {{"a", "DT_FLOAT"},        {"b", "DT_STRING"},
                          {"b_splits", "DT_INT64"}, {"d", "DT_INT32"},
                          {"d_splits", "DT_INT64"}, {"c_splits", "DT_INT64"},
                          {"c_shape", "DT_INT64"},  {"shape", "DT_INT64"}};
  const std::string fields = "a: float32[], b: string[(?)], c: [{d: int32[]}]";
  const std::string value = Cat("{", fields, "}[2] [{a: 1.0, b: [\"x\", \"y\"], c: []}, ",
                                "{a: 2.0, b: [], c: [{d: 3}, {d: 4}]}]");
  EXPECT_EQ(Roundtrip(type, tensors, value), value);
  EXPECT_THAT(Signature("f"), HasSubstr(Cat("f(x: [{", fields, "}])")));
}

// Structures have ragged dimensions, or none.
TEST_F(StructuredTensorsTest, PassesStructuresOfAllRanks) {
  const std::string value = "{a: int32[]}[2, ?] [[{a: 1}, {a: 2}], []]";
  const Inputs tensors = {
      {"a", "DT_INT32"}, {"a_splits", "DT_INT64"}, {"splits", "DT_INT64"}, {"shape", "DT_INT64"}};
  const std::string ragged = StructureText({{"a", RaggedText("DT_INT32", 1)}}, {PartitionText(-1)});
  EXPECT_EQ(Roundtrip(ragged, tensors, value), value);
  EXPECT_THAT(Signature("f"), HasSubstr("f(x: [[{a: int32[]}]])"));

  const std::string deep = "{a: int32[]}[1, ?, ?] [[[{a: 1}, {a: 2}], []]]";
  EXPECT_EQ(Roundtrip(StructureText({{"a", RaggedText("DT_INT32", 2)}},
                                    {PartitionText(-1), PartitionText(-1)}),
                      {{"a", "DT_INT32"},
                       {"a_splits", "DT_INT64"},
                       {"a_splits_2", "DT_INT64"},
                       {"splits", "DT_INT64"},
                       {"splits_2", "DT_INT64"},
                       {"shape", "DT_INT64"}},
                      deep),
            deep);

  // A scalar has no rows.
  const std::string scalar = "{a: int32[], b: string[2]} {a: 1, b: [\"x\", \"y\"]}";
  EXPECT_EQ(Roundtrip(StructureText({{"a", TensorText("DT_INT32", "")},
                                     {"b", TensorText("DT_STRING", "dim { size: 2 }")}},
                                    {}, {}),
                      {{"a", "DT_INT32"}, {"b", "DT_STRING"}, {"shape", "DT_INT64"}}, scalar),
            scalar);
}

// Rows of one length may be a tensor, and row splits may be int32.
TEST_F(StructuredTensorsTest, PassesUniformRowsAndNarrowRowSplits) {
  const std::string rows = "dim { size: -1 } dim { size: 2 }";
  EXPECT_EQ(Roundtrip(StructureText({{"a", TensorText("DT_INT32", rows)}}, {PartitionText(2)}),
                      {{"a", "DT_INT32"}, {"splits", "DT_INT64"}, {"shape", "DT_INT64"}},
                      "{a: int32[]}[1, 2] [[{a: 1}, {a: 2}]]"),
            "{a: int32[]}[1, 2] [[{a: 1}, {a: 2}]]");
  const std::string value = "{a: int32[]}[2, ?] [[{a: 1}, {a: 2}], []]";
  const Inputs narrow = {
      {"a", "DT_INT32"}, {"a_splits", "DT_INT32"}, {"splits", "DT_INT32"}, {"shape", "DT_INT32"}};
  EXPECT_EQ(Roundtrip(StructureText({{"a", RaggedText("DT_INT32", 1, "DT_INT32")}},
                                    {PartitionText(-1, "DT_INT32")}, {-1}, "DT_INT32"),
                      narrow, value),
            value);
}

// The function receives the row splits and the inner shape of the structure.
TEST_F(StructuredTensorsTest, PassesTheShapeOfStructures) {
  SavedModelText model;
  model.Function(
      "parts",
      {{"a", "DT_INT32"}, {"a_splits", "DT_INT64"}, {"splits", "DT_INT64"}, {"shape", "DT_INT64"}},
      {{"x", "DT_INT64"}, {"y", "DT_INT64"}}, {{"x", "splits"}, {"y", "shape"}}, {});
  const std::string vector = TensorText("DT_INT64", "dim { size: -1 }");
  model.Field(ObjectGraph(
      {.args = {"x"}}, {{"parts",
                         {StructureText({{"a", RaggedText("DT_INT32", 1)}}, {PartitionText(-1)})},
                         {},
                         TupleText({vector, vector})}}));
  Load(model);
  auto given = ParseValue("{a: int32[]}[2, ?] [[{a: 1}, {a: 2}], []]");
  EXPECT_EQ(Call("f", {{*given}, {}}), "tuple(int64[3], int64[1]) [[0, 2, 2], [2]]");
}

// A structure of a result has its row splits once more.
TEST_F(StructuredTensorsTest, ChecksRowSplitsOfResults) {
  SavedModelText model;
  AddIdentity(
      model, "same",
      {{"a", "DT_INT32"}, {"a_splits", "DT_INT64"}, {"splits", "DT_INT64"}, {"shape", "DT_INT64"}});
  const std::string vector = TensorText("DT_INT64", "dim { size: -1 }");
  model.Field(
      ObjectGraph({.args = {"a", "a_splits", "splits", "shape"}},
                  {{"same",
                    {TensorText("DT_INT32", "dim { size: -1 }"), vector, vector, vector},
                    {},
                    StructureText({{"a", RaggedText("DT_INT32", 1)}}, {PartitionText(-1)})}}));
  Load(model);
  auto call = [&](std::initializer_list<int64_t> splits) {
    auto vector_of = [](std::initializer_list<int64_t> values) {
      return Value(Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values));
    };
    return Call("f", {{Value(Tensor::Of<int32_t>({2}, {1, 2})), vector_of({0, 1, 2}),
                       vector_of(splits), vector_of({2})},
                      {}});
  };
  EXPECT_EQ(call({0, 1, 2}), "{a: int32[]}[2, ?] [[{a: 1}], [{a: 2}]]");
  EXPECT_THAT(call({0, 0, 2}), HasSubstr("row splits of a structure differ"));
}

// A structure may be a component of an extension type, which the model declares.
TEST_F(StructuredTensorsTest, PassesStructuresInExtensionTypes) {
  const std::string records =
      StructureText({{"a", TensorText("DT_FLOAT", "dim { size: -1 }")}}, {}, {2});
  const std::string value =
      "shop.T<unit=\"kg\">(rows: {a: float32[]}[2]) {rows: [{a: 1.0}, {a: 2.0}]}";
  EXPECT_EQ(Roundtrip(ExtensionText("shop.T.Spec", {{"rows", records}, {"unit", TextValue("kg")}}),
                      {{"a", "DT_FLOAT"}, {"shape", "DT_INT64"}}, value),
            value);
  ASSERT_EQ(model_->def().extension_types.size(), 1U);
  EXPECT_EQ(model_->def().extension_types[0].declaration.components[0].second.ToString(),
            "[{a: float32[]}]");
}

TEST_F(StructuredTensorsTest, RejectsInvalidTypes) {
  const std::string field = TensorText("DT_FLOAT", "dim { size: -1 }");
  const std::string state = "expected the state of a tf.StructuredTensor.Spec";
  const std::pair<std::string, std::string> cases[] = {
      {ExtensionText("tf.StructuredTensor.Spec", {{"_fields", field}}), state},
      {ExtensionText("tf.StructuredTensor.Spec", {{"_fields", field}, {"_ragged_shape", field}}),
       state},
      {StructureText({{"a", field}}, {field}), state},
      {StructureText({{"a", field}}, {}, {-1, -1}), "unsupported inner dimensions"},
      {StructureText({{"a", RaggedText("DT_INT32", 1)}}, {PartitionText(-1)}, {}),
       "unsupported inner dimensions"},
      {StructureText({{"a b", field}}, {}), "name of a field: expected a letter"},
      {StructureText({{"a", field}}, {PartitionText(-1)}),
       "at least the dimensions of its structure"},
      {StructureText({{"a", TextValue("x")}}, {}), "field `a`: expected a tensor, ragged"},
      {StructureText({{"a", ExtensionText("b.C.Spec", {})}}, {}), "field `a`: "},
      {StructureText({{"a", field}}, Texts(100, PartitionText(-1))), "inner dimensions"},
  };
  for (const auto& [type, error] : cases) {
    SCOPED_TRACE(type);
    SavedModelText model;
    AddSum(model, "one", {"a", "b"});
    model.Field(ObjectGraph({.args = {"x"}}, {{"one", {type}}}));
    TemporaryFolder folder;
    EXPECT_THAT(model.Load(folder.path()).status().message(), HasSubstr(error));
  }
}

}  // namespace
}  // namespace signet
