// Tree ensembles of ai.onnx.ml, computed by tree_ensemble. Where the standard does not define the
// behavior (two classes with one score), they behave as in ONNX Runtime. If both classes have
// weights, the class with the greater score is selected, as for more classes.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "core/frontends/onnx/lower/ml/ml_inputs.h"
#include "core/frontends/onnx/lower/ml/ml_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// The attributes of tree_ensemble.
struct Trees {
  std::vector<int64_t> nodes = {};  // rows of 5 numbers
  std::vector<double> thresholds = {};
  std::vector<int64_t> roots = {};
  std::vector<int64_t> targets = {};
  std::vector<double> weights = {};
  std::vector<double> base = {};  // empty, or one per target
  int64_t num_targets = 1;
  std::string aggregate = "sum";

  int64_t num_nodes() const { return static_cast<int64_t>(thresholds.size()); }
  void AddNode(std::initializer_list<int64_t> fields, double threshold) {
    nodes.insert(nodes.end(), fields);
    thresholds.push_back(threshold);
  }
};

StatusOr<GraphValue> CallTreeEnsemble(OpBuilder& build, const GraphValue& x, const Trees& trees) {
  DType dtype = x.spec.As<TensorSpec>()->dtype();
  Values inputs = {x};
  inputs.push_back(build.Constant(
      Tensor::Of<int64_t>({trees.num_nodes(), 5}, std::span<const int64_t>(trees.nodes))));
  inputs.push_back(NumbersConstant(build, dtype, trees.thresholds));
  inputs.push_back(VectorConstant<int64_t>(build, trees.roots));
  inputs.push_back(VectorConstant<int64_t>(build, trees.targets));
  inputs.push_back(NumbersConstant(build, dtype, trees.weights));
  bool has_base =
      std::any_of(trees.base.begin(), trees.base.end(), [](double number) { return number != 0; });
  if (has_base) inputs.push_back(NumbersConstant(build, dtype, trees.base));
  Attributes attributes({{"num_targets", AttributeOf(trees.num_targets)},
                         {"aggregate", AttributeOf(trees.aggregate)}});
  SIGNET_ASSIGN_OR_RETURN(Values out, build.Call("tree_ensemble", inputs, attributes));
  return out[0];
}

// Returns 1 if NaN counts as true: NaN is unequal to all numbers, even if missing values are not
// tracked.
int64_t NanIsYes(int64_t question, bool tracks) { return tracks || question == 6 ? 1 : 0; }

// --- versions 1 and 3: nodes by tree and number -------------------------------------------------

