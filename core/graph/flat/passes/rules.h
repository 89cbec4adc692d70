// Rule: a local rewrite that may replace node `i`, and returns whether it did.

#pragma once

#include <span>

#include "core/graph/flat/passes/rewriter.h"

namespace signet {

struct Rule {
  bool (*apply)(Rewriter& rewriter, size_t i);
  bool rounds = false;  // whether results may be rounded differently than before
};

std::span<const Rule> IdentityRules();       // what changes nothing is left out
std::span<const Rule> LinearRules();         // matmul with what comes before and after it
std::span<const Rule> ConvolutionRules();    // conv with what comes after it
std::span<const Rule> NormalizationRules();  // means and squares that are one op
std::span<const Rule> ScaleRules();          // scales and shifts that follow one another

// Applies the first rule that can be applied to node `i`, and returns it; null if there is none.
const Rule* ApplyRules(Rewriter& rewriter, size_t i, std::span<const Rule> rules);

}  // namespace signet
