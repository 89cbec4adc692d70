// Tensor expressions: what expansions of ONNX operators build again and again.
//
//   Expr kept = build.Less(build.Range({DimSize(build, x, 0)}), limit);
//   return build.Select(kept, x, Number(build, 0, x));
//
// A function whose operand is an error returns that error. Stateless.

#pragma once

#include <optional>
#include <vector>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"

namespace signet {

// Returns true if there is a value or an error, and not an input that is left out.
bool IsGiven(const Operand& x);

// Facts of a tensor. An error or a value that is not a tensor counts as float32 and has no known
// size, because what is built from it is an error too.
DType TensorDType(const Operand& x);
StatusOr<int> TensorRank(const Operand& x);
int64_t KnownSize(const Operand& x, int axis);
// The elements of a tensor of integers if they are known now. KnownInt requires one element.
std::optional<std::vector<int64_t>> KnownInts(const OpBuilder& build, const Operand& x);
std::optional<int64_t> KnownInt(const OpBuilder& build, const Operand& x);

// Constants: int64[n]; a scalar that is 0, False, or ""; and a scalar with a dtype.
GraphValue Ints(OpBuilder& build, std::span<const int64_t> values);
Expr Zero(OpBuilder& build, DType dtype);
Expr Number(OpBuilder& build, double value, DType dtype);
Expr Number(OpBuilder& build, double value, const Operand& like);

// Dimensions [begin, end) of a tensor of known rank, int64[n], and their product, int64[].
Expr DimSizes(OpBuilder& build, const Operand& x, int begin, int end);
Expr DimProduct(OpBuilder& build, const Operand& x, int begin, int end);
// Scalars int64[] as int64[n].
Expr StackScalars(OpBuilder& build, const Operands& scalars);

// `x` with another dtype, or `x` itself if it has that dtype. AsFloat makes float64 of integers;
// AsWideFloat also makes float32 of half-width floats.
Expr CastTo(OpBuilder& build, const Operand& x, DType dtype);
Expr AsFloat(OpBuilder& build, const Operand& x);
Expr AsWideFloat(OpBuilder& build, const Operand& x);

// Reshapes to sizes, int64[], whose product is the number of elements.
Expr ReshapeTo(OpBuilder& build, const Operand& x, const Operands& sizes);
Expr ReshapeLike(OpBuilder& build, const Operand& x, const Operand& like);
// A tensor of one element, of any rank, as a scalar.
Expr AsScalar(OpBuilder& build, const Operand& x);
// `x` with `count` trailing dimensions of size 1.
Expr WithTrailingOnes(OpBuilder& build, const Operand& x, int count);
// Transposes, unless `perm` is the identity.
Expr Permute(OpBuilder& build, const Operand& x, std::span<const int64_t> perm);
// Indices of a dimension of `size`, int64[], or of the dimensions whose sizes are a vector along
// the last dimension of `indices`. Indices below 0, which count from the end, then count from the
// start.
Expr FromStart(OpBuilder& build, const Operand& indices, const Operand& size);

}  // namespace signet