constexpr std::string_view kModes[] = {"LEAF",      "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                       "BRANCH_GT", "BRANCH_EQ",  "BRANCH_NEQ"};

// Reads the lists that classifiers and regressors share. `prefix` is `class` or `target`.
StatusOr<Trees> TreesOf(const ListInputs& lists, std::string_view prefix) {
  SIGNET_ASSIGN_OR_RETURN(auto tree_ids, lists.Ints("nodes_treeids"));
  SIGNET_ASSIGN_OR_RETURN(auto node_ids, lists.Ints("nodes_nodeids"));
  SIGNET_ASSIGN_OR_RETURN(auto features, lists.Ints("nodes_featureids"));
  SIGNET_ASSIGN_OR_RETURN(auto yes, lists.Ints("nodes_truenodeids"));
  SIGNET_ASSIGN_OR_RETURN(auto no, lists.Ints("nodes_falsenodeids"));
  SIGNET_ASSIGN_OR_RETURN(auto missing, lists.Ints("nodes_missing_value_tracks_true"));
  SIGNET_ASSIGN_OR_RETURN(auto modes, lists.Strings("nodes_modes"));
  SIGNET_ASSIGN_OR_RETURN(auto values, lists.NumbersOrTensor("nodes_values"));
  SIGNET_ASSIGN_OR_RETURN(auto weight_trees, lists.Ints(Cat(prefix, "_treeids")));
  SIGNET_ASSIGN_OR_RETURN(auto weight_nodes, lists.Ints(Cat(prefix, "_nodeids")));
  SIGNET_ASSIGN_OR_RETURN(auto targets, lists.Ints(Cat(prefix, "_ids")));
  SIGNET_ASSIGN_OR_RETURN(auto weights, lists.NumbersOrTensor(Cat(prefix, "_weights")));
  size_t count = node_ids.size();
  for (size_t size :
       {tree_ids.size(), features.size(), yes.size(), no.size(), modes.size(), values.size()}) {
    if (size != count) {
      return InvalidArgument("expected lists with ", count, " elements, one per node, found ",
                             size);
    }
  }
  for (size_t size : {weight_trees.size(), weight_nodes.size(), targets.size()}) {
    if (size != weights.size()) {
      return InvalidArgument("expected lists with ", weights.size(),
                             " elements, one per weight, found ", size);
    }
  }
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> rows;
  for (size_t i = 0; i < count; ++i) {
    if (!rows.try_emplace({tree_ids[i], node_ids[i]}, static_cast<int64_t>(i)).second) {
      return InvalidArgument("duplicate node ", node_ids[i], " of tree ", tree_ids[i]);
    }
  }
  auto row_of = [&](int64_t tree, int64_t node) -> StatusOr<int64_t> {
    auto found = rows.find({tree, node});
    if (found != rows.end()) return found->second;
    return InvalidArgument("tree ", tree, ": node ", node, " not found");
  };

  // Weights in the order of their nodes.
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < weights.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int64_t row, row_of(weight_trees[i], weight_nodes[i]));
    order.emplace_back(row, i);
  }
  std::sort(order.begin(), order.end());
  Trees trees;
  for (auto [row, i] : order) {
    trees.targets.push_back(targets[i]);
    trees.weights.push_back(weights[i]);
  }
  size_t weight = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || tree_ids[i] != tree_ids[i - 1]) trees.roots.push_back(static_cast<int64_t>(i));
    size_t begin = weight;
    while (weight < order.size() && order[weight].first == static_cast<int64_t>(i)) ++weight;
    auto mode = std::find(std::begin(kModes), std::end(kModes), modes[i]) - std::begin(kModes);
    if (mode == std::ssize(kModes)) {
      return InvalidArgument(
          "node mode: expected LEAF, BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, ",
          "BRANCH_EQ, or BRANCH_NEQ, found `", Printable(modes[i]), "`");
    }
    if (mode == 0) {
      trees.AddNode({0, 0, static_cast<int64_t>(begin), static_cast<int64_t>(weight), 0}, 0);
      continue;
    }
    SIGNET_ASSIGN_OR_RETURN(int64_t yes_row, row_of(tree_ids[i], yes[i]));
    SIGNET_ASSIGN_OR_RETURN(int64_t no_row, row_of(tree_ids[i], no[i]));
    bool tracks = i < missing.size() && missing[i] != 0;
    trees.AddNode({mode, features[i], yes_row, no_row, NanIsYes(mode, tracks)}, values[i]);
  }
  SIGNET_ASSIGN_OR_RETURN(trees.base, lists.NumbersOrTensor("base_values"));
  return trees;
}

// Transforms scores of several targets. A single score is transformed only by PROBIT, as in ONNX
// Runtime.
StatusOr<GraphValue> TransformTargets(OpBuilder& build, const GraphValue& scores,
                                      int64_t num_targets, std::string_view transform) {
  if (num_targets == 1 && transform != "PROBIT") return scores;
  return PostTransform(build, scores, transform);
}

StatusOr<Values> ExpandRegressor(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, FloatRows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(Trees trees, TreesOf(lists, "target"));
  SIGNET_ASSIGN_OR_RETURN(trees.num_targets, call.attributes.Int("n_targets"));
  SIGNET_ASSIGN_OR_RETURN(std::string aggregate, call.attributes.String("aggregate_function"));
  SIGNET_ASSIGN_OR_RETURN(std::string transform, call.attributes.String("post_transform"));
  trees.aggregate.clear();
  for (char c : aggregate) trees.aggregate.push_back(static_cast<char>(c | 0x20));
  if (static_cast<int64_t>(trees.base.size()) != trees.num_targets) trees.base.clear();
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores, CallTreeEnsemble(build, x, trees));
  SIGNET_ASSIGN_OR_RETURN(scores, TransformTargets(build, scores, trees.num_targets, transform));
  return OneOutput(CastTo(build, scores, DType::kFloat32));
}

