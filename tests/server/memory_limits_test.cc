#include "server/memory_limits.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

bool NoneIsSet(std::string_view) { return false; }

TEST(MemoryLimitsTest, ReadsControlGroupsOfBothVersions) {
  TemporaryFolder root;
  EXPECT_EQ(AvailableMemory(root.path()), 0);
  root.Write("proc/meminfo", "MemFree:  1 kB\nMemTotal:       4096 kB\n");
  EXPECT_EQ(AvailableMemory(root.path()), 4 * kMiB);

  root.Write("proc/self/cgroup", "0::/a/b\n");
  root.Write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(AvailableMemory(root.path()), 4 * kMiB);
  root.Write("sys/fs/cgroup/a/memory.max", "3145728\n");  // of the parent
  EXPECT_EQ(AvailableMemory(root.path()), 3 * kMiB);

  root.Write("proc/self/cgroup", "5:cpu,memory:/c\n3:pids:/c\n");
  root.Write("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(AvailableMemory(root.path()), 4 * kMiB);
  root.Write("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(AvailableMemory(root.path()), 2 * kMiB);

  // In a container, its own group is the root.
  root.Write("proc/self/cgroup", "0::/host/path/that/is/not/here\n");
  root.Write("sys/fs/cgroup/memory.max", "1048576\n");
  EXPECT_EQ(AvailableMemory(root.path()), kMiB);
}

TEST(MemoryLimitsTest, FitsCallsRequestsAndResponsesIntoTheMemory) {
  for (int64_t memory : {256 * kMiB, 1024 * kMiB, 4096 * kMiB}) {
    for (int threads : {1, 2, 16}) {
      ServerOptions options;
      FitToMemory(memory, threads, NoneIsSet, options);
      int64_t calls =
          std::max(threads, 2) * (options.function.max_call_bytes + options.limits.expanded_bytes);
      EXPECT_LE(calls + options.transport.received_bytes + options.transport.unread_bytes,
                memory * 7 / 8)
          << memory << " bytes, " << threads << " threads";
      EXPECT_LE(8 * options.limits.message_bytes, options.transport.received_bytes);
    }
  }
}

TEST(MemoryLimitsTest, KeepsDefaultsOnLargeMachinesAndFlagsThatAreSet) {
  ServerOptions usual;
  ServerOptions options;
  FitToMemory(int64_t{1} << 40, 8, NoneIsSet, options);
  EXPECT_EQ(options.function.max_call_bytes, usual.function.max_call_bytes);
  EXPECT_EQ(options.limits.message_bytes, usual.limits.message_bytes);
  FitToMemory(
      256 * kMiB, 2, [](std::string_view flag) { return flag == "--max_message_bytes"; }, options);
  EXPECT_EQ(options.limits.message_bytes, usual.limits.message_bytes);
  EXPECT_LT(options.limits.expanded_bytes, usual.limits.expanded_bytes);
}

}  // namespace
}  // namespace signet
