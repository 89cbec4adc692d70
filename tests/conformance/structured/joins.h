// Join, Split, Tile: run the operations that structures and ragged values share.

#pragma once

#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {

// Runs `op`, concat or stack, on inputs.values along args.axis.
StatusOr<Answer> Join(std::string_view op, const Case& one, bool ragged);

StatusOr<Answer> Split(const Case& one);
StatusOr<Answer> Tile(const Case& one);

}  // namespace signet::structured_vectors
