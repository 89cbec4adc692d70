// The catalogue of ops, the kernels, docs/ops.md and the .cases files must tell of the same ops.

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/kernels/kernel.h"
#include "core/ops/registry.h"
#include "tests/core/ops/case_file.h"

namespace signet {
namespace {

TEST(CatalogueTest, EveryOpWithInferenceHasAKernelAndNoOther) {
  std::set<std::string> kernels;
  for (const KernelDef& kernel : AllKernels()) {
    EXPECT_TRUE(kernels.insert(kernel.op).second) << "two kernels for " << kernel.op;
    const OpDef* op = OpRegistry::Builtin().Lookup(kernel.op);
    ASSERT_NE(op, nullptr) << "a kernel for no op: " << kernel.op;
    EXPECT_NE(op->infer, nullptr) << kernel.op;
  }
  for (const OpDef* op : OpRegistry::Builtin().All()) {
    if (op->infer != nullptr) {
      EXPECT_TRUE(kernels.contains(op->name)) << op->name << " has no kernel";
    } else {
      EXPECT_TRUE(op->expand != nullptr || op->control != Control::kNone) << op->name;
    }
  }
}

TEST(CatalogueTest, EveryOpIsInTheDocs) {
  std::ifstream in("docs/ops.md");
  std::stringstream text;
  text << in.rdbuf();
  for (const OpDef* op : OpRegistry::Builtin().All()) {
    bool entry = text.str().find("\n### " + op->name + "\n") != std::string::npos;
    bool row = text.str().find("\n| `" + op->name + "` |") != std::string::npos;
    EXPECT_TRUE(entry || row) << "docs/ops.md has neither `### " << op->name << "` nor a row of it";
  }
}

TEST(CatalogueTest, EveryOpHasACase) {
  std::set<std::string> named;
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) named.insert(op_case.op);
  }
  for (const OpDef* op : OpRegistry::Builtin().All()) {
    if (op->control != Control::kNone) continue;  // needs functions to call
    EXPECT_TRUE(named.contains(op->name)) << op->name << " is in no file tests/core/ops/*.cases";
  }
}

}  // namespace
}  // namespace signet
