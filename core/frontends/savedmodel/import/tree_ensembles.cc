// Imports the ensembles of decision trees of estimators. A handle of an ensemble is a variable
// whose value is a serialized TreeEnsemble.

#include <algorithm>
#include <map>

#include "core/frontends/savedmodel/import/function_import.h"
#include "core/frontends/savedmodel/import/graph_message.h"
#include "core/ops/def/attribute_list.h"
#include "tensorflow/boosted_trees.pb.h"

namespace signet {
namespace {

// The questions of nodes that the op `tree_ensemble` defines.
constexpr int64_t kLeaf = 0;
constexpr int64_t kIsAtMost = 1;
constexpr int64_t kIsEqual = 5;
constexpr int64_t kMaxExactNumber = 1 << 24;  // of a float32

// The inputs of `tree_ensemble`.
class TreeArrays {
 public:
  TreeArrays(int64_t num_features, int64_t num_logits)
      : num_features_(num_features), num_logits_(num_logits) {}

  Status Add(const tensorflow::boosted_trees::Tree& tree, float weight) {
    const auto first = static_cast<int64_t>(thresholds_.size());
    if (tree.nodes().empty()) return absl::OkStatus();
    roots_.push_back(first);
    for (const auto& node : tree.nodes()) {
      if (node.has_bucketized_split()) {
        const auto& split = node.bucketized_split();
        SIGNET_RETURN_IF_ERROR(
            AddSplit(split, kIsAtMost, split.threshold(), first, tree.nodes_size()));
      } else if (node.has_categorical_split()) {
        const auto& split = node.categorical_split();
        SIGNET_RETURN_IF_ERROR(AddSplit(split, kIsEqual, split.value(), first, tree.nodes_size()));
      } else if (node.has_leaf()) {
        SIGNET_RETURN_IF_ERROR(AddLeaf(node.leaf(), weight));
      } else {
        return Unimplemented("unsupported kind of node in a tree");
      }
    }
    return absl::OkStatus();
  }

  Tensor Nodes() const {
    return Tensor::Of<int64_t>({static_cast<int64_t>(thresholds_.size()), 5},
                               std::span<const int64_t>(nodes_));
  }
  Tensor Thresholds() const { return Vector<float>(thresholds_); }
  Tensor Roots() const { return Vector<int64_t>(roots_); }
  Tensor Targets() const { return Vector<int64_t>(targets_); }
  Tensor Weights() const { return Vector<float>(weights_); }
  // Of each column that a node uses: the feature, and the column of the feature.
  const std::vector<int64_t>& features() const { return features_; }
  const std::vector<int64_t>& dimensions() const { return dimensions_; }

 private:
  template <class T>
  static Tensor Vector(const std::vector<T>& values) {
    return Tensor::Of<T>({static_cast<int64_t>(values.size())}, std::span<const T>(values));
  }

  template <class Split>
  Status AddSplit(const Split& split, int64_t question, int64_t number, int64_t first, int count) {
    if (split.feature_id() < 0 || split.feature_id() >= num_features_ || split.dimension_id() < 0) {
      return InvalidArgument("expected a feature from 0 to ", num_features_ - 1, ", found ",
                             split.feature_id());
    }
    for (int child : {split.left_id(), split.right_id()}) {
      if (child >= 0 && child < count) continue;
      return InvalidArgument("expected a node from 0 to ", count - 1, ", found ", child);
    }
    if (number < -kMaxExactNumber || number > kMaxExactNumber) {
      return Unimplemented("expected a threshold of at most ", kMaxExactNumber, ", found ", number);
    }
    const std::pair<int64_t, int64_t> place = {split.feature_id(), split.dimension_id()};
    auto [column, is_new] = columns_.emplace(place, static_cast<int64_t>(features_.size()));
    if (is_new) {
      features_.push_back(place.first);
      dimensions_.push_back(place.second);
    }
    AddNode({question, column->second, first + split.left_id(), first + split.right_id(), 0});
    thresholds_.push_back(static_cast<float>(number));
    return absl::OkStatus();
  }

  Status AddLeaf(const tensorflow::boosted_trees::Leaf& leaf, float weight) {
    const int64_t count = leaf.has_vector() ? leaf.vector().value_size() : 1;
    if (count > num_logits_) {
      return InvalidArgument("expected leaves with ", num_logits_, " values, found ", count);
    }
    const auto begin = static_cast<int64_t>(weights_.size());
    for (int64_t i = 0; i < count; ++i) {
      targets_.push_back(i);
      weights_.push_back(
          weight * (leaf.has_vector() ? leaf.vector().value(static_cast<int>(i)) : leaf.scalar()));
    }
    AddNode({kLeaf, 0, begin, begin + count, 0});
    thresholds_.push_back(0);
    return absl::OkStatus();
  }

