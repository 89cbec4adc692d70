#include "server/observability/scrape/metric_families.h"

#include <map>
#include <tuple>
#include <utility>

#include "server/observability/log.h"
#include "server/observability/scrape/families.h"
#include "server/observability/scrape/process_metrics.h"

namespace signet {
namespace {

struct SummedSeries {
  const CallSeries* series;
  CallCounters<uint64_t> sum;

  MetricLabels labels() const {
    return {{"model", series->model()}, {"function", series->function()}};
  }
  MetricLabels LabelsWith(const char* name, std::string value) const {
    MetricLabels out = labels();
    out.push_back({name, std::move(value)});
    return out;
  }
};

double SecondsOf(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

void AddCallMetrics(const Metrics& metrics, Families& families) {
  std::vector<SummedSeries> all;
  for (const CallSeries* series : metrics.AllSeries()) all.push_back({series, series->Sum()});

  families.Begin("signet_calls_total", MetricType::Counter, "Calls that ended, by gRPC code");
  for (const SummedSeries& one : all) {
    for (size_t i = 0; i < kNumCodes; ++i) {
      if (one.sum.calls[i] == 0) continue;
      auto code = absl::StatusCodeToString(static_cast<absl::StatusCode>(i));
      families.Add(one.LabelsWith("code", std::move(code)), static_cast<double>(one.sum.calls[i]));
    }
  }
  families.Begin("signet_call_duration_seconds", MetricType::Histogram,
                 "Time from the arrival of a call to its response");
  for (const SummedSeries& one : all) {
    const auto& duration = one.sum.duration;
    uint64_t count = 0;
    for (uint64_t bucket : duration.buckets) count += bucket;
    if (count == 0) continue;
    families.AddHistogram(one.labels(), duration.buckets, SecondsOf(duration.sum),
                          CallBuckets::BoundOf);
  }
  families.Begin("signet_stage_duration_seconds", MetricType::Histogram,
                 "Time of calls in one stage; the stages of a call add up to its duration");
  for (const SummedSeries& one : all) {
    for (size_t i = 0; i < kNumStages; ++i) {
      const auto& stage = one.sum.stages[i];
      if (stage.sum == 0) continue;
      families.AddHistogram(one.LabelsWith("stage", kStageNames[i]), stage.buckets,
                            SecondsOf(stage.sum), StageBuckets::BoundOf);
    }
  }
  families.Begin("signet_batch_rows", MetricType::Histogram, "Rows of calls that ran as one batch");
  for (const SummedSeries& one : all) {
    const auto& rows = one.sum.batch_rows;
    if (rows.sum == 0) continue;
    families.AddHistogram(one.labels(), rows.buckets, static_cast<double>(rows.sum),
                          [](size_t i) { return static_cast<double>(uint64_t{1} << i); });
  }
  auto add_counter = [&](const char* name, const char* help, auto value) {
    families.Begin(name, MetricType::Counter, help);
    for (const SummedSeries& one : all) {
      const double number = value(one.sum);
      if (number > 0) families.Add(one.labels(), number);
    }
  };
  using Sum = CallCounters<uint64_t>;
  add_counter("signet_batched_calls_total", "Calls that ran as part of a batch",
              [](const Sum& sum) { return static_cast<double>(sum.batch_calls); });
  add_counter("signet_request_bytes_total", "Bytes of requests",
              [](const Sum& sum) { return static_cast<double>(sum.request_bytes); });
  add_counter("signet_response_bytes_total", "Bytes of responses of calls that succeeded",
              [](const Sum& sum) { return static_cast<double>(sum.response_bytes); });
  add_counter("signet_wasted_calls_total",
              "Calls that ran and ended after their deadline or cancellation",
              [](const Sum& sum) { return static_cast<double>(sum.wasted_calls); });
  add_counter("signet_wasted_seconds_total", "Time of work on wasted calls",
              [](const Sum& sum) { return SecondsOf(sum.wasted_time); });

  families.Begin("signet_rejections_total", MetricType::Counter,
                 "Errors that were sent to clients, by gRPC code and reason");
  for (const Metrics::ErrorCount& error : metrics.Errors()) {
    families.Add({{"code", absl::StatusCodeToString(error.code)}, {"reason", error.reason}},
                 static_cast<double>(error.count));
  }
}

void AddCacheMetrics(const ServerContext& server, Families& families) {
  // Statistics by model, version, and function. After the maximum number of functions, further ones
  // are added up as `other`.
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, FunctionCacheStats> all;
  const auto most = static_cast<size_t>(server.observer.options().metric_functions);
  for (const auto& model : server.repository.AvailableModels()) {
    for (const auto& function : model->functions()) {
      Key key = {model->name(), Cat(model->version()), function->def().name};
      if (all.size() >= most) key = {"other", "other", "other"};
      FunctionCacheStats stats = function->cache_stats();
      FunctionCacheStats& sum = all[key];
      sum.hits += stats.hits;
      sum.supertype_hits += stats.supertype_hits;
      sum.specializations += stats.specializations;
      sum.generalizations += stats.generalizations;
      sum.adaptations += stats.adaptations;
      sum.evictions += stats.evictions;
      sum.making_time += stats.making_time;
      sum.targets += stats.targets;
      sum.bytes += stats.bytes;
    }
  }
  auto labels_of = [](const Key& key) {
    const auto& [model, version, function] = key;
    return MetricLabels{{"model", model}, {"version", version}, {"function", function}};
  };
  auto add = [&](const char* name, MetricType type, const char* help, auto value) {
    families.Begin(name, type, help);
    for (const auto& [key, stats] : all) families.Add(labels_of(key), value(stats));
  };
  auto number = [](auto value) { return static_cast<double>(value); };
  using Stats = FunctionCacheStats;
  families.Begin("signet_function_cache_hits_total", MetricType::Counter,
                 "Calls whose concrete function existed: of exactly their types, or wider");
  for (const auto& [key, stats] : all) {
    MetricLabels exact = labels_of(key);
    MetricLabels supertype = exact;
    exact.push_back({"match", "exact"});
    supertype.push_back({"match", "supertype"});
    families.Add(std::move(exact), number(stats.hits));
    families.Add(std::move(supertype), number(stats.supertype_hits));
  }
  add("signet_specializations_total", MetricType::Counter, "Concrete functions that were made",
      [&](const Stats& stats) { return number(stats.specializations); });
  add("signet_specialization_seconds_total", MetricType::Counter,
      "Time to make concrete functions, including failures", [](const Stats& stats) {
        return SecondsOf(static_cast<uint64_t>(stats.making_time.count()));
      });
  add("signet_generalizations_total", MetricType::Counter,
      "Concrete functions that were made for wider types than the call had",
      [&](const Stats& stats) { return number(stats.generalizations); });
  add("signet_adaptations_total", MetricType::Counter,
      "Concrete functions that share the memory of a wider one",
      [&](const Stats& stats) { return number(stats.adaptations); });
  add("signet_function_cache_evictions_total", MetricType::Counter,
      "Concrete functions that were dropped because of a limit",
      [&](const Stats& stats) { return number(stats.evictions); });
  add("signet_concrete_functions", MetricType::Gauge, "Concrete functions in memory",
      [&](const Stats& stats) { return number(stats.targets); });
  add("signet_concrete_function_bytes", MetricType::Gauge, "Memory of concrete functions",
      [&](const Stats& stats) { return number(stats.bytes); });
}

const char* NameOf(VersionStatus::State state) {
  using State = VersionStatus::State;
  switch (state) {
    case State::kLoading:
      return "loading";
    case State::kAvailable:
      return "available";
    case State::kUnloading:
      return "unloading";
    case State::kFailed:
      return "failed";
    case State::kNotLoaded:
      return "not_loaded";
  }
  return "unknown";
}

void AddModelMetrics(const ServerContext& server, const std::vector<ModelStatus>& models,
                     Families& families) {
  std::map<std::string, double> states = {
      {"loading", 0}, {"available", 0}, {"unloading", 0}, {"failed", 0}, {"not_loaded", 0}};
  int left = server.observer.options().metric_functions;
  families.Begin("signet_model_state", MetricType::Gauge,
                 "1 for the state of each version of each model");
  for (const ModelStatus& model : models) {
    for (const VersionStatus& version : model.versions) {
      const char* state = NameOf(version.state);
      states[state] += 1;
      if (left-- <= 0) continue;
      families.Add({{"model", model.name}, {"version", Cat(version.version)}, {"state", state}}, 1);
    }
  }
  families.Begin("signet_model_versions", MetricType::Gauge, "Versions of models, by state");
  for (const auto& [state, count] : states) families.Add({{"state", state}}, count);
  families.AddOne("signet_model_memory_bytes", MetricType::Gauge,
                  "Estimated memory of all versions in memory",
                  static_cast<double>(server.repository.memory_bytes()));
}

void AddAdmissionMetrics(const AdmissionStats& stats, Families& families) {
  auto number = [](const auto& count) {
    return static_cast<double>(count.load(std::memory_order_relaxed));
  };
  families.AddOne("signet_queue_bytes", MetricType::Gauge,
                  "Bytes of the requests that wait for a compute thread",
                  number(stats.queued_bytes));
  families.AddOne("signet_compute_calls", MetricType::Gauge, "Calls that run on compute threads",
                  number(stats.running));
  families.Begin("signet_admission_limit", MetricType::Gauge,
                 "Calls that may wait for a compute thread or run on one, by their priority");
  families.Add({{"priority", "normal"}}, number(stats.limit));
  families.Add({{"priority", "low"}}, number(stats.low_limit));
  families.Begin("signet_queue_rejections_total", MetricType::Counter,
                 "Calls that ended before they started on a compute thread, by reason");
  families.Add({{"reason", "QUEUE_FULL"}}, number(stats.rejected_queue_full));
  families.Add({{"reason", "OVERLOADED"}}, number(stats.rejected_overloaded));
  families.Add({{"reason", "DEADLINE_EXCEEDED"}}, number(stats.expired));
  families.Add({{"reason", "CANCELLED"}}, number(stats.cancelled));
  families.AddOne("signet_displaced_calls_total", MetricType::Counter,
                  "Rejected calls that had waited and made room for another call",
                  number(stats.displaced));
  families.AddOne("signet_wasted_compute_seconds_total", MetricType::Counter,
                  "Time of compute threads for calls that expired or were cancelled meanwhile",
                  number(stats.wasted_ns) / 1e9);
}

void AddServerMetrics(const ServerContext& server, Families& families) {
  auto number = [](auto value) { return static_cast<double>(value); };
  families.AddOne("signet_calls_in_flight", MetricType::Gauge, "Calls and streams without an end",
                  number(server.stats.in_flight.load(std::memory_order_relaxed)));
  families.Begin("signet_queue_depth", MetricType::Gauge,
                 "Calls that wait: for a compute thread, for a thread that makes concrete "
                 "functions, or for a function that another call makes");
  families.Add({{"queue", "compute"}}, number(server.scheduler.queued()));
  families.Add({{"queue", "make"}}, number(server.makers.queued()));
  families.Add({{"queue", "function"}},
               number(server.waiting_calls.load(std::memory_order_relaxed)));
  AddAdmissionMetrics(server.scheduler.stats(), families);
  families.AddOne("signet_queued_calls_total", MetricType::Counter,
                  "Calls that left the network thread",
                  number(server.stats.queued_calls.load(std::memory_order_relaxed)));
  families.AddOne("signet_explained_calls_total", MetricType::Counter, "Calls of Explain",
                  number(server.stats.explained.load(std::memory_order_relaxed)));
  families.AddOne("signet_connections", MetricType::Gauge, "Open connections",
                  number(server.listener.num_connections()));
  families.AddOne("signet_connections_accepted_total", MetricType::Counter,
                  "Connections that were accepted", number(server.listener.num_accepted()));
  families.AddOne("signet_connections_rejected_total", MetricType::Counter,
                  "Connections that were closed because of a limit",
                  number(server.listener.num_rejected()));
  families.AddOne("signet_unread_response_bytes", MetricType::Gauge,
                  "Bytes of responses that clients have not read", number(server.unread.bytes()));
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  families.AddOne("signet_scrape_time_seconds", MetricType::Gauge,
                  "When these metrics were read, in seconds since 1970", now.count());
  families.AddOne("signet_compute_threads", MetricType::Gauge, "Threads that run large calls",
                  number(server.pool.num_threads()));
}

void AddObserverMetrics(const CallObserver& observer, Families& families) {
  auto number = [](auto value) { return static_cast<double>(value); };
  families.Begin("signet_observations_dropped_total", MetricType::Counter,
                 "Lines of the log and the access log, traced calls, and captured calls that were "
                 "lost");
  families.Add({{"output", "log"}}, number(NumDroppedLogLines()));
  if (observer.access_log() != nullptr) {
    families.Add({{"output", "access_log"}}, number(observer.access_log()->num_dropped()));
  }
  if (observer.traces() != nullptr) {
    families.Add({{"output", "traces"}}, number(observer.traces()->num_dropped()));
  }
  if (observer.capture() != nullptr) {
    families.Add({{"output", "capture"}}, number(observer.capture()->num_dropped()));
  }
  families.Begin("signet_traced_calls_total", MetricType::Counter, "Calls whose spans were sent");
  if (observer.traces() != nullptr) families.Add({}, number(observer.traces()->num_exported()));
  families.Begin("signet_captured_calls_total", MetricType::Counter,
                 "Calls that were written to the file of captured requests");
  if (observer.capture() != nullptr) families.Add({}, number(observer.capture()->num_written()));
}

}  // namespace

std::vector<prometheus::MetricFamily> CollectMetrics(const ServerContext& server,
                                                     double saturation) {
  Families families;
  const std::vector<ModelStatus> models = server.repository.List();
  AddCallMetrics(server.observer.metrics(), families);
  AddCacheMetrics(server, families);
  AddModelMetrics(server, models, families);
  AddServerMetrics(server, families);
  families.AddOne("signet_saturation", MetricType::Gauge,
                  "Processor time that threads used or waited for in the last seconds, per "
                  "available processor; 1 if all processors are in use",
                  saturation);
  AddObserverMetrics(server.observer, families);
  AddProcessMetrics(families);
  return families.Take();
}

}  // namespace signet
