// RequestCapture: writes calls to a file of recorded calls (proto/signet/v1/recorded.proto).
//
// Calls are parsed, hashed, and written on a background thread. Up to 32 MiB of requests and
// responses wait for it; further calls are dropped and counted, and so are calls that cannot be
// written. When a record does not fit into `max_bytes`, the file is renamed to `FILE.1`, which
// replaces an older one, and a new file is begun, so that both files together have at most twice
// `max_bytes`. A larger record is dropped. Only the owner of the process can read the files.
// Thread-safe.

#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "server/observability/observed_call.h"
#include "server/observability/work_queue.h"
#include "signet/status.h"

namespace signet {

class RequestCapture {
 public:
  // Begins a new file at `path`, and keeps an existing one as `FILE.1`. Returns FAILED_PRECONDITION
  // if the file cannot be made.
  static StatusOr<std::unique_ptr<RequestCapture>> Open(const std::filesystem::path& path,
                                                        int64_t max_bytes);
  ~RequestCapture();  // writes the calls that wait
  RequestCapture(const RequestCapture&) = delete;
  RequestCapture& operator=(const RequestCapture&) = delete;

  // Writes a call that has ended. Moves its request and its response.
  void Write(ObservedCall& call, const Status& status);
  // Writes the calls that wait, and drops later ones.
  void Stop() { queue_.Stop(); }
  uint64_t num_written() const { return num_written_.load(std::memory_order_relaxed); }
  uint64_t num_dropped() const { return queue_.num_dropped(); }

 private:
  struct Captured {
    std::chrono::system_clock::time_point arrival;
    bool is_stream;
    absl::StatusCode code;
    grpc::ByteBuffer request;
    grpc::ByteBuffer response;
  };

  RequestCapture(std::filesystem::path path, int64_t max_bytes);
  // Renames the current file, if there is one, and makes a new one.
  Status Rotate();
  // Returns false if the call could not be written.
  bool WriteRecord(const Captured& call);

  const std::filesystem::path path_;
  const int64_t max_bytes_;
  std::atomic<uint64_t> num_written_{0};
  int descriptor_ = -1;  // used by the background thread, after Open
  int64_t bytes_ = 0;    // of the current file; used by the background thread
  WorkQueue<Captured> queue_;
};

}  // namespace signet
