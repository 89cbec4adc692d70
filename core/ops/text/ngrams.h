// NgramRule: the attributes of `ngrams`, and the number of n-grams of a row. Stateless.

#pragma once

#include <string>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// The attributes of `ngrams` and `ngram_rows`.
struct NgramRule {
  std::vector<int64_t> widths;  // in the order of the results
  std::string separator;
  std::string left;     // added before the first word
  std::string right;    // added after the last word
  int64_t padding = 0;  // the largest number of `left` and of `right` per row; less than the width
  bool keeps_short = false;

  // Returns the number of times that `left` and `right` are added for n-grams of `width` words.
  int64_t PaddingOf(int64_t width) const;
  // Returns the number of n-grams of `width` words in a row of `length` words.
  int64_t CountOf(int64_t length, int64_t width) const;
};
// Reads the attributes. C2: `widths` is a number from 1 to 1024, or a list of such numbers. C3:
// `pad` is None, a string, or a list of two strings; `padding_width` is None or 0 to 1024. C4:
// `separator` is a string, and `keep_short` is True or False.
StatusOr<NgramRule> FindNgramRule(const Attributes& attributes);

}  // namespace signet
