// Forest: decision trees that are packed for fast evaluation.
//
// Each branch is one comparison, `x[feature] > threshold`, which selects one of two adjacent nodes.
// Every other question is converted to one or two such comparisons. A node has 16 bytes (float32).
// Nodes are stored tree by tree and level by level. A leaf is its own next node, so that several
// walks can run in lockstep, and the processor overlaps their memory accesses. Immutable;
// thread-safe.

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

// The question of a row of input `nodes` (docs/reference/ops/tabular.md).
enum class TreeQuestion : int64_t {
  kLeaf,
  kLessEqual,
  kLess,
  kGreaterEqual,
  kGreater,
  kEqual,
  kNotEqual
};

// The inputs of tree_ensemble except the first one.
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
  static constexpr int kLanes = 8;  // number of walks in lockstep

  struct Node {
    T threshold;
    T weight;          // set in a leaf of a forest that is single()
    uint32_t feature;  // 0 in a leaf
    uint32_t next;     // the place of the first of two nodes; the leaf's own place
  };
  // Places are counted in words of 8 bytes, which a processor can scale in an address.
  static constexpr uint32_t kWords = sizeof(Node) / sizeof(uint64_t);
  // Weights [begin, end) of a leaf.
  struct Span {
    uint32_t begin;
    uint32_t end;
  };
  using Places = uint32_t[kLanes];

  // Returns an error with label C4 if the inputs do not describe trees. With a context, counts the
  // memory of the forest and checks whether the call must end.
  static StatusOr<Forest> Make(const ForestInputs& inputs, KernelContext* context = nullptr);

  int64_t num_trees() const { return num_trees_; }
  int64_t num_nodes() const { return static_cast<int64_t>(nodes_.size()); }
  uint32_t num_features() const { return num_features_; }  // the minimum number of columns of a row
  // Returns true if each leaf has one weight.
  bool single() const { return single_; }
  // Returns true if each leaf has one weight per target, in order.
  bool dense() const { return dense_; }

  // The roots come first. Leaves after the roots complete the last group of kLanes nodes.
  static uint32_t RootOf(int64_t tree) { return static_cast<uint32_t>(tree) * kWords; }

  // Advances `at` from roots to leaves. Lane i evaluates rows[i].
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

  // The maximum number of trees per call of WalkTrees; a multiple of 2 * kLanes.
  static constexpr int64_t kTreesAtOnce = 4096;

  // Evaluates one row by trees [first, first + kTreesAtOnce), or up to the last tree, and calls
  // take(leaf) for each tree, in order.
  template <bool kHasNan, class Take>
  void WalkTrees(const T* x, int64_t first, Take take) const {
    const int64_t end = std::min(num_trees_, first + kTreesAtOnce);
    // Uses twice as many lanes while there are enough trees, because many trees do not fit in
    // cache.
    int64_t tree = first;
    for (; tree + kLanes < end; tree += int64_t{2} * kLanes) WalkGroup<kHasNan, 2>(x, tree, take);
    if (tree < end) WalkGroup<kHasNan, 1>(x, tree, take);
  }

  // Return the weight and the target of a leaf. Require single().
  T WeightAt(uint32_t leaf) const { return NodeAt(bytes(), leaf).weight; }
  uint32_t TargetAt(uint32_t leaf) const { return spans_at_[leaf / kWords]; }
  // Returns the weights of a leaf, one per target. Requires dense() and not single().
  const T* DenseWeights(uint32_t leaf) const { return weights_.data() + SpanOf(leaf).begin; }
  // Returns the weights of a leaf as a range. Requires not single().
  Span SpanOf(uint32_t leaf) const { return spans_[spans_at_[leaf / kWords]]; }
  const uint32_t* targets() const { return targets_.data(); }
  const T* weights() const { return weights_.data(); }

 private:
  template <class>
  friend class ForestBuilder;

  static constexpr uint32_t kFewSteps = 8;

  // Evaluates `groups` * kLanes trees, beginning with tree `first`, which is a multiple of kLanes.
  template <bool kHasNan, int groups, class Take>
  [[gnu::always_inline]] void WalkGroup(const T* x, int64_t first, Take take) const {
    constexpr int lanes = groups * kLanes;
    const std::byte* base = bytes();
    uint32_t places[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) places[i] = RootOf(first + i);
    // Goes through the first levels of all trees without checking whether all walks have reached a
    // leaf.
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
  std::vector<uint8_t> nan_;        // 1: NaN selects the second node
  std::vector<uint32_t> spans_at_;  // per leaf: its index in spans_, or its target if single()
  std::vector<Span> spans_;
  std::vector<uint32_t> steps_;  // per group of kLanes trees: the depth of the deepest tree
  std::vector<uint32_t> targets_;
  std::vector<T> weights_;
  int64_t num_trees_ = 0;
  uint32_t num_features_ = 1;
  bool single_ = false;
  bool dense_ = false;
};

}  // namespace signet
