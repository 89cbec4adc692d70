// Checks that docs/reference/savedmodel-operators.md lists the operators that exist. With
// SIGNET_UPDATE_GOLDEN=1, writes the list.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr char kPage[] = "docs/reference/savedmodel-operators.md";
constexpr std::string_view kMark = "<!-- generated -->\n";

TEST(SavedModelOperatorsTest, ThePageListsAllOperators) {
  std::ifstream file(kPage);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t mark = text.find(kMark);
  ASSERT_NE(mark, std::string::npos) << kPage;
  std::string wanted =
      text.substr(0, mark + kMark.size()) + "\n| Operator | What it does |\n|---|---|\n";
  for (const OpFamilyList& family : OpFamilies()) {
    if (family.name != "tf") continue;
    for (const OpDef* op : family.ops) {
      wanted += Cat("| ", std::string_view(op->name).substr(3), " | ", op->summary, " |\n");
    }
  }
  if (std::getenv("SIGNET_UPDATE_GOLDEN") != nullptr) std::ofstream(kPage) << wanted;
  EXPECT_TRUE(text == wanted) << kPage << ": `./dev golden SavedModelOperatorsTest` writes it";
}

}  // namespace
}  // namespace signet