// Replaces the weights of one class, `of`, by two scores: the second is the score of this class,
// and the first is `whole` minus it. `whole` is 1 if the scores are shares, else 0. Weights of
// other classes are ignored.
void MirrorScores(Trees& trees, int64_t of, double whole, double base) {
  std::vector<int64_t> targets;
  std::vector<double> weights;
  for (size_t i = 0; i < trees.weights.size(); ++i) {
    double weight = trees.targets[i] == of ? trees.weights[i] : 0;
    targets.insert(targets.end(), {0, 1});
    weights.insert(weights.end(), {-weight, weight});
  }
  for (size_t row = 0; row < trees.thresholds.size(); ++row) {
    if (trees.nodes[row * 5] != 0) continue;
    trees.nodes[row * 5 + 2] *= 2;
    trees.nodes[row * 5 + 3] *= 2;
  }
  trees.targets = std::move(targets);
  trees.weights = std::move(weights);
  trees.base = {whole - base, base};
}

// Returns true if trees with two classes have weights for both.
bool HaveBothWeights(const Trees& trees) {
  return std::find(trees.targets.begin(), trees.targets.end(), 1) != trees.targets.end() &&
         std::any_of(trees.targets.begin(), trees.targets.end(),
                     [](int64_t target) { return target != 1; });
}

// Returns 1 for each row in which column `column` is above `limit`, else 0, as int64.
StatusOr<GraphValue> IsAbove(OpBuilder& build, const GraphValue& scores, int64_t column,
                             double limit) {
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue one,
      build.Gather(scores, NumberConstant(build, DType::kInt64, static_cast<double>(column)),
                   {.axis = 1}));
  GraphValue scalar = NumberConstant(build, scores.spec.As<TensorSpec>()->dtype(), limit);
  SIGNET_ASSIGN_OR_RETURN(GraphValue above, build.Greater(one, scalar));
  return CastTo(build, above, DType::kInt64);
}

// Changes the weights and base values of trees with two classes, one of which has weights, to two
// scores that are opposites. Returns the score of class 1 above which class 1 is selected, or
// nothing if the class with the greater score is selected.
std::optional<double> SettleOneOfTwoClasses(Trees& trees, std::string_view transform) {
  const bool shares = std::all_of(trees.weights.begin(), trees.weights.end(),
                                  [](double weight) { return weight >= 0; });
  const bool is_first =
      std::find(trees.targets.begin(), trees.targets.end(), 1) == trees.targets.end();
  if (!is_first) {
    trees.base = {0, trees.base.size() == 2 ? trees.base[1] : 0};
    return shares ? 0.5 : 0;
  }
  // PROBIT maps probabilities, so its scores add up to 1.
  const bool add_up = transform == "PROBIT" || (shares && transform != "LOGISTIC");
  trees.base.resize(std::max<size_t>(trees.base.size(), 1), 0);
  MirrorScores(trees, 0, add_up ? 1 : 0, trees.base.size() == 2 ? trees.base[1] : trees.base[0]);
  if (shares && transform == "LOGISTIC") return 0.5;
  return std::nullopt;
}

StatusOr<Values> ExpandClassifier(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, FloatRows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(ClassLabels labels, LabelsOf(lists, "classlabels_int64s"));
  SIGNET_ASSIGN_OR_RETURN(Trees trees, TreesOf(lists, "class"));
  SIGNET_ASSIGN_OR_RETURN(std::string transform, call.attributes.String("post_transform"));
  trees.num_targets = labels.count;
  // The score of the last class above which it is selected. Without it, the greatest score counts.
  std::optional<double> limit;
  if (labels.count == 1) {
    limit = 0;
    if (transform != "PROBIT") transform = "NONE";
  } else if (labels.count == 2 && !HaveBothWeights(trees)) {
    limit = SettleOneOfTwoClasses(trees, transform);
    // Scores that are opposites are transformed only by LOGISTIC and PROBIT.
    if (!limit && transform != "LOGISTIC" && transform != "PROBIT") transform = "NONE";
  }
  trees.base.resize(static_cast<size_t>(labels.count), 0);
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores, CallTreeEnsemble(build, x, trees));
  GraphValue label;
  if (limit) {
    SIGNET_ASSIGN_OR_RETURN(label, IsAbove(build, scores, labels.count - 1, *limit));
  } else {
    SIGNET_ASSIGN_OR_RETURN(label, GreatestColumn(build, scores));
  }
  bool is_text = labels.labels.spec.As<TensorSpec>()->dtype() == DType::kString;
  if (is_text && labels.count == 1) {
    SIGNET_ASSIGN_OR_RETURN(label, build.ZerosLike(label));
  }
  if (is_text || labels.count > 1) {
    SIGNET_ASSIGN_OR_RETURN(label, LabelAt(build, labels, label));
  }
  SIGNET_ASSIGN_OR_RETURN(scores, PostTransform(build, scores, transform));
  SIGNET_ASSIGN_OR_RETURN(scores, CastTo(build, scores, DType::kFloat32));
  return Values{label, scores};
}

