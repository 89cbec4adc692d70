#include "core/kernels/tabular/forest.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/checked_math.h"
#include "core/kernels/def/stop_poll.h"

namespace signet {
namespace {

constexpr int64_t kMaxNodes = int64_t{1} << 28;  // a node of the input results in at most 4 nodes
constexpr int64_t kMaxFeature = int64_t{1} << 30;

}  // namespace

template <class T>
class ForestBuilder {
 public:
  ForestBuilder(const ForestInputs& inputs, KernelContext* context)
      : inputs_(inputs),
        context_(context),
        fields_(inputs.nodes->elements<int64_t>()),
        thresholds_(inputs.thresholds->elements<T>()),
        num_rows_(inputs.nodes->shape().dim(0)),
        num_weights_(inputs.weights->num_elements()) {}

  StatusOr<Forest<T>> Build() {
    SIGNET_RETURN_IF_ERROR(CountMemory());
    SIGNET_RETURN_IF_ERROR(Check());
    SIGNET_RETURN_IF_ERROR(AddWeights());
    auto roots = inputs_.roots->elements<int64_t>();
    forest_.num_trees_ = inputs_.roots->num_elements();
    for (int64_t root : roots) {
      SIGNET_RETURN_IF_ERROR(Spend(kNodeCost));
      Place(root, AddNodes(1));
    }
    while (forest_.nodes_.size() % Forest<T>::kLanes != 0) Set(AddNodes(1), T(0), 0, false);
    pairs_.assign(static_cast<size_t>(num_rows_), 0);
    // Places one tree after the other, level by level. The queue contains the rows that have been
    // placed.
    for (size_t tree = 0; tree < roots.size(); ++tree) {
      queue_.assign(1, roots[tree]);
      Link(roots[tree], static_cast<uint32_t>(tree));
      for (size_t i = 0; i < queue_.size(); ++i) {
        SIGNET_RETURN_IF_ERROR(Spend(kNodeCost));
        PlaceBranches(queue_[i]);
      }
    }
    // A row may have several records. Now that the place of its branches is known, it is set in
    // each of them.
    for (size_t i = 0; i < links_.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(Spend(kNodeCost / 4));
      auto [row, place] = links_[i];
      forest_.nodes_[place].next = pairs_[static_cast<size_t>(row)];
    }
    SIGNET_RETURN_IF_ERROR(CountSteps());
    SIGNET_RETURN_IF_ERROR(Spend(static_cast<int64_t>(forest_.nodes_.size())));
    for (auto& node : forest_.nodes_) node.next *= Forest<T>::kWords;
    return std::move(forest_);
  }

 private:
  static constexpr int64_t kNodeCost = 40;  // nanoseconds

  // Counts the memory of the forest, and the working memory of the builder.
  Status CountMemory() {
    if (context_ == nullptr) return absl::OkStatus();
    constexpr int64_t kPlace = sizeof(typename Forest<T>::Node) + 32;  // including links and spans
    auto places = CheckedMultiply(num_rows_, 4);
    if (places) places = CheckedAdd(*places, inputs_.roots->num_elements());
    auto bytes = places ? CheckedMultiply(*places, kPlace) : std::nullopt;
    auto weights = CheckedMultiply(num_weights_, static_cast<int64_t>(sizeof(T) + 4));
    if (bytes && weights) bytes = CheckedAdd(*bytes, *weights);
    if (!bytes || !weights)
      return WithConstraint("C4", ResourceExhausted("memory for trees of ", num_rows_,
                                                    " nodes exceeds the range of int64"));
    return context_->CountBytes(static_cast<size_t>(*bytes));
  }
  Status Spend(int64_t nanoseconds) { return poll_ ? poll_->Spend(nanoseconds) : absl::OkStatus(); }

  TreeQuestion QuestionOf(int64_t row) const { return static_cast<TreeQuestion>(Field(row, 0)); }
  int64_t Field(int64_t row, int64_t i) const { return fields_[static_cast<size_t>(row * 5 + i)]; }
  bool IsLeaf(int64_t row) const { return QuestionOf(row) == TreeQuestion::kLeaf; }

