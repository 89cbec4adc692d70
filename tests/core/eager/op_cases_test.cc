// Runs tests/core/ops/*.cases at once, on values: what functions of one node give
// (tests/core/runtime/graph_cases_test.cc), RunOp must give.

#include <cstdio>

#include <gtest/gtest.h>

#include "core/base/constraint.h"
#include "signet/ops/run_op.h"
#include "tests/support/case_file.h"

namespace signet {
namespace {

StatusOr<std::vector<Value>> RunAtOnce(const OpCase& op_case) {
  SIGNET_ASSIGN_OR_RETURN(auto results, RunOp(op_case.op, op_case.inputs, op_case.attributes));
  // Whatever an op makes of checked values must pass the checks of values from outside.
  for (const Value& result : results) {
    Components components(result.components().begin(), result.components().end());
    SIGNET_RETURN_IF_ERROR(MakeValue(result.spec(), std::move(components)).status());
  }
  return results;
}

// Values are known earlier here, so another op of an expansion may find the fault, under its own
// constraint.
bool IsExpectedHere(const OpCase& op_case, const Status& status) {
  return IsExpectedError(op_case, status) || !ConstraintOf(status).empty();
}

TEST(OpCasesTest, AgreeAtOnce) {
  size_t run = 0;
  for (const CaseFile& file : ReadCaseFiles()) {
    ASSERT_EQ(file.fault, "") << file.name;
    for (const OpCase& op_case : file.cases) {
      SCOPED_TRACE(Cat(file.name, ":", op_case.line, ": ", op_case.call));
      auto found = RunAtOnce(op_case);
      ++run;
      if (op_case.error.empty()) {
        EXPECT_TRUE(found.ok()) << found.status();
        EXPECT_EQ(found.ok() ? Difference(op_case, *found) : "", "");
      } else if (found.ok()) {
        ADD_FAILURE() << "expected an error: " << op_case.error;
      } else {
        EXPECT_TRUE(IsExpectedHere(op_case, found.status())) << found.status();
      }
    }
  }
  std::printf("cases: %zu at once\n", run);
  EXPECT_GT(run, 0u);
}

}  // namespace
}  // namespace signet
