// RenderTopFrame: formats what a server has done between two readings of its metrics, for people.
//
//   localhost:8501   up 2 h   cpu 0.4   memory 182 MB   in flight 3   queued 0   connections 12
//   rejections/s   QUEUE_FULL 3.0
//
//   MODEL     FUNCTION   CALLS/S   ERRORS/S   P50      P99      QUEUE P99   RUN P50   HITS MEMORY
//   recipes   score      1503.0    0.0        0.3 ms   1.2 ms   0.0 ms      0.2 ms    99.9%   1.2
//   MB
//
// Stateless; thread-safe.

#pragma once

#include <string>

#include "client/cli/top/metrics_text.h"

namespace signet {

struct TopOptions {
  std::string address = {};  // in the first line
  size_t rows = 30;          // functions; the ones with the most calls
};

// `seconds`: between `before` and `after`.
std::string RenderTopFrame(const MetricsText& before, const MetricsText& after, double seconds,
                           const TopOptions& options);

}  // namespace signet