  Status CheckRow(int64_t row) {
    int64_t question = Field(row, 0);
    int64_t yes = Field(row, 2);
    int64_t no = Field(row, 3);
    if (question < 0 || question > static_cast<int64_t>(TreeQuestion::kNotEqual)) {
      return WithConstraint(
          "C4",
          InvalidArgument("node ", row, ": expected a question from 0 to 6, found ", question));
    }
    if (question == 0) {
      if (0 <= yes && yes <= no && no <= num_weights_) return absl::OkStatus();
      return WithConstraint("C4",
                            InvalidArgument("node ", row, ": expected a range of ", num_weights_,
                                            " weights, found [", yes, ", ", no, ")"));
    }
    for (int64_t next : {yes, no}) {
      if (next < 0 || next >= num_rows_) {
        return WithConstraint(
            "C4", InvalidArgument("node ", row, ": expected a next node from 0 to ", num_rows_ - 1,
                                  ", found ", next));
      }
    }
    int64_t feature = Field(row, 1);
    if (feature < 0 || feature > kMaxFeature) {
      return WithConstraint("C4", InvalidArgument("node ", row, ": expected a column from 0 to ",
                                                  kMaxFeature, ", found ", feature));
    }
    forest_.num_features_ = std::max(forest_.num_features_, static_cast<uint32_t>(feature + 1));
    return absl::OkStatus();
  }

  Status Check() {
    if (num_rows_ > kMaxNodes || num_weights_ > kMaxNodes ||
        inputs_.roots->num_elements() > kMaxNodes) {
      return WithConstraint(
          "C4", ResourceExhausted("nodes, weights, or trees exceed the limit of ", kMaxNodes));
    }
    if (inputs_.thresholds->num_elements() != num_rows_) {
      return WithConstraint("C4", InvalidArgument("thresholds: expected ", num_rows_,
                                                  " elements, one per node, found ",
                                                  inputs_.thresholds->num_elements()));
    }
    if (inputs_.targets->num_elements() != num_weights_) {
      return WithConstraint("C4", InvalidArgument("targets: expected ", num_weights_,
                                                  " elements, one per weight, found ",
                                                  inputs_.targets->num_elements()));
    }
    for (int64_t target : inputs_.targets->elements<int64_t>()) {
      SIGNET_RETURN_IF_ERROR(Spend(2));
      if (target < 0 || target >= inputs_.num_targets) {
        return WithConstraint("C4", InvalidArgument("targets: expected at least 0 and less than ",
                                                    inputs_.num_targets, ", found ", target));
      }
    }
    for (int64_t root : inputs_.roots->elements<int64_t>()) {
      SIGNET_RETURN_IF_ERROR(Spend(2));
      if (root < 0 || root >= num_rows_) {
        return WithConstraint(
            "C4", InvalidArgument("roots: expected a node of at least 0 and less than ", num_rows_,
                                  ", found ", root));
      }
    }
    for (int64_t row = 0; row < num_rows_; ++row) {
      SIGNET_RETURN_IF_ERROR(Spend(5));
      SIGNET_RETURN_IF_ERROR(CheckRow(row));
    }
    return CheckEnds();
  }

  // Checks that no path leads from a node back to itself. Several nodes may share a branch.
  Status CheckEnds() {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(static_cast<size_t>(num_rows_), kNew);
    std::vector<std::pair<int64_t, int>> stack;
    for (int64_t root : inputs_.roots->elements<int64_t>()) {
      stack.assign(1, {root, 0});
      while (!stack.empty()) {
        SIGNET_RETURN_IF_ERROR(Spend(kNodeCost / 4));
        auto& [row, branch] = stack.back();
        uint8_t& own = state[static_cast<size_t>(row)];
        if (own == kDone || IsLeaf(row) || branch == 2) {
          own = kDone;
          stack.pop_back();
          continue;
        }
        own = kOpen;
        int64_t next = Field(row, 2 + branch++);
        if (state[static_cast<size_t>(next)] == kOpen) {
          return WithConstraint(
              "C4", InvalidArgument("expected trees, found a cycle through node ", next));
        }
        stack.emplace_back(next, 0);
      }
    }
    return absl::OkStatus();
  }

