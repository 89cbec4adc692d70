#include "core/base/nearest_name.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(NearestNameTest, FindsSlips) {
  const std::vector<std::string_view> names = {"title", "score", "top_k"};
  struct Case {
    std::string name;
    const char* nearest;  // null: none
  } const cases[] = {
      {"tittle", "title"}, {"titel", "title"}, {"itle", "title"}, {"topk", "top_k"},
      {"scores", "score"}, {"limit", nullptr}, {"", nullptr},     {std::string(1000, 't'), nullptr},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto nearest = NearestName(c.name, names);
    EXPECT_EQ(nearest.value_or("none"), c.nearest == nullptr ? "none" : c.nearest);
  }
}

}  // namespace
}  // namespace signet
