// Nest: flattens, packs, maps, and compares containers of values.
//
//   std::vector<signet::Value> leaves = signet::FlattenNest(value);
//   auto same = signet::PackNest(value.spec(), leaves);
//
//   FlattenNest(dict(b: 1, a: list(2, 3)))  =>  2, 3, 1
//
// Containers are lists, tuples, dicts (in byte order of the keys), named tuples, and attrs.
// Everything else is a leaf. With `expand_composites`, composite values are expanded, too:
//
// - ragged: the flat values, then the row splits, the outermost first
// - sparse: indices, values, dense shape
// - structured: each field, expanded as a value of its own, then nrows if the rank is above 0, then
//   the row splits
// - extension: the components, expanded in turn
//
// This is the order of tf.nest. It differs from the order of ComponentsOf: a field repeats the row
// splits that it shares. Stateless; thread-safe.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "signet/value.h"

namespace signet {

struct NestOptions {
  bool expand_composites = false;
};

std::vector<Value> FlattenNest(const Value& value, NestOptions options = {});
size_t NumLeaves(const TypeSpec& spec, NestOptions options = {});
// Returns the path of each leaf, in the same order: `[0]`, `steps[1].text`. The path of a value
// that is a leaf itself is empty. Components of an expanded composite have the names of
// ComponentsOf: `ids.values`.
std::vector<std::string> NestPaths(const TypeSpec& spec, NestOptions options = {});

// Packs `leaves` into the containers of `spec`, the inverse of FlattenNest. A leaf may have another
// type than in `spec`, except for the components of ragged, sparse, and structured values.
StatusOr<Value> PackNest(const TypeSpec& spec, std::span<const Value> leaves,
                         NestOptions options = {});

// Returns the same nest with each leaf replaced by the result of the function.
StatusOr<Value> MapNest(const Value& value,
                        const std::function<StatusOr<Value>(const Value& leaf)>& map,
                        NestOptions options = {});

struct SameStructureOptions {
  // lists, tuples, and named tuples differ; if false, only their lengths are compared
  bool check_kinds = true;
  bool expand_composites = false;  // composites must have a common type; if false, each is a leaf
};

// Checks that two nests have the same form. The error (STRUCTURE_MISMATCH) states the path of the
// difference.
Status CheckSameStructure(const TypeSpec& a, const TypeSpec& b, SameStructureOptions options = {});

}  // namespace signet
