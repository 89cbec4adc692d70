// GraphTensor: tensors in the messages of TensorFlow as values, and its types as Signet's.
//
// A parser of untrusted input: shapes are checked against the limits before memory is allocated.
// Stateless; thread-safe.

#pragma once

#include <optional>

#include "core/graph/body/captured_value.h"
#include "signet/shape.h"
#include "tensorflow/tensor.pb.h"

namespace signet {

// The largest constant of a graph, after its last value is repeated.
inline constexpr size_t kMaxConstantBytes = size_t{1} << 30;
inline constexpr int kMaxTensorRank = 32;

// Returns the dtype in which elements of a type are stored; references have the type that they
// refer to. Empty for resources, variants, and types without a dtype.
std::optional<DType> LookupDType(int data_type);
// Returns the dtype, or UNIMPLEMENTED with the name of the type.
StatusOr<DType> DTypeFromGraph(int data_type);
// Returns the name of a type, such as `DT_RESOURCE`, or its number.
std::string NameOfDataType(int data_type);

// Returns the shape of a tensor. INVALID_ARGUMENT if a dimension is unknown or the size exceeds
// the limits.
StatusOr<Shape> ShapeFromGraph(const tensorflow::TensorShapeProto& shape, DType dtype);
// Returns the shape of a type: -1 is an unknown dimension.
StatusOr<PartialShape> PartialShapeFromGraph(const tensorflow::TensorShapeProto& shape);

// Returns the tensor. If there are fewer values than elements, the last one is repeated; without
// values, all are zero.
StatusOr<Tensor> TensorFromGraph(const tensorflow::TensorProto& proto);

}  // namespace signet
