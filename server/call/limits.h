// TransportLimits: the limits of connections and of queued work.
//
// Each limit is a flag of signet-server. The limits of the content of a request are in
// core/formats/common/limits.h.

#pragma once

#include <cstddef>
#include <cstdint>

namespace signet {

struct TransportLimits {
  int metadata_bytes = 16 << 10;  // --max_metadata_bytes: all headers of one call
  int concurrent_calls = 1024;    // --max_concurrent_calls: calls at a time on one connection
  int stream_calls = 64;          // --max_stream_calls: calls at a time on one CallStream
  int queued_calls = 1024;        // --max_queued_calls: calls that wait for a thread
  int64_t queued_bytes = int64_t{1}
                         << 30;  // --max_queued_bytes: of requests that wait for a thread
  // --max_received_bytes: requests and parts of requests that gRPC holds, on all connections
  int64_t received_bytes = int64_t{2} << 30;
  int64_t unread_bytes = int64_t{1} << 30;  // --max_unread_bytes: responses, on all connections
  // --max_connection_unread_bytes: responses, on one connection
  int64_t connection_unread_bytes = int64_t{256} << 20;
  int connections = 0;         // --max_connections; 0: as many as file descriptors allow
  int stall_seconds = 20;      // --stall_seconds: until a slow connection is closed
  int idle_seconds = 3600;     // --max_idle_seconds: until a connection without calls is closed
  int keepalive_seconds = 60;  // --keepalive_seconds: without traffic until a keepalive ping
  int handshake_seconds = 10;  // --handshake_seconds: for the HTTP/2 handshake
  // --max_connection_age_seconds: until a client must connect again; 0: never
  int connection_age_seconds = 0;
  // --connection_age_grace_seconds: for the calls of a connection that has reached its age
  int connection_age_grace_seconds = 60;
};

// The following limits are not flags.

// A request of more bytes is parsed on a compute thread.
inline constexpr size_t kSmallRequestBytes = size_t{256} << 10;
// Added to the niceness of the threads that run calls of low priority. At 10, such a thread
// receives about a tenth of the time of another thread on the same processor.
inline constexpr int kLowPriorityNiceness = 10;
// The number of threads that make concrete functions.
inline constexpr int kMakerThreads = 2;
// The number of threads that write descriptions of models and statistics, what is added to their
// niceness, and the bytes of descriptions that are kept.
inline constexpr int kDescriberThreads = 2;
inline constexpr int kDescriberNiceness = 5;
inline constexpr size_t kDescriptionBytes = size_t{128} << 20;
// A stream whose calls hold more bytes is not read until some of the calls have their responses.
inline constexpr size_t kStreamBytes = size_t{64} << 20;

}  // namespace signet
