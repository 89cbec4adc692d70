#include "core/formats/json/json_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Reads a body, and returns its arguments as texts: `0: [1, 2]`, `k: 2`.
std::vector<std::string> Read(std::string_view text) {
  CallRequest call;
  const Status status = ReadJsonArguments(Buffer::Copy(text), Limits(), call);
  if (!status.ok()) return {std::string(MessageOf(status))};
  std::vector<std::string> out;
  for (const EncodedArgument& argument : call.encoded) {
    const std::string name =
        argument.is_keyword ? call.arguments.keyword[argument.index].first : Cat(argument.index);
    out.push_back(Cat(name, ": ", argument.data.text()));
  }
  return out;
}

TEST(JsonCallTest, ReadsArguments) {
  EXPECT_THAT(Read(R"({"args": [[1, 2], "a"], "kwargs": {"k": {"x": 1}, "l\u0041": null}})"),
              ElementsAre("0: [1, 2]", "1: \"a\"", "k: {\"x\": 1}", "lA: null"));
  EXPECT_THAT(Read(R"({"kwargs": {}})"), ElementsAre());
  EXPECT_THAT(Read(R"({"args": []})"), ElementsAre());
  EXPECT_THAT(Read(" \r\n\t"), ElementsAre());
}

TEST(JsonCallTest, ReadsTheOnlyArgument) {
  for (const char* text : {"[1, 2]", "{}", "3", "{\"args\": [1], \"more\": 2}", "\"args\"",
                           "{\"args\": [1]} 2", "{\"args\" [1]}"}) {
    EXPECT_THAT(Read(text), ElementsAre(Cat("0: ", text)));
  }
}

TEST(JsonCallTest, RejectsMalformedArguments) {
  EXPECT_THAT(Read(R"({"args": 3})"), ElementsAre("body: `args`: expected a list"));
  EXPECT_THAT(Read(R"({"kwargs": []})"), ElementsAre("body: `kwargs`: expected an object"));
  EXPECT_THAT(Read(R"({"args": [], "args": []})"), ElementsAre("body: duplicate key `args`"));
  EXPECT_THAT(Read(R"({"kwargs": {"k": 1, "k": 2}})"),
              ElementsAre("body: `kwargs`: duplicate key `k`"));
  EXPECT_THAT(Read(R"({"args": [1 2]})"), ElementsAre(HasSubstr("is not JSON")));
  EXPECT_THAT(Read(R"({"args": [truth]})"), ElementsAre(HasSubstr("expected a JSON value")));
  EXPECT_THAT(Read("{\"args\": [\"\xff\"]}"), ElementsAre(HasSubstr("UTF-8")));
  EXPECT_THAT(Read(Cat("{\"args\": [", std::string(200, '['), std::string(200, ']'), "]}")),
              ElementsAre(HasSubstr("nested lists")));
  std::string many = "{\"args\": [0";
  for (int i = 0; i < 2'000'000; ++i) many += ",0";
  EXPECT_THAT(Read(many + "]}"), ElementsAre(HasSubstr("expected at most")));
}

}  // namespace
}  // namespace signet
