// Imports signatures with composite values and with serialized examples.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signet/notation.h"
#include "tests/core/frontends/savedmodel/import/saved_model_text.h"

namespace signet {
namespace {

// A signature of version 1 whose input and output are ragged.
TEST(SignaturesTest, PassesRaggedValues) {
  SavedModelText model;
  auto composite = [](std::string_view key, std::string_view values) {
    return Cat(
        "key: '", key, "' value { composite_tensor { type_spec { type_spec_class: ",
        "RAGGED_TENSOR_SPEC type_state { tuple_value { values { tensor_shape_value { dim { ",
        "size: -1 } dim { size: -1 } } } values { tensor_dtype_value: DT_FLOAT } values { ",
        "int64_value: 1 } values { tensor_dtype_value: DT_INT64 } } } } components { name: '",
        values, ":0' dtype: DT_FLOAT } components { name: 'splits:0' dtype: DT_INT64 } } }");
  };
  model.Placeholder("values", "DT_FLOAT", {-1})
      .Placeholder("splits", "DT_INT64", {-1})
      .Node("negated", "Neg", {"values"})
      .Field(Cat("signature_def { key: 'serving_default' value { inputs { ",
                 composite("x", "values"), " } outputs { ", composite("y", "negated"), " } } }"));
  auto x = ParseValue("ragged float32[2, (?)] [[1, 2], [3]]");
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_EQ(model.Call({{"x", *x}}), "dict(y: ragged float32[2, (?)]) {y: [[-1.0, -2.0], [-3.0]]}");
}

// Functions whose names begin with an underscore are not public, but signatures are.
TEST(SignaturesTest, MakesPublicNamesOfAnyKey) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1}).Node("y", "Neg", {"x"});
  for (std::string_view key : {"2d", "_hidden", "", "__saved_model_init_op"}) {
    model.Field(Cat("signature_def { key: '", key, "' value { inputs { key: 'x' value { name: ",
                    "'x:0' dtype: DT_FLOAT } } outputs { key: 'y' value { name: 'y:0' } } } }"));
  }
  TemporaryFolder folder;
  auto loaded = model.Load(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<std::string> names;
  for (const FunctionDef& function : (*loaded)->def().functions) names.push_back(function.name);
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("signature_2d", "signature__hidden", "signature_"));
}

// The names of signatures, inputs, and outputs are never those of others.
TEST(SignaturesTest, KeepsNamesApart) {
  SavedModelText model;
  auto info = [](std::string_view kind, std::string_view key, std::string_view node) {
    return Cat(kind, " { key: '", key, "' value { name: '", node, ":0' dtype: DT_FLOAT } } ");
  };
  model.Placeholder("p", "DT_FLOAT", {-1}).Placeholder("q", "DT_FLOAT", {-1});
  model.Node("np", "Neg", {"p"}).Node("nq", "Neg", {"q"});
  for (std::string_view key : {"a b", "a_b", "a-b"}) {
    model.Field(Cat("signature_def { key: '", key, "' value { ", info("inputs", "user-id", "p"),
                    info("inputs", "user_id", "q"), info("outputs", "y-1", "np"),
                    info("outputs", "y_1", "nq"), "} }"));
  }
  TemporaryFolder folder;
  auto loaded = model.Load(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto name_of = [&](std::string_view signature) {
    auto found = (*loaded)->FindFunction(signature);
    return found.ok() ? (*found)->def().name : found.status().ToString();
  };
  EXPECT_EQ(name_of("a_b"), "a_b");
  EXPECT_EQ(name_of("a b"), "a_b_2");
  EXPECT_EQ(name_of("a-b"), "a_b_3");
  EXPECT_EQ(name_of("a_b_3"), "a_b_3");
  EXPECT_THAT(name_of("a+b"), ::testing::HasSubstr("functions: `a b`, `a-b`, `a_b`"));
  const FunctionDef& def = (*(*loaded)->FindFunction("a b"))->def();
  using Names = absl::flat_hash_map<std::string, std::string>;
  EXPECT_EQ(def.source_parameters, (Names{{"user_id_2", "user-id"}}));
  EXPECT_EQ(def.source_results, (Names{{"y_1_2", "y-1"}}));
}

// Operators that TPUs and debuggers need return their input.
TEST(SignaturesTest, PassesValuesThroughAnnotations) {
  for (const char* op : {"XlaSharding", "DebugIdentityV3", "CopyHost"}) {
    SavedModelText model;
    model.Placeholder("x", "DT_FLOAT", {-1})
        .Node("same", op, {"x"})
        .Node("y", "Neg", {"same"})
        .Signature({{"x", "DT_FLOAT"}}, {"y"});
    EXPECT_EQ(model.Call({{"x", Value(Tensor::Of<float>({1}, {3}))}}),
              "dict(y: float32[1]) {y: [-3.0]}")
        << op;
  }
}

// Fields of features that an example may lack have a default value.
TEST(SignaturesTest, MakesRecordsWithDefaults) {
  SavedModelText model;
  auto list = [](std::string_view name, std::string_view items) {
    return AttributeText(name, Cat("list { ", items, " }"));
  };
  model.Placeholder("x", "DT_STRING", {-1})
      .Constant("names", "DT_STRING", {0}, "")
      .Constant("sparse", "DT_STRING", {1}, "string_val: 's'")
      .Constant("dense", "DT_STRING", {2}, "string_val: 'a' string_val: 'b'")
      .Constant("none", "DT_FLOAT", {0}, "")
      .Constant("nine", "DT_FLOAT", {}, "float_val: 9")
      .Constant("ragged", "DT_STRING", {0}, "")
      .Node("parse", "ParseExampleV2", {"x", "names", "sparse", "dense", "ragged", "none", "nine"},
            list("sparse_types", "type: DT_INT64") +
                list("Tdense", "type: DT_FLOAT type: DT_FLOAT") +
                list("dense_shapes", "shape { } shape { }") + AttributeText("num_sparse", "i: 1"))
      .Node("y", "Add", {"parse:3", "parse:4"})
      .Node("z", "Identity", {"parse:2"})
      .Signature({{"x", "DT_STRING"}}, {"y", "z"});
  TemporaryFolder folder;
  auto loaded = model.Load(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto records = (*loaded)->FindFunction("serving_default_records");
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_EQ(
      (*records)->signature(),
      "serving_default_records(x: [{s: int64[(?)] = [], a: float32[], b: float32[(?)] = []}])");
}

}  // namespace
}  // namespace signet
