#include "core/graph/flat/passes/fuse_elementwise_pass.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/graph/flat/control_nodes.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/fused_elementwise.h"

namespace signet {
namespace {

class Fuser {
 public:
  explicit Fuser(Rewriter& rewriter) : rewriter_(rewriter) {
    for (size_t i = 0; i < rewriter.num_nodes(); ++i) {
      for (int edge : rewriter.node(i).outputs) producers_[edge] = i;
    }
  }

  bool Run() {
    for (size_t i = rewriter_.num_nodes(); i-- > 0;) {
      if (!joined_.contains(i) && CanJoin(i)) Fuse(i);
    }
    return !joined_.empty();
  }

 private:
  bool CanJoin(size_t i) const {
    const FlatNode& node = rewriter_.node(i);
    if (HasBodies(node) || node.outputs.size() != 1 || rewriter_.UsesOf(node.outputs[0]) == 0) {
      return false;
    }
    const bool clips = node.op->name == "clip";
    for (int edge : node.inputs) {
      if (edge == kNoEdge) continue;
      const DType dtype = rewriter_.DTypeOf(edge);
      if (clips ? !IsFloat(dtype) : !CanBeFused(*node.op, node.attributes, dtype)) return false;
    }
    return true;
  }

  // Returns the largest group of nodes that ends in `root`, in their order.
  std::vector<size_t> Group(size_t root) const {
    std::set<size_t> group = {root};
    const PartialShape& shape = *rewriter_.TypeOf(rewriter_.node(root).outputs[0]).shape();
    for (bool grew = true; grew;) {
      grew = false;
      std::map<int, int> reads;  // by edge: the number of inputs of the group
      for (size_t i : group) {
        for (int edge : rewriter_.node(i).inputs) {
          if (edge != kNoEdge) ++reads[edge];
        }
      }
      for (const auto& [edge, count] : reads) {
        auto producer = producers_.find(edge);
        if (producer == producers_.end() || group.contains(producer->second)) continue;
        if (count != rewriter_.UsesOf(edge) || !CanJoin(producer->second)) continue;
        if (*rewriter_.TypeOf(edge).shape() != shape) continue;
        std::set<size_t> larger = group;
        larger.insert(producer->second);
        if (larger.size() > kMostInstructions / 2 || InputsOf(larger).size() > kMostFusedInputs) {
          continue;
        }
        group = std::move(larger);
        grew = true;
        break;
      }
    }
    return {group.begin(), group.end()};
  }

  // Returns the edges that a group reads and does not write, in the order of the first reads.
  template <class Nodes>
  std::vector<int> InputsOf(const Nodes& group) const {
    std::vector<int> inputs;
    std::set<int> written;
    for (size_t i : group) {
      for (int edge : rewriter_.node(i).inputs) {
        if (edge == kNoEdge || written.contains(edge)) continue;
        if (std::find(inputs.begin(), inputs.end(), edge) == inputs.end()) inputs.push_back(edge);
      }
      written.insert(rewriter_.node(i).outputs[0]);
    }
    return inputs;
  }

  void Fuse(size_t root) {
    std::vector<size_t> group = Group(root);
    if (group.size() < 2) return;
    std::vector<int> inputs = InputsOf(group);
    std::map<int, int> registers;  // by edge
    for (int edge : inputs) registers.emplace(edge, static_cast<int>(registers.size()));
    int next = static_cast<int>(inputs.size());
    std::vector<std::string> program;
    for (size_t i : group) {
      const FlatNode& node = rewriter_.node(i);
      if (node.op->name == "clip") {
        int x = registers[node.inputs[0]];
        for (size_t k = 1; k < node.inputs.size(); ++k) {
          if (node.inputs[k] == kNoEdge) continue;
          program.push_back(
              Cat(k == 1 ? "maximum " : "minimum ", x, " ", registers[node.inputs[k]]));
          x = next++;
        }
        registers[node.outputs[0]] = x;
        continue;
      }
      std::string line = node.op->name;
      for (int edge : node.inputs) line += Cat(" ", registers[edge]);
      program.push_back(std::move(line));
      registers[node.outputs[0]] = next++;
    }
    if (program.empty() || registers[rewriter_.node(root).outputs[0]] != next - 1) return;
    const bool is_fused =
        rewriter_.ReplaceOp(root, "fused_elementwise", std::move(inputs),
                            Attributes({{"program", AttributeOf(Join(program, "; "))}}));
    if (is_fused) joined_.insert(group.begin(), group.end());
  }

  Rewriter& rewriter_;
  std::map<int, size_t> producers_;  // by edge: the node that writes it
  std::set<size_t> joined_;          // nodes that are part of a fused node
};

}  // namespace

const Pass kFuseElementwisePass = {
    "FuseElementwise", /*may_change_rounding=*/false,
    [](Rewriter& rewriter) { return PassResult{.changed = Fuser(rewriter).Run()}; }};

}  // namespace signet
