#include "client/cli/table.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(TableTest, ShowsOneRowPerStructure) {
  EXPECT_EQ(
      RenderJsonTable(R"([{"title": "soup", "ids": [1, 2, 3]}, {"title": "bread", "ids": []}])"),
      "title  ids\n"
      "soup   1, 2, 3\n"
      "bread\n");
}

TEST(TableTest, ShowsOneRowPerElementOfColumns) {
  EXPECT_EQ(RenderJsonTable(R"({"score": [0.5, 1.25], "title": ["é", "b"]})"),
            "score  title\n"
            "0.5    é\n"
            "1.25   b\n");
}

TEST(TableTest, ShowsItemsOfOtherDicts) {
  EXPECT_EQ(RenderJsonTable(R"({"best": {"title": "soup"}, "count": 2})"),
            "best   {title: soup}\n"
            "count  2\n");
}

TEST(TableTest, ShowsListsAndPlainValues) {
  EXPECT_EQ(RenderJsonTable("[1, [2, 3]]"), "1\n2, 3\n");
  EXPECT_EQ(RenderJsonTable("null"), "null\n");
  EXPECT_EQ(RenderJsonTable("[]"), "");
}

TEST(TableTest, CutsLongListsAndTexts) {
  EXPECT_EQ(RenderJsonTable("[[1, 2, 3, 4, 5, 6, 7, 8]]"), "1, 2, 3, 4, 5, 6, ... (8)\n");
  std::string row = RenderJsonTable("[\"" + std::string(200, 'x') + "\"]");
  EXPECT_EQ(row, std::string(60, 'x') + "...\n");
}

TEST(TableTest, EscapesControlCharacters) {
  EXPECT_EQ(RenderJsonTable(R"(["\u001b[2J\n"])"), "\\x1b[2J\\x0a\n");
}

}  // namespace
}  // namespace signet
