// OpDef: what an op is: its name, inputs, attributes, and the rule that checks and infers.
//
// One function both checks a call and infers its output types, so the two cannot disagree; a kernel
// may rely on what it checked. An op on composite types (ragged, structured, nests) is expanded,
// when a function is specialised, into ops on component tensors; nothing of it is left at run time.
// Each op is defined in one file, core/ops/<family>/<op>.cc, or is a row of a table such as
// core/ops/elementwise/elementwise.cc, and has one line in <family>_ops.h. docs/reference/ops.md
// lists the constraints, labelled C1, C2, ...

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

// A call of an op, as inference sees it.
struct OpCall {
  const OpDef& op;
  std::span<const TypeSpec> inputs;
  const Attributes& attributes;  // complete: defaults are filled in, no unknown name
  // Values of inputs known when the function is specialised, null where unknown; may be empty.
  std::span<const Tensor* const> constants = {};

  const Tensor* constant(size_t i) const { return i < constants.size() ? constants[i] : nullptr; }
};

// Refusals start with the label of the broken constraint: InvalidArgument("C2 input 1 is ..").
using InferFn = StatusOr<std::vector<TypeSpec>> (*)(const OpCall&);

// A value inside a function being specialised: its type, and the edges of its component tensors.
struct GraphValue {
  TypeSpec spec;
  absl::InlinedVector<int, 2> components;  // one a component of `spec`
};

// The interface with which an expansion builds (core/ops/build/op_builder.h).
class OpBuilder;
using ExpandFn = StatusOr<std::vector<GraphValue>> (*)(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs);

struct AttributeDef {
  std::string name;
  TypeSpec default_value = {};  // null: required
};

// How an op's output relates to the memory of its inputs.
enum class Aliasing : uint8_t {
  kNone,
  kView,     // output 0 shares input 0's elements (reshape, expand_dims)
  kInPlace,  // output 0 may be written over an input of the same size (elementwise)
};

// Ops that the specialiser itself carries out, by inlining functions of the model.
enum class Control : uint8_t {
  kNone,
  kCall,  // calls the function named by attribute `function`
  kCond,  // calls the one named by `then` or `else`, as input 0 says
  kCase,  // calls one of `functions`, as input 0 says
  kWhile,
  kLoop,
  kMap,
  kScan,
  kReduce,
  kMapFields,  // struct_map: one call, on the flat values of fields
};

// Ops of one kind, which one override of an extension type may take all together.
enum class OpFamily : uint8_t {
  kNone,
  kUnaryElementwise,   // makes each element of its first input over
  kBinaryElementwise,  // takes the elements of two inputs, which broadcast
  kReduction,          // takes the elements along `axes` together
};

struct OpDef {
  std::string name;
  std::string summary;  // a verb, one line, no full stop
  std::vector<std::string>
      inputs;  // names; `xs...` takes any number, `x?` may be left out (both last)
  std::vector<AttributeDef> attributes = {};
  InferFn infer =
      nullptr;  // of the op on tensors; null: the op exists only by expansion, or is control
  ExpandFn expand = nullptr;        // the op on composite types; null: tensors only
  bool literals_as_tensors = true;  // literal inputs become constants of the tensors' dtype
  // Inputs whose dtype is their own, such as a condition: literals beside do not take it.
  std::vector<std::string> own_dtypes = {};
  bool foldable = true;  // same inputs give the same outputs
  Aliasing aliasing = Aliasing::kNone;
  Control control = Control::kNone;
  OpFamily family = OpFamily::kNone;
  // Takes values of any type as they are, so that no extension type overrides it.
  bool any_type = false;
  // Is there for its refusals: it runs whether or not its output is read, and they are its whole
  // message.
  bool effect = false;
};

// A refusal of `op`, with its name in front.
Status AtOp(const OpDef& op, Status status);

}  // namespace signet
