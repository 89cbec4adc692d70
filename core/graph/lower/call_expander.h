// CallExpander: what every maker of calls does, whatever a call becomes.
//
//   Call("mul", {ragged float32[?, (?)], 2})
//     =>  inputs are counted, attributes completed, literals made tensors of the dtype beside them
//     =>  on values of extension types, the override of one of them (extension_types.h)
//     =>  on other composite values, the op's expansion: mul(flat values, 2), the same row splits
//     =>  on tensors, CallOnTensors: a node of a graph (FlatBuilder) or a run (Evaluator)
//
// Control ops are the Inliner's (inliner.h), which puts functions in place over any CallExpander.
// One thread.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/op_def.h"

namespace signet {

class Evaluator;
class FlatBuilder;
class ExtensionTypes;
class FunctionLibrary;

struct Converted {
  GraphValue value;
  std::string by;  // what converted it: the functions in turn, `upgrade_1, upgrade_2`
};

class CallExpander : public OpBuilder {
 public:
  // `library` must outlive the expander.
  explicit CallExpander(const FunctionLibrary& library) : library_(library) {}

  const FunctionLibrary& library() const { return library_; }
  // What control ops need to know: an expander builds a graph, or runs calls at once.
  virtual FlatBuilder* AsBuilder() { return nullptr; }
  virtual Evaluator* AsEvaluator() { return nullptr; }
  StatusOr<std::vector<GraphValue>> Call(std::string_view op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes) final;
  StatusOr<std::vector<GraphValue>> Call(const OpDef& op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes);
  StatusOr<GraphValue> MakeExtensionValue(std::string_view name, const NamedTypes& statics,
                                          std::span<const GraphValue> components) final;
  Status CheckCallable(std::string_view name) const final;
  bool InheritsFrom(std::string_view name, std::string_view ancestor) const final;
  // What must hold of the extension values in `value`: see ExtensionTypes::CheckValue.
  Status CheckExtensions(const GraphValue& value, std::string_view where);
  // `value` made into one of the extension type `wanted`, or nothing: see ExtensionTypes::Convert.
  StatusOr<std::optional<Converted>> Convert(const GraphValue& value, const TypeSpec& wanted);
  // Counts a call on `inputs`, whatever becomes of it: functions that call one another, what
  // extension types mean, and nests of nests grow by powers. RESOURCE_EXHAUSTED when it has been
  // too much, before any memory is taken for it.
  Status CountCall(std::span<const GraphValue> inputs);

  // Notes that `chosen` was selected by the types of values, sizes included, among alternatives
  // that may give other results.
  void NoteChoice(std::string_view chosen) { *choices_ += HashBytes(chosen); }
  // The sum of what was noted, in this expander and in the bodies made for it.
  uint64_t choices() const { return *choices_; }
  // Counts together with `other` from now on, as an expander that works within its current call.
  void CountWithin(const CallExpander& other) {
    CountWith(other);
    depth_ = other.depth_;
  }

 protected:
  // Inputs are tensors or left out (no type); attributes are complete; op.infer is not null.
  virtual StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                          std::span<const GraphValue> inputs,
                                                          const Attributes& attributes) = 0;

  // Counts together with `other` from now on.
  void CountWith(const CallExpander& other) {
    work_ = other.work_;
    choices_ = other.choices_;
  }

 private:
  StatusOr<std::vector<GraphValue>> CallOverride(const OpDef& op,
                                                 std::span<const GraphValue> inputs,
                                                 const Attributes& attributes);
  // `inputs` with literals made into constant tensors of the dtype around them.
  StatusOr<std::vector<GraphValue>> TensorsForLiterals(const OpDef& op,
                                                       std::span<const GraphValue> inputs);

  const ExtensionTypes* types() const;
  // Calls `define`, which runs functions that say what an extension type means, unless that goes
  // too deep.
  template <class Result, class Define>
  Result Defined(Define define);

  const FunctionLibrary& library_;
  int depth_ = 0;                                                 // of expansions within expansions
  std::shared_ptr<int64_t> work_ = std::make_shared<int64_t>(0);  // counted so far
  std::shared_ptr<uint64_t> choices_ = std::make_shared<uint64_t>(0);
};

}  // namespace signet
