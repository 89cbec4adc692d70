// Structured vectors, joining and cutting: the calls that structures and ragged values share.

#pragma once

#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {

// `op`, concat or stack, of inputs.values along args.axis.
StatusOr<Answer> Join(std::string_view op, const Case& one, bool ragged);

StatusOr<Answer> Split(const Case& one);
StatusOr<Answer> Tile(const Case& one);

}  // namespace signet::structured_vectors
