// ExpressionLayout: decides which nodes of a function are written inside the expression of another
// node, and which node the return statement states.
//
//   node `x.amount` = struct_get(x, field="amount")      =>  y = x.amount * 2.0 + 1.0
//   node `y_1` = mul(`x.amount`, 2.0)
//   node `y` = add(`y_1`, 1.0)
//
// A node is written inside an expression if reading gives it the same name
// (core/model/language/body_builder.h). Immutable.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "core/graph/body/graph.h"
#include "core/types/registry/type_registry.h"
#include "signet/index_key.h"

namespace signet {

class ExpressionLayout {
 public:
  // Borrows both.
  ExpressionLayout(const FunctionDef& def, const Captures& captures);

  // Returns whether node `i` is a statement of its own.
  bool IsStatement(size_t i) const {
    return !graph_.nodes[i].checks_signature && !is_inline_[i] && folded_into_[i] < 0 &&
           i != returned_;
  }
  // Returns whether node `i` is written inside the expression of another node.
  bool IsInside(size_t i) const { return is_inline_[i] || folded_into_[i] >= 0; }
  // Returns whether node `i` is a part of another expression that has no name in the text.
  bool IsFolded(size_t i) const { return folded_into_[i] >= 0; }
  // Returns the node that the return statement states, or nothing if it states an edge.
  std::optional<size_t> returned() const {
    return returned_ == kNone ? std::nullopt : std::optional(returned_);
  }
  // Returns the names of the further outputs of node `i` that are used, by output.
  const std::map<int, std::string>& OutputNames(size_t i) const { return output_names_[i]; }
  // Returns whether a parameter, a node, or a further output has the name.
  bool HasName(std::string_view name) const {
    return names_.contains(absl::string_view(name.data(), name.size()));
  }
  bool HasCapture(std::string_view name) const;

  // Returns the keys of a node that reads as `x[...]`, or nothing.
  std::optional<std::vector<IndexKey>> KeysOf(const GraphNode& node) const;
  // Returns the field of a node that reads as `x.field`, or nothing.
  std::optional<std::string> FieldOf(const GraphNode& node) const;

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  void CountUses();
  // Returns the text by which reading names the fields and indices of an edge. Empty for literals.
  std::string BaseText(const GraphEdge& edge) const;
  // Finds the fields and indices that have the names that reading gives them.
  void FindInlineParts();
  // Makes names for the further outputs of nodes.
  void NameOutputs();
  bool IsAnonymousIn(size_t i, std::string_view base) const;
  // Appends the parts of the expression of node `i` in the order in which reading names them.
  void CollectParts(size_t i, std::string_view base, std::vector<size_t>& parts, int depth) const;
  // Folds the parts of the expression of node `i` if reading gives them their names.
  void Fold(size_t i, const std::string& base);
  void FindFolded();

  const FunctionDef& def_;
  const Graph& graph_;
  const Captures& captures_;
  absl::flat_hash_set<std::string> names_;  // of parameters, nodes, and further outputs
  std::vector<int> uses_;                   // by node
  std::vector<int> highest_output_;
  std::vector<size_t> user_;  // one of the users; kNone for the result
  std::vector<bool> is_inline_;
  std::vector<int> inline_depth_;
  std::vector<int> folded_into_;  // the node of the statement; -1 for none
  std::vector<std::map<int, std::string>> output_names_;
  size_t returned_ = kNone;  // the node that the return statement states
};

}  // namespace signet
