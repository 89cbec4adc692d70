#include "server/observability/scrape/process_metrics.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "signet/cat.h"

namespace signet {
namespace {

// Returns the fields of /proc/self/stat after the name of the program, which may contain spaces.
std::vector<double> ReadStat() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<double> out;
  size_t at = text.rfind(')');
  if (at == std::string::npos) return out;
  at = text.find(' ', at + 2);  // after the state, which is a letter
  while (at != std::string::npos && at + 1 < text.size()) {
    out.push_back(std::strtod(text.c_str() + at + 1, nullptr));
    at = text.find(' ', at + 1);
  }
  return out;
}

double CountDescriptors() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

// Returns the time of the start of the system, in seconds since 1970.
double BootTime() {
  std::ifstream file("/proc/stat");
  std::string word;
  while (file >> word) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

}  // namespace

void AddProcessMetrics(Families& families) {
  static const double boot_time = BootTime();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  // Indices of the fields that proc(5) numbers from 4.
  constexpr size_t kUserTime = 14 - 4, kSystemTime = 15 - 4, kThreads = 20 - 4, kStart = 22 - 4,
                   kVirtual = 23 - 4, kResident = 24 - 4;
  const std::vector<double> stat = ReadStat();
  auto field = [&](size_t i) { return i < stat.size() ? stat[i] : 0; };
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  families.AddOne("process_cpu_seconds_total", MetricType::Counter,
                  "User and system processor time, in seconds",
                  (field(kUserTime) + field(kSystemTime)) / ticks);
  families.AddOne("process_resident_memory_bytes", MetricType::Gauge, "Resident memory, in bytes",
                  field(kResident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  families.AddOne("process_virtual_memory_bytes", MetricType::Gauge, "Virtual memory, in bytes",
                  field(kVirtual));
  families.AddOne("process_start_time_seconds", MetricType::Gauge,
                  "Start of the process, in seconds since 1970", boot_time + field(kStart) / ticks);
  families.AddOne("process_open_fds", MetricType::Gauge, "Open file descriptors",
                  CountDescriptors());
  families.AddOne("process_max_fds", MetricType::Gauge, "Limit of open file descriptors",
                  static_cast<double>(files.rlim_cur));
  families.AddOne("process_threads", MetricType::Gauge, "Threads of the process", field(kThreads));
}

}  // namespace signet
