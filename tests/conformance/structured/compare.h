// Difference: compares an answer with the expectation of a case, by the rules of
// tests/vectors/structured/NOTATION.md.

#pragma once

#include <string>
#include <vector>

#include "tests/conformance/structured/reader.h"

namespace signet::structured_vectors {

// The answer of the operation of a case.
struct Answer {
  // The results, once for each way in which it was run. All must be as expected, except that sizes
  // may be unknown in the types of the third way.
  std::vector<std::vector<Value>> ways = {};
  TypeSpec type = {};  // of an operation on types
  // Other facts, with their names in `expect`: `{"nrows": 3, "lengths": [2, [1, 1]]}`.
  Json data = Json::object();
  // The operation, or the form of it, that is not implemented.
  std::string not_built = {};
  bool sizes_needed = false;  // not run with unknown sizes; see three_ways.h
};

inline Answer AnswerOf(Value value) { return {.ways = {{std::move(value)}}}; }
inline Answer NotBuilt(std::string what) { return {.not_built = std::move(what)}; }

// Returns the nested form of a value, with texts as bytes and NaN as a number.
Json ToJson(const Value& value);
// Returns the component tensors of a tensor, ragged, or structured value, in the form of
// `encoding`.
Json ToEncoding(const Value& value);

// Returns what is wrong with `answer`, or an empty text if it is as expected.
std::string Difference(const Json& expect, const Answer& answer);

// Returns the name of the code, such as `InvalidArgument`.
std::string CodeOf(const Status& status);

}  // namespace signet::structured_vectors
