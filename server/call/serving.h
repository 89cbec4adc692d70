// ServerContext: the models, limits, threads, and statistics that the RPCs of one server share.
//
// Thread-safe, because each member is.

#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "core/formats/common/limits.h"
#include "core/runtime/thread_pool.h"
#include "core/serving/admission/scheduler.h"
#include "core/serving/batching/batching.h"
#include "core/serving/repository/repository.h"
#include "server/call/description_cache.h"
#include "server/call/limits.h"
#include "server/observability/call_observer.h"
#include "server/observability/stats.h"
#include "server/security/access_control.h"
#include "server/transport/expand_message.h"
#include "server/transport/listener.h"
#include "server/transport/unread_responses.h"

namespace signet {

// Returns the options of the repository with one memory budget for the concrete functions of all
// models.
inline RepositoryOptions WithCacheBudget(RepositoryOptions repository, ModelOptions options) {
  options.function.cache_budget = std::make_shared<CacheBudget>(options.function.max_cache_bytes);
  repository.model = std::move(options);
  return repository;
}

// Returns the limits of HTTP/2 frames. They permit the default number of streams before the client
// has received SETTINGS, and headers that are so large that gRPC rejects them with its own error.
inline FrameScanner::Limits FramesOf(const TransportLimits& limits) {
  FrameScanner::Limits frames;
  frames.streams_before_ack = std::max<int64_t>(frames.streams_before_ack, limits.concurrent_calls);
  frames.header_block_bytes =
      std::max<int64_t>(frames.header_block_bytes, int64_t{4} * limits.metadata_bytes);
  return frames;
}

// Returns the bytes of descriptions that are kept: few if the memory for responses is small.
inline size_t DescriptionBytesOf(const TransportLimits& limits) {
  return std::min(kDescriptionBytes, static_cast<size_t>(limits.unread_bytes) / 4);
}

struct ServerContext {
  ServerContext(const ModelOptions& options, const TransportLimits& transport_limits,
                int compute_threads, RepositoryOptions repository_options = {},
                ObservabilityOptions observability = {})
      : limits(options.limits),
        function(options.function),
        transport(transport_limits),
        observer(std::move(observability)),
        listener({.max_connections = transport.connections,
                  .stall_seconds = transport.stall_seconds,
                  .frames = FramesOf(transport)}),
        expander(static_cast<size_t>(limits.message_bytes),
                 static_cast<size_t>(transport.received_bytes)),
        unread(listener, transport.unread_bytes, transport.connection_unread_bytes),
        descriptions(DescriptionBytesOf(transport)),
        repository(WithCacheBudget(std::move(repository_options), options)),
        batching({.schedule = [this](auto task) { ScheduleBatch(std::move(task)); },
                  .num_threads = compute_threads,
                  .timers = &timers,
                  .record =
                      [this](std::string_view model, int64_t version, std::string_view name,
                             size_t calls, size_t rows) {
                        observer.metrics().SeriesOf(model, name).RecordBatch(version, calls, rows);
                      }}),
        scheduler(
            {.threads = compute_threads,
             .max_calls = transport.queued_calls,
             .max_bytes = transport.queued_bytes},
            timers, [this](auto task) { pool.Schedule(std::move(task)); },
            [this](auto task) { low_pool.Schedule(std::move(task)); }),
        low_pool(compute_threads, kLowPriorityNiceness),
        pool(compute_threads) {}

  // Runs a batch before the calls that wait, because its calls have been accepted.
  void ScheduleBatch(std::function<void()> run) {
    Task task{.continues = true, .run = std::move(run)};
    (void)scheduler.Submit(task);  // accepts every task that continues
  }

  const Limits limits;
  const FunctionOptions function;
  const TransportLimits transport;
  Stats stats;
  CallObserver observer;
  AccessControl access;
  std::atomic<bool> draining{false};     // new calls are rejected
  std::atomic<size_t> waiting_calls{0};  // calls that wait for a function that another call makes
  Listener listener;
  const MessageExpander expander;  // of compressed requests
  UnreadResponses unread;
  Timers& timers = SystemTimers();
  DescriptionCache descriptions;
  Repository repository;
  Batching batching;  // uses the pool only while calls wait
  // The pools are last, because their threads use the other members. The threads that make concrete
  // functions are not the threads that run large calls, so that a small call with a new type need
  // not wait for large calls.
  Scheduler scheduler;  // of both pools; it starts their tasks
  ThreadPool low_pool;  // runs calls of low priority
  ThreadPool pool;
  ThreadPool makers{kMakerThreads};
  ThreadPool describers{kDescriberThreads, kDescriberNiceness};
};

}  // namespace signet
