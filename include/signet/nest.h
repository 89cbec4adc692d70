// Nests: containers of values as trees, and their leaves as a list.
//
//   FlattenNest(dict(b: 1, a: list(2, 3)))  =>  2, 3, 1
//
// Containers are lists, tuples, dicts (in byte order of the keys), named tuples and attrs;
// everything else is a leaf. With `expand_composites`, ragged, sparse, structured and extension
// values are opened too: ragged = flat values, row splits from the outside in; sparse = indices,
// values, dense shape; structured = each field expanded as a value of its own, then nrows when the
// rank is above 0, then its row splits; extension = its components, opened in turn. This is the
// order of tf.nest, not that of ComponentsOf: a field repeats the row splits it shares. Stateless;
// thread-safe.

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
// Where each of them is, in the same order: `[0]`, `steps[1].text`; a leaf itself is at ``. The
// components of an opened composite are called as ComponentsOf does: `ids.values`.
std::vector<std::string> NestPaths(const TypeSpec& spec, NestOptions options = {});

// The inverse: `leaves` in the containers of `spec`. A leaf may be of another type than in `spec`,
// but for the components of ragged, sparse and structured values, which must fit.
StatusOr<Value> PackNest(const TypeSpec& spec, std::span<const Value> leaves,
                         NestOptions options = {});

// The same nest with each leaf replaced.
StatusOr<Value> MapNest(const Value& value,
                        const std::function<StatusOr<Value>(const Value& leaf)>& map,
                        NestOptions options = {});

struct SameStructureOptions {
  bool check_kinds = true;         // lists, tuples and named tuples differ, else only in length
  bool expand_composites = false;  // composites must have a common type, else each is a leaf
};

// Refuses nests of different form (STRUCTURE_MISMATCH), with the path of the difference.
Status CheckSameStructure(const TypeSpec& a, const TypeSpec& b, SameStructureOptions options = {});

}  // namespace signet
