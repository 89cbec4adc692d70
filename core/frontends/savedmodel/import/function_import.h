// FunctionImporter: imports one signature or one concrete function of a SavedModel as a function
// with a GraphBuilder, and the functions that it calls in loops and branches.
//
// Only the nodes that the results need are imported. The bodies of called functions take the place
// of the calls. What cannot be imported is collected, so that one error lists it all.
//
//   function_import.cc    finds the nodes that are needed, and their order
//   import_nodes.cc       constants, calls, and operators
//   resources.cc          variables, tables, and TensorArrays
//   tree_ensembles.cc     ensembles of decision trees
//   branches.cc, loops.cc, frames.cc, control_flow.cc   both versions of control flow
//   checks.cc             assertions
//   effects.cc            changes of state, which a function of a served model must not make
//   example_features.cc   features of serialized examples
//
// Not thread-safe.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/frontends/savedmodel/import/extension_classes.h"
#include "core/frontends/savedmodel/import/graph_library.h"
#include "core/frontends/savedmodel/import/initialization.h"
#include "core/graph/body/graph_builder.h"
#include "core/model/model_def.h"
#include "core/model/unique_names.h"

namespace signet {

inline constexpr int kMaxCallDepth = 64;  // of functions that call one another
// Of a function, with the nodes of called functions once per call.
inline constexpr int64_t kMaxImportedNodes = 200'000;
inline constexpr int64_t kMaxSteps = 20'000'000;  // nodes that are followed

// What all functions of a model share.
struct ModelImport {
  GraphLibrary& library;
  Initialization& initialization;
  ModelDef& out;
  ExtensionClasses extension_classes = {};
  UniqueNames names = {};  // of functions, parameters, nodes, and captures
  // The captures that were made, by node, by variable, and by table.
  std::map<const void*, std::string> constants = {};
  std::map<std::string, std::string> variables = {};
  std::map<int, std::pair<std::string, std::string>> tables = {};
  std::map<std::string, std::string> effects = {};  // by function: what it changes, or ""
  int64_t constant_bytes = 0;
  std::string_view source = "the SavedModel";  // for people
};

// What an output of a node is while a function is imported.
struct Bound {
  enum class Kind : uint8_t {
    kNone,      // not supported, or not needed
    kValue,     // a value of the function
    kCapture,   // a capture of the model, which all functions may use
    kVariable,  // the handle of a variable
    kTable,     // the handle of a table
    kAsset,     // the path of a file
    kArray,     // the handle of a TensorArray
  };
  Kind kind = Kind::kNone;
  GraphEdge edge = {};
  std::string text = {};  // of a capture: its name; of an asset: the name of the file
  int index = 0;          // of a variable or a table; of an array: 1 if it grows

  bool is_tensor() const {
    return kind == Kind::kValue || kind == Kind::kCapture || kind == Kind::kAsset;
  }
};
using BoundList = std::vector<Bound>;

// A function of the model while its nodes are imported.
struct GraphFunction {
  GraphFunction(std::string name, const Captures& captures);

  FunctionDef def;  // without type and graph
  std::vector<Parameter> parameters;
  GraphBuilder graph;
  GraphEdge result;
};

// A feature that an operator reads from serialized examples.
struct ExampleFeature {
  std::string key;
  DType dtype{};
  // The shape of a dense feature; nothing for a sparse or a ragged one.
  std::optional<std::vector<int64_t>> shape = {};
  bool has_default = false;
};

class FunctionImporter {
 public:
  // `name` is the identifier of the function, which ModelImport::names made.
  FunctionImporter(ModelImport& model, std::string name);

  GraphFunction& function() { return *functions_[0]; }
  const ExtensionClasses& extension_classes() const { return model_.extension_classes; }

  // Adds a parameter whose name is already reserved.
  Bound AddParameter(const std::string& name, TypeSpec type, ParameterKind kind, bool optional);
  // Imports tensors of the graph. `fed` are tensors that have values.
  StatusOr<BoundList> ImportFromGraph(const std::vector<std::pair<NodeReference, Bound>>& fed,
                                      const std::vector<NodeReference>& outputs);
  // Imports tensors of a graph, or of the body of a function with these arguments.
  StatusOr<BoundList> ImportNodes(const NodeGraph& graph, BoundList arguments,
                                  const std::vector<std::pair<NodeReference, Bound>>& fed,
                                  const std::vector<NodeReference>& outputs);
  // Imports the outputs of a function of the library.
  StatusOr<BoundList> ImportFromFunction(const std::string& name, BoundList arguments);

  // Returns what an object of the object graph is as an argument of a function of the library.
  StatusOr<Bound> BindObject(int index);

