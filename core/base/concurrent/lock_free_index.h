// LockFreeIndex: finds nodes by hash without a lock.
//
//   struct Node { uint64_t hash; ... };
//   Node* node = index.Lookup(hash, [&](const Node& n) { return n.key == key; });
//
// The index uses open addressing over atomic pointers. Its size doubles at a cost amortized over
// additions. It does not own the nodes. Any number of threads may call Lookup inside a
// Reclaimer::Reader; only one thread at a time may call the other functions.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/concurrent/reclaimer.h"

namespace signet {

template <class Node>
class LockFreeIndex {
 public:
  explicit LockFreeIndex(Reclaimer& reclaimer) : reclaimer_(reclaimer), slots_(new Slots(8)) {}
  ~LockFreeIndex() { delete slots_.load(); }
  LockFreeIndex(const LockFreeIndex&) = delete;
  LockFreeIndex& operator=(const LockFreeIndex&) = delete;

  // Returns the node with this hash for which `matches` returns true, or null.
  template <class Matches>
  Node* Lookup(uint64_t hash, Matches matches) const {
    const Slots& slots = *slots_.load();
    for (size_t i = hash & slots.mask;; i = (i + 1) & slots.mask) {
      Node* node = slots.nodes[i].load();
      if (node == nullptr) return nullptr;
      if (node != Removed() && node->hash == hash && matches(*node)) return node;
    }
  }

  void Add(Node* node) {
    if ((used_ + 1) * 2 > slots_.load()->mask + 1) Rebuild();
    Place(*slots_.load(), node);
    ++used_;
    ++size_;
  }
  void Replace(Node* old, Node* fresh) { SlotOf(old).store(fresh); }
  void Remove(Node* node) {
    SlotOf(node).store(Removed());
    --size_;
  }
  void Clear() {
    reclaimer_.Retire(slots_.exchange(new Slots(8)));
    used_ = size_ = 0;
  }

  size_t size() const { return size_; }
  template <class Visit>
  void ForEach(Visit visit) const {
    const Slots& slots = *slots_.load();
    for (size_t i = 0; i <= slots.mask; ++i) {
      Node* node = slots.nodes[i].load();
      if (node != nullptr && node != Removed()) visit(*node);
    }
  }

 private:
  struct Slots {
    explicit Slots(size_t count) : mask(count - 1), nodes(new std::atomic<Node*>[count]) {
      for (size_t i = 0; i < count; ++i) nodes[i].store(nullptr, std::memory_order_relaxed);
    }
    const size_t mask;
    const std::unique_ptr<std::atomic<Node*>[]> nodes;
  };

  // A marker in the slot of a removed node, so that nodes placed after it are still found.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): never followed
  static Node* Removed() { return reinterpret_cast<Node*>(uintptr_t{1}); }

  static void Place(Slots& slots, Node* node) {
    size_t i = node->hash & slots.mask;
    while (slots.nodes[i].load() != nullptr) i = (i + 1) & slots.mask;
    slots.nodes[i].store(node);
  }

  std::atomic<Node*>& SlotOf(const Node* node) {
    Slots& slots = *slots_.load();
    size_t i = node->hash & slots.mask;
    while (slots.nodes[i].load() != node) i = (i + 1) & slots.mask;
    return slots.nodes[i];
  }

  // Drops the markers of removed nodes and leaves three of four slots free.
  void Rebuild() {
    size_t count = 8;
    while (count < (size_ + 1) * 4) count *= 2;
    auto fresh = std::make_unique<Slots>(count);
    ForEach([&](Node& node) { Place(*fresh, &node); });
    used_ = size_;
    reclaimer_.Retire(slots_.exchange(fresh.release()));
  }

  Reclaimer& reclaimer_;
  std::atomic<Slots*> slots_;
  size_t used_ = 0;  // slots with a node or the marker of a removed node; at most half of all slots
  size_t size_ = 0;  // nodes
};

}  // namespace signet
