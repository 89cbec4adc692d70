// The kernel of `tree_ensemble`: decides which rows and trees are evaluated together, and
// aggregates the leaves. Constant trees are packed when the kernel is made.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/tabular/forest.h"
#include "core/kernels/tabular/tabular_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

enum class Aggregate : uint8_t { kSum, kAverage, kMin, kMax };

constexpr int64_t kRowBlock = 64;  // rows that a tree evaluates while it is in cache

template <class T>
class Aggregation {
 public:
  Aggregation(const Forest<T>& forest, Aggregate aggregate, int64_t num_targets, const T* base)
      : forest_(forest), aggregate_(aggregate), num_targets_(num_targets), base_(base) {}

  // `out` has room for `count` rows of targets.
  void Run(StopPoll& poll, const T* x, int64_t count, int64_t stride, T* out) const {
    ForSegments(poll, count * num_targets_, 1,
                [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, First()); });
    bool has_nan = false;
    ForSegments(poll, count * stride, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) has_nan |= std::isnan(x[i]);
    });
    if (count < Forest<T>::kLanes) {
      for (int64_t row = 0; row < count; ++row) {
        (has_nan ? WalkTrees<true> : WalkTrees<false>)(poll, *this, x + row * stride,
                                                       out + row * num_targets_);
      }
    } else {
      (has_nan ? WalkRows<true> : WalkRows<false>)(poll, *this, x, count, stride, out);
    }
    for (int64_t row = 0; row < count; ++row) {
      ForSegments(poll, num_targets_, 2, [&](int64_t begin, int64_t end) {
        Finish(begin, end, out + row * num_targets_);
      });
    }
  }

 private:
  static constexpr int kLanes = Forest<T>::kLanes;
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  bool adds() const { return aggregate_ == Aggregate::kSum || aggregate_ == Aggregate::kAverage; }

  T First() const {
    return aggregate_ == Aggregate::kMin   ? kInfinity
           : aggregate_ == Aggregate::kMax ? -kInfinity
                                           : 0;
  }

  // Evaluates one row by all trees, several trees at a time.
  template <bool kHasNan>
  static void WalkTrees(StopPoll& poll, const Aggregation& self, const T* x, T* out) {
    const Forest<T>& forest = self.forest_;
    const int64_t leaf_cost = forest.dense() ? 20 + self.num_targets_ : 20;
    auto walk = [&](auto take) {
      for (int64_t first = 0; first < forest.num_trees(); first += Forest<T>::kTreesAtOnce) {
        const int64_t trees = std::min(Forest<T>::kTreesAtOnce, forest.num_trees() - first);
        if (poll.Stops(leaf_cost * trees)) return;
        forest.template WalkTrees<kHasNan>(x, first, take);
      }
    };
    if (!self.adds() || !(forest.single() || forest.dense())) {
      walk([&](uint32_t leaf) { self.Take(leaf, out); });
    } else if (!forest.single()) {
      walk([&](uint32_t leaf) { self.AddDense(leaf, out); });
    } else if (self.num_targets_ > 1) {
      walk([&](uint32_t leaf) { out[forest.TargetAt(leaf)] += forest.WeightAt(leaf); });
    } else {
      T sum = 0;
      walk([&](uint32_t leaf) { sum += forest.WeightAt(leaf); });
      *out = sum;
    }
  }

  // Adds a leaf that has one weight per target.
  void AddDense(uint32_t leaf, T* out) const {
    const T* weights = forest_.DenseWeights(leaf);
    for (int64_t target = 0; target < num_targets_; ++target) out[target] += weights[target];
  }

  // Evaluates rows by one tree after another.
  template <bool kHasNan>
  static void WalkRows(StopPoll& poll, const Aggregation& self, const T* x, int64_t count,
                       int64_t stride, T* out) {
    const Forest<T>& forest = self.forest_;
    for (int64_t tree = 0; tree < forest.num_trees(); ++tree) {
      if (poll.Stops(20 * count)) return;
      for (int64_t row = 0; row < count; row += kLanes) {
        auto lanes = static_cast<int>(std::min<int64_t>(kLanes, count - row));
        const T* rows[kLanes];
        typename Forest<T>::Places at;
        for (int i = 0; i < kLanes; ++i) {
          rows[i] = x + (row + std::min(i, lanes - 1)) * stride;
          at[i] = Forest<T>::RootOf(tree);
        }
        forest.template Walk<kHasNan>(rows, at);
        for (int i = 0; i < lanes; ++i) self.Take(at[i], out + (row + i) * self.num_targets_);
      }
    }
  }

  void Take(uint32_t leaf, T* out) const {
    if (forest_.single()) return Combine(forest_.WeightAt(leaf), out[forest_.TargetAt(leaf)]);
    auto [begin, end] = forest_.SpanOf(leaf);
    for (uint32_t i = begin; i < end; ++i) {
      Combine(forest_.weights()[i], out[forest_.targets()[i]]);
    }
  }

  void Combine(T weight, T& target) const {
    switch (aggregate_) {
      case Aggregate::kSum:
      case Aggregate::kAverage:
        target += weight;
        break;
      case Aggregate::kMin:
        target = std::min(target, weight);
        break;
      case Aggregate::kMax:
        target = std::max(target, weight);
        break;
    }
  }

  // Completes targets [begin, end).
  void Finish(int64_t begin, int64_t end, T* out) const {
    for (int64_t i = begin; i < end; ++i) {
      if (aggregate_ == Aggregate::kAverage) {
        out[i] /= static_cast<T>(forest_.num_trees());
      } else if (aggregate_ != Aggregate::kSum && out[i] == First()) {
        out[i] = 0;  // no leaf had this target
      }
      if (base_ != nullptr) out[i] += base_[i];
    }
  }

  const Forest<T>& forest_;
  const Aggregate aggregate_;
  const int64_t num_targets_;
  const T* const base_;
};

