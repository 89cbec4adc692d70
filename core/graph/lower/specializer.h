// Specializer: a polymorphic function made into ops on tensors for one monomorphic FunctionType.
//
//   (x: [{ids: int64[(?)]}]) -> reduce_sum(x.ids, axis=1)   for   (x: [{ids: int64[(?)]}])
//   =>   %3 = segment_sum(%1, %2)
//
// Every node's type is inferred, ops on composite values are expanded into ops on components,
// literals become attributes and decide branches, functions that are called are inlined, equal
// calls are shared, constants folded, what no result needs is dropped, and what goes together is
// fused (core/graph/flat/passes/passes.h). Stateless; thread-safe.

#pragma once

#include "core/function/function_type.h"
#include "core/graph/body/graph.h"
#include "core/graph/flat/flat_graph.h"

namespace signet {

class AlignmentWarnings;

struct SpecializeOptions {
  bool optimize = true;                   // false: the plain path, for tests that compare the two
  bool fuse = true;                       // false: ops stay as they were expanded
  bool verify = false;                    // verify the graph after each pass that changes it
  AlignmentWarnings* warnings = nullptr;  // receives warnings (alignment.h), if not null
};

struct Specialization {
  FlatGraph
      graph;  // inputs: the components of the arguments, in the order of the type's parameters
  TypeSpec output;
  // Sums up what was chosen by types: candidates of calls, overrides and conversions of extension
  // types, and fusions. Two specializations of a function whose choices are equal do the same
  // arithmetic.
  uint64_t choices = 0;
  // Whether the type of a result may depend on which branch a run takes: a branch returns a literal
  // and another one a tensor, for example.
  bool converts_results = false;
};

// Refusals start with the node: `node `q`: `matmul`: C2 ...`. The model is at fault, or the
// request's types are such as the body cannot take: INVALID_ARGUMENT.
StatusOr<Specialization> Specialize(const FunctionDef& function, const FunctionType& type,
                                    const FunctionLibrary& library, SpecializeOptions options = {});

}  // namespace signet
