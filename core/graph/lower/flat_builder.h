// FlatBuilder: builds a FlatGraph, deciding all that can be decided now.
//
// A call whose inputs are all known is run now; a call made before is found again (same op, inputs
// and attributes). One thread.

#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/graph/flat/flat_graph.h"
#include "core/graph/lower/call_expander.h"
#include "core/graph/lower/dimension_ids.h"

namespace signet {

// Warnings about dimensions that are aligned only by position (alignment.h). A graph and the bodies
// in it share them.
class AlignmentWarnings {
 public:
  void Add(std::string warning) { texts_.push_back(std::move(warning)); }
  size_t size() const { return texts_.size(); }
  // Puts `where` before the warnings from number `first` on.
  void AddContext(std::string_view where, size_t first);
  // Each warning once, in order.
  std::vector<std::string> Take() &&;

 private:
  std::vector<std::string> texts_;
};

class FlatBuilder final : public CallExpander {
 public:
  // Folding takes as much of these as `max_folded_..` allow, all calls together; what is beyond
  // runs with the function.
  struct Options {
    bool optimize = true;  // constants take the place of calls that are known; equal calls are one
    int max_nodes = 100'000;  // in the flat graph
    // Errors of calls on constants are reported when these calls run, because they may never run.
    bool defer_errors = false;
    size_t max_folded_bytes = size_t{1} << 30;  // that they read and make
    // That calls make which make much more than they read, such as `range`: the function is quick
    // to make that again, and large to keep it.
    size_t max_expanded_bytes = size_t{16} << 20;
    double max_folded_nanoseconds = 5e8;    // as their kernels guess
    AlignmentWarnings* warnings = nullptr;  // receives warnings; null: none are made
  };
  // `registry` is that of the graph around, when this is a body.
  FlatBuilder(const FunctionLibrary& library, Options options,
              std::shared_ptr<DimensionRegistry> registry = nullptr)
      : CallExpander(library), options_(options), dimensions_(std::move(registry)) {}

  // A value whose components come from the caller. Only before the first call.
  GraphValue AddInput(const TypeSpec& spec);

  FlatBuilder* AsBuilder() override { return this; }
  GraphValue Constant(const Value& value) override;
  const Tensor* LookupConstant(int edge) const override;

  const TypeSpec& TypeOf(int edge) const { return graph_.edges[static_cast<size_t>(edge)].spec; }

  // The identities of the dimensions of each edge.
  const DimensionIds& dimensions() const { return dimensions_; }
  DimensionIds& dimensions() { return dimensions_; }

  AlignmentWarnings* warnings() const { return options_.warnings; }
  // Notes that the type of a result depends on which branch a run takes, or on how many rounds a
  // loop makes: a value is converted to the type that all branches or rounds have in common.
  void NoteConvertedResult() { spent_->converts_results = true; }
  bool converts_results() const { return spent_->converts_results; }

  // A builder for a body of a control node of this graph. RESOURCE_EXHAUSTED when there are too
  // many of them, within one another.
  StatusOr<std::unique_ptr<FlatBuilder>> MakeBody();
  // Adds a control node, and its output edges.
  StatusOr<std::vector<int>> AddControl(FlatNode node);

  FlatGraph Finish(const GraphValue& result) &&;

 private:
  StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                  std::span<const GraphValue> inputs,
                                                  const Attributes& attributes) override;
  // Puts the outputs, computed now, into `outputs`; false when the call is not known, or beyond
  // what is left for folding.
  StatusOr<bool> Fold(const OpCall& call, std::span<const TypeSpec> types,
                      std::vector<Tensor>& outputs);
  // What `node` gives, when that is known, for LookupConstant: the node stays.
  void Learn(const FlatNode& node);
  int AddEdge(TypeSpec spec, Tensor constant = {});
  int AddConstant(const Tensor& tensor);

  Status CheckNumNodes() const;

  // What this graph and all bodies have cost and noted so far.
  struct Spent {
    size_t folded_bytes = 0;        // at most max_folded_bytes
    size_t expanded_bytes = 0;      // at most max_expanded_bytes
    double folded_nanoseconds = 0;  // at most max_folded_nanoseconds
    int bodies = 0;
    bool converts_results = false;
  };

  const Options options_;
  FlatGraph graph_;
  DimensionIds dimensions_;
  std::unordered_multimap<uint64_t, size_t> calls_;   // fingerprint of a call -> node
  std::unordered_multimap<uint64_t, int> constants_;  // fingerprint of a small constant -> edge
  std::shared_ptr<Spent> spent_ = std::make_shared<Spent>();
  // By edge: constants, and outputs that nodes give in any run. Expansions hold on to what they
  // looked up while they add edges.
  std::unordered_map<int, Tensor> known_;
};

}  // namespace signet
