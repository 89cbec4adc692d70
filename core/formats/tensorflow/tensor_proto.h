// TensorProto: converts the tensors of TensorFlow (proto/tensorflow/tensor.proto) to and from
// tensors.
//
//   dtype: DT_FLOAT  tensor_shape { dim { size: 3 } }  float_val: [1, 2]   =>   float32[3] [1, 2,
//   2]
//
// The rules of TensorFlow:
//   1. If tensor_content is not empty, it has the elements. For strings, it has the lengths of all
//      elements as varints, and then their bytes.
//   2. Otherwise, the *_val field for the dtype has the elements. If it has fewer values than the
//      shape has elements, the last value is repeated. If it has none, the elements are 0, false,
//      or "". Further values are ignored.
//   3. Every dimension of the shape must be known.
// An integer that does not fit in its dtype is an error. The size of the tensor is checked against
// the limits before memory is allocated, because one value may stand for any number of elements.
//
// Messages are untrusted. Stateless; thread-safe.

#pragma once

#include <string_view>

#include "core/formats/common/allowance.h"
#include "core/formats/signet_wire/wire.h"
#include "core/formats/signet_wire/wire_cursor.h"
#include "signet/tensor.h"
#include "tensorflow/tensor.pb.h"

namespace signet::tf {

// Reads a message that a client sends. tensor_content is borrowed if it is in one piece and
// aligned. DTypeFromNumber lists the dtypes.
StatusOr<Tensor> ReadTensorProto(wire::WireSource& source, wire::WireCursor cursor);

// Converts a parsed message, whose elements are copied.
StatusOr<Tensor> TensorFromProto(const ::tensorflow::TensorProto& proto, Allowance& allowance);
// Does the same for a constant of a graph, whose dtype is that of StoredDTypeFromNumber.
StatusOr<Tensor> ConstantFromProto(const ::tensorflow::TensorProto& proto, Allowance& allowance);

// Writes a message with the *_val field for the dtype, which every client reads. Floats are
// borrowed.
wire::Pieces WriteTensorProto(const Tensor& tensor);
::tensorflow::TensorProto TensorToProto(const Tensor& tensor);

}  // namespace signet::tf
