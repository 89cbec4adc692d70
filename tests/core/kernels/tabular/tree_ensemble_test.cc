// Forests of many shapes give what walking their trees, one question after the other, gives.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

enum class Leaves : uint8_t { kOneWeight, kAllTargets, kSomeTargets };

// Trees at random, in the form of the inputs of tree_ensemble.
struct Trees {
  std::vector<int64_t> nodes;  // five numbers each
  std::vector<float> thresholds;
  std::vector<int64_t> roots;
  std::vector<int64_t> targets;
  std::vector<float> weights;
};

class TreeMaker {
 public:
  TreeMaker(Leaves leaves, int64_t num_targets, int64_t features)
      : leaves_(leaves), num_targets_(num_targets), features_(features) {}

  // Each question has a leaf on one side when the tree is to be `deep`.
  Trees Make(int count, int depth, bool deep) {
    for (int i = 0; i < count; ++i) trees_.roots.push_back(Node(Below(depth + 1), deep));
    return std::move(trees_);
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  int64_t Node(int64_t depth, bool deep) {
    auto place = static_cast<int64_t>(trees_.thresholds.size());
    trees_.thresholds.push_back(static_cast<float>(Below(5)));
    trees_.nodes.resize(trees_.nodes.size() + 5);
    std::array<int64_t, 5> node;
    if (depth == 0) {
      node = {0, 0, static_cast<int64_t>(trees_.weights.size()), 0, 0};
      for (int64_t target = 0; target < num_targets_; ++target) {
        if (leaves_ == Leaves::kSomeTargets && Below(2) == 0) continue;
        const bool one = leaves_ == Leaves::kOneWeight;
        trees_.targets.push_back(one ? Below(num_targets_) : target);
        trees_.weights.push_back(static_cast<float>(Below(100)));
        if (one) break;
      }
      node[3] = static_cast<int64_t>(trees_.weights.size());
    } else {
      const int64_t question = 1 + Below(6);
      const int64_t yes = Node(depth - 1, deep);
      const int64_t no = Node(deep ? 0 : depth - 1, deep);
      node = {question, Below(features_), yes, no, Below(2)};
    }
    std::copy(node.begin(), node.end(), trees_.nodes.begin() + place * 5);
    return place;
  }

  const Leaves leaves_;
  const int64_t num_targets_;
  const int64_t features_;
  std::mt19937 random_{11};
  Trees trees_;
};

bool Holds(int64_t question, float x, float threshold, bool nan) {
  if (std::isnan(x)) return nan;
  const bool answers[] = {false, x <= threshold, x<threshold, x >= threshold, x> threshold,
                          x == threshold, x != threshold};
  return answers[question];
}

std::vector<float> Walked(const Trees& trees, std::span<const float> x, int64_t num_targets) {
  std::vector<float> sums(static_cast<size_t>(num_targets));
  for (int64_t at : trees.roots) {
    auto field = [&](int i) { return trees.nodes[static_cast<size_t>(at * 5 + i)]; };
    while (field(0) != 0) {
      at = Holds(field(0), x[static_cast<size_t>(field(1))],
                 trees.thresholds[static_cast<size_t>(at)], field(4) != 0)
               ? field(2)
               : field(3);
    }
    for (auto i = static_cast<size_t>(field(2)); i < static_cast<size_t>(field(3)); ++i) {
      sums[static_cast<size_t>(trees.targets[i])] += trees.weights[i];
    }
  }
  return sums;
}

TEST(TreeEnsembleTest, IsWhatTreesSayOneByOne) {
  constexpr int64_t kFeatures = 4;
  const OpDef& op = **BuiltinOps().Find("tree_ensemble");
  std::mt19937 random(5);
  for (Leaves leaves : {Leaves::kOneWeight, Leaves::kAllTargets, Leaves::kSomeTargets}) {
    for (int64_t targets : {1, 3, 9}) {
      for (int count : {1, 8, 19}) {
        for (int depth : {0, 3, 5, 14}) {
          Trees trees = TreeMaker(leaves, targets, kFeatures).Make(count, depth, depth > 5);
          auto vector = [](auto& list) {
            using T = std::decay_t<decltype(list[0])>;
            return Tensor::Of<T>({static_cast<int64_t>(list.size())}, std::span<const T>(list));
          };
          Tensor nodes = vector(trees.nodes);
          for (int64_t rows : {1, 3, 9}) {
            std::vector<float> numbers(static_cast<size_t>(rows * kFeatures));
            for (float& number : numbers) {
              number = random() % 9 == 0 ? std::nanf("") : static_cast<float>(random() % 6) - 0.5f;
              if (random() % 2 == 0) number += 0.5f;
            }
            std::vector<Tensor> inputs = {vector(numbers).Reshaped({rows, kFeatures}),
                                          nodes.Reshaped({nodes.num_elements() / 5, 5}),
                                          vector(trees.thresholds),
                                          vector(trees.roots),
                                          vector(trees.targets),
                                          vector(trees.weights)};
            std::vector<TypeSpec> types;
            std::vector<const Tensor*> constants;
            for (const Tensor& input : inputs) {
              types.push_back(input.spec());
              constants.push_back(constants.empty() ? nullptr : &input);
            }
            auto attributes =
                CompleteAttributes(op, Attributes({{"num_targets", AttributeOf(targets)}}));
            ASSERT_TRUE(attributes.ok());
            auto found = RunOp(op, *attributes, inputs, types, constants);
            ASSERT_TRUE(found.ok()) << found.status();
            for (int64_t row = 0; row < rows; ++row) {
              auto x = std::span(numbers).subspan(static_cast<size_t>(row * kFeatures), kFeatures);
              auto sums = (*found)[0].elements<float>().subspan(static_cast<size_t>(row * targets),
                                                                static_cast<size_t>(targets));
              ASSERT_EQ(std::vector<float>(sums.begin(), sums.end()), Walked(trees, x, targets))
                  << count << " trees, depth " << depth << ", row " << row << " of " << rows;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace signet
