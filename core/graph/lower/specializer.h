// Specialize: converts a polymorphic function to a graph of ops on tensors, for one monomorphic
// FunctionType.
//
//   (x: [{ids: int64[(?)]}]) -> reduce_sum(x.ids, axis=1)   for   (x: [{ids: int64[(?)]}])
//   =>   %3 = segment_sum(%1, %2)
//
// Specialize infers the type of every node, expands ops on composite values into ops on components,
// uses literals as attributes and to select branches, inlines called functions, shares equal calls,
// folds constants, removes nodes that no result needs, and fuses nodes
// (core/graph/flat/passes/passes.h). Thread-safe.

#pragma once

#include "core/graph/body/graph.h"
#include "core/graph/flat/flat_graph.h"
#include "signet/function_type.h"

namespace signet {

class AlignmentWarnings;

struct SpecializeOptions {
  bool optimize = true;                   // false: no optimization, for tests that compare results
  bool fuse = true;                       // false: no fusion
  bool verify = false;                    // verify the graph after each pass that changes it
  AlignmentWarnings* warnings = nullptr;  // receives warnings (alignment.h), if not null
  // Bytes of constants that calls such as `fill` may compute in advance from small inputs.
  size_t max_expanded_bytes = size_t{16} << 20;
};

struct Specialization {
  // The inputs are the components of the arguments, in the order of the parameters of the type.
  FlatGraph graph;
  TypeSpec output;
  // A hash of all choices that depend on types: candidates of calls, overrides and conversions of
  // extension types, and fusions. Two specializations of a function with equal choices perform the
  // same arithmetic.
  uint64_t choices = 0;
  // True if the type of a result may depend on the branch of a run, for example because one branch
  // returns a literal and another one a tensor.
  bool converts_results = false;
};

// Specializes `function` for `type`. Errors start with the node: `node `q`: `matmul`: C2 ...`.
// Returns INVALID_ARGUMENT if the model is wrong or the body does not accept the types of the
// request.
StatusOr<Specialization> Specialize(const FunctionDef& function, const FunctionType& type,
                                    const FunctionLibrary& library, SpecializeOptions options = {});

}  // namespace signet
