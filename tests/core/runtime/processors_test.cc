#include "core/runtime/processors.h"

#include <fstream>

#include <gtest/gtest.h>

namespace signet {
namespace {

namespace fs = std::filesystem;

// A directory that looks like the root of a system.
class ProcessorsTest : public testing::Test {
 protected:
  ~ProcessorsTest() override { fs::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ProcessorsTest, ThereIsAProcessor) { EXPECT_GE(AvailableProcessors(), 1); }

TEST_F(ProcessorsTest, NoGroupMeansNoQuota) { EXPECT_EQ(CpuQuota(root_), std::nullopt); }

TEST_F(ProcessorsTest, ReadsVersion2) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(CpuQuota(root_), 0.5);
  Write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(CpuQuota(root_), std::nullopt);
}

TEST_F(ProcessorsTest, TakesTheSmallestQuotaOfNestedGroups) {
  Write("proc/self/cgroup", "0::/pods/pod/container\n");
  Write("sys/fs/cgroup/pods/pod/container/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/pods/pod/cpu.max", "150000 100000\n");
  Write("sys/fs/cgroup/pods/cpu.max", "400000 100000\n");
  EXPECT_EQ(CpuQuota(root_), 1.5);
}

TEST_F(ProcessorsTest, ReadsVersion1) {
  Write("proc/self/cgroup", "5:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n");
  // In a container, only the group of the container is mounted.
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_), 2.5);
  Write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_), 2.5);
  Write("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "10000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_), 0.1);
}

TEST_F(ProcessorsTest, IgnoresOtherControllersAndText) {
  Write("proc/self/cgroup", "garbage\n4:cpuset:/a\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_), std::nullopt);
}

}  // namespace
}  // namespace signet
