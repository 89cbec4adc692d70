// ClassScores, Regressions: the result of a function as Classify and Regress return it.
//
//   result                                             Classify
//   dict(classes: string[B, C], scores: float32[B, C])  labels and scores
//   dict(scores: float32[B, C])                         scores; the labels are empty
//   float32[B, C]                                       scores
//   string[B, C]                                        labels; the scores are 0
//
//   result                                             Regress
//   dict(outputs: float32[B])                           the values
//   [{name: string[], fee: float32[]}]                  the values of the only column of numbers
//   float32[B, 1]                                       the values
//
// B is the number of examples. [B] is the same as [B, 1], and numbers of all dtypes are converted
// to float32. Outputs that are not dense are ignored. Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "core/serving/call/bind.h"
#include "signet/tensor.h"
#include "signet/value.h"

namespace signet::tf {

struct ClassScores {
  size_t num_rows = 0;
  size_t num_classes = 0;
  Tensor labels = {};              // string[num_rows, num_classes]; no value: the labels are empty
  std::vector<float> scores = {};  // num_rows * num_classes; empty: the scores are 0

  std::string_view label(size_t i) const {
    return labels.has_value() ? labels.string_at(static_cast<int64_t>(i)) : std::string_view();
  }
  float score(size_t i) const { return scores.empty() ? 0.0F : scores[i]; }
};

// `called` has the names of the outputs. INVALID_ARGUMENT if the result has none of these forms.
StatusOr<ClassScores> ClassScoresOf(const Value& result, const CalledFunction& called,
                                    size_t num_examples);
StatusOr<std::vector<float>> RegressionsOf(const Value& result, const CalledFunction& called,
                                           size_t num_examples);

// Write a ClassificationResult and a RegressionResult.
std::string WriteClassScores(const ClassScores& classes);
std::string WriteRegressions(const std::vector<float>& values);

// Write the response of the REST API: {"results": [...]}.
std::string ClassScoresToJson(const ClassScores& classes);
std::string RegressionsToJson(const std::vector<float>& values);

}  // namespace signet::tf
