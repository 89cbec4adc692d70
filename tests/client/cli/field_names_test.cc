#include "client/cli/field_names.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

const FieldNames kNames = {{"petal.width", "petal_width"}, {"0", "column_0"}};

TEST(FieldNamesTest, RenamesFieldsOfRecords) {
  EXPECT_EQ(RenameFields(R"({"petal.width": 1.5, "a": 2, "0":[3]})", kNames),
            R"({"petal_width": 1.5, "a": 2, "column_0":[3]})");
  EXPECT_EQ(RenameFields(R"( [ {"0": 1} , {"0": null, "petal.width": {}} ])", kNames),
            R"( [ {"column_0": 1} , {"column_0": null, "petal_width": {}} ])");
  EXPECT_EQ(RenameFields("{\"0\": 1}\n\n{}\n{\"0\": 2}\n", kNames),
            "{\"column_0\": 1}\n\n{}\n{\"column_0\": 2}\n");
  EXPECT_EQ(RenameFields(R"({"petal\u002ewidth": 1})", kNames), R"({"petal_width": 1})");
}

TEST(FieldNamesTest, KeepsEverythingElse) {
  for (const char* text :
       {R"({"a": {"0": 1}, "b": [{"0": 2}], "c": "0"})", R"(["0", {"a": "petal.width"}])", "", "1",
        R"({"0)", "petal.width,0\n1,2\n", "\"0\""}) {
    EXPECT_EQ(RenameFields(text, kNames), text);
  }
  EXPECT_EQ(RenameFields(R"({"0": 1})", {}), R"({"0": 1})");
}

}  // namespace
}  // namespace signet
