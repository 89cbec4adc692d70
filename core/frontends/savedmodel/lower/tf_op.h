// TfOp: defines an operator of TensorFlow as an op that has only an expansion.
//
//   TfOp("BiasAdd", "Adds a bias", {"value", "bias"}, {{"data_format", AttributeOf("NHWC")}},
//        ExpandBiasAdd)                                                        =>  `tf.BiasAdd`
//
// Each file of this directory returns the operators of a family as a list. Stateless; thread-safe.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/def/inference.h"

namespace signet {

using TfInputs = std::span<const GraphValue>;
using TfOutputs = StatusOr<std::vector<GraphValue>>;

// Returns an op whose inputs are tensors.
OpDef TfOp(std::string_view name, std::string summary, std::vector<std::string> inputs,
           std::vector<AttributeDef> attributes, ExpandFn expand);
// Returns an op whose inputs may be composite values.
OpDef TfOpOnValues(std::string_view name, std::string summary, std::vector<std::string> inputs,
                   std::vector<AttributeDef> attributes, ExpandFn expand);

// The attribute with the number of the node, which seeds random numbers.
inline AttributeDef NodeAttribute() { return {"node", AttributeOf(0)}; }

// Returns integers as int64.
inline Expr AsInt64(OpBuilder& build, const Operand& x) { return CastTo(build, x, DType::kInt64); }
// Returns the elements of input `i`, or UNIMPLEMENTED if they are not known.
StatusOr<std::vector<int64_t>> FindInts(OpBuilder& build, const OpCall& call, TfInputs inputs,
                                        size_t i);
// Returns input `i`, a constant axis, or UNIMPLEMENTED if it is not known.
StatusOr<int64_t> AxisAt(OpBuilder& build, const OpCall& call, TfInputs inputs, size_t i);
// Returns the text of input `i`, a constant scalar, or UNIMPLEMENTED if it is not known.
StatusOr<std::string> FindText(OpBuilder& build, const OpCall& call, TfInputs inputs, size_t i);
// Returns the texts of input `i`, a constant, or UNIMPLEMENTED if they are not known.
StatusOr<std::vector<std::string>> FindTexts(OpBuilder& build, const OpCall& call, TfInputs inputs,
                                             size_t i);
// Returns the dtype that an attribute names, or UNIMPLEMENTED if there is no such dtype.
StatusOr<DType> TfDType(const OpCall& call, std::string_view name);
DType DTypeAt(TfInputs inputs, size_t i);
// Returns the lowest or the highest finite number of a dtype, or UNIMPLEMENTED if there is none.
StatusOr<GraphValue> ExtremeNumber(OpBuilder& build, DType dtype, bool is_lowest);
// Fails unless the indices of a sparse value are within its shape, and with `in_order`, unless they
// are different and in row-major order.
Status CheckSparseIndices(OpBuilder& build, const Expr& indices, const Expr& shape, bool in_order);

// Rounds floats to integers, with halves away from 0.
Expr RoundAwayFromZero(OpBuilder& build, const Operand& x);

// Complex numbers as real numbers, and back.
struct ComplexParts {
  Expr real;
  Expr imaginary;
};
ComplexParts ComplexPartsOf(OpBuilder& build, const Operand& x);
Expr ComplexOf(OpBuilder& build, const ComplexParts& parts);

// The families.
std::vector<OpDef> TfMathOps();
std::vector<OpDef> TfShapeOps();
std::vector<OpDef> TfSliceOps();
std::vector<OpDef> TfIndexOps();
std::vector<OpDef> TfArrayOps();
std::vector<OpDef> TfMatrixOps();
std::vector<OpDef> TfDiagonalOps();
std::vector<OpDef> TfLayoutOps();
std::vector<OpDef> TfSpecialOps();
std::vector<OpDef> TfReductionOps();
std::vector<OpDef> TfNetworkOps();
std::vector<OpDef> TfPoolingOps();
std::vector<OpDef> TfResizeOps();
std::vector<OpDef> TfImageOps();
std::vector<OpDef> TfDetectionOps();
std::vector<OpDef> TfQuantizedOps();
std::vector<OpDef> TfTextOps();
std::vector<OpDef> TfUnicodeOps();
std::vector<OpDef> TfFeatureOps();
std::vector<OpDef> TfSparseOps();
std::vector<OpDef> TfSetOps();
std::vector<OpDef> TfRaggedOps();
std::vector<OpDef> TfCountOps();
std::vector<OpDef> TfCsvOps();
std::vector<OpDef> TfListOps();
std::vector<OpDef> TfExampleOps();
std::vector<OpDef> TfSequenceExampleOps();
std::vector<OpDef> TfSerializedOps();
std::vector<OpDef> TfRandomOps();
std::vector<OpDef> TfSignalOps();
std::vector<OpDef> TfRecurrentOps();

}  // namespace signet
