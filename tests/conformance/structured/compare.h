// Structured vectors, comparison: whether an answer is what a case expects, by the rules of
// tests/vectors/structured/NOTATION.md.

#pragma once

#include <string>
#include <vector>

#include "tests/conformance/structured/reader.h"

namespace signet::structured_vectors {

// What the operation of a case gave.
struct Answer {
  // Its results, once for each way it was run; all must be as expected, but for sizes that the
  // types of the third way leave open.
  std::vector<std::vector<Value>> ways = {};
  TypeSpec type = {};  // of an operation on types
  // Anything else, under the names that it has in `expect`: `{"nrows": 3, "lengths": [2, [1, 1]]}`.
  Json data = Json::object();
  // Why there is none yet: an operation, or a form of it, that is not there.
  std::string not_built = {};
  bool sizes_needed = false;  // not run with sizes forgotten: see three_ways.h
};

inline Answer AnswerOf(Value value) { return {.ways = {{std::move(value)}}}; }
inline Answer NotBuilt(std::string what) { return {.not_built = std::move(what)}; }

// The nested form of a value, with texts as their bytes and NaN as a number.
Json ToJson(const Value& value);
// The component tensors of a tensor, ragged or structured value, as `encoding` has them.
Json ToEncoding(const Value& value);

// What is wrong with `answer`; empty when it is as `expect` says.
std::string Difference(const Json& expect, const Answer& answer);

// `InvalidArgument` and so on.
std::string CodeOf(const Status& status);

}  // namespace signet::structured_vectors
