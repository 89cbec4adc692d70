#include "server/protocols/json/json_target.h"

#include <gtest/gtest.h>

#include "server/protocols/http/url.h"

namespace signet {
namespace {

// Returns the target as `model/version@label.function!action`, or `none`.
std::string TargetText(std::string_view path) {
  auto target = ParseJsonTarget(path);
  if (!target.ok()) return std::string(MessageOf(target.status()));
  if (!*target) return "none";
  std::string text = (*target)->model;
  if ((*target)->version) text += Cat("/", *(*target)->version);
  if (!(*target)->label.empty()) text += "@" + (*target)->label;
  if ((*target)->lists_functions) text += "!list";
  if (!(*target)->function.empty()) text += "." + (*target)->function;
  if (!(*target)->action.empty()) text += "!" + (*target)->action;
  return text;
}

TEST(JsonTargetTest, ReadsModelsVersionsAndFunctions) {
  EXPECT_EQ(TargetText(""), "");
  EXPECT_EQ(TargetText("/"), "");
  EXPECT_EQ(TargetText("/savings"), "savings");
  EXPECT_EQ(TargetText("/savings/versions/3"), "savings/3");
  EXPECT_EQ(TargetText("/savings/functions"), "savings!list");
  EXPECT_EQ(TargetText("/savings/versions/3/functions/"), "savings/3!list");
  EXPECT_EQ(TargetText("/savings/labels/stable/functions/fees"), "savings@stable.fees");
  EXPECT_EQ(TargetText("/a%2Fb/functions/f%20g/"), "a/b.f g");
}

TEST(JsonTargetTest, ReadsActions) {
  EXPECT_EQ(TargetText("/m/functions/f/explain"), "m.f!explain");
  EXPECT_EQ(TargetText("/m/versions/2/functions/f/profile"), "m/2.f!profile");
  EXPECT_EQ(TargetText("/m/functions/f/concrete_functions"), "m.f!concrete_functions");
  EXPECT_EQ(TargetText("/m/functions/explain"), "m.explain");
}

TEST(JsonTargetTest, RejectsOtherPaths) {
  for (const char* path : {"/m/functions/f/run", "/m/functions/f/explain/x", "/m/explain",
                           "/m/versions", "/m/x/y/z"}) {
    EXPECT_EQ(TargetText(path), "none") << path;
  }
  EXPECT_EQ(TargetText("/m/versions/0"), "path: expected a version of at least 1, found `0`");
  for (const char* path : {"/m%4", "/m%zz", "/m%-1", "/m%+1", "/m%0x", "/m% 1"}) {
    EXPECT_EQ(TargetText(path),
              Cat("path: expected two hexadecimal digits after `%`, found `", path + 2, "`"));
  }
}

TEST(UrlTest, DecodesWhatItEncodes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string encoded = EncodePercent(all);
  EXPECT_EQ(encoded.find_first_of("/?#&+ {}"), std::string::npos);
  EXPECT_EQ(*DecodePercent(encoded), all);
}

}  // namespace
}  // namespace signet
