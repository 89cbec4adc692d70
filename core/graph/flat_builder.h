// FlatBuilder: builds a FlatGraph, deciding all that can be decided now.
//
// A call whose inputs are all known is run now; a call made before is found again (same op, inputs
// and attributes). One thread.

#pragma once

#include <unordered_map>
#include <vector>

#include "core/graph/call_expander.h"
#include "core/graph/flat_graph.h"

namespace signet {

class FlatBuilder final : public CallExpander {
 public:
  struct Options {
    bool optimize = true;  // constants take the place of calls that are known; equal calls are one
    int max_nodes = 100'000;                     // in the flat graph
    size_t max_folded_bytes = size_t{64} << 20;  // that folded calls read and make, all together
  };
  FlatBuilder(const FunctionLibrary* library, Options options)
      : CallExpander(library), options_(options) {}

  // A value whose components come from the caller. Only before the first call.
  GraphValue AddInput(const TypeSpec& spec);

  GraphValue Constant(const Value& value) override;
  const Tensor* LookupConstant(int edge) const override;

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

  const Options options_;
  size_t folded_bytes_ = 0;  // at most options_.max_folded_bytes
  FlatGraph graph_;
  std::unordered_multimap<uint64_t, size_t> calls_;   // fingerprint of a call -> node
  std::unordered_multimap<uint64_t, int> constants_;  // fingerprint of a small constant -> edge
  std::unordered_map<int, Tensor> known_;             // outputs that nodes give in any run, by edge
};

}  // namespace signet
