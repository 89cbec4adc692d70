#include "core/ops/def/output_count.h"

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/support/case_file.h"

namespace signet {
namespace {

// The table of counts agrees with the cases of every op.
TEST(OutputCountTest, NoCaseHasMoreOutputs) {
  int checked = 0;
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) {
      const OpDef* op = BuiltinOps().Lookup(op_case.op);
      if (op == nullptr) continue;
      const auto most = MaxOutputs(*op, op_case.inputs.size());
      if (!most) continue;
      ++checked;
      EXPECT_LE(op_case.results.size(), *most)
          << file.name << ":" << op_case.line << ": " << op_case.call;
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(OutputCountTest, KnowsOpsWithOneOutputSeveralAndAnyNumber) {
  const OpRegistry& ops = BuiltinOps();
  EXPECT_EQ(MaxOutputs(*ops.Lookup("add"), 2), 1u);
  EXPECT_EQ(MaxOutputs(*ops.Lookup("top_k"), 1), 2u);
  EXPECT_EQ(MaxOutputs(*ops.Lookup("while"), 3), 3u);
  EXPECT_EQ(MaxOutputs(*ops.Lookup("split"), 1), std::nullopt);
  EXPECT_EQ(MaxOutputs(*ops.Lookup("onnx.Split"), 1), std::nullopt);
}

}  // namespace
}  // namespace signet
