// Channels: constants that go along one dimension of what they are combined with, as biases and the
// scales of normalization do.

#pragma once

#include <optional>

#include "core/graph/flat/passes/rewriter.h"

namespace signet {

// `edge` as a vector of the `n` numbers that it gives to the elements along `axis` of a tensor of
// `rank` dimensions. Empty when it is no constant of floats of 32 or 64 bits, or not of that form.
std::optional<Tensor> AlongAxis(const Rewriter& rewriter, int edge, int rank, int axis, int64_t n);

// What `f` makes of the elements of `x`, seen as [outer, n, inner], and of those of `along`, [n].
// Both have one dtype. `x` has no value: of zeros along n.
enum class Combine : uint8_t { kAdd, kSubtract, kMultiply };
Tensor Combined(const Tensor& x, const Tensor& along, int64_t inner, Combine how);

// Two constants of 32 or 64-bit floats as one: of one dtype, and of one shape but for dimensions of
// size 1 in front, or one of them a single number. Else empty.
std::optional<Tensor> CombinedAlike(const Tensor& a, const Tensor& b, Combine how);

// A number that every element meets; empty for what is no constant of one element.
std::optional<double> Number(const Rewriter& rewriter, int edge);

}  // namespace signet
