#include "server/observability/scrape/metrics_page.h"

#include <prometheus/text_serializer.h>

#include "server/observability/scrape/metric_families.h"

namespace signet {

std::string MetricsPage::Render() {
  constexpr int kPause = 50;  // times the time to render
  std::lock_guard lock(mu_);
  const auto start = std::chrono::steady_clock::now();
  if (start < render_again_) return page_;
  page_ = prometheus::TextSerializer().Serialize(CollectMetrics(server_, saturation_.Read()));
  const auto end = std::chrono::steady_clock::now();
  render_again_ = end + kPause * (end - start);
  return page_;
}

}  // namespace signet
