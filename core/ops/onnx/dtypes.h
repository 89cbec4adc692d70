// Dtypes by the numbers of ONNX: TensorProto.DataType, as attributes and messages have them.

#pragma once

#include <optional>

#include "core/types/dtype.h"

namespace signet {

// Empty for one that there is no dtype for (float8, int4).
std::optional<DType> DTypeFromOnnx(int64_t data_type);
// The same of attribute `name`; UNIMPLEMENTED for one that there is no dtype for.
StatusOr<DType> OnnxDTypeAttribute(int64_t data_type, std::string_view name);

}  // namespace signet
