// MetricsText: the samples of a page in the text format of Prometheus.
//
//   auto metrics = MetricsText::Parse("calls_total{model=\"a\"} 3\n");
//   metrics->Sum("calls_total", {{"model", "a"}});   // 3
//
// https://prometheus.io/docs/instrumenting/exposition_formats/. Immutable after Parse.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signet/status.h"

namespace signet {

class MetricsText {
 public:
  using Labels = std::map<std::string, std::string, std::less<>>;
  struct Sample {
    Labels labels;
    double value = 0;
  };

  // Returns INVALID_ARGUMENT, with the line, if the text has another format.
  static StatusOr<MetricsText> Parse(std::string_view text);

  // Returns the samples of a name; empty if there are none.
  const std::vector<Sample>& Samples(std::string_view name) const;
  // Returns the sum of the samples of `name` that have these labels, among others.
  double Sum(std::string_view name, const Labels& labels = {}) const;
  // Returns the sums of the buckets of the histogram `name` with these labels, by their upper
  // bounds. They are cumulative.
  std::map<double, double> Buckets(std::string_view name, const Labels& labels) const;

 private:
  std::map<std::string, std::vector<Sample>, std::less<>> samples_;  // by name
};

// Returns the quantile of cumulative buckets, by linear interpolation in a bucket. Returns 0 if
// they are empty.
double QuantileOf(const std::map<double, double>& buckets, double quantile);

}  // namespace signet
