#include "client/cli/top/metrics_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace signet {
namespace {

// Reads `{name="value",...}` at the beginning of `text`, and removes it. Returns false for other
// text.
bool ReadLabels(std::string_view& text, MetricsText::Labels& out) {
  text.remove_prefix(1);
  while (!text.empty() && text[0] != '}') {
    const size_t equals = text.find("=\"");
    if (equals == std::string_view::npos) return false;
    std::string name(text.substr(0, equals));
    std::string value;
    size_t i = equals + 2;
    for (; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        ++i;
        value += text[i] == 'n' ? '\n' : text[i];
      } else {
        value += text[i];
      }
    }
    if (i >= text.size()) return false;
    text.remove_prefix(i + 1);
    if (!text.empty() && text[0] == ',') text.remove_prefix(1);
    out.emplace(std::move(name), std::move(value));
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return true;
}

bool HasLabels(const MetricsText::Sample& sample, const MetricsText::Labels& labels) {
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    auto found = sample.labels.find(label.first);
    return found != sample.labels.end() && found->second == label.second;
  });
}

}  // namespace

StatusOr<MetricsText> MetricsText::Parse(std::string_view text) {
  MetricsText out;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    const size_t name_end = line.find_first_of("{ ");
    Sample sample;
    auto fail = [&] { return InvalidArgument("line ", number, ": expected `name{labels} value`"); };
    if (name_end == std::string_view::npos) return fail();
    std::string name(line.substr(0, name_end));
    line.remove_prefix(name_end);
    if (line[0] == '{' && !ReadLabels(line, sample.labels)) return fail();
    const std::string value(line);
    char* after = nullptr;
    sample.value = std::strtod(value.c_str(), &after);
    if (after == value.c_str()) return fail();
    out.samples_[std::move(name)].push_back(std::move(sample));
  }
  return out;
}

const std::vector<MetricsText::Sample>& MetricsText::Samples(std::string_view name) const {
  static const auto* none = new std::vector<Sample>();
  auto found = samples_.find(name);
  return found == samples_.end() ? *none : found->second;
}

double MetricsText::Sum(std::string_view name, const Labels& labels) const {
  double sum = 0;
  for (const Sample& sample : Samples(name)) {
    if (HasLabels(sample, labels)) sum += sample.value;
  }
  return sum;
}

std::map<double, double> MetricsText::Buckets(std::string_view name, const Labels& labels) const {
  std::map<double, double> out;
  for (const Sample& sample : Samples(std::string(name) + "_bucket")) {
    auto bound = sample.labels.find("le");
    if (bound == sample.labels.end() || !HasLabels(sample, labels)) continue;
    out[std::strtod(bound->second.c_str(), nullptr)] += sample.value;
  }
  return out;
}

double QuantileOf(const std::map<double, double>& buckets, double quantile) {
  if (buckets.empty()) return 0;
  const double wanted = quantile * buckets.rbegin()->second;
  if (wanted <= 0) return 0;
  double below = 0;
  double lower = 0;
  for (const auto& [bound, count] : buckets) {
    if (count >= wanted) {
      if (std::isinf(bound)) return lower;
      return lower + (bound - lower) * (wanted - below) / (count - below);
    }
    below = count;
    lower = bound;
  }
  return lower;
}

}  // namespace signet
