// CallExpander: what every maker of calls does, whatever a call becomes.
//
//   Call("mul", {ragged float32[?, (?)], 2})
//     =>  inputs are counted, attributes completed, literals made tensors of the dtype beside them
//     =>  on values of extension types, the override of one of them (extension_types.h)
//     =>  on other composite values, the op's expansion: mul(flat values, 2), row splits as they were
//     =>  on tensors, CallOnTensors: a node of a graph (FlatBuilder) or a run (Evaluator)
//
// Control ops are the Inliner's (inliner.h), which puts functions in place over any CallExpander.
// One thread.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/ops/op.h"

namespace signet {

class FunctionLibrary;

class CallExpander : public Expander {
 public:
  // Null: no functions to call. Must outlive the expander.
  explicit CallExpander(const FunctionLibrary* library) : library_(library) {}

  const FunctionLibrary* library() const { return library_; }
  StatusOr<std::vector<GraphValue>> Call(std::string_view op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes) final;
  StatusOr<std::vector<GraphValue>> Call(const OpDef& op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes);
  StatusOr<GraphValue> MakeExtension(std::string_view name, const NamedTypes& statics,
                                     std::span<const GraphValue> components) final;
  bool IsA(std::string_view name, std::string_view ancestor) const final;

 protected:
  // Inputs are tensors or left out (no type); attributes are complete; op.infer is not null.
  virtual StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                          std::span<const GraphValue> inputs,
                                                          const Attributes& attributes) = 0;

 private:
  StatusOr<std::vector<GraphValue>> CallOverride(const OpDef& op,
                                                 std::span<const GraphValue> inputs,
                                                 const Attributes& attributes);
  // `inputs` with literals made into constant tensors of the dtype around them.
  StatusOr<std::vector<GraphValue>> TensorsForLiterals(const OpDef& op,
                                                       std::span<const GraphValue> inputs);

  const FunctionLibrary* const library_;
  int depth_ = 0;           // of expansions within expansions
  int override_depth_ = 0;  // of overrides within overrides
  int override_calls_ = 0;  // calls within overrides so far, at most kMaxOverrideCalls
};

}  // namespace signet
