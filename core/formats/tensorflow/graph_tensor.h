// GraphTensor: the shapes, the types, and the constants in the messages of a graph.
//
// A parser of untrusted input: shapes are checked against the limits before memory is allocated.
// Stateless; thread-safe.

#pragma once

#include "signet/dtype.h"
#include "signet/shape.h"
#include "signet/tensor.h"
#include "tensorflow/tensor.pb.h"

namespace signet {

// The largest constant of a graph, after its last value is repeated.
inline constexpr int64_t kMaxConstantBytes = int64_t{1} << 30;
inline constexpr int kMaxTensorRank = 32;

// Returns the shape of a tensor. INVALID_ARGUMENT if a dimension is unknown or the size exceeds
// the limits.
StatusOr<Shape> ShapeFromGraph(const tensorflow::TensorShapeProto& shape, DType dtype);
// Returns the shape of a type: -1 is an unknown dimension.
StatusOr<PartialShape> PartialShapeFromGraph(const tensorflow::TensorShapeProto& shape);

// Returns a constant (core/formats/tensorflow/tensor_proto.h) of at most kMaxConstantBytes.
StatusOr<Tensor> TensorFromGraph(const tensorflow::TensorProto& proto);

}  // namespace signet
