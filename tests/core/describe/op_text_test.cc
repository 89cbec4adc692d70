#include "core/describe/op_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/ops/catalog.h"
#include "core/ops/def/output_count.h"
#include "signet/status.h"

namespace signet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(OpTextTest, ListsOpsByFamilyWithoutInternalOps) {
  std::string list = RenderOpList();
  EXPECT_THAT(list, StartsWith("Control flow\n"));
  EXPECT_THAT(list, HasSubstr("\nIndexing\n"));
  EXPECT_THAT(list, HasSubstr("Selects slices by index along an axis\n"));
  EXPECT_THAT(list, Not(HasSubstr("fused_elementwise")));
  EXPECT_THAT(list, Not(HasSubstr("onnx.")));
}

TEST(OpTextTest, ShowsOneOp) {
  auto op = FindDocumentedOp("gather");
  ASSERT_TRUE(op.ok()) << op.status();
  std::string text = RenderOp(**op);
  EXPECT_THAT(text, StartsWith("gather(x, indices; axis=None, batch_dims=0)\n"
                               "Selects slices by index along an axis.\n"));
  EXPECT_THAT(text, HasSubstr("\n  C2  `axis` is a dimension of x.\n"));
  EXPECT_THAT(text, HasSubstr("\n  -> string[2] [\"b\", \"e\"]\n"));
}

TEST(OpTextTest, FindsFamiliarNamesAndRejectsInternalOps) {
  EXPECT_THAT(MessageOf(FindDocumentedOp("subtract").status()), HasSubstr("`sub`"));
  EXPECT_THAT(MessageOf(FindDocumentedOp("gathr").status()), HasSubstr("`gather`"));
  EXPECT_THAT(MessageOf(FindDocumentedOp("linear").status()), HasSubstr("internal"));
}

TEST(OpTextTest, JsonHasAllDataOfAllOps) {
  json all = json::parse(OpListJson());
  size_t callable = 0;
  for (const OpFamilyList& family : OpFamilies()) {
    if (IsFrontendOp(family.ops[0]->name)) continue;
    for (const OpDef* op : family.ops) callable += op->internal ? 0 : 1;
  }
  ASSERT_EQ(all.size(), callable);
  for (const json& op : all) {
    SCOPED_TRACE(op["name"].get<std::string>());
    for (const char* key : {"family", "summary", "description", "signature", "result"}) {
      EXPECT_FALSE(op[key].get<std::string>().empty()) << key;
    }
    for (const char* key : {"inputs", "attributes", "constraints", "examples"}) {
      EXPECT_TRUE(op[key].is_array()) << key;
    }
  }
  json concat = json::parse(OpJson(**FindDocumentedOp("concat")));
  EXPECT_EQ(concat["family"], "shape");
  EXPECT_EQ(concat["inputs"][0]["kind"], "any number");
  EXPECT_EQ(concat["attributes"][1]["name"], "ragged");
  EXPECT_EQ(concat["attributes"][1]["type"], "bool");
  EXPECT_EQ(concat["attributes"][1]["default"], "False");
  EXPECT_EQ(concat["constraints"][2]["label"], "C3");
}

}  // namespace
}  // namespace signet
