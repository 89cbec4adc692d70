// Imports functions that pass ragged values as variants, and the names of outputs of operators on
// sets and sparse values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/import/saved_model_text.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

std::string RaggedTypes(std::string_view rank_attribute, int rank) {
  return AttributeText(rank_attribute, Cat("i: ", rank)) +
         AttributeText("Tvalues", "type: DT_FLOAT") + AttributeText("Tsplits", "type: DT_INT64");
}

// A model that encodes rows, passes the variant through `op`, and decodes it in a function.
SavedModelText PassedThrough(bool batched, int decoded_rank) {
  SavedModelText model;
  const std::string encoded = RaggedTypes("RAGGED_RANK", 1) +
                              AttributeText("batched_input", batched ? "b: true" : "b: false");
  model
      .Function("decode", {{"rows", "DT_VARIANT"}},
                {{"splits", "DT_INT64"}, {"values", "DT_FLOAT"}},
                {{"splits", "out:output_nested_splits:0"}, {"values", "out:output_dense_values:0"}},
                {SavedModelText::NodeText("out", "RaggedTensorFromVariant", {"rows"},
                                          RaggedTypes("output_ragged_rank", decoded_rank))})
      .Placeholder("splits", "DT_INT64", {-1})
      .Placeholder("values", "DT_FLOAT", {-1})
      .Node("rows", "RaggedTensorToVariant", {"splits", "values"}, encoded)
      .Node("call", "PartitionedCall", {"rows"},
            AttributeText("f", "func { name: 'decode' }") +
                AttributeText("Tout", "list { type: DT_INT64 type: DT_FLOAT }"))
      .Node("a", "Identity", {"call"})
      .Node("b", "Neg", {"call:1"})
      .Signature({{"splits", "DT_INT64"}, {"values", "DT_FLOAT"}}, {"a", "b"});
  return model;
}

std::vector<std::pair<std::string, Value>> Rows() {
  return {{"splits", Value(Tensor::Of<int64_t>({3}, {0, 2, 3}))},
          {"values", Value(Tensor::Of<float>({3}, {1, 2, 3}))}};
}

TEST(VariantsTest, PassesRaggedValuesAsVariants) {
  for (bool batched : {false, true}) {
    EXPECT_EQ(PassedThrough(batched, 1).Call(Rows()),
              "dict(a: int64[3], b: float32[3]) {a: [0, 2, 3], b: [-1.0, -2.0, -3.0]}");
  }
}

TEST(VariantsTest, RejectsVariantsThatAreDecodedWithAnotherRank) {
  EXPECT_THAT(PassedThrough(true, 2).Call(Rows()),
              HasSubstr("`output_ragged_rank`: expected 1, the number of ragged dimensions of the "
                        "value, found 2"));
}

TEST(VariantsTest, ResolvesTheOutputsOfSetOperations) {
  SavedModelText model;
  model
      .Function("union", {{"a", "DT_STRING"}, {"b", "DT_STRING"}},
                {{"values", "DT_STRING"}, {"shape", "DT_INT64"}},
                {{"values", "set:result_values:0"}, {"shape", "set:result_shape:0"}},
                {SavedModelText::NodeText("set", "DenseToDenseSetOperation", {"a", "b"},
                                          AttributeText("set_operation", "s: 'union'") +
                                              AttributeText("T", "type: DT_STRING"))})
      .Placeholder("x", "DT_STRING", {-1, -1})
      .Node("call", "PartitionedCall", {"x", "x"},
            AttributeText("f", "func { name: 'union' }") +
                AttributeText("Tout", "list { type: DT_STRING type: DT_INT64 }"))
      .Node("shape", "Identity", {"call:1"})
      .Node("values", "Identity", {"call"})
      .Signature({{"x", "DT_STRING"}}, {"shape", "values"});
  EXPECT_EQ(
      model.Call(
          {{"x", Value(Tensor::Strings({1, 3}, std::vector<std::string_view>{"b", "a", "b"}))}}),
      "dict(shape: int64[2], values: string[2]) {shape: [1, 2], values: [\"a\", \"b\"]}");
}

// A parsed tensor has a rank that is not known before the call.
TEST(VariantsTest, ChecksTheShapeOfAParsedTensor) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("written", "SerializeTensor", {"x"}, AttributeText("T", "type: DT_FLOAT"))
      .Node("read", "ParseTensor", {"written"}, AttributeText("out_type", "type: DT_FLOAT"))
      .Node("y", "EnsureShape", {"read"}, AttributeText("shape", "shape { dim { size: 2 } }"))
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  EXPECT_EQ(model.Call({{"x", Value(Tensor::Of<float>({2}, {1, 2}))}}),
            "dict(y: float32[2]) {y: [1.0, 2.0]}");
  EXPECT_THAT(model.Call({{"x", Value(Tensor::Of<float>({3}, {1, 2, 3}))}}), HasSubstr("error: "));
}

}  // namespace
}  // namespace signet
