// N-grams: how many there are of a row, and what they are made of. Stateless.

#pragma once

#include <string>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// The attributes of `ngrams` and `ngram_rows`.
struct NgramRule {
  std::vector<int64_t> widths;  // in the order of the results
  std::string separator;
  std::string left;  // what stands before the first word, and behind the last
  std::string right;
  int64_t padding = 0;  // at most so many of each; less than the width
  bool keeps_short = false;

  int64_t PaddingOf(int64_t width) const;
  // Of `width` words, in a row of `length`.
  int64_t CountOf(int64_t length, int64_t width) const;
};
// C2: `widths` is a number from 1 to 1024, or a list of such. C3: `pad` is None, text or a list of
// two; `padding_width` is None or from 0 to 1024. C4: `separator` is text, `keep_short` True or
// False.
StatusOr<NgramRule> FindNgramRule(const Attributes& attributes);

}  // namespace signet
