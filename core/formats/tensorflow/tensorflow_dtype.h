// TensorFlowDType: converts the dtype numbers of TensorFlow (proto/tensorflow/tensor.proto) to and
// from dtypes. Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <string>

#include "signet/dtype.h"
#include "signet/status.h"
#include "tensorflow/tensor.pb.h"

namespace signet::tf {

// Returns the dtype of a value that a client sends. INVALID_ARGUMENT for a number without a
// meaning; UNIMPLEMENTED for a dtype that no value has: references, resources, variants, quantized
// dtypes, and numbers of less than 16 bits other than int8 and uint8.
StatusOr<DType> DTypeFromNumber(int64_t number);

// Returns the dtype in which a graph holds such values: that of the variable for a reference, and
// the integers of the same size for a quantized dtype. Other errors are those of DTypeFromNumber.
StatusOr<DType> StoredDTypeFromNumber(int64_t number);

::tensorflow::DataType DataTypeOf(DType dtype);

// Returns `DT_FLOAT`, or the number if it has no name.
std::string DataTypeName(int64_t number);

}  // namespace signet::tf
