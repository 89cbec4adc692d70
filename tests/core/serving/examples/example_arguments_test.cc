#include "core/serving/examples/example_arguments.h"

#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/json/json.h"
#include "core/function/signature.h"
#include "core/serving/examples/example_files.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;

class ExampleArgumentsTest : public testing::Test {
 protected:
  StatusOr<CallArguments> Parse(const std::string& example) {
    auto signature = ParseSignature("(x: {a: int32[?]}, name: string[] = \"\", k: float32[] = 1)");
    SIGNET_CHECK(signature.ok());
    return ParseExampleArguments(example, signature->type, folder_.path(), Limits());
  }

  TemporaryFolder folder_;
};

TEST_F(ExampleArgumentsTest, DecodesWordsUnderTheTypesOfTheirParameters) {
  folder_.Write("x.json", R"({"a": [1, 2]})");
  auto arguments = Parse(R"(@x.json "two words" k=3)");
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  ASSERT_EQ(arguments->positional.size(), 2u);
  EXPECT_EQ(ValueToJson(arguments->positional[0]), R"({"a":[1,2]})");
  EXPECT_EQ(arguments->positional[0].spec().ToString(), "{a: int32[2]}");
  EXPECT_EQ(ValueToJson(arguments->positional[1]), "\"two words\"");
  ASSERT_EQ(arguments->keyword.size(), 1u);
  EXPECT_EQ(arguments->keyword[0].second.spec().ToString(), "float32[]");
  EXPECT_THAT(Parse("'{\"a\": [x]}'").status().ToString(), HasSubstr("parameter `x`"));
}

TEST_F(ExampleArgumentsTest, ReadsOnlyRegularFilesOfTheModel) {
  namespace fs = std::filesystem;
  TemporaryFolder other;
  other.Write("secret.json", R"({"a": [7]})");
  const fs::path secret = fs::path(other.path()) / "secret.json";
  const fs::path folder = folder_.path();
  fs::create_symlink(secret, folder / "link.json");
  ASSERT_EQ(mkfifo((folder / "pipe.json").c_str(), 0600), 0);
  fs::create_directory(folder / "directory.json");
  for (const std::string& name :
       {secret.string(), std::string("link.json"), std::string("pipe.json"),
        std::string("directory.json"), fs::relative(secret, folder).string(),
        std::string("/proc/self/environ"), fs::relative(secret).string()}) {
    EXPECT_FALSE(Parse("@" + name).ok()) << name;
  }
}

TEST(ExampleFilesTest, ChecksTheSizeBeforeItReads) {
  TemporaryFolder folder;
  folder.Write("x.json", "123456");
  EXPECT_EQ(*ReadFileIn(folder.path(), "x.json", 6), "123456");
  EXPECT_THAT(ReadFileIn(folder.path(), "x.json", 5).status().ToString(),
              HasSubstr("6 bytes exceed the limit of 5"));
}

}  // namespace
}  // namespace signet
