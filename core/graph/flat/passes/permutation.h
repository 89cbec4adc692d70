// Permutation: the order of the dimensions of a transposed tensor.
//
//   transpose(x, {0, 2, 3, 1})  has dimension p[i] of x as its dimension i
//
// A permutation contains each of 0 to rank - 1 once. Stateless; thread-safe.

#pragma once

#include <optional>
#include <vector>

#include "core/graph/flat/flat_graph.h"

namespace signet {

using Permutation = std::vector<int64_t>;

Permutation IdentityOf(int rank);
bool IsIdentity(const Permutation& p);
// Returns q with transpose(transpose(x, p), q) == x.
Permutation InverseOf(const Permutation& p);
// Returns the permutation of transpose(transpose(x, first), second).
Permutation Compose(const Permutation& first, const Permutation& second);
// Returns `shape`, of known rank, with its dimensions in the order of `p`.
PartialShape Permute(const PartialShape& shape, const Permutation& p);
// Returns true if transpose(x, p) has the elements of x in the same order, because only dimensions
// of size 1 move. `shape` is the shape of x.
bool KeepsElementOrder(const PartialShape& shape, const Permutation& p);
// Returns the ranks of the remaining entries: {3, 0, 2} is {2, 0, 1}.
Permutation Compress(const Permutation& entries);

// Returns the permutation of a node `transpose`. Empty if the rank of its input is not known.
std::optional<Permutation> PermutationOf(const FlatGraph& graph, const FlatNode& transpose);

}  // namespace signet
