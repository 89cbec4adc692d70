// CollectMetrics: reads all metrics of a server, as families of prometheus-cpp.
//
// docs/reference/metrics.md lists them. `saturation` is that of a SaturationMeter. Every family is
// returned, even if it has no samples yet. Thread-safe.

#pragma once

#include <vector>

#include <prometheus/metric_family.h>

#include "server/call/serving.h"

namespace signet {

std::vector<prometheus::MetricFamily> CollectMetrics(const ServerContext& server,
                                                     double saturation);

}  // namespace signet
