// Tensor expressions: common parts of the expansions of ONNX operators.
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

// Returns true if `x` is a value or an error, and false if it is an omitted input.
bool IsGiven(const Operand& x);

// Return the dtype, the rank, and a size of a tensor. For an error or a value that is not a tensor,
// the dtype is float32 and sizes are unknown, because everything built from it is an error too.
DType TensorDType(const Operand& x);
StatusOr<int> TensorRank(const Operand& x);
int64_t KnownSize(const Operand& x, int axis);
// Return the elements of a tensor of integers if they are known now. KnownInt requires one element.
std::optional<std::vector<int64_t>> KnownInts(const OpBuilder& build, const Operand& x);
std::optional<int64_t> KnownInt(const OpBuilder& build, const Operand& x);

// Make constants: int64[n]; a scalar that is 0, False, or ""; and a scalar with a dtype.
GraphValue Ints(OpBuilder& build, std::span<const int64_t> values);
Expr Zero(OpBuilder& build, DType dtype);
Expr Number(OpBuilder& build, double value, DType dtype);
Expr Number(OpBuilder& build, double value, const Operand& like);

// Return dimensions [begin, end) of a tensor of known rank, int64[n], and their product, int64[].
Expr DimSizes(OpBuilder& build, const Operand& x, int begin, int end);
Expr DimProduct(OpBuilder& build, const Operand& x, int begin, int end);
// Stacks scalars int64[] into int64[n].
Expr StackScalars(OpBuilder& build, const Operands& scalars);

// Cast `x`, or return `x` itself if it has the dtype. AsFloat casts integers to float64.
// AsWideFloat also casts half-width floats to float32.
Expr CastTo(OpBuilder& build, const Operand& x, DType dtype);
Expr AsFloat(OpBuilder& build, const Operand& x);
Expr AsWideFloat(OpBuilder& build, const Operand& x);

// Reshape to sizes, int64[], whose product is the number of elements.
Expr ReshapeTo(OpBuilder& build, const Operand& x, const Operands& sizes);
Expr ReshapeLike(OpBuilder& build, const Operand& x, const Operand& like);
// Returns a tensor of one element, of any rank, as a scalar.
Expr AsScalar(OpBuilder& build, const Operand& x);
// Adds `count` trailing dimensions of size 1 to `x`.
Expr WithTrailingOnes(OpBuilder& build, const Operand& x, int count);
// Transposes, unless `perm` is the identity.
Expr Permute(OpBuilder& build, const Operand& x, std::span<const int64_t> perm);
// Converts indices below 0, which count from the end, to indices from the start. `size` is the size
// of the dimension, int64[], or a vector with the sizes of several dimensions, one per element of
// the last dimension of `indices`.
Expr FromStart(OpBuilder& build, const Operand& indices, const Operand& size);

}  // namespace signet
