// Mutation: cases of vectors changed at random, to test that the runner survives any input.

#pragma once

#include <random>

#include "tests/conformance/function_vectors_json.h"

namespace signet::vectors {

// `json` with up to four changes: a part removed, repeated, renamed, or replaced by another part or
// by a value of any kind.
Json Mutated(const Json& json, std::mt19937& random);

}  // namespace signet::vectors
