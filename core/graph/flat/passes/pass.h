// Pass: a named rewrite of a flat graph that keeps its results. Rule: a rewrite of one node.
//
//   constexpr Rule kRules[] = {{"JoinViews", JoinViews}};
//   const Pass kRemoveIdentitiesPass = {"RemoveIdentities", /*may_change_rounding=*/false,
//                                       [](Rewriter& r) { return ApplyRules(r, kRules); }};
//
// Each pass has one file, whose header shows the graph before and after. passes.cc lists the
// passes.
//
// A rewrite keeps every bit of a result, except for one that may change rounding:
//   1. Finite results may differ by rounding. A zero may have the other sign.
//   2. NaN stays NaN, and infinities stay infinities of the same sign. An intermediate value that
//      overflows or underflows may stay in range, or the other way around, if a sum or a product is
//      computed in another order.
//   3. Constants are combined only if no finite result overflows or underflows
//      (channel_constants.h).

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/graph/flat/passes/rewriter.h"

namespace signet {

struct PassResult {
  bool changed = false;
  // Sums up the rewrites that may change how results are rounded: which rule rewrote which op.
  uint64_t rounding = 0;
};

struct Pass {
  std::string_view name;
  bool may_change_rounding;  // if false, PassResult::rounding is always 0
  PassResult (*run)(Rewriter& rewriter);
};

struct Rule {
  std::string_view name;  // unique among all passes
  // Rewrites node `i` if the rule matches it, and returns whether it did.
  bool (*apply)(Rewriter& rewriter, size_t i);
  bool may_change_rounding = false;
};

// Visits the live nodes in order, except for control nodes with bodies. Applies the first rule that
// matches, again and again, until no rule matches the node.
PassResult ApplyRules(Rewriter& rewriter, std::span<const Rule> rules);

}  // namespace signet
