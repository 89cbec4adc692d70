// Kernels count all memory that they take, before they take it: with a limit, the peak of the
// process stays below it, for all values.

#include <fstream>
#include <malloc.h>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/kernels/catalog.h"
#include "tests/core/kernels/kernel_call.h"
#include "tests/core/kernels/large_calls.h"

namespace signet {
namespace {

// Bytes of the process: `VmRSS:` now, `VmHWM:` the most since ForgetPeak.
size_t BytesOfProcess(std::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (std::string_view(line).starts_with(what))
      return std::stoull(line.substr(what.size())) << 10;
  }
  return 0;
}

// Returns false where the kernel of the machine does not support it.
bool ForgetPeak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

TEST(MemoryTest, EveryKernelCountsItsMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  if (!ForgetPeak()) GTEST_SKIP() << "the peak of a process cannot be reset here";
  constexpr int kCasesPerOp = 2;
  constexpr int64_t kElements = int64_t{2} << 20;
  constexpr size_t kLimit = size_t{12} << 20;
  constexpr size_t kMore = size_t{12} << 20;  // of the allocator, and small things
  std::map<std::string, int> cases;
  int rejected = 0;
  for (const CaseFile& file : ReadCaseFiles()) {
    for (const OpCase& op_case : file.cases) {
      if (!op_case.error.empty() || !IsKernelCall(op_case)) continue;
      if (LookupKernel(op_case.op) == nullptr || ++cases[op_case.op] > kCasesPerOp) continue;
      for (const LargeOpCall& large : MakeLargeCalls(op_case, kElements)) {
        auto call = KernelCall::Make(op_case.op, large.attributes, large.inputs);
        if (!call.ok()) continue;
        malloc_trim(0);
        ForgetPeak();
        const size_t before = BytesOfProcess("VmRSS:");
        Status ran = call->RunWithin(kLimit);
        rejected += ran.code() == absl::StatusCode::kResourceExhausted;
        const size_t peak = BytesOfProcess("VmHWM:");
        EXPECT_LE(peak, before + kLimit + kMore)
            << file.name << ":" << op_case.line << ": " << large.text << ": " << ran;
      }
    }
  }
  EXPECT_GT(rejected, 100);  // calls that take more than the limit
}

}  // namespace
}  // namespace signet
