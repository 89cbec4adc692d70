#include "core/frontends/onnx/import/importer.h"

#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/json/json.h"
#include "core/frontends/import_model.h"
#include "core/frontends/load_model.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/frontends/onnx/onnx_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kFloatX[] =
    "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'n' } } } } } ";

// A graph from `x` to `y`.
std::string Graph(const std::string& parts) {
  return Cat(kHead, "graph { name: 'g' ", kFloatX, "output { name: 'y' } ", parts, " }");
}

std::string Initializer(const std::string& fields) {
  return Graph(Cat("initializer { name: 'w' ", fields,
                   " } node { op_type: 'Add' input: 'x' input: 'w' output: 'y' }"));
}

TEST(OnnxImporterTest, ReadsAsPythonWould) {
  OnnxFolder onnx(Cat(kHead, "graph { name: 'g' ",
                      "input { name: 'scale' type { tensor_type { elem_type: 1 shape {} } } } ",
                      kFloatX,
                      "initializer { name: 'scale' data_type: 1 float_data: 2 } "
                      "node { op_type: 'Mul' input: 'x' input: 'scale' output: 'a/b:0' } "
                      "node { op_type: 'Neg' input: 'a/b:0' output: 'lambda' } "
                      "output { name: 'a/b:0' } output { name: 'lambda' } }"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  auto main = (*model)->FindFunction("");
  ASSERT_TRUE(main.ok()) << main.status();
  EXPECT_EQ((*main)->signature(), "main(x: float32[n], scale: float32[] = 2.0)");
  auto answer = (*main)->Call({{Value(Tensor::Of<float>({2}, {1, 3}))}, {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(ToString(*answer),
            "dict(a_b_0: float32[2], lambda_: float32[2]) {a_b_0: [2.0, 6.0], lambda_: [-2.0, "
            "-6.0]}");
}

// Which inputs declare what stands for a null: those of which the model replaces missing elements,
// and those that it does not read.
TEST(OnnxImporterTest, DeclaresDefaultsForMissingElements) {
  const std::string imputer =
      "domain: 'ai.onnx.ml' attribute { name: 'replaced_value_float' type: FLOAT f: nan } "
      "attribute { name: 'imputed_value_floats' type: FLOATS floats: 7 }";
  struct Case {
    std::string nodes;
    const char* signature;
  } const cases[] = {
      {Cat("node { op_type: 'Imputer' input: 'x' output: 'y' ", imputer, " }"),
       "main(x: (float32[n] = nan))"},
      {Cat("node { op_type: 'Identity' input: 'x' output: 'a' } node { op_type: 'Imputer' input: "
           "'a' output: 'y' ",
           imputer, " }"),
       "main(x: (float32[n] = nan))"},
      {Cat("node { op_type: 'Cast' input: 'x' output: 'a' attribute { name: 'to' type: INT i: 1 } "
           "} "
           "node { op_type: 'Imputer' input: 'a' output: 'y' ",
           imputer, " }"),
       "main(x: (float32[n] = nan))"},
      {Cat("node { op_type: 'Split' input: 'x' output: 'a' output: 'b' } "
           "node { op_type: 'Imputer' input: 'a' output: 'c' ",
           imputer, " } node { op_type: 'Imputer' input: 'b' output: 'd' ", imputer,
           " } node { op_type: 'Add' input: 'c' input: 'd' output: 'y' }"),
       "main(x: (float32[n] = nan))"},
      {"initializer { name: 'fill' data_type: 1 float_data: 7 } "
       "node { op_type: 'IsNaN' input: 'x' output: 'missing' } "
       "node { op_type: 'Where' input: 'missing' input: 'fill' input: 'x' output: 'y' }",
       "main(x: (float32[n] = nan))"},
      // Nothing reads it.
      {"node { op_type: 'Constant' output: 'y' attribute { name: 'value_float' type: FLOAT f: 2 } "
       "}",
       "main(x: (float32[n] = nan))"},
      // Only a graph within a node reads it.
      {"node { op_type: 'Constant' output: 'c'"
       "  attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: 1 } } } "
       "node { op_type: 'If' input: 'c' output: 'y'"
       "  attribute { name: 'then_branch' type: GRAPH g { output { name: 'x' } } }"
       "  attribute { name: 'else_branch' type: GRAPH g { output { name: 'x' } } } }",
       "main(x: float32[n])"},
      // Another node reads what is compared, or the element itself.
      {"initializer { name: 'fill' data_type: 1 float_data: 7 } "
       "node { op_type: 'IsNaN' input: 'x' output: 'missing' } "
       "node { op_type: 'Where' input: 'missing' input: 'x' input: 'fill' output: 'y' }",
       "main(x: float32[n])"},
      {Cat("node { op_type: 'Imputer' input: 'x' output: 'a' ", imputer,
           " } node { op_type: 'Add' input: 'a' input: 'x' output: 'y' }"),
       "main(x: float32[n])"},
      {"node { op_type: 'Neg' input: 'x' output: 'y' }", "main(x: float32[n])"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.nodes);
    auto model =
        OnnxFolder(Cat("opset_import { domain: 'ai.onnx.ml' version: 3 } ", Graph(c.nodes))).Load();
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ((*(*model)->FindFunction(""))->signature(), c.signature);
  }
}

// Text has no NaN: what stands for a missing one is the text that the model replaces.
TEST(OnnxImporterTest, DeclaresTheTextThatAModelReplaces) {
  OnnxFolder onnx(Cat(
      kHead,
      "graph { name: 'g' input { name: 'port' type { tensor_type { elem_type: 8 shape { dim { "
      "dim_param: 'n' } } } } } output { name: 'y' } "
      "initializer { name: 'missing' data_type: 8 string_data: '?' } "
      "initializer { name: 'usual' data_type: 8 string_data: 'S' } "
      "node { op_type: 'Equal' input: 'port' input: 'missing' output: 'is_missing' } "
      "node { op_type: 'Where' input: 'is_missing' input: 'usual' input: 'port' output: 'y' } }"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  auto main = (*model)->FindFunction("");
  ASSERT_TRUE(main.ok()) << main.status();
  EXPECT_THAT((*main)->signature(), testing::StartsWith("main(port: (string[n] = \"?\"))"));
  const TypeSpec& type = (*main)->def().type.parameters()[0].type;
  auto ports = ValueFromJson(R"(["C", null])", type, Limits());
  ASSERT_TRUE(ports.ok()) << ports.status();
  auto answer = (*main)->Call({{*ports}, {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(ToString(*answer), "string[2] [\"C\", \"S\"]");
}

TEST(OnnxImporterTest, ListsAllThatItCannotImport) {
  EXPECT_EQ(OnnxFolder(Graph("node { op_type: 'Foo' input: 'x' output: 'a' }"
                             "node { op_type: 'Foo' input: 'a' output: 'b' }"
                             "node { op_type: 'Bar' domain: 'com.here' input: 'b' output: 'y' }"))
                .Rejection(),
            "unsupported operators: Foo (2 nodes), com.here.Bar");
}

TEST(OnnxImporterTest, TakesNodesInAnyOrder) {
  OnnxFolder onnx(
      Graph("node { op_type: 'Neg' input: 'a' output: 'y' }"
            "node { op_type: 'If' input: 'c' output: 'a'"
            "  attribute { name: 'then_branch' type: GRAPH g { output { name: 'b' } } }"
            "  attribute { name: 'else_branch' type: GRAPH g { output { name: 'x' } } } }"
            "node { op_type: 'Constant' output: 'c'"
            "  attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: 1 } } }"
            "node { op_type: 'Sqrt' input: 'x' output: 'b' }"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  auto main = (*model)->FindFunction("");
  ASSERT_TRUE(main.ok()) << main.status();
  auto answer = (*main)->Call({{Value(Tensor::Of<float>({1}, {4}))}, {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(ToString(*answer), "float32[1] [-2.0]");
}

TEST(OnnxImporterTest, RejectsUnknownVersions) {
  const std::string rest = Cat("graph { name: 'g' ", kFloatX,
                               "output { name: 'y' } "
                               "node { op_type: 'Neg' input: 'x' output: 'y' } }");
  auto rejection = [&](const std::string& head) { return OnnxFolder(Cat(head, rest)).Rejection(); };
  EXPECT_EQ(rejection("ir_version: 8 opset_import { version: 21 } "), "");
  EXPECT_EQ(rejection("ir_version: 99 opset_import { version: 17 } "),
            "unsupported IR version 99; supported versions: 3 to 13");
  EXPECT_EQ(rejection("ir_version: 2 "), "unsupported IR version 2; supported versions: 3 to 13");
  EXPECT_EQ(rejection("ir_version: 8 opset_import { version: 99 } "),
            "unsupported opset 99 of domain `ai.onnx`; supported opsets: 1 to 28");
  EXPECT_EQ(rejection("ir_version: 8 opset_import { version: 17 } "
                      "opset_import { domain: 'ai.onnx.ml' version: 9 } "),
            "unsupported opset 9 of domain `ai.onnx.ml`; supported opsets: 1 to 5");
}

TEST(OnnxImporterTest, TakesTextThatIsNotUtf8) {
  OnnxFolder onnx(
      Cat("doc_string: 'caf\\351' ", Graph("node { op_type: 'Neg' input: 'x' output: 'y' }")));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->def().doc, "caf\\xe9");
}

TEST(OnnxImporterTest, SaysWhatIsReturned) {
  OnnxFolder onnx(Graph("node { op_type: 'Shape' input: 'x' output: 'y' }"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  const PolymorphicFunction& main = *(*model)->functions()[0];
  EXPECT_EQ(main.def().doc, "Returns `y` of the ONNX graph.");
  EXPECT_EQ(main.output().ToString(), "int64[1]");
}

TEST(OnnxImporterTest, RejectsMalformedGraphs) {
  EXPECT_THAT(OnnxFolder(kHead).Rejection(), HasSubstr("there is no graph"));
  EXPECT_THAT(OnnxFolder(Graph("")).Rejection(), HasSubstr("an earlier node `y` not found"));
  EXPECT_THAT(OnnxFolder(Graph("node { op_type: 'Add' input: 'x' input: 'b' output: 'a' }"
                               "node { op_type: 'Neg' input: 'a' output: 'b' }"
                               "node { op_type: 'Neg' input: 'b' output: 'y' }"))
                  .Rejection(),
              HasSubstr("an earlier node `b` not found"));
  const char* twice = "duplicate output `y`; an input, an initializer, or another node has";
  EXPECT_THAT(OnnxFolder(Graph("node { op_type: 'Neg' input: 'x' output: 'y' }"
                               "node { op_type: 'Abs' input: 'x' output: 'y' }"))
                  .Rejection(),
              HasSubstr(twice));
  EXPECT_THAT(OnnxFolder(Cat(kHead, "functions { name: 'F' domain: 'f' input: 'a' output: 'b' ",
                             "opset_import { domain: 'f' version: 1 } ",
                             "node { op_type: 'F' domain: 'f' input: 'a' output: 'b' } } ",
                             "graph { name: 'g' ", kFloatX,
                             "node { op_type: 'F' domain: 'f' input: 'x' output: 'y' } "
                             "output { name: 'y' } }"))
                  .Rejection(),
              HasSubstr("the depth of calls exceeds the limit of 32"));
}

TEST(OnnxImporterTest, RejectsInputsOfTooHighRank) {
  std::string dims;
  for (int i = 0; i < 65; ++i) dims += "dim { dim_value: 1 } ";
  EXPECT_EQ(OnnxFolder(Cat(kHead, "graph { name: 'g' input { name: 'x' type { tensor_type { ",
                           "elem_type: 1 shape { ", dims, "} } } } output { name: 'x' } }"))
                .Rejection(),
            "input `x`: rank 65 exceeds the limit of 64");
}

// The functions of one node have the same parameters, also if only one of them, or a branch within
// it, uses an outer value.
TEST(OnnxImporterTest, BranchesShareTheParametersOfCapturedValues) {
  const std::string inner =
      "node { op_type: 'If' input: 'c' output: 'r' "
      "attribute { name: 'then_branch' type: GRAPH g { name: 'a' "
      "node { op_type: 'Add' input: 'x' input: 'm' output: 't2' } output { name: 't2' } } } "
      "attribute { name: 'else_branch' type: GRAPH g { name: 'b' "
      "node { op_type: 'Neg' input: 'm' output: 'e2' } output { name: 'e2' } } } }";
  OnnxFolder onnx(Cat(kHead, "graph { name: 'g' ", kFloatX,
                      "input { name: 'c' type { tensor_type { elem_type: 9 shape { } } } }"
                      "node { op_type: 'Abs' input: 'x' output: 'm' }"
                      "node { op_type: 'If' input: 'c' output: 'y' "
                      "attribute { name: 'then_branch' type: GRAPH g { name: 'p' ",
                      inner,
                      "output { name: 'r' } } } "
                      "attribute { name: 'else_branch' type: GRAPH g { name: 'q' "
                      "node { op_type: 'Sub' input: 'm' input: 'x' output: 'z' } "
                      "output { name: 'z' } } } } output { name: 'y' } }"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  std::map<std::string, size_t> parameters;
  for (const auto& function : (*model)->functions()) {
    parameters[function->def().name] = function->def().type.parameters().size();
  }
  // The outer branches capture c, x, and m; the inner branches capture x and m.
  EXPECT_EQ(parameters,
            (std::map<std::string, size_t>{
                {"main", 2}, {"_then", 3}, {"_then_2", 2}, {"_else", 2}, {"_else_2", 3}}));
}

TEST(OnnxImporterTest, RejectsMalformedTensors) {
  const std::string w = "data_type: 1 ";
  for (const auto& [fields, why] : std::initializer_list<std::pair<std::string, std::string>>{
           {w + "dims: 4611686018427387904 dims: 4 raw_data: '1234'",
            "exceeds the limit of 9223372036854775807 bytes"},
           {w + "dims: 4611686018427387903 raw_data: '1234'", ""},
           {w + "dims: -1 raw_data: '1234'", "-1"},
           {w + "dims: 2 raw_data: '1234'",
            "expected 8 bytes of content for `float32[2]`, found 4"},
           {w + "dims: 2 float_data: 1", "expected 2 elements for shape `[2]`, found 1"},
           {w + "dims: 1000000000000 float_data: 1", "expected 1000000000000 elements"},
           {"data_type: 8 dims: 2 string_data: 'a'", "expected 2 strings for shape `[2]`, found 1"},
           {"data_type: 8 dims: 1 raw_data: 'a'", "string_data"},
           {"data_type: 9 dims: 1 raw_data: '\\002'", "neither 0 nor 1"},
           {"data_type: 99 dims: 1 raw_data: '1'", "ONNX type 99"}}) {
    std::string rejection = OnnxFolder(Initializer(fields)).Rejection();
    EXPECT_THAT(rejection, HasSubstr("tensor `w`: ")) << fields;
    EXPECT_THAT(rejection, HasSubstr(why)) << fields;
  }
}

TEST(OnnxImporterTest, ReadsExternalDataInItsFolderOnly) {
  auto external = [](const std::string& location, const std::string& more = "") {
    return Initializer(
        Cat("data_type: 1 dims: 1 data_location: EXTERNAL "
            "external_data { key: 'location' value: '",
            location, "' } ", more));
  };
  OnnxFolder good(external("w/w.bin", "external_data { key: 'offset' value: '4' }"));
  EXPECT_THAT(good.Rejection(), HasSubstr("external data in `w/w.bin`"));
  good.folder().Write("w/w.bin", std::string("1234\0\0\0\x40", 8));
  EXPECT_EQ(good.Rejection(), "");
  good.folder().Write("w/w.bin", "1234567");
  EXPECT_THAT(good.Rejection(), HasSubstr("external data of 4 bytes at byte 4; 3 are left"));

  TemporaryFolder outside;
  outside.Write("w.bin", "1234");
  for (const std::string& location :
       {(outside.path() / "w.bin").string(),
        Cat("../", outside.path().filename().string(), "/w.bin"), std::string("/etc/passwd")}) {
    EXPECT_THAT(OnnxFolder(external(location)).Rejection(),
                HasSubstr("expected a file in the directory of the model"));
  }
  OnnxFolder link(external("link.bin"));
  std::filesystem::create_symlink(outside.path() / "w.bin", link.folder().path() / "link.bin");
  EXPECT_THAT(link.Rejection(), HasSubstr("expected a file in the directory of the model"));
  for (const char* offset : {"-1", "99999999999999999999", "4x", ""}) {
    OnnxFolder odd(external("w.bin", Cat("external_data { key: 'offset' value: '", offset, "' }")));
    odd.folder().Write("w.bin", "12345678");
    EXPECT_THAT(odd.Rejection(), HasSubstr("offset: expected a number")) << offset;
  }
}

TEST(OnnxImporterTest, RejectsExternalDataWithoutALocation) {
  const std::string tensor = "data_type: 1 dims: 1 data_location: EXTERNAL ";
  for (const char* more :
       {"", "external_data { key: 'offset' value: '0' }",
        "external_data { key: 'location' value: '' } external_data { key: 'length' value: '4' }"}) {
    EXPECT_THAT(OnnxFolder(Initializer(tensor + more)).Rejection(),
                HasSubstr("external data: missing `location`"))
        << more;
  }
  // The location by which the parser refers to model.onnx itself is not for files to use.
  const std::string self =
      "data_location: EXTERNAL external_data { key: 'location' value: '\\000this file' } ";
  EXPECT_THAT(OnnxFolder(Initializer("data_type: 1 dims: 1 " + self)).Rejection(),
              HasSubstr("expected an ONNX model"));
  EXPECT_THAT(
      OnnxFolder(Graph(Cat("sparse_initializer { values { name: 'w' data_type: 1 dims: 1 ", self,
                           "} indices { data_type: 7 dims: 1 int64_data: 0 } dims: 4 }",
                           "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' }")))
          .Rejection(),
      HasSubstr("expected an ONNX model"));
}

TEST(OnnxImporterTest, PrefersLargeRawDataToExternalData) {
  onnx::ModelProto model = OnnxFolder::Parsed(
      Initializer("data_type: 2 dims: 4096 external_data { key: 'location' value: 'none.bin' }"));
  model.mutable_graph()->mutable_initializer(0)->set_raw_data(std::string(4096, '\1'));
  EXPECT_THAT(OnnxFolder(model).Rejection(), Not(HasSubstr("none.bin")));
}

TEST(OnnxImporterTest, RejectsFilesOfZerosAndFilesThatAreTooLarge) {
  namespace fs = std::filesystem;
  OnnxFolder onnx(Graph("node { op_type: 'Neg' input: 'x' output: 'y' }"));
  fs::path file = onnx.folder().path() / "model.onnx";
  auto size = fs::file_size(file);
  ASSERT_EQ(onnx.Rejection(), "");
  // Sparse files, which take no space. The first zero ends the parsing.
  fs::resize_file(file, size + (uintmax_t{1} << 32));
  EXPECT_THAT(onnx.Rejection(), HasSubstr("expected an ONNX model"));
  fs::resize_file(file, uintmax_t{1} << 40);
  EXPECT_THAT(onnx.Rejection(), HasSubstr("a file of 1099511627776 bytes exceeds the limit"));
}

TEST(OnnxImporterTest, ChecksHiddenSizeWhenItLoads) {
  auto rejection = [](const std::string& op, int gates, int hidden_size) {
    auto weights = [&](const char* name) {
      return Cat("initializer { name: '", name, "' data_type: 1 dims: 1 dims: ", gates * 2,
                 " dims: 2 float_data: [", Join(std::vector<int>(gates * 4), ", "), "] } ");
    };
    return OnnxFolder(Cat(kHead, "graph { name: 'g' input { name: 'x' type { tensor_type { ",
                          "elem_type: 1 shape { dim { dim_param: 'n' } dim { dim_param: 'b' } ",
                          "dim { dim_value: 2 } } } } } ", weights("w"), weights("r"),
                          "node { op_type: '", op, "' input: 'x' input: 'w' input: 'r' ",
                          "output: 'y' attribute { name: 'hidden_size' type: INT i: ", hidden_size,
                          " } } output { name: 'y' } }"))
        .Rejection();
  };
  for (const auto& [op, gates] :
       std::initializer_list<std::pair<const char*, int>>{{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}}) {
    EXPECT_EQ(rejection(op, gates, 2), "") << op;
    EXPECT_THAT(rejection(op, gates, -5), HasSubstr("hidden_size: expected at least 1, found -5"));
    EXPECT_THAT(rejection(op, gates, 3), HasSubstr("hidden_size: expected 2"));
  }
}

TEST(OnnxImporterTest, BoundsWhatSmallFilesAskFor) {
  // A sparse tensor of 2^40 elements.
  EXPECT_THAT(OnnxFolder(Graph("sparse_initializer { values { name: 'w' data_type: 1 dims: 1 "
                               "float_data: 1 } indices { name: 'i' data_type: 7 dims: 1 "
                               "int64_data: 0 } dims: 1099511627776 } "
                               "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' }"))
                  .Rejection(),
              HasSubstr("sparse tensors of more than"));
  // 2^20 nodes by functions that call one another twice.
  std::string functions;
  for (int i = 0; i < 20; ++i) {
    functions += Cat("functions { name: 'F", i, "' domain: 'f' input: 'a' output: 'c' ",
                     "opset_import { domain: 'f' version: 1 } opset_import { version: 17 } ");
    std::string op = i == 0 ? "op_type: 'Neg'" : Cat("op_type: 'F", i - 1, "' domain: 'f'");
    functions += Cat("node { ", op, " input: 'a' output: 'b' } ");
    functions += Cat("node { ", op, " input: 'b' output: 'c' } } ");
  }
  EXPECT_THAT(OnnxFolder(Cat(functions,
                             Graph("node { op_type: 'F19' domain: 'f' input: 'x' output: 'y' }")))
                  .Rejection(),
              HasSubstr("with functions once per call, exceed the limit of 200000"));
  // Graphs within graphs.
  std::string deep = "node { op_type: 'Neg' input: 'x' output: 'y' }";
  for (int i = 0; i < 60; ++i) {
    std::string branch = Cat("type: GRAPH g { name: 'b' output { name: 'y' } ", deep, " }");
    deep = Cat("node { op_type: 'If' input: 'c' output: 'y' attribute { name: 'then_branch' ",
               branch, " } attribute { name: 'else_branch' type: GRAPH g { name: 'e' output { ",
               "name: 'x' } } } }");
  }
  onnx::ModelProto model;
  google::protobuf::TextFormat::Parser parser;
  parser.SetRecursionLimit(1000);
  ASSERT_TRUE(parser.ParseFromString(Graph(deep), &model));
  TemporaryFolder folder;
  folder.Write(kOnnxFile, model.SerializeAsString());
  EXPECT_FALSE(LoadModel(folder.path(), "m", 1, {}).ok());
}

// Operators that make much of little, by constants: nothing is made when the model is loaded.
TEST(OnnxImporterTest, BoundsWhatConstantsAskFor) {
  const std::string huge = "int64_data: 1099511627776 ";
  for (const char* node : {
           "op_type: 'ConstantOfShape' input: 'sizes'",
           "op_type: 'Expand' input: 'one' input: 'sizes'",
           "op_type: 'Tile' input: 'one' input: 'sizes'",
           "op_type: 'Range' input: 'zero' input: 'huge' input: 'step'",
           "op_type: 'OneHot' input: 'step' input: 'huge' input: 'sides'",
           "op_type: 'Pad' input: 'one' input: 'sides'",
       }) {
    SCOPED_TRACE(node);
    OnnxFolder onnx(Graph(Cat(
        "initializer { name: 'sizes' data_type: 7 dims: 1 ", huge, "} ",
        "initializer { name: 'sides' data_type: 7 dims: 2 ", huge, huge, "} ",
        "initializer { name: 'huge' data_type: 7 ", huge, "} ",
        "initializer { name: 'zero' data_type: 7 int64_data: 0 } ",
        "initializer { name: 'step' data_type: 7 int64_data: 1 } ",
        "initializer { name: 'one' data_type: 1 dims: 1 float_data: 1 } ", "node { ", node,
        " output: 'much' } ",
        "node { op_type: 'Cast' input: 'much' output: 'floats' attribute { name: 'to' type: INT "
        "i: 1 } } node { op_type: 'Add' input: 'x' input: 'floats' output: 'y' }")));
    auto model = onnx.Load();
    if (!model.ok()) {
      EXPECT_THAT(MessageOf(model.status()), Not(HasSubstr("unsupported operators")));
      continue;
    }
    auto main = (*model)->FindFunction("");
    ASSERT_TRUE(main.ok()) << main.status();
    auto answer = (*main)->Call({{Value(Tensor::Of<float>({1}, {1}))}, {}}, {});
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted) << answer.status();
  }
}

TEST(OnnxImporterTest, WritesTheNativeForm) {
  OnnxFolder onnx(Initializer("data_type: 1 float_data: 1.5"));
  const auto& folder = onnx.folder().path();
  EXPECT_THAT(MessageOf(ImportModel(folder / kOnnxFile, folder)), HasSubstr("has a model.onnx"));
  Status imported = ImportModel(folder / kOnnxFile, folder / "native" / "1");
  ASSERT_TRUE(imported.ok()) << imported;
  auto native = LoadModel(folder / "native" / "1", "m", 1, {});
  ASSERT_TRUE(native.ok()) << native.status();
  auto main = (*native)->FindFunction("");
  ASSERT_TRUE(main.ok()) << main.status();
  auto answer = (*main)->Call({{Value(Tensor::Of<float>({1}, {1}))}, {}}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(ToString(*answer), "float32[1] [2.5]");
}

TEST(OnnxImporterTest, KeepsTheNamesOfInputsAndOutputsInTheNativeForm) {
  auto tensor = [](std::string_view name) {
    return Cat("{ name: '", name, "' type { tensor_type { elem_type: 1 } } } ");
  };
  auto identity = [](std::string_view input, std::string_view output) {
    return Cat("node { op_type: 'Identity' input: '", input, "' output: '", output, "' } ");
  };
  const std::string one = Cat(kHead, "graph { name: 'g' input ", tensor("x:0"), "output ",
                              tensor("y:0"), identity("x:0", "y:0"), "}");
  const std::string two = Cat(kHead, "graph { name: 'g' input ", tensor("x:0"), "input ",
                              tensor("plain"), "output ", tensor("y:0"), "output ", tensor("same"),
                              identity("x:0", "y:0"), identity("plain", "same"), "}");
  for (const std::string& text : {one, two}) {
    OnnxFolder onnx(text);
    const auto& folder = onnx.folder().path();
    Status imported = ImportModel(folder / kOnnxFile, folder / "native" / "1");
    ASSERT_TRUE(imported.ok()) << imported;
    auto before = LoadModel(folder, "m", 1, {});
    auto after = LoadModel(folder / "native" / "1", "m", 1, {});
    ASSERT_TRUE(before.ok() && after.ok()) << before.status() << after.status();
    const FunctionDef& expected = (*(*before)->FindFunction(""))->def();
    const FunctionDef& found = (*(*after)->FindFunction(""))->def();
    EXPECT_EQ(expected.source_parameters.size(), 1u);
    EXPECT_EQ(found.source_parameters, expected.source_parameters);
    EXPECT_EQ(expected.source_results.size(), 1u);
    EXPECT_EQ(found.source_results, expected.source_results);
  }
}

// The name of one input is never the parameter of another.
TEST(OnnxImporterTest, KeepsNamesApart) {
  using Names = absl::flat_hash_map<std::string, std::string>;
  std::string parts;
  std::string outputs;
  for (std::string_view name : {"a b", "a_b", "a_b_2", "a-b", "0", "_0", "lambda", "lambda_"}) {
    parts += Cat("input { name: '", name, "' type { tensor_type { elem_type: 1 } } } ",
                 "node { op_type: 'Neg' input: '", name, "' output: 'y", name, "' } ");
    outputs += Cat("output { name: 'y", name, "' } ");
  }
  OnnxFolder onnx(Cat(kHead, "graph { name: 'g' ", parts, outputs, "}"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  const FunctionDef& def = (*(*model)->FindFunction(""))->def();
  EXPECT_EQ(def.source_parameters,
            (Names{{"a_b_3", "a b"}, {"a_b_4", "a-b"}, {"_0_2", "0"}, {"lambda__2", "lambda"}}));
  EXPECT_EQ(def.source_results, (Names{{"ya_b_3", "ya b"}, {"ya_b_4", "ya-b"}}));
  EXPECT_EQ((*model)->def().metadata.at("source.main.input.a_b_3"), "a b");
  // Calls use either name.
  auto call = [&](std::string_view name) {
    NamedValues arguments;
    for (const Parameter& parameter : def.type.parameters()) {
      if (parameter.name != "a_b_3") arguments.emplace_back(parameter.name, Tensor::Scalar(1.0F));
    }
    arguments.emplace_back(name, Tensor::Scalar(2.0F));
    auto result = (*(*model)->FindFunction("main"))->Call({{}, std::move(arguments)}, {});
    return result.ok() ? ToString(*result) : result.status().ToString();
  };
  EXPECT_THAT(call("a b"), HasSubstr("ya_b_3: -2.0"));
  EXPECT_THAT(call("a_b_3"), HasSubstr("ya_b_3: -2.0"));
  EXPECT_THAT(call("a b "), HasSubstr("a b "));
}

TEST(OnnxImporterTest, KeepsTheLabelsOfClasses) {
  const std::string zip_map =
      "node { op_type: 'ZipMap' domain: 'ai.onnx.ml' input: 'x' output: 'y' attribute { name: "
      "'classlabels_strings' type: STRINGS strings: 'a b' strings: 'class_a_b' strings: 'a-b' "
      "strings: 'z' strings: 'nrows' } }";
  OnnxFolder onnx(Cat(kHead, "opset_import { domain: 'ai.onnx.ml' version: 3 } graph { name: 'g' ",
                      "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim {} dim { ",
                      "dim_value: 5 } } } } } output { name: 'y' } ", zip_map, " }"));
  auto model = onnx.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  const FunctionDef& def = (*(*model)->FindFunction(""))->def();
  EXPECT_EQ(def.source_results.at(".class_a_b_2"), "a b");
  EXPECT_EQ(def.source_results.at(".class_a_b_3"), "a-b");
  EXPECT_EQ(def.source_results.size(), 3u);  // and the name of the result
}

TEST(OnnxImporterTest, KeepsLargeDefaultsAsCaptures) {
  std::string ones;
  for (int i = 0; i < 100; ++i) ones += "float_data: 1 ";
  OnnxFolder onnx(Cat(kHead, "graph { name: 'g' ", kFloatX,
                      "input { name: 'w' type { tensor_type { elem_type: 1 } } } ",
                      "initializer { name: 'w' data_type: 1 dims: 100 ", ones,
                      "} node { op_type: 'Add' input: 'x' input: 'w' output: 'y' } "
                      "output { name: 'y' } }"));
  const auto& folder = onnx.folder().path();
  Status imported = ImportModel(folder / kOnnxFile, folder / "native" / "1");
  ASSERT_TRUE(imported.ok()) << imported;
  for (const auto& path : {folder, folder / "native" / "1"}) {
    auto model = LoadModel(path, "m", 1, {});
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_TRUE((*model)->captures().contains("w_default"));
    auto main = (*model)->FindFunction("");
    ASSERT_TRUE(main.ok()) << main.status();
    auto answer = (*main)->Call({{Value(Tensor::Of<float>({1}, {2}))}, {}}, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->tensor().elements<float>()[99], 3);
    answer = (*main)->Call(
        {{Value(Tensor::Of<float>({1}, {2})), Value(Tensor::Of<float>({1}, {5}))}, {}}, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(ToString(*answer), "float32[1] [7.0]");
  }
}

}  // namespace
}  // namespace signet
