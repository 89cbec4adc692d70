#include "server/memory_limits.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <sys/resource.h>

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// Returns the number in `file`, or kUnlimited if it has none. Without a limit, version 2 of control
// groups writes `max`, and version 1 writes a number that exceeds the memory of any machine.
int64_t ReadLimit(const fs::path& file) {
  std::ifstream in(file);
  int64_t limit = 0;
  return in >> limit && limit > 0 ? limit : kUnlimited;
}

// Returns the smallest limit of the group at `path` and of its ancestors. In a container, `path`
// may be a path of the host, and only the root group exists.
int64_t SmallestLimit(const fs::path& mount, std::string path, const char* file) {
  int64_t limit = kUnlimited;
  while (true) {
    limit = std::min(limit, ReadLimit(mount / fs::path(path).relative_path() / file));
    if (path.empty() || path == "/") return limit;
    path = fs::path(path).parent_path();
  }
}

int64_t MachineMemory(const fs::path& root) {
  std::ifstream in(root / "proc/meminfo");
  std::string name;
  for (std::string line; std::getline(in, line);) {
    int64_t kilobytes = 0;
    if (std::istringstream(line) >> name >> kilobytes && name == "MemTotal:") {
      return kilobytes * 1024;
    }
  }
  return kUnlimited;
}

}  // namespace

int64_t AvailableMemory(const fs::path& root) {
  int64_t limit = MachineMemory(root);
  // Lines such as `4:memory:/group` (version 1) and `0::/group` (version 2).
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':');
    size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      limit = std::min(limit, SmallestLimit(root / "sys/fs/cgroup", path, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit,
                       SmallestLimit(root / "sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
    }
  }
  rlimit addresses = {};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
    limit = std::min(limit, static_cast<int64_t>(std::min<rlim_t>(addresses.rlim_cur, kUnlimited)));
  }
  return limit == kUnlimited ? 0 : limit;
}

void FitToMemory(int64_t memory, int threads, const std::function<bool(std::string_view)>& is_set,
                 ServerOptions& options) {
  if (memory <= 0) return;
  auto fit = [&](std::string_view flag, int64_t& limit, int64_t share) {
    if (!is_set(flag)) limit = std::min(limit, std::max<int64_t>(share, 1 << 20));
  };
  // Small calls run on network threads, in addition to the threads of the pool.
  int64_t running = std::max(threads, 2);
  fit("--max_call_bytes", options.function.max_call_bytes, memory / 4 / running);
  fit("--max_expanded_bytes", options.limits.expanded_bytes, memory / 4 / running);
  fit("--max_cache_bytes", options.function.max_cache_bytes, memory / 8);
  fit("--max_function_bytes", options.function.max_function_bytes, memory / 16);
  fit("--max_message_bytes", options.limits.message_bytes, memory / 32);
  fit("--max_received_bytes", options.transport.received_bytes, memory / 4);
  fit("--max_queued_bytes", options.transport.queued_bytes, memory / 8);
  fit("--max_unread_bytes", options.transport.unread_bytes, memory / 8);
  fit("--max_connection_unread_bytes", options.transport.connection_unread_bytes, memory / 16);
}

}  // namespace signet