  Bound AddNode(std::string_view name, std::string_view op, const BoundList& inputs,
                NamedTypes attributes = {});
  Bound Capture(std::string_view name, CapturedValue value);
  GraphEdge EdgeOf(const Bound& value) { return EdgeOf(function(), value); }
  Bound LiteralOf(const Literal& literal);
  void AddFault(std::string text);
  bool has_faults() const { return !faults_.empty() || !unsupported_.empty(); }

  // Returns the features that are read from parameter `i`, or nothing if the parameter is used in
  // another way, too, or if two operators read a feature in different ways.
  std::optional<std::vector<ExampleFeature>> FeaturesOf(int parameter) const;

  // Returns all functions, or why the function cannot be imported.
  StatusOr<std::vector<FunctionDef>> Finish() &&;

 private:
  using Attributes = google::protobuf::Map<std::string, tensorflow::AttrValue>;

  // A graph, or one call of a function, whose values belong to one function of the model.
  struct Scope {
    const NodeGraph* graph = nullptr;
    GraphFunction* function = nullptr;
    const Scope* caller = nullptr;
    const Attributes* attributes = nullptr;  // of the call
    int depth = 0;
    BoundList arguments = {};
    std::map<std::pair<int, int>, Bound> values = {};  // by node and output
    std::map<int, GraphEdge> nodes = {};               // output 0 of nodes that became one node
    std::map<int, std::set<int>> used = {};            // outputs by node
    // By Merge: the values that its branches use, and the side if it is known. They are found
    // before nodes are imported.
    mutable std::map<int, std::vector<NodeReference>> outside = {};
    mutable std::map<int, std::optional<bool>> sides = {};
  };
  // What a value in a loop of nodes Enter, Merge, Switch, NextIteration, and Exit needs.
  struct FrameNeeds {
    std::set<int> variables = {};  // by position
    std::set<int> constants = {};  // Enter nodes whose values do not change
    std::set<int> arguments = {};  // of the function that contains the loop

    size_t size() const { return variables.size() + constants.size() + arguments.size(); }
  };
  struct FrameLoop {
    struct Variable {
      int merge = -1;
      int branch = -1;  // the Switch
      NodeReference start = {};
      NodeReference next = {};
      std::vector<int> exits = {};
      FrameNeeds needs = {};  // for all steps
      Status status = {};     // an error if it needs a node of an unsupported form
    };
    NodeReference condition = {};
    std::vector<Variable> variables = {};
    std::vector<int> constants = {};
    std::vector<int> arguments = {};
  };

  // Imports all nodes that the outputs need, and returns the outputs.
  StatusOr<BoundList> Evaluate(Scope& scope, const std::vector<NodeReference>& outputs);
  // Marks the outputs of nodes that `values` need, without those that are given. Returns the
  // arguments of the function that they need.
  StatusOr<std::set<int>> MarkUsed(Scope& scope, std::vector<NodeReference> values,
                                   absl::FunctionRef<bool(const NodeReference&)> is_given);
  StatusOr<std::vector<int>> OrderOf(Scope& scope, const std::vector<NodeReference>& outputs);
  StatusOr<std::vector<NodeReference>> NeededInputs(const Scope& scope, int node, int output);
  StatusOr<const std::set<int>*> NeededArguments(const std::string& function, int output);
  StatusOr<Bound> Find(Scope& scope, const NodeReference& reference);
  StatusOr<BoundList> FindInputs(Scope& scope, int node);

  Status ImportNode(Scope& scope, int node);
  Status ImportConstant(Scope& scope, int node);
  Status ImportOperator(Scope& scope, int node);
  Status ImportUnusedValue(Scope& scope, int node);
  // Imports the body of a function in place of the node that calls it.
  Status ImportCall(Scope& scope, int node, const std::string& function,
                    const Attributes* attributes, BoundList arguments);
  Status ImportResource(Scope& scope, int node, bool& done);
  Status ImportArray(Scope& scope, int node, bool& done);
  // Imports BoostedTreesPredict, whose trees are known when the model is loaded.
  Status ImportTrees(Scope& scope, int node);
  // Imports the boundaries of the buckets of numbers, one vector per feature.
  Status ImportBoundaries(Scope& scope, int node);
  // Imports ReadFile: only files in assets/ are read.
  Status ImportFile(Scope& scope, int node);
  StatusOr<BoundList> ImportInline(Scope& caller, GraphFunction& function, const std::string& name,
                                   BoundList arguments, const Attributes* attributes,
                                   const std::vector<int>& outputs);
  StatusOr<TypeSpec> ConvertAttribute(const Scope& scope, const tensorflow::AttrValue& value);
  const tensorflow::AttrValue* Attribute(const Scope& scope, const tensorflow::NodeDef& node,
                                         const std::string& name) const;

