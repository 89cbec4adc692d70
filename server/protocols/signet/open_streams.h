// OpenStreams: the open streams of a service, which end when the server stops. Thread-safe.

#pragma once

#include <mutex>
#include <set>

namespace signet {

// `Stream` has a method Drain().
template <class Stream>
class OpenStreams {
 public:
  void Add(Stream* stream) {
    std::lock_guard lock(mu_);
    streams_.insert(stream);
    if (is_draining_) stream->Drain();
  }
  void Remove(Stream* stream) {
    std::lock_guard lock(mu_);
    streams_.erase(stream);
  }
  // Ends every stream, including streams that are added later, as soon as its calls have responses.
  void Drain() {
    std::lock_guard lock(mu_);
    is_draining_ = true;
    for (Stream* stream : streams_) stream->Drain();
  }

 private:
  std::mutex mu_;
  std::set<Stream*> streams_;  // guarded by mu_
  bool is_draining_ = false;   // guarded by mu_
};

}  // namespace signet
