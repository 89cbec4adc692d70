#include "server/protocols/json/statistics_json.h"

#include <chrono>
#include <utility>

namespace signet {
namespace {

using Sum = CallCounters<uint64_t>;

double SecondsFrom(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

template <class Histogram>
OrderedJson HistogramJson(const Histogram& histogram, double sum) {
  uint64_t count = 0;
  for (uint64_t bucket : histogram.buckets) count += bucket;
  return {{"count", count}, {"sum", sum}, {"buckets", histogram.buckets}};
}

OrderedJson SeriesJson(const CallSeries& series, const Sum& sum) {
  OrderedJson calls = OrderedJson::object();
  for (size_t i = 0; i < kNumCodes; ++i) {
    if (sum.calls[i] == 0) continue;
    calls[absl::StatusCodeToString(static_cast<absl::StatusCode>(i))] = sum.calls[i];
  }
  OrderedJson stages = OrderedJson::object();
  for (size_t i = 0; i < kNumStages; ++i) stages[kStageNames[i]] = SecondsFrom(sum.stages[i].sum);
  return {{"model", series.model()},
          {"function", series.function()},
          {"calls", std::move(calls)},
          {"duration", HistogramJson(sum.duration, SecondsFrom(sum.duration.sum))},
          {"stage_seconds", std::move(stages)},
          {"batch_rows", HistogramJson(sum.batch_rows, static_cast<double>(sum.batch_rows.sum))},
          {"batched_calls", sum.batch_calls},
          {"request_bytes", sum.request_bytes},
          {"response_bytes", sum.response_bytes}};
}

}  // namespace

OrderedJson StatisticsJson(const ServerContext& server, const Access& access) {
  OrderedJson functions = OrderedJson::array();
  for (const CallSeries* series : server.observer.metrics().AllSeries()) {
    if (!access.Permits(Rpc::kListModels, series->model())) continue;
    const Sum sum = series->Sum();
    uint64_t calls = 0;
    for (uint64_t count : sum.calls) calls += count;
    if (calls > 0) functions.push_back(SeriesJson(*series, sum));
  }
  OrderedJson duration_bounds = OrderedJson::array();
  for (size_t i = 0; i < CallBuckets::kBounds; ++i) {
    duration_bounds.push_back(CallBuckets::BoundOf(i));
  }
  OrderedJson batch_bounds = OrderedJson::array();
  for (size_t i = 0; i < kBatchBounds; ++i) batch_bounds.push_back(uint64_t{1} << i);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  const AdmissionStats& admission = server.scheduler.stats();
  return {{"time", now.count()},
          {"calls_in_flight", server.stats.in_flight.load(std::memory_order_relaxed)},
          {"queues",
           {{"compute", server.scheduler.queued()},
            {"make", server.makers.queued()},
            {"function", server.waiting_calls.load(std::memory_order_relaxed)}}},
          {"compute_calls", admission.running.load(std::memory_order_relaxed)},
          {"compute_threads", server.pool.num_threads()},
          {"model_memory_bytes", server.repository.memory_bytes()},
          {"duration_bounds", std::move(duration_bounds)},
          {"batch_bounds", std::move(batch_bounds)},
          {"functions", std::move(functions)}};
}

}  // namespace signet
