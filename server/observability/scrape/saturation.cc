#include "server/observability/scrape/saturation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/runtime/processors.h"

namespace signet {

namespace fs = std::filesystem;

double SaturationMeter::Read() {
  constexpr std::chrono::seconds kWindow(10);
  samples_.push_back(MakeSample());
  const Sample& now = samples_.back();
  while (samples_.size() > 2 && now.time - samples_[1].time >= kWindow) samples_.pop_front();
  const std::chrono::duration<double, std::nano> elapsed = now.time - samples_.front().time;
  const double available = std::max(elapsed.count(), 1.0) * AvailableProcessors();
  return (now.needed_ns - samples_.front().needed_ns) / available;
}

SaturationMeter::Sample SaturationMeter::MakeSample() {
  std::unordered_map<std::string, double> threads;
  std::error_code error;
  for (fs::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    double run = 0;
    double wait = 0;
    std::ifstream file(it->path() / "schedstat");
    if (!(file >> run >> wait)) continue;  // the thread has ended
    const std::string thread = it->path().filename().native();
    const auto seen = threads_.find(thread);
    const double before = seen == threads_.end() ? 0 : seen->second;
    // A smaller number is that of another thread, which has the same identifier.
    needed_ns_ += run + wait - (before <= run + wait ? before : 0);
    threads[thread] = run + wait;
  }
  threads_ = std::move(threads);
  return {std::chrono::steady_clock::now(), needed_ns_};
}

}  // namespace signet