  // branches.cc, loops.cc, frames.cc, and control_flow.cc
  Status ImportIf(Scope& scope, int node);
  Status ImportCase(Scope& scope, int node);
  Status ImportBranches(Scope& scope, int node, const Bound& selector,
                        const std::vector<const tensorflow::NameAttrList*>& branches,
                        const BoundList& arguments, bool is_case);
  // Returns true if a branch writes to a list that is an argument of it.
  bool WritesToList(const std::string& branch);
  Status ImportWhile(Scope& scope, int node);
  Status ImportMerge(Scope& scope, int node);
  Status ImportMerges(Scope& scope, const Bound& condition, const std::vector<int>& merges);
  Status ImportExit(Scope& scope, int node);
  StatusOr<const FrameLoop*> LoopOf(const NodeGraph& graph, int exit);
  // Counts steps of the work that the import does. Returns RESOURCE_EXHAUSTED after kMaxSteps.
  Status CountSteps(size_t count) {
    num_steps_ += static_cast<int64_t>(count);
    if (num_steps_ > kMaxSteps) return ResourceExhausted("the graph is too large");
    return absl::OkStatus();
  }
  // Returns what `value` needs in one step.
  StatusOr<FrameNeeds> NeedsOf(const NodeGraph& graph, const FrameLoop& loop,
                               const NodeReference& value);
  // Returns the loop without the variables that neither this Exit nor another Exit that is used
  // needs.
  StatusOr<FrameLoop> NeededLoop(const Scope& scope, int exit);
  using Conditions = std::map<NodeReference, int>;  // side by condition, without Identity nodes
  StatusOr<const Conditions*> ConditionsOf(const NodeGraph& graph, int node);
  std::optional<bool> KnownBool(const Scope& scope, const NodeReference& reference);
  std::optional<bool> KnownSide(const Scope& scope, int merge, const NodeReference& condition) {
    auto [found, is_new] = scope.sides.try_emplace(merge);
    if (is_new) found->second = KnownBool(scope, condition);
    return found->second;
  }
  struct MergeForm {
    NodeReference condition = {};
    int true_input = 0;
  };
  StatusOr<MergeForm> MergeFormOf(const NodeGraph& graph, int node);
  // Returns the values that the branches of a Merge use, and that are computed before them.
  StatusOr<const std::vector<NodeReference>*> OutsideOf(const Scope& scope, int merge,
                                                        const MergeForm& form);
  GraphFunction& AddFunction(std::string_view name);
  Bound AddFunctionParameter(GraphFunction& function, std::string_view name);
  Bound AsCondition(GraphFunction& function, const Bound& value);
  // Returns which of two branches a constant condition selects, 1 or 0, and which of several the
  // constant index selects. Nothing if the value is not known when the model is loaded.
  std::optional<int64_t> KnownSelector(const Bound& selector, bool is_index) const;
  Bound ResultItem(GraphFunction& function, const Bound& result, int i);
  bool IsNumber(const Bound& value, int64_t number) const;  // a known integer, a scalar
  bool IsKnownShape(const Bound& value) const;              // a known vector of sizes
  static bool IsOne(const NodeGraph& graph, NodeReference reference);
  // Returns the argument that the reference is, through Identity, or -1.
  static int ArgumentOf(const NodeGraph& graph, NodeReference reference);
  static bool PassesInputs(std::string_view op);  // output k is input k
  static bool IsIdentity(std::string_view op);
  static NodeReference SkipIdentity(const NodeGraph& graph, NodeReference reference);
  // A list without elements that are set: the number of its elements, and whether a write after the
  // last one makes it longer.
  struct NewList {
    Bound size = {};
    bool grows = false;
    bool has_unknown_rank = false;  // of the elements
    bool has_known_shape = false;   // of the elements
    bool is_of_variants = false;
  };
  // The value that each step of a loop writes to a list, at the number of the step.
  struct Collected {
    NodeReference item = {};
    bool grows = false;    // the list has as many elements as there are steps, or more
    bool is_rows = false;  // the elements may differ in their first size
  };
  // Returns result `i` of the body of a loop.
  static StatusOr<NodeReference> ResultOf(const NodeGraph& body, size_t i);
  // Returns true if `index`, in the body of a loop, is the number of the step.
  StatusOr<bool> IsStepNumber(const NodeGraph& body, NodeReference index, const BoundList& starts);
  // Return nothing if the loop uses the list in another way. `starts` are the variables before the
  // first step.
  StatusOr<std::optional<Collected>> CollectedBy(const NodeGraph& condition, const NodeGraph& body,
                                                 size_t list, const BoundList& starts,
                                                 const NewList& start);
  StatusOr<std::optional<Collected>> CollectedBy(const NodeGraph& graph, const FrameLoop& loop,
                                                 size_t list, const BoundList& starts);
  // Returns true if the uses of a list permit elements that differ in their first size: they are
  // joined along it, or only read one by one.
  bool MayDifferInSize(const NodeGraph& graph, NodeReference list);
  // Returns the nodes that write elements to lists which are made in the same graph, whose elements
  // may differ in their first size, and which are not used in loops, branches, or calls.
  const std::set<int>& WritesOfRows(const NodeGraph& graph);
  bool IsNewList(const GraphFunction& function, const Bound& value) const;
  bool HasUnknownRank(const GraphFunction& function, const Bound& value) const;  // a new list
  // Returns the list of the items that a loop in `function` collected, which began as `start`.
  Bound CollectedList(GraphFunction& function, const Bound& items, const Bound& start,
                      const Collected& collected);
  // Gives new lists before a loop in `outer` the rank of the elements that its first step would
  // write. `step` is the body with the arguments `given`, and `results` are the other variables of
  // the loop and then the lists after it.
  Status RankLists(GraphFunction& outer, GraphFunction& step, BoundList given, BoundList results,
                   const std::vector<Bound*>& lists);

