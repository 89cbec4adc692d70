#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "core/function/signature.h"
#include "core/model/native/build_model_def.h"
#include "core/types/notation/notation.h"
#include "signet/structured.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using Form = ModelBuilder::Form;

// A model with something of everything.
void Fill(ModelBuilder& model) {
  model.AddMetadata("author", "Ada");
  model.AddCapture("weights", Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  model.AddCapture("counts", Tensor::Of<int64_t>({2}, {7, 8}));
  model.AddCapture("words",
                   Tensor::Strings({2}, std::vector<std::string_view>{"salt \xc3\xa9", "a\nb"}));
  model.AddCapture("phase", Tensor::Scalar(std::complex<float>(1, -1)));
  model.AddCapture("table",
                   *MakeStructured({kUnknownDim}, {{"id", Tensor::Of<int32_t>({2}, {1, 2})}}));
  model.AddCapture("name", Value::OfLiteral(Literal::String("x")));
  model.AddExtensionType({.name = "app.Masked",
                          .doc = "Values with gaps",
                          .statics = {"axis"},
                          .components = {{"values", "float32[?]"}, {"other", ""}},
                          .batches = false});
  model.AddFunction("scale", "(x: float32[...], /, *, by: float32[] = 1.5)")
      .Doc("Scales x.\nSecond line.")
      .ParameterDoc("by", "the factor")
      .Example("[1, 2] by=2")
      .Node("y", "mul", {"x", "by"})
      .Result("y");
  model.AddFunction("main", "(r: [{a: float32[], b: int32[]}], key = \"a\", *rest)")
      .Node("picked", "struct_get", {"r"}, {{"field", FromValue{"key"}}})
      .Node("scaled", "call", {"picked", "2.0"},
            {{"function", NamedFunction{"scale"}}, {"keywords", Strings{"by"}}})
      .Node("made", "struct_make", {"scaled", "r.b"}, {{"names", Strings{"s", "b"}}, {"rank", 1}})
      .Result("made");
}

void ExpectSameDefs(const ModelDef& a, const ModelDef& b) {
  EXPECT_EQ(DescribeModel(a, "m"), DescribeModel(b, "m"));
  ASSERT_EQ(a.captures.size(), b.captures.size());
  for (const auto& [name, value] : a.captures) {
    ASSERT_TRUE(b.captures.contains(name)) << name;
    EXPECT_TRUE(SameValue(*value.Get(), *b.captures.at(name).Get())) << name;
  }
  ASSERT_EQ(a.functions.size(), b.functions.size());
  for (size_t i = 0; i < a.functions.size(); ++i) {
    EXPECT_EQ(a.functions[i].type, b.functions[i].type);
    EXPECT_EQ(a.functions[i].examples, b.functions[i].examples);
    EXPECT_EQ(a.functions[i].parameter_docs, b.functions[i].parameter_docs);
  }
}

TEST(ModelBuilderTest, SavesWhatLoadsAsBuilt) {
  for (Form form : {Form::kText, Form::kBinary}) {
    SCOPED_TRACE(form == Form::kText ? "text" : "binary");
    ModelBuilder model("Title\nMore.");
    Fill(model);
    TemporaryFolder folder;
    auto built = BuildModelDef(model);
    ASSERT_TRUE(built.ok()) << built.status();
    ASSERT_TRUE(model.Save(folder.path() / "m" / "1", form).ok());
    auto loaded = LoadModelDef(folder.path() / "m" / "1", Limits());
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    ExpectSameDefs(*built, *loaded);
  }
}

TEST(ModelBuilderTest, WritesTheSameBytesEachTime) {
  TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    ModelBuilder model("Title");
    Fill(model);
    ASSERT_TRUE(model.Save(folder.path() / name).ok());
  }
  for (const char* file : {"model.signet", "captures.safetensors"}) {
    EXPECT_EQ(ReadWholeFile(folder.path() / "a" / file), ReadWholeFile(folder.path() / "b" / file));
  }
}

TEST(ModelBuilderTest, WritesTheModelLanguage) {
  ModelBuilder model("Doubles");
  model.AddFunction("f", "(x)").Node("y", "add", {"x", "x"}).Result("y");
  TemporaryFolder folder;
  ASSERT_TRUE(model.Save(folder.path()).ok());
  EXPECT_EQ(ReadWholeFile(folder.path() / "model.signet"),
            R"text("""Doubles"""


def f(x):
    y = x + x
    return y
)text");
}

TEST(ModelBuilderTest, ReplacesAModelOfTheOtherForm) {
  TemporaryFolder folder;
  ModelBuilder first("First");
  Fill(first);
  ASSERT_TRUE(first.Save(folder.path(), Form::kBinary).ok());
  ModelBuilder second("Second");
  second.AddFunction("f", "(x)").Result("x");
  ASSERT_TRUE(second.Save(folder.path(), Form::kText).ok());
  auto loaded = LoadModelDef(folder.path(), Limits());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->doc, "Second");
  EXPECT_TRUE(loaded->captures.empty());
}

TEST(ModelBuilderTest, RejectsWhatLoadingRejects) {
  ModelBuilder model;
  model.AddFunction("f", "(x)").Node("y", "add", {"x", "q"}).Result("y");
  TemporaryFolder folder;
  Status status = model.Save(folder.path() / "m");
  EXPECT_EQ(MessageOf(status),
            "function `f`: node `y`: input 1: parameter, node, or capture `q` not found; "
            "available: `x`, `y`");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "m"));
}

}  // namespace
}  // namespace signet
