// Case files: examples of an op in text, such as tests/core/ops/shape/tile.cases.
//
//   # C3: every input is like input 0, but for its dimension along axis
//   concat axis=0  float32[1, 2] [[1, 2]]   float32[2, 2] [[3, 4], [5, 6]]
//   -> float32[3, 2] [[1, 2], [3, 4], [5, 6]]
//   concat axis=0  float32[1, 2] [[1, 2]]   float32[1, 3] [[3, 4, 5]]
//   !! C3 input 1 is `float32[1, 3]`; expected `float32[1, 2]`
//
// A call is the op, its attributes, and its inputs in the notation of values, of which None is one
// left out; a list of plain values is written once, `list(2, 0)`. An answer may be several values
// with `;` between. A line `~ 1e-3` before the answer says how far floats may be off, relatively. A
// line that starts with a space goes on the one before.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/attributes.h"
#include "signet/value.h"

namespace signet {

struct OpCase {
  int line = 0;      // of the call
  std::string call;  // its text
  std::string op;
  Attributes attributes;
  std::vector<Value> inputs;   // a literal None: left out
  std::vector<Value> results;  // empty when refused
  std::string refusal;         // empty when answered
  double tolerance = 0;        // 0: as the dtype allows
};

StatusOr<std::vector<OpCase>> ParseCases(std::string_view text);

struct CaseFile {
  std::string name;  // `tests/core/ops/shape/concat.cases`
  std::vector<OpCase> cases = {};
  std::string fault = {};  // why it cannot be read; empty when it can
};
// All files tests/core/**/*.cases, by path.
std::vector<CaseFile> ReadCaseFiles();

// Whether every input is a tensor or left out, so that a kernel can run it as it is.
bool HasTensorsOnly(const OpCase& op_case);

// Empty when `found` is what the case says; else what differs.
std::string Difference(const OpCase& op_case, std::span<const Value> found);
// The same of one tensor; NaN equals NaN.
std::string Difference(const Tensor& expected, const Tensor& found, double tolerance);

}  // namespace signet
