// Reclaimer: frees objects that lock-free readers may still use, as soon as no reader can use them.
//
//   reader:  Reclaimer::Reader reading(reclaimer);  ... follow atomic pointers ...
//   writer:  pointer.store(fresh);  reclaimer.Retire(old);  reclaimer.Collect();
//
// A reader increments and decrements one of several counters; it never waits. A retired object is
// freed after every counter has been zero at some moment since it was retired: a reader that
// started later cannot reach the object. Published pointers are read and written with the default,
// sequentially consistent order, which this argument requires.
//
// Any number of threads may have a Reader. Only one thread at a time may call Retire and Collect,
// under the lock of the writers.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace signet {

class Reclaimer {
 public:
  static constexpr size_t kShards = 16;
  // Returns a number below kShards that differs between threads where possible. Callers may use it
  // for counters of their own.
  static size_t ThisShard();

  Reclaimer() = default;
  ~Reclaimer();  // requires that no reader is left
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  class Reader {
   public:
    explicit Reader(const Reclaimer& reclaimer) : readers_(reclaimer.shards_[ThisShard()].readers) {
      readers_.fetch_add(1);
    }
    ~Reader() { readers_.fetch_sub(1); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

   private:
    std::atomic<uint64_t>& readers_;
  };

  // Takes ownership of `object`, which new readers can no longer reach.
  template <class T>
  void Retire(const T* object) {
    fresh_.push_back({object, [](const void* old) { delete static_cast<const T*>(old); }});
  }
  // Frees the retired objects that no reader can use any more.
  void Collect();

 private:
  struct Retired {
    const void* object;
    void (*free)(const void*);
  };
  struct Batch {
    uint32_t unseen;  // one bit per shard whose counter has not been zero since
    std::vector<Retired> retired;
  };
  struct alignas(64) Shard {
    mutable std::atomic<uint64_t> readers{0};
  };

  std::array<Shard, kShards> shards_;
  std::vector<Retired> fresh_;  // since the last Collect
  std::vector<Batch> batches_;  // oldest first; no two batches have the same `unseen`
};

}  // namespace signet
