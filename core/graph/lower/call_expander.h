// CallExpander: expands calls on composite values into calls on tensors. The base of FlatBuilder
// and Evaluator.
//
//   Call("mul", {ragged float32[?, (?)], 2}):
//     1. Counts the inputs, completes the attributes, and converts literals to tensors with the
//        dtype of the other inputs. The result of an elementwise op on literals is
//        converted as literals are.
//     2. On values of extension types, calls the override of one of the types (extension_types.h).
//     3. On other composite values, calls the expansion of the op: mul(flat values, 2), with the
//        same row splits.
//     4. On tensors, calls CallOnTensors: adds a node to a graph (FlatBuilder) or runs a kernel
//        (Evaluator).
//
// The Inliner (inliner.h) handles control ops, with any CallExpander. Not thread-safe.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/base/constraint.h"
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
  std::string by;  // the functions that converted it, in order: `upgrade_1, upgrade_2`
};

class CallExpander : public OpBuilder {
 public:
  // `library` must outlive the expander.
  explicit CallExpander(const FunctionLibrary& library) : library_(library) {}

  const FunctionLibrary& library() const { return library_; }
  // One of the two is not null: the expander builds a graph, or runs calls at once.
  virtual FlatBuilder* AsBuilder() { return nullptr; }
  virtual Evaluator* AsEvaluator() { return nullptr; }
  StatusOr<std::vector<GraphValue>> Call(OpName op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes) final;
  StatusOr<std::vector<GraphValue>> Call(const OpDef& op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes);
  StatusOr<GraphValue> MakeExtensionValue(std::string_view name, const NamedTypes& statics,
                                          std::span<const GraphValue> components) final;
  Status CheckCallable(std::string_view name) const final;
  bool InheritsFrom(std::string_view name, std::string_view ancestor) const final;
  // Checks the extension values in `value`, as ExtensionTypes::CheckValue does.
  Status CheckExtensions(const GraphValue& value, std::string_view where);
  // Converts `value` to the extension type `wanted`, or returns nothing (ExtensionTypes::Convert).
  StatusOr<std::optional<Converted>> Convert(const GraphValue& value, const TypeSpec& wanted);
  // Counts a call on `inputs`. Returns RESOURCE_EXHAUSTED, before memory is allocated, if the work
  // for a function is too large: functions that call each other, functions of extension types, and
  // nests of nests may grow exponentially.
  Status CountCall(std::span<const GraphValue> inputs);

  // Records that `chosen` was selected by the types of values, including sizes, among alternatives
  // that may return other results.
  void NoteChoice(std::string_view chosen) { *choices_ += HashBytes(chosen); }
  // Returns a hash of all recorded choices, in this expander and in the bodies made for it.
  uint64_t choices() const { return *choices_; }
  // Shares the counts of `other` from now on, as an expander that works within its current call.
  void CountWithin(const CallExpander& other) {
    CountWith(other);
    depth_ = other.depth_;
  }

 protected:
  // Makes a call on tensors. An omitted input has no type. Attributes are complete, and op.infer is
  // set.
  virtual StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                          std::span<const GraphValue> inputs,
                                                          const Attributes& attributes) = 0;

  // Counts together with `other` from now on.
  void CountWith(const CallExpander& other) {
    work_ = other.work_;
    choices_ = other.choices_;
  }

 private:
  // Makes the call. Call adds a hint to errors about dicts that look like an extension value.
  StatusOr<std::vector<GraphValue>> CallUnhinted(const OpDef& op,
                                                 std::span<const GraphValue> inputs,
                                                 const Attributes& attributes);
  // Makes a call without values of extension types, whose attributes are complete.
  StatusOr<std::vector<GraphValue>> CallChecked(const OpDef& op, std::span<const GraphValue> inputs,
                                                const Attributes& complete);
  // Calls `expand`. Returns an error if the expansion ignores an input that is a setting
  // (core/ops/build/rows/setting_inputs.h).
  StatusOr<std::vector<GraphValue>> Expand(ExpandFn expand, const OpDef& op,
                                           std::vector<GraphValue> inputs, Attributes attributes);
  // Records that a call reads `inputs`.
  void NoteInputs(std::span<const GraphValue> inputs);
  StatusOr<std::vector<GraphValue>> CallOverride(const OpDef& op,
                                                 std::span<const GraphValue> inputs,
                                                 const Attributes& attributes);
  // A call whose elements all come from literals, such as select(condition, 1, 2). Its result is
  // weak: where another dtype is expected, the call is made again with literals of that dtype.
  struct WeakCall {
    const OpDef* op = nullptr;
    std::vector<GraphValue> inputs = {};
    Attributes attributes = {};
  };

  // Returns `inputs` with literals converted to constant tensors with the dtype of the other
  // inputs. Weak values are converted likewise.
  StatusOr<std::vector<GraphValue>> TensorsForLiterals(const OpDef& op,
                                                       std::span<const GraphValue> inputs);
  // Returns the dtype for the literals and the weak values among the inputs of `op`: the dtype of
  // the first other tensor, or the common dtype if there is none.
  DType SharedDType(const OpDef& op, std::span<const GraphValue> inputs) const;
  bool IsWeak(const GraphValue& value) const;
  // Returns a weak value with another dtype, or `value` if it cannot have this dtype.
  GraphValue WeakAs(const GraphValue& value, DType dtype);
  // Records that the result of a call is weak if `inputs` are weak values and literals.
  void NoteWeakCall(const OpDef& op, std::span<const GraphValue> inputs,
                    const Attributes& attributes, std::span<const GraphValue> outputs);

  const ExtensionTypes* types() const;
  // Calls `define`, which runs functions of an extension type. Returns an error if such calls are
  // nested too deeply.
  template <class Result, class Define>
  Result Defined(Define define);

  const FunctionLibrary& library_;
  absl::flat_hash_map<int, WeakCall> weak_;  // by the edge of its result
  absl::flat_hash_map<std::pair<int, DType>, GraphValue> weak_as_;
  int depth_ = 0;            // of nested expansions
  std::vector<int> unread_;  // edges of settings that no call of the expansions has read
  std::shared_ptr<int64_t> work_ = std::make_shared<int64_t>(0);  // counted so far
  std::shared_ptr<uint64_t> choices_ = std::make_shared<uint64_t>(0);
};

}  // namespace signet
