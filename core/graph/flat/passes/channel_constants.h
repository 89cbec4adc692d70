// Channel constants: constants with one number per element of one dimension, such as the biases and
// scales of a normalization, and arithmetic with them.

#pragma once

#include <optional>

#include "core/graph/flat/passes/rewriter.h"

namespace signet {

// Returns the constant `edge` as a vector of the `n` numbers that it broadcasts to the elements
// along `axis` of a tensor of `rank` dimensions. Empty if the edge is not a constant of 32-bit or
// 64-bit floats, or varies along another axis.
std::optional<Tensor> VectorAlongAxis(const Rewriter& rewriter, int edge, int rank, int axis,
                                      int64_t n);

enum class Combine : uint8_t { kAdd, kSubtract, kMultiply };

// Combines the elements of `x`, as a tensor [outer, n, inner], with those of `along`, [n]. Both
// have the same dtype. If `x` has no value, zeros of shape [n] are used. Empty if the results
// of one operation with the combination may differ in more than rounding: a factor is not finite,
// or a finite sum or product overflows or underflows.
std::optional<Tensor> CombineAlong(const Tensor& x, const Tensor& along, int64_t inner,
                                   Combine how);

// Combines two constants of 32-bit or 64-bit floats. Empty unless they have the same dtype and
// either the same shape, apart from leading dimensions of size 1, or one of them has one element.
// Also empty if CombineAlong is.
std::optional<Tensor> CombineConstants(const Tensor& a, const Tensor& b, Combine how);

// Returns the only element of the constant `edge`. Empty if the edge is not a constant float of one
// element.
std::optional<double> ScalarConstant(const Rewriter& rewriter, int edge);

// Returns the same for the bound of an epilogue, which is a 32-bit float. Also empty for NaN, for a
// number that float32 does not hold, and for -0, which epilogues do not distinguish from 0.
std::optional<double> BoundConstant(const Rewriter& rewriter, int edge);

}  // namespace signet
