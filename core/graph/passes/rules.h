// Rules: what a node is made another way for, one function each. A rule answers whether it changed
// node `i`.

#pragma once

#include <span>

#include "core/graph/passes/rewriter.h"

namespace signet {

using Rule = bool (*)(Rewriter& rewriter, size_t i);

std::span<const Rule> IdentityRules();       // what changes nothing is left out
std::span<const Rule> LinearRules();         // matmul with what comes before and after it
std::span<const Rule> ConvolutionRules();    // conv with what comes after it
std::span<const Rule> NormalizationRules();  // means and squares that are one op
std::span<const Rule> ScaleRules();          // scales and shifts that follow one another

// The first rule that applies to node `i` is applied.
bool ApplyRules(Rewriter& rewriter, size_t i, std::span<const Rule> rules);

}  // namespace signet