  void AddNode(std::initializer_list<int64_t> row) { nodes_.insert(nodes_.end(), row); }

  const int64_t num_features_;
  const int64_t num_logits_;
  std::map<std::pair<int64_t, int64_t>, int64_t> columns_;
  std::vector<int64_t> features_;
  std::vector<int64_t> dimensions_;
  std::vector<int64_t> nodes_;
  std::vector<float> thresholds_;
  std::vector<int64_t> roots_;
  std::vector<int64_t> targets_;
  std::vector<float> weights_;
};

}  // namespace

Status FunctionImporter::ImportTrees(Scope& scope, int index) {
  const tensorflow::NodeDef& node = scope.graph->node(index);
  SIGNET_ASSIGN_OR_RETURN(BoundList inputs, FindInputs(scope, index));
  if (inputs.empty() || inputs[0].kind != Bound::Kind::kVariable) {
    AddUnsupported(scope, index, Cat(node.op(), " of a handle that is not known"));
    return absl::OkStatus();
  }
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!inputs[i].is_tensor()) return absl::OkStatus();
  }
  const int variable = inputs[0].index;
  auto value = model_.initialization.Read(model_.initialization.variable(variable));
  if (!value.ok()) {
    if (absl::IsDataLoss(value.status())) return value.status();
    AddFault(std::string(MessageOf(value.status())));
    return absl::OkStatus();
  }
  SIGNET_ASSIGN_OR_RETURN(Value known, value->Get());
  if (known.tensor().num_elements() != 1) return InvalidArgument("expected one ensemble of trees");
  tensorflow::boosted_trees::TreeEnsemble ensemble;
  SIGNET_RETURN_IF_ERROR(
      ParseGraphMessage(known.tensor().string_at(0), "an ensemble of trees", ensemble));
  if (ensemble.tree_weights_size() != ensemble.trees_size()) {
    return InvalidArgument("expected ", ensemble.trees_size(), " weights of trees, found ",
                           ensemble.tree_weights_size());
  }
  const int64_t num_logits = IntAttributeOr(node, "logits_dimension", 1);
  TreeArrays trees(static_cast<int64_t>(inputs.size()) - 1, num_logits);
  for (int i = 0; i < ensemble.trees_size(); ++i) {
    auto added = trees.Add(ensemble.trees(i), ensemble.tree_weights(i));
    if (!added.ok()) return At(Cat("tree ", i), added);
  }
  // All functions share the captures of an ensemble.
  auto capture = [&](std::string_view what, Tensor tensor) {
    const std::string name = Cat(model_.initialization.variable(variable).name, "_", what);
    std::string& found = model_.variables[Cat("trees\n", variable, "\n", num_logits, "\n", what)];
    if (found.empty()) found = Capture(name, CapturedValue(std::move(tensor))).text;
    return Bound{.kind = Bound::Kind::kCapture, .text = found};
  };
  BoundList given = {capture("nodes", trees.Nodes()), capture("thresholds", trees.Thresholds()),
                     capture("roots", trees.Roots()), capture("targets", trees.Targets()),
                     capture("weights", trees.Weights())};
  given.insert(given.end(), inputs.begin() + 1, inputs.end());
  scope.nodes[index] = AddNode(*scope.function, node.name(), "tf.BoostedTreesPredict", given,
                               {{"features", AttributeListOf(trees.features())},
                                {"dimensions", AttributeListOf(trees.dimensions())},
                                {"logits_dimension", AttributeOf(num_logits)}})
                           .edge;
  return absl::OkStatus();
}

Status FunctionImporter::ImportBoundaries(Scope& scope, int index) {
  SIGNET_ASSIGN_OR_RETURN(BoundList inputs, FindInputs(scope, index));
  if (inputs.size() != 1 || inputs[0].kind != Bound::Kind::kVariable) {
    AddUnsupported(scope, index,
                   Cat(scope.graph->node(index).op(), " of a handle that is not known"));
    return absl::OkStatus();
  }
  const std::vector<int> parts = model_.initialization.variable(inputs[0].index).parts;
  for (int output : scope.used[index]) {
    if (static_cast<size_t>(output) >= parts.size()) {
      AddFault("the boundaries of buckets are not known when the model is loaded");
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN((scope.values[{index, output}]),
                            ReadVariable(parts[static_cast<size_t>(output)]));
  }
  return absl::OkStatus();
}

}  // namespace signet
