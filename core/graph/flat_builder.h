// FlatBuilder: builds a FlatGraph, deciding all that can be decided now.
//
// A call on composite values is expanded; a call whose inputs are all known is run now; a call made
// before is found again (same op, inputs and attributes). One thread.

#pragma once

#include <unordered_map>
#include <vector>

#include "core/graph/flat_graph.h"
#include "core/ops/registry.h"

namespace signet {

class FlatBuilder : public Expander {
 public:
  struct Options {
    bool optimize = true;                        // fold constants, share equal calls
    int max_nodes = 100'000;                     // in the flat graph
    int max_depth = 64;                          // of expansions within expansions
    size_t max_folded_bytes = size_t{64} << 20;  // of one constant made by folding
  };
  explicit FlatBuilder(Options options) : options_(options) {}

  // A value whose components come from the caller. Only before the first call.
  GraphValue AddInput(const TypeSpec& spec);

  StatusOr<std::vector<GraphValue>> Call(std::string_view op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes) override;
  StatusOr<std::vector<GraphValue>> Call(const OpDef& op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes);
  GraphValue Constant(const Value& value) override;
  const Tensor* LookupConstant(int edge) const override;

  FlatGraph Finish(const GraphValue& result) &&;

 private:
  StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                  std::span<const GraphValue> inputs,
                                                  const Attributes& attributes);
  // The outputs, computed now; null when the call is not known or not worth it.
  StatusOr<bool> Fold(const OpDef& op, const OpCall& call, std::span<const TypeSpec> types,
                      std::vector<Tensor>& outputs) const;
  // `inputs` with literals made into constant tensors of the dtype that they share.
  StatusOr<std::vector<GraphValue>> TensorsForLiterals(const OpDef& op,
                                                       std::span<const GraphValue> inputs);
  int AddEdge(TypeSpec spec, Tensor constant = {});
  int AddConstant(const Tensor& tensor);

  const Options options_;
  FlatGraph graph_;
  int depth_ = 0;
  std::unordered_multimap<uint64_t, size_t> calls_;   // fingerprint of a call -> node
  std::unordered_multimap<uint64_t, int> constants_;  // fingerprint of a small constant -> edge
};

}  // namespace signet