template <class T>
class TreeEnsembleKernel final : public Kernel {
 public:
  TreeEnsembleKernel(std::optional<Forest<T>> forest, Aggregate aggregate, int64_t num_targets)
      : forest_(std::move(forest)), aggregate_(aggregate), num_targets_(num_targets) {
    if (forest_) {
      // This estimate assumes that trees are balanced.
      auto trees = static_cast<double>(std::max<int64_t>(forest_->num_trees(), 1));
      double depth = std::log2(static_cast<double>(forest_->num_nodes()) / trees + 1);
      row_cost_ = 5 + trees * (depth + static_cast<double>(num_targets)) * 1.5;
    }
  }

  double row_cost() const { return row_cost_; }

  Status Run(KernelContext& context) const override {
    if (forest_) return RunOn(*forest_, context);
    ForestInputs inputs = {&context.input(1), &context.input(2), &context.input(3),
                           &context.input(4), &context.input(5), num_targets_};
    for (const Tensor* vector : {inputs.thresholds, inputs.roots, inputs.targets, inputs.weights}) {
      if (vector->rank() != 1) {
        return WithConstraint(
            "C2", InvalidArgument("expected a vector, found shape `", vector->shape(), "`"));
      }
    }
    if (inputs.nodes->rank() != 2 || inputs.nodes->shape().dim(1) != 5) {
      return WithConstraint("C2",
                            InvalidArgument("nodes: expected a matrix of 5 columns, found shape `",
                                            inputs.nodes->shape(), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(Forest<T> forest, Forest<T>::Make(inputs, &context));
    return RunOn(forest, context);
  }

 private:
  Status RunOn(const Forest<T>& forest, KernelContext& context) const {
    const Tensor& x = context.input(0);
    if (x.rank() != 2 || x.shape().dim(1) < static_cast<int64_t>(forest.num_features())) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a matrix of at least ", forest.num_features(),
                                " columns, as the trees require, found shape `", x.shape(), "`"));
    }
    const T* base = nullptr;
    if (context.num_inputs() > 6 && context.input(6).has_value()) {
      if (context.input(6).num_elements() != num_targets_) {
        return WithConstraint(
            "C2", InvalidArgument("base: expected ", num_targets_, " elements, found shape `",
                                  context.input(6).shape(), "`"));
      }
      base = context.input(6).template elements<T>().data();
    }
    int64_t rows = x.shape().dim(0);
    int64_t stride = x.shape().dim(1);
    int64_t dims[] = {rows, num_targets_};
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {rows, num_targets_}));
    T* out = made->template mutable_elements<T>();
    const T* in = x.elements<T>().data();
    Aggregation<T> aggregation(forest, aggregate_, num_targets_, base);
    int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
    auto run = [&](int64_t begin, int64_t end) {
      StopPoll poll(context);
      for (int64_t block = begin; block < end; ++block) {
        int64_t first = block * kRowBlock;
        int64_t count = std::min(kRowBlock, rows - first);
        aggregation.Run(poll, in + first * stride, count, stride, out + first * num_targets_);
      }
    };
    return context.For(blocks, row_cost_ * static_cast<double>(kRowBlock), run);
  }

  const std::optional<Forest<T>> forest_;
  const Aggregate aggregate_;
  const int64_t num_targets_;
  double row_cost_ = 1000;
};

template <class T>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelRequest& request, Aggregate aggregate,
                                       int64_t num_targets) {
  const OpCall& call = request.call;
  std::optional<Forest<T>> forest;
  ForestInputs inputs = {call.constant(1), call.constant(2), call.constant(3),
                         call.constant(4), call.constant(5), num_targets};
  bool known = inputs.nodes != nullptr && inputs.thresholds != nullptr && inputs.roots != nullptr &&
               inputs.targets != nullptr && inputs.weights != nullptr;
  if (known) {
    SIGNET_ASSIGN_OR_RETURN(forest, Forest<T>::Make(inputs));
  }
  auto kernel = std::make_unique<TreeEnsembleKernel<T>>(std::move(forest), aggregate, num_targets);
  const PartialShape& shape = ShapeOf(call.inputs[0]);
  kernel->set_cost(50 +
                   kernel->row_cost() * (shape.has_rank() ? GuessElements(shape.Slice(0, 1)) : 64));
  return kernel;
}

StatusOr<std::unique_ptr<Kernel>> MakeTreeEnsemble(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, request.call.attributes.String("aggregate"));
  SIGNET_ASSIGN_OR_RETURN(int64_t num_targets, request.call.attributes.Int("num_targets"));
  Aggregate aggregate = name == "average" ? Aggregate::kAverage
                        : name == "min"   ? Aggregate::kMin
                        : name == "max"   ? Aggregate::kMax
                                          : Aggregate::kSum;
  if (DTypeIn(request.call.inputs[0]) == DType::kFloat32) {
    return Make<float>(request, aggregate, num_targets);
  }
  return Make<double>(request, aggregate, num_targets);
}

constexpr KernelDef kTreeEnsembleKernels[] = {{"tree_ensemble", MakeTreeEnsemble}};

}  // namespace

std::span<const KernelDef> TreeEnsembleKernels() { return kTreeEnsembleKernels; }

}  // namespace signet
