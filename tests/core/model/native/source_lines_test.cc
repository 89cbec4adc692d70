#include "core/model/native/source_lines.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/frontends/convert_model.h"
#include "core/frontends/load_model.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const SourceLines> Parsed(std::string text) {
  auto lines = SourceLines::Parse(std::move(text));
  EXPECT_TRUE(lines.ok()) << lines.status();
  return lines.ok() ? *lines : nullptr;
}

TEST(SourceLinesTest, NamesTheLinesFromTheInnermostOne) {
  auto lines = Parsed("outer\tw\tprogram.py\t11\ninner\tz\thelpers.py\t6\n");
  const Status error = WithField(
      "x", WithReason("RULE", InvalidArgument("node `w`: function `inner`: node `z`: `matmul`")));
  const Status placed = lines->AddTo("outer", error);
  EXPECT_EQ(MessageOf(placed),
            "node `w`: function `inner`: node `z`: `matmul`; at helpers.py:6, called at "
            "program.py:11");
  EXPECT_EQ(ReasonOf(placed), "RULE");
  EXPECT_EQ(FieldOf(placed), "x");
  EXPECT_EQ(MessageOf(lines->AddTo("", InvalidArgument("function `outer`: node `w`: no"))),
            "function `outer`: node `w`: no; at program.py:11");
}

TEST(SourceLinesTest, LeavesOtherErrorsAsTheyAre) {
  auto lines = Parsed("f\tx\tprogram.py\t1");
  for (const char* text : {"", "node", "node `", "node `x", "function `f`", "function `f",
                           "node `y`: a", "function `g`: node `x`: a", "`node `"}) {
    EXPECT_EQ(MessageOf(lines->AddTo("g", InvalidArgument(text))), text);
  }
  EXPECT_TRUE(lines->AddTo("f", absl::OkStatus()).ok());
}

TEST(SourceLinesTest, RejectsOtherText) {
  for (const char* text : {"f\tx\tprogram.py", "f\tx\tprogram.py\t1\t2", "f\t\tprogram.py\t1",
                           "f\tx\tprogram.py\tone", "\n", "f x program.py 1"}) {
    auto lines = SourceLines::Parse(Cat("f\tx\tp.py\t1\n", text, "\n"));
    ASSERT_FALSE(lines.ok()) << text;
    EXPECT_TRUE(MessageOf(lines.status()).starts_with("line 2: expected a function, a node"));
  }
  EXPECT_TRUE(SourceLines::Parse("").ok());
}

TEST(SourceLinesTest, BelongsToTheFilesOfAModel) {
  const fs::path folder = fs::path(::testing::TempDir()) / "source_lines" / "1";
  fs::remove_all(folder.parent_path());
  fs::create_directories(folder);
  std::ofstream(folder / "model.signet")
      << "def f(x: float32[2], y: any):\n    z = x @ y\n    return z\n";
  std::ofstream(folder / kSourcesFile) << "f\tz\tprogram.py\t7\n";
  auto def = LoadModelDef(folder, Limits());
  ASSERT_TRUE(def.ok()) << def.status();
  ASSERT_NE(def->sources, nullptr);
  const fs::path binary = folder.parent_path() / "2";
  ASSERT_TRUE(ConvertModel(folder, binary, ModelForm::kBinary).ok());
  EXPECT_TRUE(fs::exists(binary / kSourcesFile));
  std::ofstream(folder / kSourcesFile) << "z\n";
  EXPECT_EQ(MessageOf(LoadModelDef(folder, Limits()).status()),
            "source_lines/1: sources.tsv: line 1: expected a function, a node, a file, and the "
            "number of a line, separated by tabs");
  // A model without lines replaces one with lines.
  fs::remove(folder / kSourcesFile);
  ASSERT_TRUE(ConvertModel(folder, binary, ModelForm::kBinary).ok());
  EXPECT_FALSE(fs::exists(binary / kSourcesFile));
}

}  // namespace
}  // namespace signet
