// OpDef: the single description of an op: its documentation, its constraints, and its meaning on
// every type of value.
//
//   OpDef Concat() {
//     return {.name = "concat",
//             .summary = "Joins values along one axis",
//             .description = "Joins the inputs along `axis`. ...",
//             .inputs = {"values..."},
//             .attributes = {{"axis", AttributeOf(0)}, {"ragged", AttributeOf(false)}},
//             .result = "A value of the same dtype and rank.",
//             .constraints = {"There is at least one input.", ...},  // C1, C2, ...
//             .infer = InferConcat,
//             .expand = ExpandConcat};
//   }
//
// `infer` checks a call on tensors and infers the types of the outputs, so the checks and the types
// cannot disagree, and a kernel may rely on what was checked. A call on composite values (ragged,
// sparse, structured, and extension values, and nests) is expanded into calls on their component
// tensors when a function is specialized. The call does not exist at run time.
//
// Each op is defined in one file, core/ops/<family>/<op>.cc, or in a row of a table such as
// core/ops/elementwise/elementwise.cc, and has one line in <family>_ops.h. The pages of
// docs/reference/ops and the output of `signet ops` are generated from the definitions.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "signet/attributes.h"
#include "signet/type_spec.h"
#include "signet/value.h"

namespace signet {

struct OpDef;

// A call of an op, as `infer` and the expansions receive it.
struct OpCall {
  const OpDef& op;
  std::span<const TypeSpec> inputs;
  const Attributes& attributes;  // complete: contains the defaults, and no unknown name
  // The values of the inputs that are known when the function is specialized, and null for the
  // others. May be empty.
  std::span<const Tensor* const> constants = {};

  const Tensor* constant(size_t i) const { return i < constants.size() ? constants[i] : nullptr; }
};

// Checks a call on tensors and returns the types of its outputs. The message of an error starts
// with the label of the violated constraint, such as `C2`.
using InferFn = StatusOr<std::vector<TypeSpec>> (*)(const OpCall&);

// A value inside a function that is being specialized: its type, and the edges of its components.
struct GraphValue {
  TypeSpec spec;
  absl::InlinedVector<int, 2> components;  // one per component of `spec`
};

// The interface with which an expansion makes calls (core/ops/build/op_builder.h).
class OpBuilder;

// Replaces a call on composite values by calls on their components, and returns the outputs.
using ExpandFn = StatusOr<std::vector<GraphValue>> (*)(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs);

struct AttributeDef {
  std::string name;
  TypeSpec default_value = {};  // null: the attribute is required
};

// How the memory of output 0 relates to the memory of the inputs.
enum class Aliasing : uint8_t {
  kNone,
  kView,     // output 0 has the elements of input 0 (reshape, expand_dims)
  kInPlace,  // output 0 may overwrite an input of the same size (elementwise ops)
};

// Ops that call functions of the model. The specializer implements them.
enum class Control : uint8_t {
  kNone,
  kCall,  // calls the function that attribute `function` names
  kCond,  // calls the function that `then` or `else` names, depending on input 0
  kCase,  // calls one of the functions that `functions` lists, depending on input 0
  kWhile,
  kLoop,
  kMap,
  kScan,
  kReduce,
  kMapFields,  // struct_map: makes one call, on the flat values of fields
};

// Groups of ops. An extension type can override all ops of a group with one function.
enum class OpFamily : uint8_t {
  kNone,
  kUnaryElementwise,   // computes each element of the result from one element of the first input
  kBinaryElementwise,  // combines the elements of two inputs, which broadcast
  kReduction,          // combines the elements along `axes`
};

// Which inputs an op on nests processes leaf by leaf. The same inputs of an extension value are
// processed component by component if no override accepts the call.
enum class ByLeaf : uint8_t {
  kNone,
  kAllInputs,   // concat({a: x}, {a: y})  =>  {a: concat(x, y)}
  kFirstInput,  // gather({a: x}, indices)  =>  {a: gather(x, indices)}
};

struct OpDef {
  // Documentation. OpRegistry::Add checks that it is complete.
  std::string name;
  std::string summary = {};              // starts with a verb; one line without a period
  std::string description = {};          // complete sentences
  std::vector<std::string> inputs = {};  // names; `xs...`: any number; `x?`: optional (both last)
  std::vector<AttributeDef> attributes = {};
  // The names of the outputs; `xs...`: any number; `x?`: exists if the attribute `x` is True.
  // Empty: one output, which needs no name.
  std::vector<std::string> outputs = {};
  std::string result = {};                    // the outputs: complete sentences
  std::vector<std::string> constraints = {};  // complete sentences: C1, C2, ... in order
  std::string composites = {};                // what `expand` and `expand_sparse` do: sentences

  // Meaning.
  InferFn infer = nullptr;           // null: the op exists only by expansion, or calls functions
  ExpandFn expand = nullptr;         // on composite values; null: the op accepts tensors only
  ExpandFn expand_sparse = nullptr;  // if an input is a sparse value; null: `expand` is used
  ByLeaf by_leaf = ByLeaf::kNone;
  // The name of a bool attribute: if it is True, calls on tensors are expanded, too, for example
  // because they return composite values. Empty: calls on tensors are never expanded.
  std::string_view expand_tensors_if = {};
  bool literals_as_tensors = true;  // literal inputs become constants with the dtype of the tensors
  // The inputs whose dtype is independent of the other inputs, such as a condition. Literal inputs
  // do not get their dtype from these inputs.
  std::vector<std::string> own_dtypes = {};
  bool foldable = true;  // the same inputs always have the same outputs
  Aliasing aliasing = Aliasing::kNone;
  Control control = Control::kNone;
  OpFamily family = OpFamily::kNone;
  // Accepts values of any type unchanged, so that extension types cannot override the op.
  bool any_type = false;
  // The op exists for the errors that it reports. It runs even if no other op uses its output, and
  // its message is shown without the name of the op.
  bool effect = false;
  // Only expansions and passes use the op: models cannot call it, and the documentation omits it.
  bool internal = false;
};

// Returns `status` with the name of `op` before the message, unless `op.effect` is set.
Status AtOp(const OpDef& op, Status status);

}  // namespace signet
