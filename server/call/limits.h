// Transport limits: what a connection may do, and how much work may wait. Each is a flag of
// signet-server; those of requests' content are in core/formats/common/limits.h.

#pragma once

#include <cstddef>
#include <cstdint>

namespace signet {

struct TransportLimits {
  int metadata_bytes = 16 << 10;  // --max_metadata_bytes: all headers of one call
  int concurrent_calls = 1024;    // --max_concurrent_calls: on one connection
  int stream_calls = 64;          // --max_stream_calls: in flight on one CallStream
  int queued_calls = 1024;        // --max_queued_calls: that wait for a thread
  // --max_received_bytes: requests and parts of requests that gRPC holds, of all connections
  int64_t received_bytes = int64_t{2} << 30;
  int64_t unread_bytes = int64_t{1} << 30;  // --max_unread_bytes: responses, of all connections
  int64_t connection_unread_bytes = int64_t{256} << 20;  // --max_connection_unread_bytes: of one
  int connections = 0;         // --max_connections: open at once; 0: as descriptors allow
  int stall_seconds = 20;      // --stall_seconds: a message that makes no progress
  int idle_seconds = 3600;     // --max_idle_seconds: a connection without calls
  int keepalive_seconds = 60;  // --keepalive_seconds: silence before a peer is asked
  int handshake_seconds = 10;  // --handshake_seconds: for a connection to become one
};

// Not flags. Requests of more bytes than this are parsed on a compute thread.
inline constexpr size_t kSmallRequestBytes = size_t{256} << 10;
// Threads that make concrete functions.
inline constexpr int kMakerThreads = 2;
// A stream whose calls hold more bytes than this is not read until some are answered.
inline constexpr size_t kStreamBytes = size_t{64} << 20;

}  // namespace signet
