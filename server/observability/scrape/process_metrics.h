// AddProcessMetrics: adds the metrics of the process under the names that Prometheus clients use,
// `process_cpu_seconds_total` and others. Reads /proc/self. Thread-safe.

#pragma once

#include "server/observability/scrape/families.h"

namespace signet {

void AddProcessMetrics(Families& families);

}  // namespace signet
