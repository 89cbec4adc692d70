// Forest: decision trees packed for walking.
//
// A branch is one comparison, `x[feature] > threshold`, that picks one of two nodes side by side;
// every other question is put as one or two of those. Nodes are 16 bytes (float32), tree by tree,
// level by level; a leaf leads to itself, so that several walks go on together, none of them
// waiting for memory that another asked for. Immutable; thread-safe.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/def/kernel.h"
#include "signet/status.h"
#include "signet/tensor.h"

namespace signet {

// What a row of input `nodes` asks (docs/reference/ops/tabular.md).
enum class TreeQuestion : int64_t {
  kLeaf,
  kLessEqual,
  kLess,
  kGreaterEqual,
  kGreater,
  kEqual,
  kNotEqual
};

// The inputs of tree_ensemble behind the first.
struct ForestInputs {
  const Tensor* nodes;
  const Tensor* thresholds;
  const Tensor* roots;
  const Tensor* targets;
  const Tensor* weights;
  int64_t num_targets;
};

template <class T>
class Forest {
 public:
  static constexpr int kLanes = 8;  // walks that go on together

  struct Node {
    T threshold;
    T weight;          // of a leaf of a forest that is single()
    uint32_t feature;  // 0 in a leaf
    uint32_t next;     // the place of the first of two nodes; a leaf's own place
  };
  // Places are counted in words of 8 bytes, as processors address them.
  static constexpr uint32_t kWords = sizeof(Node) / sizeof(uint64_t);
  // Weights [begin, end) of a leaf.
  struct Span {
    uint32_t begin;
    uint32_t end;
  };
  using Places = uint32_t[kLanes];

  // Rejects, under label C4, inputs that do not describe trees. With a context, counts the memory
  // of the forest and checks whether the call must end.
  static StatusOr<Forest> Make(const ForestInputs& inputs, KernelContext* context = nullptr);

  int64_t num_trees() const { return num_trees_; }
  int64_t num_nodes() const { return static_cast<int64_t>(nodes_.size()); }
  uint32_t num_features() const { return num_features_; }  // that a row needs at least
  // Whether each leaf has one weight.
  bool single() const { return single_; }
  // Whether each leaf has one weight for each target, in order.
  bool dense() const { return dense_; }

  // Roots come first, and leaves behind them fill their last group up.
  static uint32_t RootOf(int64_t tree) { return static_cast<uint32_t>(tree) * kWords; }

  // Takes `at` from roots to leaves; lane i goes by rows[i].
  template <bool kHasNan>
  void Walk(const T* const (&rows)[kLanes], Places& at) const {
    const std::byte* base = bytes();
    uint32_t moved;
    do {
      moved = 0;
      for (int i = 0; i < kLanes; ++i) {
        uint32_t next = Next<kHasNan>(base, at[i], rows[i]);
        moved |= next ^ at[i];
        at[i] = next;
      }
    } while (moved != 0);
  }

  // Trees that one call of WalkTrees takes at most; a multiple of 2 * kLanes.
  static constexpr int64_t kTreesAtOnce = 4096;

  // One row through trees [first, first + kTreesAtOnce), as far as there are: take(leaf) of each,
  // in order.
  template <bool kHasNan, class Take>
  void WalkTrees(const T* x, int64_t first, Take take) const {
    const int64_t end = std::min(num_trees_, first + kTreesAtOnce);
    // Twice as many lanes: memory is far where there are many trees.
    int64_t tree = first;
    for (; tree + kLanes < end; tree += int64_t{2} * kLanes) WalkGroup<kHasNan, 2>(x, tree, take);
    if (tree < end) WalkGroup<kHasNan, 1>(x, tree, take);
  }

  // Of a forest that is single().
  T WeightAt(uint32_t leaf) const { return NodeAt(bytes(), leaf).weight; }
  uint32_t TargetAt(uint32_t leaf) const { return spans_at_[leaf / kWords]; }
  // Of one that is dense() and not single(): by target.
  const T* DenseWeights(uint32_t leaf) const { return weights_.data() + SpanOf(leaf).begin; }
  // Of one that is not single().
  Span SpanOf(uint32_t leaf) const { return spans_[spans_at_[leaf / kWords]]; }
  const uint32_t* targets() const { return targets_.data(); }
  const T* weights() const { return weights_.data(); }

 private:
  template <class>
  friend class ForestBuilder;

  static constexpr uint32_t kFewSteps = 8;

  // The trees from `first` on, which is a multiple of kLanes: `groups` times kLanes of them.
  template <bool kHasNan, int groups, class Take>
  [[gnu::always_inline]] void WalkGroup(const T* x, int64_t first, Take take) const {
    constexpr int lanes = groups * kLanes;
    const std::byte* base = bytes();
    uint32_t places[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) places[i] = RootOf(first + i);
    // Of trees that are not deep, all levels are gone through, and nothing is asked in between.
    const uint32_t* of_groups = &steps_[static_cast<size_t>(first / kLanes)];
    const uint32_t steps = *std::max_element(of_groups, of_groups + groups);
    for (uint32_t step = 0; step < std::min(steps, kFewSteps); ++step) {
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) places[i] = Next<kHasNan>(base, places[i], x);
    }
    for (uint32_t moved = steps > kFewSteps; moved != 0;) {
      moved = 0;
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) {
        uint32_t next = Next<kHasNan>(base, places[i], x);
        moved |= next ^ places[i];
        places[i] = next;
      }
    }
    const int64_t trees = std::min<int64_t>(lanes, num_trees_ - first);
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) {
      if (i < trees) take(places[i]);
    }
  }

  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(nodes_.data()); }
  static const Node& NodeAt(const std::byte* base, uint32_t place) {
    return *reinterpret_cast<const Node*>(base + size_t{place} * sizeof(uint64_t));
  }

  template <bool kHasNan>
  uint32_t Next(const std::byte* base, uint32_t at, const T* row) const {
    const Node& node = NodeAt(base, at);
    const T x = row[node.feature];
    uint32_t next = node.next + static_cast<uint32_t>(x > node.threshold) * kWords;
    if constexpr (kHasNan) {
      next += (static_cast<uint32_t>(std::isnan(x)) & nan_[at / kWords]) * kWords;
    }
    return next;
  }

  std::vector<Node> nodes_;
  std::vector<uint8_t> nan_;        // 1: NaN goes to the second
  std::vector<uint32_t> spans_at_;  // of each leaf its place in spans_; if single(), its target
  std::vector<Span> spans_;
  std::vector<uint32_t> steps_;  // of each group of kLanes trees: the depth of the deepest
  std::vector<uint32_t> targets_;
  std::vector<T> weights_;
  int64_t num_trees_ = 0;
  uint32_t num_features_ = 1;
  bool single_ = false;
  bool dense_ = false;
};

}  // namespace signet
