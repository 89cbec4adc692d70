// Case files: examples of an op in text, such as tests/core/ops/shape/tile.cases.
//
//   # C4: The inputs have equal dimensions, except along `axis`.
//   concat axis=0  float32[1, 2] [[1, 2]]   float32[2, 2] [[3, 4], [5, 6]]
//   -> float32[3, 2] [[1, 2], [3, 4], [5, 6]]
//   concat axis=0  float32[1, 2] [[1, 2]]   float32[1, 3] [[3, 4, 5]]
//   !! C4 input 1: expected the dimensions of input 0, `float32[1, 2]`, found `float32[1, 3]`
//
// A line that starts with `!!` states the constraint that the call violates, if it violates one,
// and the end of the message.
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
  std::vector<Value> results;  // empty if the call fails
  std::string constraint;      // label of the constraint that the call violates; may be empty
  std::string error;           // end of the message; empty if the call succeeds
  double tolerance = 0;        // 0: the tolerance of the dtype
};

StatusOr<std::vector<OpCase>> ParseCases(std::string_view text);

struct CaseFile {
  std::string name;  // `tests/core/ops/shape/concat.cases`
  std::vector<OpCase> cases = {};
  std::string fault = {};  // why it cannot be read; empty when it can
};
// All files tests/core/**/*.cases, by path.
std::vector<CaseFile> ReadCaseFiles();

// Returns the label of the constraint of an error: `C2`. Returns an empty string if it has none.
std::string LabelOf(const Status& status);

// Returns true if the call failed with the constraint and the message that the case states.
bool IsExpectedError(const OpCase& op_case, const Status& status);

// Returns true if a kernel can run the case as it is: every input is a tensor or left out, and the
// op does not expand the call.
bool IsKernelCall(const OpCase& op_case);

// Empty when `found` is what the case says; else what differs.
std::string Difference(const OpCase& op_case, std::span<const Value> found);
// The same of one tensor; NaN equals NaN.
std::string Difference(const Tensor& expected, const Tensor& found, double tolerance);

}  // namespace signet
