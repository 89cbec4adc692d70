// Pass: a named rewrite of a flat graph that keeps its results. Rule: a rewrite of one node.
//
//   constexpr Rule kRules[] = {{"JoinViews", JoinViews}};
//   const Pass kRemoveIdentitiesPass = {"RemoveIdentities", /*may_change_rounding=*/false,
//                                       [](Rewriter& r) { return ApplyRules(r, kRules); }};
//
// Each pass has one file, whose header shows the graph before and after. passes.cc lists the
// passes.

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
