// Checks that the catalogs of ops and kernels, the pages of docs/reference/ops, and the case files
// describe the same ops.

#include "core/kernels/catalog.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/kernels/def/kernel.h"
#include "core/ops/catalog.h"
#include "core/ops/def/output_count.h"
#include "tests/support/case_file.h"

namespace signet {
namespace {

TEST(CatalogTest, EveryOpWithInferenceHasAKernelAndNoOther) {
  std::set<std::string> kernels;
  for (const KernelDef& kernel : AllKernels()) {
    EXPECT_TRUE(kernels.insert(kernel.op).second) << "two kernels for " << kernel.op;
    if (std::string_view(kernel.op) == "fail") continue;  // a node's own: graph/control_nodes.h
    const OpDef* op = BuiltinOps().Lookup(kernel.op);
    ASSERT_NE(op, nullptr) << "a kernel for no op: " << kernel.op;
    EXPECT_NE(op->infer, nullptr) << kernel.op;
  }
  for (const OpDef* op : BuiltinOps().All()) {
    if (op->infer != nullptr) {
      EXPECT_TRUE(kernels.contains(op->name)) << op->name << " has no kernel";
    } else {
      EXPECT_TRUE(op->expand != nullptr || op->control != Control::kNone) << op->name;
    }
  }
}

// docs/reference/ops.md, and the pages of families in docs/reference/ops.
std::string TextOfDocs() {
  std::vector<std::filesystem::path> pages = {"docs/reference/ops.md"};
  if (std::filesystem::exists("docs/reference/ops")) {
    for (const auto& page : std::filesystem::directory_iterator("docs/reference/ops")) {
      if (page.path().extension() == ".md") pages.push_back(page.path());
    }
  }
  std::stringstream text;
  for (const auto& page : pages) text << std::ifstream(page).rdbuf();
  return text.str();
}

TEST(CatalogTest, EveryOpIsInTheDocs) {
  std::string text = TextOfDocs();
  for (const OpDef* op : BuiltinOps().All()) {
    if (IsFrontendOp(op->name)) continue;
    bool entry = text.find("\n### " + op->name + "\n") != std::string::npos;
    EXPECT_EQ(entry, !op->internal) << "`### " << op->name << "` in docs/reference/ops/*.md";
  }
}

TEST(CatalogTest, EveryOpHasACase) {
  std::set<std::string> named;
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) named.insert(op_case.op);
  }
  for (const OpDef* op : BuiltinOps().All()) {
    if (op->control != Control::kNone || IsFrontendOp(op->name))
      continue;  // need functions, a model
    EXPECT_TRUE(named.contains(op->name)) << op->name << " is in no file tests/core/ops/*/*.cases";
  }
}

}  // namespace
}  // namespace signet
