// Families: builds metric families, one after the other.
//
//   Families families;
//   families.Begin("signet_calls_total", MetricType::Counter, "Calls that ended, by code");
//   families.Add({{"model", "recipes"}, {"code", "OK"}}, 12);
//
// Not thread-safe.

#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

namespace signet {

using prometheus::MetricType;
using MetricLabels = std::vector<prometheus::ClientMetric::Label>;

class Families {
 public:
  // Begins a family. The next samples belong to it.
  void Begin(const char* name, MetricType type, const char* help) {
    families_.push_back({.name = name, .help = help, .type = type, .metric = {}});
  }
  // Adds a sample of a counter or a gauge.
  void Add(MetricLabels labels, double value) {
    auto& metric = AddMetric(std::move(labels));
    if (families_.back().type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
  }
  // Begins a family with one sample without labels.
  void AddOne(const char* name, MetricType type, const char* help, double value) {
    Begin(name, type, help);
    Add({}, value);
  }
  // Adds a histogram. `counts` are the counts of its buckets, not cumulative, the last without a
  // bound, and `bound` returns the upper bound of bucket i.
  template <class Counts, class Bound>
  void AddHistogram(MetricLabels labels, const Counts& counts, double sum, Bound bound) {
    auto& histogram = AddMetric(std::move(labels)).histogram;
    for (size_t i = 0; i < counts.size(); ++i) {
      histogram.sample_count += counts[i];
      const double upper =
          i + 1 < counts.size() ? bound(i) : std::numeric_limits<double>::infinity();
      histogram.bucket.push_back(
          {.cumulative_count = histogram.sample_count, .upper_bound = upper});
    }
    histogram.sample_sum = sum;
  }
  std::vector<prometheus::MetricFamily> Take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& AddMetric(MetricLabels labels) {
    auto& metric = families_.back().metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace signet
