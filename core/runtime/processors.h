// AvailableProcessors: the number of processors that this process may use.
//
// It is the size of the processor affinity (cpuset), limited by the CPU quota of the control group
// and of each of its ancestors, versions 1 and 2. A quota is rounded up: 0.5 means 1 processor, and
// 2.5 means 3. Thread-safe.

#pragma once

#include <filesystem>
#include <optional>

namespace signet {

// Returns at least 1.
int AvailableProcessors();

// Returns the smallest CPU quota in processors, or nothing if there is none. `root` is the
// directory that contains proc and sys.
std::optional<double> CpuQuota(const std::filesystem::path& root = "/");

}  // namespace signet