  Status AddWeights() {
    for (int64_t target : inputs_.targets->elements<int64_t>()) {
      SIGNET_RETURN_IF_ERROR(Spend(2));
      forest_.targets_.push_back(static_cast<uint32_t>(target));
    }
    auto weights = inputs_.weights->elements<T>();
    forest_.weights_.assign(weights.begin(), weights.end());
    forest_.single_ = true;
    forest_.dense_ = true;
    for (int64_t row = 0; row < num_rows_; ++row) {
      SIGNET_RETURN_IF_ERROR(Spend(2));
      if (!IsLeaf(row)) continue;
      int64_t count = Field(row, 3) - Field(row, 2);
      forest_.single_ &= count == 1;
      forest_.dense_ &= count == inputs_.num_targets;
      for (int64_t i = 0; i < count && forest_.dense_; ++i) {
        SIGNET_RETURN_IF_ERROR(Spend(1));
        forest_.dense_ = forest_.targets_[static_cast<size_t>(Field(row, 2) + i)] == i;
      }
    }
    return absl::OkStatus();
  }

  // Computes the depth of each group of trees. Nodes may be shared, and may be in any order.
  Status CountSteps() {
    constexpr uint32_t kUnknown = UINT32_MAX;
    const auto& nodes = forest_.nodes_;
    std::vector<uint32_t> depths(nodes.size(), kUnknown);
    std::vector<uint32_t> stack;
    auto groups = (forest_.num_trees_ + Forest<T>::kLanes - 1) / Forest<T>::kLanes;
    forest_.steps_.assign(static_cast<size_t>(groups), 0);
    for (uint32_t tree = 0; tree < static_cast<uint32_t>(forest_.num_trees_); ++tree) {
      stack.assign(1, tree);
      while (!stack.empty()) {
        SIGNET_RETURN_IF_ERROR(Spend(kNodeCost / 4));
        const uint32_t at = stack.back();
        const uint32_t next = nodes[at].next;
        if (next == at) depths[at] = 0;
        if (depths[at] != kUnknown) {
          stack.pop_back();
        } else if (depths[next] == kUnknown) {
          stack.push_back(next);
        } else if (depths[next + 1] == kUnknown) {
          stack.push_back(next + 1);
        } else {
          depths[at] = 1 + std::max(depths[next], depths[next + 1]);
        }
      }
      uint32_t& steps = forest_.steps_[tree / Forest<T>::kLanes];
      steps = std::max(steps, depths[tree]);
    }
    return absl::OkStatus();
  }

  // Adds `count` nodes, and returns the place of the first.
  uint32_t AddNodes(size_t count) {
    auto place = static_cast<uint32_t>(forest_.nodes_.size());
    forest_.nodes_.resize(place + count);
    forest_.nan_.resize(place + count);
    forest_.spans_at_.resize(place + count);
    return place;
  }

  void Link(int64_t row, uint32_t place) {
    if (!IsLeaf(row)) links_.emplace_back(row, place);
  }

  void Set(uint32_t place, T threshold, int64_t feature, bool nan) {
    forest_.nodes_[place] = {threshold, T(0), static_cast<uint32_t>(feature), place};
    forest_.nan_[place] = nan;
  }