// --- version 5 ----------------------------------------------------------------------------------

// Modes are comparisons of tree_ensemble minus 1, except for the last, which tests membership in a
// set.
constexpr int64_t kMemberMode = 6;
constexpr int64_t kIsEqual = 5;

StatusOr<Values> ExpandTreeEnsemble5(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* data, TensorAt(inputs, 0));
  DType dtype = data->dtype();
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, FloatRows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto features, lists.Ints("nodes_featureids"));
  SIGNET_ASSIGN_OR_RETURN(auto yes, lists.Ints("nodes_truenodeids"));
  SIGNET_ASSIGN_OR_RETURN(auto no, lists.Ints("nodes_falsenodeids"));
  SIGNET_ASSIGN_OR_RETURN(auto yes_leaf, lists.Ints("nodes_trueleafs"));
  SIGNET_ASSIGN_OR_RETURN(auto no_leaf, lists.Ints("nodes_falseleafs"));
  SIGNET_ASSIGN_OR_RETURN(auto missing, lists.Ints("nodes_missing_value_tracks_true"));
  SIGNET_ASSIGN_OR_RETURN(auto modes, lists.Ints("nodes_modes"));
  SIGNET_ASSIGN_OR_RETURN(auto splits, lists.Numbers("nodes_splits"));
  SIGNET_ASSIGN_OR_RETURN(auto members, lists.Numbers("membership_values"));
  Trees trees;
  SIGNET_ASSIGN_OR_RETURN(trees.roots, lists.Ints("tree_roots"));
  SIGNET_ASSIGN_OR_RETURN(trees.targets, lists.Ints("leaf_targetids"));
  SIGNET_ASSIGN_OR_RETURN(trees.weights, lists.Numbers("leaf_weights"));
  size_t count = features.size();
  for (size_t size :
       {yes.size(), no.size(), yes_leaf.size(), no_leaf.size(), modes.size(), splits.size()}) {
    if (size != count) {
      return InvalidArgument("expected lists with ", count, " elements, one per node, found ",
                             size);
    }
  }
  // First the nodes, then the leaves, then additional nodes for tests of membership.
  auto leaves = static_cast<int64_t>(trees.weights.size());
  auto num_nodes = static_cast<int64_t>(count);
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] < 0 || modes[i] > kMemberMode) {
      return InvalidArgument("node mode: expected 0 to 6, found ", modes[i]);
    }
    for (auto [is_leaf, child] : {std::pair(yes_leaf[i], yes[i]), std::pair(no_leaf[i], no[i])}) {
      if (is_leaf == 0 || (child >= 0 && child < leaves)) continue;
      return InvalidArgument("node ", i, ": expected a leaf from 0 to ", leaves - 1, ", found ",
                             child);
    }
    int64_t yes_row = yes_leaf[i] != 0 ? num_nodes + yes[i] : yes[i];
    int64_t no_row = no_leaf[i] != 0 ? num_nodes + no[i] : no[i];
    int64_t question = modes[i] == kMemberMode ? kIsEqual : modes[i] + 1;
    bool tracks = i < missing.size() && missing[i] != 0;
    trees.AddNode({question, features[i], yes_row, no_row, NanIsYes(question, tracks)}, splits[i]);
  }
  for (int64_t i = 0; i < leaves; ++i) trees.AddNode({0, 0, i, i + 1, 0}, 0);
  // A set of members ends with NaN. One node tests each member.
  size_t member = 0;
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] != kMemberMode) continue;
    size_t end = member;
    while (end < members.size() && !std::isnan(members[end])) ++end;
    std::vector<int64_t> fields(trees.nodes.begin() + static_cast<int64_t>(i) * 5,
                                trees.nodes.begin() + static_cast<int64_t>(i) * 5 + 5);
    size_t row = i;
    if (member == end)
      return InvalidArgument(
          "expected a set with at least one member for a node, found an empty set");
    trees.thresholds[i] = members[member++];
    for (; member < end; ++member) {
      trees.nodes[row * 5 + 3] = trees.num_nodes();
      row = static_cast<size_t>(trees.num_nodes());
      trees.AddNode({fields[0], fields[1], fields[2], fields[3], fields[4]}, members[member]);
    }
    ++member;
  }
  SIGNET_ASSIGN_OR_RETURN(trees.num_targets, call.attributes.Int("n_targets"));
  SIGNET_ASSIGN_OR_RETURN(int64_t aggregate, call.attributes.Int("aggregate_function"));
  SIGNET_ASSIGN_OR_RETURN(int64_t transform, call.attributes.Int("post_transform"));
  constexpr const char* kAggregates[] = {"average", "sum", "min", "max"};
  constexpr const char* kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4) {
    return InvalidArgument("expected aggregate_function 0 to 3 and post_transform 0 to 4, found ",
                           aggregate, " and ", transform);
  }
  trees.aggregate = kAggregates[aggregate];
  SIGNET_ASSIGN_OR_RETURN(GraphValue scores, CallTreeEnsemble(build, x, trees));
  SIGNET_ASSIGN_OR_RETURN(
      scores, TransformTargets(build, scores, trees.num_targets, kTransforms[transform]));
  return OneOutput(CastTo(build, scores, dtype));
}

