// Reclaimer: frees what lock-free readers may still be looking at, once they no longer can.
//
//   reader:  Reclaimer::Reader reading(reclaimer);  ... follow atomic pointers ...
//   writer:  pointer.store(fresh);  reclaimer.Retire(old);  reclaimer.Collect();
//
// Readers count themselves in and out of one of several counters, which costs two additions and
// never a wait. What was retired after it could no longer be reached is freed once every counter
// has been zero at some moment since: whoever came later cannot have met it. Published pointers are
// read and written with the default, sequentially consistent order, which this argument needs.
//
// Reader: any number of threads. Retire and Collect: one thread at a time, under the writers' lock.

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
  // A number below kShards that spreads threads; for counters of one's own.
  static size_t ThisShard();

  Reclaimer() = default;
  ~Reclaimer();  // no reader is left
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

  // Takes over `object`, which no new reader can reach.
  template <class T>
  void Retire(const T* object) {
    fresh_.push_back({object, [](const void* old) { delete static_cast<const T*>(old); }});
  }
  // Frees what can be freed by now.
  void Collect();

 private:
  struct Retired {
    const void* object;
    void (*free)(const void*);
  };
  struct Batch {
    uint32_t unseen;  // a bit a shard that has not been seen at zero since
    std::vector<Retired> retired;
  };
  struct alignas(64) Shard {
    mutable std::atomic<uint64_t> readers{0};
  };

  std::array<Shard, kShards> shards_;
  std::vector<Retired> fresh_;  // since the last Collect
  std::vector<Batch> batches_;  // oldest first; no two with the same `unseen`
};

}  // namespace signet