  // Writes the record of `row`, except for the place of its branches.
  void Place(int64_t row, uint32_t place) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    T threshold = thresholds_[static_cast<size_t>(row)];
    bool to_yes = Field(row, 4) != 0;  // where NaN goes
    int64_t feature = Field(row, 1);
    switch (QuestionOf(row)) {
      case TreeQuestion::kLeaf: {
        Set(place, kInfinity, 0, false);
        auto begin = static_cast<uint32_t>(Field(row, 2));
        if (forest_.single_) {
          forest_.nodes_[place].weight = forest_.weights_[begin];
          forest_.spans_at_[place] = forest_.targets_[begin];
          return;
        }
        forest_.spans_at_[place] = static_cast<uint32_t>(forest_.spans_.size());
        forest_.spans_.push_back({begin, static_cast<uint32_t>(Field(row, 3))});
        return;
      }
      case TreeQuestion::kLessEqual:
      case TreeQuestion::kGreater:
      case TreeQuestion::kLess:
      case TreeQuestion::kGreaterEqual:
        if (IsStrict(row)) threshold = Below(threshold);
        Set(place, threshold, feature, NanBit(row, to_yes));
        break;
      case TreeQuestion::kEqual:
      case TreeQuestion::kNotEqual:
        // The first comparison is whether x is above the threshold. For other x, a second one is
        // whether x is below it.
        Set(place, threshold, feature, to_yes != (QuestionOf(row) == TreeQuestion::kEqual));
        break;
    }
    // No number equals NaN or is less or greater than it, so that all x take the branch for a false
    // comparison.
    if (std::isnan(threshold)) {
      forest_.nodes_[place].threshold = AboveIsYes(row) ? kInfinity : -kInfinity;
    }
  }

  // Returns the largest number below `threshold`: x < t is equivalent to x <= Below(t).
  static T Below(T threshold) {
    return std::nextafter(threshold, -std::numeric_limits<T>::infinity());
  }
  bool IsStrict(int64_t row) const {
    return QuestionOf(row) == TreeQuestion::kLess || QuestionOf(row) == TreeQuestion::kGreaterEqual;
  }
  // Returns true if numbers above the threshold take the branch `yes`.
  bool AboveIsYes(int64_t row) const {
    return QuestionOf(row) == TreeQuestion::kGreater ||
           QuestionOf(row) == TreeQuestion::kGreaterEqual;
  }
  bool NanBit(int64_t row, bool to_yes) const { return to_yes == AboveIsYes(row); }

  void PlaceBranches(int64_t row) {
    if (IsLeaf(row) || pairs_[static_cast<size_t>(row)] != 0) return;
    uint32_t pair = AddNodes(2);
    pairs_[static_cast<size_t>(row)] = pair;
    int64_t yes = Field(row, 2);
    int64_t no = Field(row, 3);
    TreeQuestion question = QuestionOf(row);
    if (question == TreeQuestion::kEqual || question == TreeQuestion::kNotEqual) {
      if (question == TreeQuestion::kNotEqual) std::swap(yes, no);
      T threshold = thresholds_[static_cast<size_t>(row)];
      uint32_t inner = AddNodes(2);
      bool nan_is_equal = (Field(row, 4) != 0) == (question == TreeQuestion::kEqual);
      Set(pair, Below(threshold), Field(row, 1), nan_is_equal);
      forest_.nodes_[pair].next = inner;
      PlaceChild(no, pair + 1);
      PlaceChild(no, inner);
      PlaceChild(yes, inner + 1);
      return;
    }
    PlaceChild(AboveIsYes(row) ? no : yes, pair);
    PlaceChild(AboveIsYes(row) ? yes : no, pair + 1);
  }

  void PlaceChild(int64_t row, uint32_t place) {
    Place(row, place);
    Link(row, place);
    queue_.push_back(row);
  }

  const ForestInputs& inputs_;
  KernelContext* const context_;
  std::optional<StopPoll> poll_ =
      context_ == nullptr ? std::nullopt : std::optional<StopPoll>(*context_);
  const std::span<const int64_t> fields_;
  const std::span<const T> thresholds_;
  const int64_t num_rows_;
  const int64_t num_weights_;
  Forest<T> forest_;
  std::vector<uint32_t> pairs_;                      // the place of the branches of each row
  std::vector<int64_t> queue_;                       // rows of a tree
  std::vector<std::pair<int64_t, uint32_t>> links_;  // places with a record of the row
};

template <class T>
StatusOr<Forest<T>> Forest<T>::Make(const ForestInputs& inputs, KernelContext* context) {
  return ForestBuilder<T>(inputs, context).Build();
}

template class Forest<float>;
template class Forest<double>;

}  // namespace signet
