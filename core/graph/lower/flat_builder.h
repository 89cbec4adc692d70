// FlatBuilder: builds a FlatGraph.
//
// A call whose inputs are all known is run at once. A call with the same op, inputs, and attributes
// as an earlier call returns the outputs of the earlier call. Not thread-safe.

#pragma once

#include <bitset>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/flat/flat_graph.h"
#include "core/graph/lower/call_expander.h"
#include "core/graph/lower/dimension_ids.h"
#include "core/graph/lower/known_elements.h"

namespace signet {

// Warnings about dimensions that are aligned only by position (alignment.h). A graph and the bodies
// in it share them.
class AlignmentWarnings {
 public:
  void Add(std::string warning) { texts_.push_back(std::move(warning)); }
  size_t size() const { return texts_.size(); }
  // Adds the prefix `where` to the warnings from number `first` on.
  void AddContext(std::string_view where, size_t first);
  // Returns the warnings in order, without duplicates.
  std::vector<std::string> Take() &&;

 private:
  std::vector<std::string> texts_;
};

// The ranks that a tensor of unknown rank may have when the function runs.
inline constexpr size_t kMaxListedRank = 8;
using RankSet = std::bitset<kMaxListedRank + 1>;

class FlatBuilder final : public CallExpander {
 public:
  // The limits `max_folded_...` apply to all folded calls together. Calls beyond them run with the
  // function.
  struct Options {
    bool optimize = true;     // fold known calls, and share equal calls
    int max_nodes = 100'000;  // in the flat graph
    // Errors of calls on constants are reported when these calls run, because they may never run.
    bool defer_errors = false;
    size_t max_folded_bytes = size_t{1} << 30;  // bytes of their inputs and outputs
    // The bytes that calls such as `range` return, whose outputs are much larger than their inputs.
    // Such outputs are quick to compute again and large to keep.
    size_t max_expanded_bytes = size_t{16} << 20;
    double max_folded_nanoseconds = 5e8;    // estimated by the kernels
    AlignmentWarnings* warnings = nullptr;  // receives warnings; null for no warnings
  };
  // `registry` is the registry of the outer graph if this is a body.
  FlatBuilder(const FunctionLibrary& library, Options options,
              std::shared_ptr<DimensionRegistry> registry = nullptr)
      : CallExpander(library), options_(options), dimensions_(std::move(registry)) {}

  // Adds a value whose components are inputs of the graph. Only before the first call.
  GraphValue AddInput(const TypeSpec& spec);

  FlatBuilder* AsBuilder() override { return this; }
  GraphValue Constant(const Value& value) override;
  // Adds the value of the capture `name`. Its components stay constants of that capture, so that
  // they can be replaced (core/graph/flat/capture_edges.h).
  GraphValue Capture(const std::string& name, const Value& value);
  // If the constant is a capture, the graph is from now on one for its value.
  const Tensor* LookupConstant(int edge) const override;
  bool IsKnown(int edge) const { return known_.contains(edge); }
  // Adds the known `edge` of `outer`, with the capture that it is.
  int CopyConstant(const FlatBuilder& outer, int edge);

  const TypeSpec& TypeOf(int edge) const { return graph_.edges[static_cast<size_t>(edge)].spec; }

  // The identities of the dimensions of each edge.
  const DimensionIds& dimensions() const { return dimensions_; }
  DimensionIds& dimensions() { return dimensions_; }

  // The ranks that `edge` may have: all up to kMaxListedRank if nothing is known about them.
  RankSet RanksOf(int edge) const;
  // Declares that `edge`, if its type has no rank, has one of `ranks`. An empty set is ignored.
  void SetRanks(int edge, RankSet ranks);
  // Declares that `inside`, an input of this body, is `edge` of `outer`.
  void SetSame(int inside, const FlatBuilder& outer, int edge);

  // The number of nodes, and the removal of all nodes after the first `count`, which nothing reads.
  size_t num_nodes() const { return graph_.nodes.size(); }
  void RemoveNodesFrom(size_t count);

  AlignmentWarnings* warnings() const { return options_.warnings; }
  // Records that the type of a result depends on the branch of a run or on the number of iterations
  // of a loop: a value is converted to the common type of all branches or iterations.
  void NoteConvertedResult() { spent_->converts_results = true; }
  bool converts_results() const { return spent_->converts_results; }

  // Makes a builder for a body of a control node of this graph. Returns RESOURCE_EXHAUSTED if there
  // are too many bodies.
  StatusOr<std::unique_ptr<FlatBuilder>> MakeBody();
  // Adds a control node, and its output edges.
  StatusOr<std::vector<int>> AddControl(FlatNode node);

  FlatGraph Finish(const GraphValue& result) &&;

 private:
  StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                  std::span<const GraphValue> inputs,
                                                  const Attributes& attributes) override;
  // Runs the call, which is that of `node`, and sets `outputs`. Returns false if an input is not
  // known or a limit of folding is reached.
  StatusOr<bool> Fold(const OpCall& call, const FlatNode& node, std::span<const TypeSpec> types,
                      std::vector<Tensor>& outputs);
  // Makes the outputs of `node` available to LookupConstant, if they are known. The node remains.
  void Learn(const FlatNode& node);
  // Returns the known elements of the outputs of `node`, which makes the call.
  std::optional<std::vector<KnownElements>> FindElements(const OpCall& call, const FlatNode& node,
                                                         std::span<const TypeSpec> types);
  // Derives the ranks that the outputs of an elementwise op may have.
  void DeriveRanks(const FlatNode& node);
  int AddEdge(TypeSpec spec, Tensor constant = {});
  int AddConstant(const Tensor& tensor);
  int AddCapture(const std::string& name, size_t component, const Tensor& tensor);
  // Returns the edge of an equal constant, or kNoEdge.
  int LookupEqual(const Tensor& tensor, uint64_t hash) const;
  // Records that the graph depends on the value of `edge`, if it is a capture.
  void NoteRead(int edge) const;

  Status CheckNumNodes() const;

  // The state that this graph shares with all bodies.
  struct Spent {
    size_t folded_bytes = 0;        // at most max_folded_bytes
    size_t expanded_bytes = 0;      // at most max_expanded_bytes
    double folded_nanoseconds = 0;  // at most max_folded_nanoseconds
    int bodies = 0;
    bool converts_results = false;
    std::set<std::string> folded_captures = {};
  };

  const Options options_;
  FlatGraph graph_;
  DimensionIds dimensions_;
  std::unordered_multimap<uint64_t, size_t> calls_;   // fingerprint of a call -> node
  std::unordered_multimap<uint64_t, int> constants_;  // fingerprint of a small constant -> edge
  std::map<std::pair<std::string, size_t>, int> captures_;  // capture, component -> edge
  std::shared_ptr<Spent> spent_ = std::make_shared<Spent>();
  // By edge: constants, and outputs that are the same in every run. The references stay valid while
  // edges are added, because expansions keep them.
  std::unordered_map<int, Tensor> known_;
  std::unordered_map<int, KnownElements> elements_;  // by edge: some elements are known
  std::unordered_map<int, RankSet> ranks_;           // by edge without rank
};

}  // namespace signet