  // checks.cc
  // A condition that TensorFlow checks with Assert, and the texts of its message.
  struct Check {
    NodeReference condition = {};
    std::string message = {};
  };
  // Returns the checks that run before the nodes of a scope that are needed. A check whose
  // condition needs operators that are not supported is noted in the documentation instead.
  StatusOr<std::vector<Check>> FindChecks(const Scope& scope);
  // Returns the condition of a branch that is there for an Assert, or nothing.
  StatusOr<std::optional<Check>> CheckOfBranch(const NodeGraph& graph, int node);
  StatusOr<bool> IsSupported(const Scope& scope, const NodeReference& condition);
  // Returns true if a node runs in each call, or if it runs only when `condition` is false, which
  // is where version 1 writes an Assert.
  bool IsUnconditional(const NodeGraph& graph, int node, NodeReference condition);

  // effects.cc
  // Notes a change of state in the documentation, because it is not made. Returns UNIMPLEMENTED if
  // the function has no other purpose.
  Status NoteEffect(const std::string& effect, size_t num_outputs);
  // Rejects a node that reads state after the same call changed it.
  Status CheckOrder(const NodeGraph& graph, int node);
  static bool ChangesState(std::string_view op);
  std::string EffectOf(const NodeGraph& graph, const std::vector<int>& nodes,
                       const std::set<std::pair<int, int>>& fed, int depth);
  std::string EffectOfFunction(const std::string& name, int depth);

  Bound AddNode(GraphFunction& function, std::string_view name, std::string_view op,
                const BoundList& inputs, NamedTypes attributes = {});
  GraphEdge EdgeOf(GraphFunction& function, const Bound& value);
  StatusOr<Bound> ReadVariable(int variable);
  StatusOr<std::pair<Bound, Bound>> ReadTable(int table);
  void AddUnsupported(const Scope& scope, int node, std::string what);

  // Notes which parameters of the function an operator uses, and how.
  void NoteUses(std::string_view op, const BoundList& inputs);
  Status NoteFeatures(const Scope& scope, const tensorflow::NodeDef& node, const BoundList& inputs);
  StatusOr<Tensor> ConstantOf(const Bound& value) const;

  ModelImport& model_;
  std::map<int, std::vector<ExampleFeature>> features_;  // by parameter
  std::set<int> other_uses_;                             // parameters
  std::vector<std::unique_ptr<GraphFunction>> functions_;
  struct Unsupported {
    int count = 0;
    std::string first;
  };
  std::map<std::string, Unsupported> unsupported_;
  std::vector<std::string> faults_;
  std::map<std::pair<std::string, int>, std::set<int>> needed_arguments_;
  std::map<std::pair<const NodeGraph*, int>, FrameLoop> loops_;  // by LoopCond
  std::map<std::pair<const NodeGraph*, int>, Conditions> conditions_;
  std::map<const NodeGraph*, std::set<int>> writes_of_rows_;
  std::map<std::pair<const GraphFunction*, int>, NewList> new_lists_;  // by function and node
  std::set<const GraphFunction*> first_steps_;  // functions of which only the types are used
  int64_t num_nodes_ = 0;
  int64_t num_steps_ = 0;
  int depth_ = 0;
};

}  // namespace signet
