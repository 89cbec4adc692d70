// Serving: what the RPCs of one server share: the models, the limits, the compute threads, the
// stats.

#pragma once

#include <algorithm>
#include <atomic>
#include <memory>

#include "core/formats/common/limits.h"
#include "core/runtime/thread_pool.h"
#include "core/serving/repository/repository.h"
#include "server/call/limits.h"
#include "server/observability/stats.h"
#include "server/transport/listener.h"
#include "server/transport/unread_responses.h"

namespace signet {

// The options, with one budget for what the concrete functions of all models hold.
inline ModelOptions WithCacheBudget(ModelOptions options) {
  options.function.cache_budget = std::make_shared<CacheBudget>(options.function.max_cache_bytes);
  return options;
}

// A client may open the usual number of streams before it has received SETTINGS, and may send
// headers that gRPC rejects with an error of its own.
inline FrameScanner::Limits FramesOf(const TransportLimits& limits) {
  FrameScanner::Limits frames;
  frames.streams_before_ack = std::max<int64_t>(frames.streams_before_ack, limits.concurrent_calls);
  frames.header_block_bytes =
      std::max<int64_t>(frames.header_block_bytes, int64_t{4} * limits.metadata_bytes);
  return frames;
}

struct Serving {
  Serving(const ModelOptions& options, const TransportLimits& transport_limits, int compute_threads)
      : limits(options.limits),
        function(options.function),
        transport(transport_limits),
        listener({.max_connections = transport.connections,
                  .stall_seconds = transport.stall_seconds,
                  .frames = FramesOf(transport)}),
        unread(listener, transport.unread_bytes, transport.connection_unread_bytes),
        repository(WithCacheBudget(options)),
        pool(compute_threads) {}

  const Limits limits;
  const FunctionOptions function;
  const TransportLimits transport;
  Stats stats;
  std::atomic<bool> draining{false};     // new calls are refused
  std::atomic<size_t> waiting_calls{0};  // for a concrete function that another call makes
  Listener listener;
  UnreadResponses unread;
  Repository repository;
  // Last, as their threads use the others. Threads that make concrete functions are apart from
  // those that run large calls, so that a small call of a new type need not wait for these.
  ThreadPool pool;
  ThreadPool makers{kMakerThreads};
};

}  // namespace signet
