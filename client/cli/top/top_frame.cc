#include "client/cli/top/top_frame.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "client/cli/table.h"
#include "signet/cat.h"

namespace signet {
namespace {

std::string FixedText(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, number);
  return text;
}

std::string BytesText(double bytes) {
  const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return Cat(FixedText(bytes, unit == 0 ? 0 : 1), " ", units[unit]);
}

std::string UptimeText(double seconds) {
  if (seconds >= 2 * 86400) return Cat(FixedText(seconds / 86400, 0), " d");
  if (seconds >= 2 * 3600) return Cat(FixedText(seconds / 3600, 0), " h");
  if (seconds >= 2 * 60) return Cat(FixedText(seconds / 60, 0), " min");
  return Cat(FixedText(seconds, 0), " s");
}

class TopFrame {
 public:
  TopFrame(const MetricsText& before, const MetricsText& after, double seconds)
      : before_(before), after_(after), seconds_(seconds) {}

  double Increase(const char* name, const MetricsText::Labels& labels) const {
    return std::max(0.0, after_.Sum(name, labels) - before_.Sum(name, labels));
  }
  double Rate(const char* name, const MetricsText::Labels& labels = {}) const {
    return Increase(name, labels) / seconds_;
  }
  // Returns a quantile of the times between the readings; `-` if there was none.
  std::string Quantile(const char* name, const MetricsText::Labels& labels, double quantile) const {
    auto buckets = after_.Buckets(name, labels);
    for (const auto& [bound, count] : before_.Buckets(name, labels)) buckets[bound] -= count;
    if (buckets.empty() || buckets.rbegin()->second <= 0) return "-";
    return Cat(FixedText(QuantileOf(buckets, quantile) * 1000, 3), " ms");
  }

  std::string Header(const std::string& address) const {
    const double now = after_.Sum("signet_scrape_time_seconds");
    std::string out =
        Cat(address, "   up ", UptimeText(now - after_.Sum("process_start_time_seconds")),
            "   cpu ", FixedText(Rate("process_cpu_seconds_total"), 2), "   memory ",
            BytesText(after_.Sum("process_resident_memory_bytes")), "   in flight ",
            FixedText(after_.Sum("signet_calls_in_flight"), 0), "   queued ",
            FixedText(after_.Sum("signet_queue_depth"), 0), "   connections ",
            FixedText(after_.Sum("signet_connections"), 0), "\n");
    std::map<std::string, double> rejections;
    for (const auto& sample : after_.Samples("signet_rejections_total")) {
      auto reason = sample.labels.find("reason");
      if (reason == sample.labels.end()) continue;
      rejections[reason->second] = Rate("signet_rejections_total", {{"reason", reason->second}});
    }
    out += "rejections/s";
    for (const auto& [reason, rate] : rejections) {
      if (rate > 0) out += Cat("   ", Printable(reason), " ", FixedText(rate, 1));
    }
    return out + "\n\n";
  }

  std::string Table(size_t most) const {
    std::set<std::pair<std::string, std::string>> functions;
    for (const auto& sample : after_.Samples("signet_calls_total")) {
      auto model = sample.labels.find("model");
      auto function = sample.labels.find("function");
      if (model == sample.labels.end() || function == sample.labels.end()) continue;
      functions.emplace(model->second, function->second);
    }
    std::vector<std::pair<double, std::vector<std::string>>> rows;
    for (const auto& [model, function] : functions) {
      rows.push_back(Row(model, function));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::vector<std::string>> table = {{"MODEL", "FUNCTION", "CALLS/S", "ERRORS/S",
                                                    "P50", "P99", "QUEUE P99", "RUN P50", "HITS",
                                                    "MEMORY"}};
    for (size_t i = 0; i < rows.size() && i < most; ++i) table.push_back(rows[i].second);
    std::string out = AlignColumns(table);
    if (rows.size() > most) out += Cat("and ", rows.size() - most, " more functions\n");
    return out;
  }

 private:
  // Returns the calls per second of a function, and its row.
  std::pair<double, std::vector<std::string>> Row(const std::string& model,
                                                  const std::string& function) const {
    const MetricsText::Labels labels = {{"model", model}, {"function", function}};
    auto with = [&](const char* name, const char* value) {
      MetricsText::Labels out = labels;
      out.emplace(name, value);
      return out;
    };
    const double calls = Rate("signet_calls_total", labels);
    const double good = Rate("signet_calls_total", with("code", "OK"));
    const double hits = Increase("signet_function_cache_hits_total", labels);
    const double made = Increase("signet_specializations_total", labels);
    return {calls,
            {Printable(model), Printable(function), FixedText(calls, 1),
             FixedText(std::max(0.0, calls - good), 1),
             Quantile("signet_call_duration_seconds", labels, 0.5),
             Quantile("signet_call_duration_seconds", labels, 0.99),
             Quantile("signet_stage_duration_seconds", with("stage", "queue"), 0.99),
             Quantile("signet_stage_duration_seconds", with("stage", "run"), 0.5),
             hits + made > 0 ? Cat(FixedText(100 * hits / (hits + made), 1), "%") : "-",
             BytesText(after_.Sum("signet_concrete_function_bytes", labels))}};
  }

  const MetricsText& before_;
  const MetricsText& after_;
  const double seconds_;
};

}  // namespace

std::string RenderTopFrame(const MetricsText& before, const MetricsText& after, double seconds,
                           const TopOptions& options) {
  TopFrame frame(before, after, std::max(seconds, 1e-9));
  return frame.Header(options.address) + frame.Table(options.rows);
}

}  // namespace signet
