#include "core/graph/flat/passes/permutation.h"

#include <algorithm>
#include <numeric>

#include "core/ops/def/inference.h"

namespace signet {

Permutation IdentityOf(int rank) {
  Permutation p(static_cast<size_t>(rank));
  std::iota(p.begin(), p.end(), int64_t{0});
  return p;
}

bool IsIdentity(const Permutation& p) { return p == IdentityOf(static_cast<int>(p.size())); }

Permutation InverseOf(const Permutation& p) {
  Permutation inverse(p.size());
  for (size_t i = 0; i < p.size(); ++i) {
    inverse[static_cast<size_t>(p[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

Permutation Compose(const Permutation& first, const Permutation& second) {
  Permutation composed;
  for (int64_t axis : second) composed.push_back(first[static_cast<size_t>(axis)]);
  return composed;
}

PartialShape Permute(const PartialShape& shape, const Permutation& p) {
  std::vector<int64_t> dims;
  for (int64_t axis : p) dims.push_back(shape.dim(static_cast<int>(axis)));
  return PartialShape(std::span<const int64_t>(dims));
}

bool KeepsElementOrder(const PartialShape& shape, const Permutation& p) {
  int64_t last = -1;
  for (int64_t axis : p) {
    if (shape.dim(static_cast<int>(axis)) == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Permutation Compress(const Permutation& entries) {
  Permutation out;
  for (int64_t entry : entries) {
    out.push_back(std::count_if(entries.begin(), entries.end(),
                                [&](int64_t other) { return other < entry; }));
  }
  return out;
}

std::optional<Permutation> PermutationOf(const FlatGraph& graph, const FlatNode& transpose) {
  const PartialShape& shape = *graph.edges[static_cast<size_t>(transpose.inputs[0])].spec.shape();
  if (!shape.has_rank()) return std::nullopt;
  auto perm = OptionalInts(transpose.attributes, "perm");
  if (!perm.ok()) return std::nullopt;
  Permutation p = *perm ? **perm : IdentityOf(shape.rank());
  if (!*perm) std::reverse(p.begin(), p.end());
  for (int64_t& axis : p) axis += axis < 0 ? shape.rank() : 0;
  return p;
}

}  // namespace signet
