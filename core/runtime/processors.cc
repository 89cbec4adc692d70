#include "core/runtime/processors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace signet {
namespace {

namespace fs = std::filesystem;

void Lower(std::optional<double>& quota, double other) {
  quota = std::min(quota.value_or(other), other);
}

// Reads a group of version 2: `max 100000`, or a quota and a period in microseconds.
void LowerToGroup2(const fs::path& group, std::optional<double>& quota) {
  std::ifstream file(group / "cpu.max");
  double allowed = 0;
  double period = 0;
  if (file >> allowed >> period && allowed > 0 && period > 0) Lower(quota, allowed / period);
}

// Reads a group of version 1, whose quota is -1 if there is no limit.
void LowerToGroup1(const fs::path& group, std::optional<double>& quota) {
  std::ifstream allowed_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double allowed = 0;
  double period = 0;
  if (allowed_file >> allowed && period_file >> period && allowed > 0 && period > 0) {
    Lower(quota, allowed / period);
  }
}

// Reads the group at `path` and its ancestors. In a container, `path` may be a path of the host,
// and only the root group exists.
template <class Read>
void ReadGroups(const fs::path& mount, std::string path, std::optional<double>& quota, Read read) {
  while (true) {
    read(mount / fs::path(path).relative_path(), quota);
    if (path.empty() || path == "/") return;
    path = fs::path(path).parent_path();
  }
}

}  // namespace

std::optional<double> CpuQuota(const fs::path& root) {
  std::optional<double> quota;
  const fs::path mount = root / "sys/fs/cgroup";
  // Lines such as `3:cpu,cpuacct:/group` (version 1) and `0::/group` (version 2).
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      // Systems with both versions mount version 2 below `unified`.
      ReadGroups(mount, path, quota, LowerToGroup2);
      ReadGroups(mount / "unified", path, quota, LowerToGroup2);
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      // The directory has the name of the controllers; `cpu` is usually a link to it.
      ReadGroups(mount / "cpu", path, quota, LowerToGroup1);
      ReadGroups(mount / controllers, path, quota, LowerToGroup1);
    }
  }
  return quota;
}

int AvailableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int processors = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(set), &set) == 0) processors = CPU_COUNT(&set);
  if (auto quota = CpuQuota(); quota && std::ceil(*quota) < processors) {
    processors = static_cast<int>(std::ceil(*quota));
  }
  return std::max(processors, 1);
}

}  // namespace signet
