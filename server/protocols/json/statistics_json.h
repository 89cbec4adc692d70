// StatisticsJson: the counters of /metrics that describe calls, as JSON: GET /v1/statistics.
//
//   {"time": 1764000000.5, "calls_in_flight": 2, "queues": {"compute": 0, "make": 0, "function":
//   0},
//    "duration_bounds": [4.096e-06, ...], "functions": [{"model": "savings", "function": "fees",
//      "calls": {"OK": 12}, "duration": {"count": 12, "sum": 0.01, "buckets": [0, 3, ...]}, ...}]}
//
// All counts are since the server started. A client that polls computes rates and percentiles from
// the differences. Times are in seconds. Bucket i counts values of at most bound i, and the last
// one all others; buckets are not cumulative. docs/reference/metrics.md explains the values.
// Thread-safe.

#pragma once

#include "server/protocols/json/model_json.h"

namespace signet {

// Returns the functions of the models that `access` may list.
OrderedJson StatisticsJson(const ServerContext& server, const Access& access);

}  // namespace signet