constexpr std::string_view kNodeLists[] = {"base_values",
                                           "base_values_as_tensor",
                                           "nodes_falsenodeids",
                                           "nodes_featureids",
                                           "nodes_hitrates",
                                           "nodes_hitrates_as_tensor",
                                           "nodes_missing_value_tracks_true",
                                           "nodes_modes",
                                           "nodes_nodeids",
                                           "nodes_treeids",
                                           "nodes_truenodeids",
                                           "nodes_values",
                                           "nodes_values_as_tensor"};

std::vector<std::string> NodeListsAnd(std::initializer_list<std::string_view> lists) {
  std::vector<std::string> out = InputsAndLists({"X"}, lists);
  for (std::string_view list : kNodeLists) out.push_back(Cat(list, "?"));
  return out;
}

}  // namespace

std::vector<OpDef> OnnxTreeOps() {
  AttributeDef transform = {"post_transform", AttributeOf("NONE")};
  return {
      OnnxOp("onnx.ml.TreeEnsembleClassifier", "Finds the class of each row by decision trees",
             NodeListsAnd({"class_ids", "class_nodeids", "class_treeids", "class_weights",
                           "class_weights_as_tensor", "classlabels_int64s", "classlabels_strings"}),
             {transform}, ExpandClassifier),
      OnnxOp("onnx.ml.TreeEnsembleRegressor", "Gives what decision trees say of each row",
             NodeListsAnd({"target_ids", "target_nodeids", "target_treeids", "target_weights",
                           "target_weights_as_tensor"}),
             {transform, {"n_targets", AttributeOf(1)}, {"aggregate_function", AttributeOf("SUM")}},
             ExpandRegressor),
      OnnxOp("onnx.ml.TreeEnsemble", "Gives what decision trees say of each row",
             InputsAndLists(
                 {"X"}, {"leaf_targetids", "leaf_weights", "membership_values", "nodes_falseleafs",
                         "nodes_falsenodeids", "nodes_featureids", "nodes_hitrates",
                         "nodes_missing_value_tracks_true", "nodes_modes", "nodes_splits",
                         "nodes_trueleafs", "nodes_truenodeids", "tree_roots"}),
             {{"n_targets", AttributeOf(1)},
              {"aggregate_function", AttributeOf(1)},
              {"post_transform", AttributeOf(0)}},
             ExpandTreeEnsemble5),
  };
}

}  // namespace signet
